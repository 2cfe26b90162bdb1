import { inTime } from '../../base/async.ts'
import type { Installation } from '../client/installations.ts'
import { factsOfPlace } from '../client/place-facts.ts'
import type { Services } from '../services.ts'

/** The time limit for Slack's answer, because Slack waits for the ack. Milliseconds. */
const LOOK_UP_MS = 1_000
/** The time in which Slack's last answer is used without asking again. Milliseconds. */
const FRESH_MS = 60 * 60_000

interface ConnectedChannel {
  channel: string
  /** The organisation's id. */
  organisation: string
}

/**
 * Returns the workspaces of an organisation in which a channel is, always in the same order. All processes share
 * Slack's last answer. It is kept like a thread's state, and used as long as Slack gives no other.
 * @returns undefined if Slack has never told and does not tell in time. Its late answer counts for the next delivery
 */
export async function ownTeamsOf(
  { channel, organisation }: ConnectedChannel,
  installation: Installation,
  { threads, now }: Pick<Services, 'threads' | 'now'>,
): Promise<string[] | undefined> {
  const key = `${organisation}:${channel}`
  const { ownTeams: known } = await threads.load(key)
  const at = now().getTime()
  if (known && at - known.at < FRESH_MS) return known.teams
  const ask = async () => {
    const told = (await factsOfPlace(channel, installation, 'once')).ownTeams.filter((team) => team.startsWith('T'))
    const teams = [...new Set([...(known?.teams.filter((team) => told.includes(team)) ?? []), ...told])]
    if (teams.length > 0) await threads.patch(key, { ownTeams: { teams, at } })
    return teams.length > 0 ? teams : (known?.teams ?? [])
  }
  const asking = ask().catch(() => known?.teams)
  return inTime(LOOK_UP_MS, asking, known?.teams)
}
