import { messageOf } from '../../errors.ts'
import { blocksIn, type Content } from '../format/blocks.ts'
import { respond, UNPARSED } from './response-url.ts'
import type { SlackWeb } from './slack-web.ts'

/** How a message can be reached. `responseUrl`: that of a press on it. `place`: absent where only one person sees it. */
export interface ReplacedMessage {
  responseUrl?: string | undefined
  place?: { channel: string; ts: string } | undefined
}

export interface ReplaceOptions {
  client: SlackWeb
  fetch?: typeof globalThis.fetch | undefined
  log(fields: object, line: string): void
  /** Whom it may mention. */
  asker?: string
}

/** Shows something in place of a message, for all who see it. Never rejects: what Slack does not take is a line in the log. */
export async function replaceMessage(
  { responseUrl, place }: ReplacedMessage,
  content: Content,
  { client, fetch = globalThis.fetch, log, asker = '' }: ReplaceOptions,
): Promise<void> {
  const { text, blocks } = content
  const message = { replace_original: true, text, blocks, ...UNPARSED }
  if (responseUrl && (await respond(responseUrl, message, { apiUrl: client.apiUrl, fetch, log }))) return
  // What only one person sees can be changed in no other way.
  if (!place) return
  const args = { ...place, text, blocks: blocksIn(content, () => true), ...UNPARSED }
  await client.call('chat.update', args, { effort: 'patient', asker }).catch((error: unknown) => {
    log({ ...place, error: messageOf(error) }, 'a message could not be replaced')
  })
}
