import { messageOf } from '../../errors.ts'
import { blocksIn, type Content } from '../format/blocks.ts'
import { respond, UNPARSED } from './response-url.ts'
import type { SlackWeb } from './slack-web.ts'

/** Of a press, as Slack delivers it: where the message stands that was pressed. */
export interface PressedMessage {
  response_url?: string
  container: Record<string, unknown>
}

/** Shows something in place of a message that was pressed, for all who see it. Never rejects: what Slack does not take is a line in the log. */
export async function replaceMessage(
  { response_url: url, container }: PressedMessage,
  content: Content,
  way: { client: SlackWeb; fetch?: typeof globalThis.fetch | undefined; log(fields: object, line: string): void },
): Promise<void> {
  const { client, fetch = globalThis.fetch, log } = way
  const { text, blocks } = content
  const message = { replace_original: true, text, blocks, ...UNPARSED }
  if (url && (await respond(url, message, { apiUrl: client.apiUrl, fetch, log }))) return
  // What only one person sees can be changed in no other way.
  if (container.is_ephemeral === true) return
  const { channel_id: channel, message_ts: ts } = container
  const simple = blocksIn(content, () => true)
  try {
    await client.call('chat.update', { channel, ts, text, blocks: simple, ...UNPARSED }, { effort: 'patient' })
  } catch (error) {
    log({ channel, error: messageOf(error) }, 'a message that was pressed could not be replaced')
  }
}
