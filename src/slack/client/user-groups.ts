/** The members of the user groups that settings name. */
import { z } from 'zod'
import { inTime } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import { expiringCache, type ExpiringCache } from '../../base/expiring-cache.ts'
import type { Person } from '../../base/place.ts'
import type { Installation } from './installations.ts'
import { SlackRefusal } from './slack-errors.ts'
import type { SlackWeb } from './web-api.ts'

/** How long the members of a user group are cached, in ms. */
const GROUP_MS = 5 * 60_000
/** Time limit for loading them, in ms: Slack waits three seconds for the ack of a press. */
const PATIENCE_MS = 1_800
const MAX_GROUPS = 1_000

/** The members of user groups per client, by team and group. */
const groups = new WeakMap<SlackWeb, ExpiringCache<readonly string[]>>()

const membersSchema = z.object({ users: z.array(z.string()) })

type GroupReader = Pick<Installation, 'client' | 'directory'>

/**
 * Returns whether somebody is in one of these user groups; `noScope`, `untold` as in `membersOf`, if Slack did not say.
 */
export async function inGroups(
  { team, user }: Person,
  groups: readonly string[],
  installation: GroupReader,
): Promise<'yes' | 'no' | 'noScope' | 'untold'> {
  const found = await Promise.all(groups.map((group) => membersOf(group, team, installation)))
  if (found.some((members) => typeof members !== 'string' && members.includes(user))) return 'yes'
  return found.find((members) => typeof members === 'string') ?? 'no'
}

/**
 * Returns the members of a user group; `noScope`, `untold`: a scope is missing, or Slack did not answer in time. Costs
 * at most one call per group in five minutes.
 */
export async function membersOf(
  group: string,
  team: string,
  { client, directory }: GroupReader,
): Promise<readonly string[] | 'noScope' | 'untold'> {
  const known = groups.get(client) ?? expiringCache({ ttlMs: GROUP_MS, max: MAX_GROUPS, now: directory.now })
  groups.set(client, known)
  const key = `${team}:${group}`
  const before = known.get(key)
  if (before) return before
  const asking = client
    .call('usergroups.users.list', { usergroup: group, team_id: team }, { effort: 'once' })
    .then((answer) => {
      const { users } = membersSchema.parse(answer)
      known.set(key, users)
      return users
    })
    .catch((error: unknown) => {
      // A group that does not exist has no members.
      if (error instanceof SlackRefusal && error.code === 'no_such_subteam') {
        known.set(key, [])
        return []
      }
      const fields = { team, group, error: messageOf(error) }
      client.log.warn(fields, 'Slack does not list the members of a user group of the settings')
      return error instanceof SlackRefusal && error.code === 'missing_scope' ? 'noScope' : 'untold'
    })
  return inTime(PATIENCE_MS, asking, 'untold' as const)
}
