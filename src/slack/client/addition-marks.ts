/** What people see at a message that they added to a run: 👀 once it is taken in, and in its place ✅ once the run has heard it. */

/** The Web API, as far as it is used here. */
interface Client {
  call(method: string, args: Record<string, unknown>, options: { effort: 'once' }): Promise<unknown>
}

const TAKEN = 'eyes'
const HEARD = 'white_check_mark'

/** `id`: the message's, `team:channel:ts`. Never rejects. */
export async function markTaken(client: Client, id: string): Promise<void> {
  await react(client, 'reactions.add', { id, name: TAKEN })
}

export async function markHeard(client: Client, id: string): Promise<void> {
  await react(client, 'reactions.add', { id, name: HEARD })
}

/** At the end of a run: those that an earlier process heard are marked too, and nothing says any more that it waits. */
export async function settleMarks(client: Client, { heard, over }: { heard: string[]; over: string[] }): Promise<void> {
  for (const id of heard) await markHeard(client, id)
  for (const id of over) await react(client, 'reactions.remove', { id, name: TAKEN })
}

/** Once, and without a word where Slack does not take it: what a mark tells is so without it. */
async function react(client: Client, method: string, { id, name }: { id: string; name: string }): Promise<void> {
  const [, channel, timestamp, ...more] = id.split(':')
  if (channel === undefined || timestamp === undefined || more.length > 0) return
  await client.call(method, { channel, timestamp, name }, { effort: 'once' }).catch(() => undefined)
}
