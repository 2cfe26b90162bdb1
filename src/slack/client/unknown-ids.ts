/** The ids of people and user groups in settings that a workspace does not have. */
import { z } from 'zod'
import type { Log } from '../../base/log.ts'
import type { Config } from '../../config.ts'
import type { Installations } from './installations.ts'
import { refusalCode } from './slack-errors.ts'
import { isGroup, personSchema } from './people-and-channels.ts'
import type { SlackWeb } from './web-api.ts'

/** An id in a setting that has no effect: nobody has it, or the person has left or the group is disabled. */
interface UnknownId {
  setting: 'APPROVERS' | 'ALLOW_USERS'
  id: string
  isGone: boolean
}

/** Slack allows about 50 look-ups of people a minute. */
const MAX_IDS = 40

const groupsSchema = z.object({
  usergroups: z.array(z.object({ id: z.string(), date_delete: z.number().optional().catch(undefined) })),
})

/** Logs each id in the settings that no workspace known at startup has. Never rejects. */
export async function warnOfUnknownIds(config: Config, installations: Installations, log: Log): Promise<void> {
  const installed = await Promise.all(installations.teams().map((team) => installations.of(team)))
  // An organisation's token knows the people of all its workspaces.
  const clients = new Map(installed.flatMap((one) => (one ? [[one.signingKey, one.client] as const] : [])).toReversed())
  const found = await unknownIds(config, [...clients.values()])
  for (const one of found) log.warn({ setting: one.setting, id: one.id }, unknownIdLine(one))
}

/**
 * Looks up the ids in the settings, at most 40, in each workspace. One workspace that has an id, or does not say, is
 * enough. Never rejects.
 */
export async function unknownIds(config: Config, clients: readonly SlackWeb[]): Promise<UnknownId[]> {
  const [first = [], ...others] = await Promise.all(clients.map((client) => unknownIdsIn(config, client)))
  const isIn = (some: UnknownId[], { setting, id }: UnknownId) =>
    some.some((one) => one.setting === setting && one.id === id)
  return first.filter((one) => others.every((some) => isIn(some, one)))
}

async function unknownIdsIn(config: Config, client: SlackWeb): Promise<UnknownId[]> {
  const approvers = new Set(config.APPROVERS.flatMap(({ ids }) => ids))
  const named = [
    ...[...approvers].map((id) => ({ setting: 'APPROVERS' as const, id })),
    ...[...new Set(config.ALLOW_USERS.filter(isId))].map((id) => ({ setting: 'ALLOW_USERS' as const, id })),
  ]
  const ids = [...new Set(named.map(({ id }) => id))].slice(0, MAX_IDS)
  const people = ids.filter((id) => !isGroup(id))
  const found = await Promise.all(people.map(async (id) => [id, await personState(id, client)] as const))
  const groups = await groupStates(ids.filter(isGroup), client)
  const states = new Map([...found, ...groups])
  return named.flatMap(({ setting, id }) => {
    const state = states.get(id)
    return state === undefined ? [] : [{ setting, id, isGone: state === 'gone' }]
  })
}

/** Returns an unknown id as a sentence for operators. */
export function unknownIdLine({ setting, id, isGone }: UnknownId): string {
  const [who, left] = isGroup(id) ? ['user group', 'is disabled'] : ['person', 'has left']
  if (isGone) return `${setting} names ${id}, a ${who} that ${left}. Remove it.`
  return `${setting} names ${id}, but this workspace has no such ${who}. Correct or remove it.`
}

type State = 'none' | 'gone' | undefined

async function personState(user: string, client: SlackWeb): Promise<State> {
  try {
    const answer = personSchema.safeParse(await client.call('users.info', { user }, { effort: 'once' }))
    return answer.data?.user.deleted === true ? 'gone' : undefined
  } catch (error) {
    return ['user_not_found', 'user_not_visible'].includes(refusalCode(error) ?? '') ? 'none' : undefined
  }
}

async function groupStates(ids: string[], client: SlackWeb): Promise<[string, State][]> {
  if (ids.length === 0) return []
  const asking = client.call('usergroups.list', { include_disabled: true }, { effort: 'once' })
  const answer = groupsSchema.safeParse(await asking.catch(() => undefined))
  if (!answer.success) return []
  const known = new Map(answer.data.usergroups.map((group) => [group.id, group]))
  return ids.map((id) => [id, known.has(id) ? ((known.get(id)?.date_delete ?? 0) > 0 ? 'gone' : undefined) : 'none'])
}

function isId(word: string): boolean {
  return /^[UWS][A-Z0-9]+$/.test(word)
}
