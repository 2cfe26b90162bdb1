/** Sends a message in the fullest form that Slack accepts. */
import { blocksIn, refusedType, withoutBlocks, type Content } from '../format/blocks.ts'
import { isOfForm, TOO_LONG } from './slack-errors.ts'
import type { CallOptions, Refusals, SlackArgs, SlackResult, SlackWeb } from './web-api.ts'

/** Keeps Slack from making links in the text for notifications and screen readers. */
export const UNPARSED = { parse: 'none' }

/** The same for a new message, whose links have no preview either. */
export const NOT_UNFURLED = { ...UNPARSED, unfurl_links: false, unfurl_media: false }

export type SendMethod = 'chat.postMessage' | 'chat.update'

/** The part of a message's content that is sent in a call. */
type ContentForm = Pick<Content, 'text' | 'blocks'>

/** Returns the content without the block types that are refused here, as far as they have simpler forms. */
export function acceptedForm(
  content: Content,
  refusals: Refusals,
  refused: ReadonlySet<string> = new Set(),
): ContentForm {
  const { text, blocks, simpler } = content
  if (!simpler || refused.size + refusals.size === 0) return { text, blocks }
  return { text, blocks: blocksIn(content, (type) => refused.has(type) || refusals.has(type)) }
}

/**
 * Sends the content. If Slack refuses its form, it is sent again in simpler forms, at last as plain text. Remembers the
 * block types that this workspace does not support, but not errors of a single message. @throws errors that are not
 * about the form
 */
export async function sendContent(
  content: Content,
  method: SendMethod,
  args: SlackArgs,
  options: CallOptions,
  client: SlackWeb,
): Promise<SlackResult> {
  const { refusals } = client
  const send = (form: ContentForm) => client.call(method, { ...args, ...form, ...UNPARSED }, options)
  const log = client.log.child({ method, channel: args.channel })
  const refused = new Set<string>()
  let form = acceptedForm(content, refusals)
  let blamed: string | undefined
  for (;;) {
    try {
      const result = await send(form)
      if (blamed !== undefined) refusals.set(blamed, true)
      return result
    } catch (error) {
      if (!isOfForm(error)) throw error
      const { code, details } = error
      const type = TOO_LONG.has(code) ? undefined : refusedType(form.blocks, content, details)
      if (type === undefined) {
        log.warn({ code }, 'Slack refused the blocks: sent as plain text')
        return send(withoutBlocks(content, method))
      }
      log.warn({ code, type }, 'Slack refused a kind of block: sent in a simpler form')
      if (details.some((detail) => detail.includes('unsupported'))) refusals.set(type, true)
      // Without details, the type was the cause if the message goes through without it.
      blamed = details.length === 0 ? type : undefined
      form = acceptedForm(content, refusals, refused.add(type))
    }
  }
}
