/** Reactions on a message that a person added to a run: 👀 once it is accepted, then ✅ once the run has read it. */
import type { SlackWeb } from './web-api.ts'

const TAKEN = 'eyes'
const HEARD = 'white_check_mark'

/** `id` is the message's, `team:channel:ts`. Never rejects. */
export async function markTaken(client: SlackWeb, id: string): Promise<void> {
  await react(client, 'reactions.add', { id, name: TAKEN })
}

export async function markHeard(client: SlackWeb, id: string): Promise<void> {
  await react(client, 'reactions.add', { id, name: HEARD })
}

/** Updates the reactions at the end of a run: marks messages that an earlier process read, and removes 👀 from all. */
export async function settleMarks(
  client: SlackWeb,
  { heard, over }: { heard: string[]; over: string[] },
): Promise<void> {
  for (const id of heard) await markHeard(client, id)
  for (const id of over) await react(client, 'reactions.remove', { id, name: TAKEN })
}

/** Tries once and ignores errors: the reaction is only a hint. */
async function react(client: SlackWeb, method: string, { id, name }: { id: string; name: string }): Promise<void> {
  const [, channel, timestamp, ...more] = id.split(':')
  if (channel === undefined || timestamp === undefined || more.length > 0) return
  await client.call(method, { channel, timestamp, name }, { effort: 'once' }).catch(() => undefined)
}
