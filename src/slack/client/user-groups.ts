import { z } from 'zod'
import { settledWithin } from '../../async.ts'
import { messageOf } from '../../errors.ts'
import { ExpiringMap } from '../../history/expiring-map.ts'
import type { Log } from '../../log.ts'
import { SlackRefusal } from './slack-errors.ts'
import type { SlackWeb } from './slack-web.ts'

/** Why Slack does not tell who is in a user group: for want of a scope, or of an answer in time. */
export type NoMembers = 'noScope' | 'untold'

/** How long the members of a user group are not asked for again, in ms. */
const GROUP_MS = 5 * 60_000
/** How long Slack is asked for them, in ms: it waits for the ack of a press for three seconds. */
const PATIENCE_MS = 1_800
const MAX_GROUPS = 1_000

/** Who is in them, by team and group, of each client. */
const groups = new WeakMap<SlackWeb, ExpiringMap<readonly string[]>>()

const membersSchema = z.object({ users: z.array(z.string()) })

/** Ids of the people in a user group. Costs a call of `usergroups.users.list` in five minutes. Never rejects. */
export async function membersOf(
  group: string,
  team: string,
  { client, log }: { client: SlackWeb; log: Log },
): Promise<readonly string[] | NoMembers> {
  const known = groups.get(client) ?? new ExpiringMap({ ttlMs: GROUP_MS, maxSize: MAX_GROUPS, now: Date.now })
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
      log.warn({ team, group, error: messageOf(error) }, 'Slack does not tell who is in a user group of APPROVERS')
      return error instanceof SlackRefusal && error.code === 'missing_scope' ? 'noScope' : 'untold'
    })
  return (await settledWithin(PATIENCE_MS, [asking])) ? asking : 'untold'
}
