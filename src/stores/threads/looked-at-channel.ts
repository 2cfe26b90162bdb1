import { inTime } from '../../base/async.ts'
import type { Place, ThreadKey } from '../../base/place.ts'
import type { ThreadStates } from './types.ts'

/** How long a person's current channel is reported with their questions. Milliseconds. */
const FRESH_MS = 30 * 60_000
/** How long a question waits for the load, because Slack waits for the ack. Milliseconds. */
const PATIENCE_MS = 300

/** The current channel is stored beside the threads of the direct message, under a name that no thread has. */
function lookingKey({ team, channel }: Place): ThreadKey {
  return `${team}:${channel}:looking`
}

/** Stores the channel that the person of a direct message is looking at. */
export async function keepLookedAt(
  threads: ThreadStates,
  dm: Place,
  seen: { channel: string; at: number },
): Promise<void> {
  await threads.patch(lookingKey(dm), { lookingAt: seen })
}

/** Returns the channel that the person of a direct message is looking at, if it is known. Never rejects. */
export async function lookedAt(threads: ThreadStates, dm: Place, now: number): Promise<string | undefined> {
  const loading = threads.load(lookingKey(dm)).catch(() => undefined)
  const { lookingAt } = (await inTime(PATIENCE_MS, loading, undefined)) ?? {}
  return lookingAt && now - lookingAt.at < FRESH_MS ? lookingAt.channel : undefined
}
