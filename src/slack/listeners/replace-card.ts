import { respond, UNPARSED } from '../client/response-url.ts'
import { blocksIn, type Content } from '../format/blocks.ts'
import type { CallPress, PressedCall } from './pressed-call.ts'
import type { ListenerOptions } from './to-question.ts'

/** Shows something in place of the card that was pressed, for all who see it. @throws what kept Slack from taking it */
export async function replaceCard(
  content: Content,
  { press: { body }, pressed, options }: { press: CallPress; pressed: PressedCall; options: ListenerOptions },
): Promise<void> {
  const { client } = pressed.installation
  const { log, fetch = globalThis.fetch } = options
  const { text, blocks } = content
  const warn = (fields: object, line: string) => log.warn({ question: pressed.id, ...fields }, line)
  const message = { replace_original: true, text, blocks, ...UNPARSED }
  if (body.response_url && (await respond(body.response_url, message, { apiUrl: client.apiUrl, fetch, log: warn })))
    return
  const { channel_id: channel, message_ts: ts, is_ephemeral: isEphemeral } = body.container
  // What only one person sees can be changed in no other way.
  if (isEphemeral === true) return
  const simple = blocksIn(content, () => true)
  await client.call('chat.update', { channel, ts, text, blocks: simple, ...UNPARSED }, { effort: 'patient' })
}
