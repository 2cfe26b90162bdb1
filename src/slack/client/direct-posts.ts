/** Messages that a run posts outside of its channel, in people's direct messages. */
import { blocksIn, type Content } from '../format/blocks.ts'
import { NOT_UNFURLED, UNPARSED } from './send-content.ts'
import { isOfForm } from './slack-errors.ts'
import type { SlackArgs, SlackWeb } from './web-api.ts'

export interface DirectPost {
  channel: string
  ts: string
}

/** Posts a message in somebody's direct messages. `asker`: whose question it is about. @throws SlackRefusal */
export async function postDirect(user: string, content: Content, client: SlackWeb, asker: string): Promise<DirectPost> {
  // Slack opens a direct message if a person's id is given as the channel.
  const { channel, ts } = await send('chat.postMessage', { channel: user, ...NOT_UNFURLED }, content, client, asker)
  return { channel: String(channel), ts: String(ts) }
}

/** @throws SlackRefusal */
export async function updateDirect(post: DirectPost, content: Content, client: SlackWeb, asker: string): Promise<void> {
  await send('chat.update', { ...post, ...UNPARSED }, content, client, asker)
}

/** `asker`: the only person whom it may mention. */
async function send(method: string, args: SlackArgs, content: Content, client: SlackWeb, asker: string) {
  const { text } = content
  const post = (blocks: Content['blocks']) =>
    client.call(method, { ...args, text, blocks }, { effort: 'patient', asker })
  return post(content.blocks).catch((error: unknown) => {
    if (!isOfForm(error)) throw error
    return post(blocksIn(content, () => true))
  })
}

/** Returns a direct post as a run records it. */
export function placeOf({ channel, ts }: DirectPost): string {
  return `${channel}:${ts}`
}

/** Returns the direct post that a run recorded; none for a post in its own channel. */
export function directPostsIn(place: string): DirectPost[] {
  const [, channel = '', ts = ''] = /^([A-Z0-9]+):(\d+\.\d+)$/.exec(place) ?? []
  return channel === '' ? [] : [{ channel, ts }]
}
