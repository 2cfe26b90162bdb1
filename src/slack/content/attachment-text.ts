import { escapeText, unescapeText } from '../format/escape.ts'
import { blocksText } from './block-text.ts'
import { filesText } from './file-text.ts'
import { lines, listOf, objectOf, asText, type SlackObject } from './unsure-json.ts'
import { plainText } from './plain-text.ts'
import { link } from './rich-text.ts'
import type { BlockReading } from './table-text.ts'

/** A message that somebody forwarded. `author` and `place` are mrkdwn; ids in them may have no label. */
export interface Forward {
  author: string
  place?: string
  /** The permalink of the original; for a forwarded link that link. */
  url?: string
  text: string
}

/** `links`: the addresses in the words of a person's message, whose old previews have no other mark. */
export interface AttachmentReading extends BlockReading {
  forwards: Forward[]
  /** The files of forwards, as Slack describes them. */
  files: unknown[]
  links: ReadonlySet<string> | undefined
}

/** Slack allows 100 attachments, and advises against more than 20. */
const MAX_ATTACHMENTS = 100
/** All blocks of a message have at most 13,200 characters. */
const ATTACHMENT_CHARS = 14_000
const MAX_FORWARD_DEPTH = 4

/** Returns what attachments show, as mrkdwn: forwards under their authors, alerts, tables. Previews are left out. */
export function attachmentsText(attachments: unknown, reading: AttachmentReading, depth = 0): string {
  const all = listOf(attachments)
  reading.budget.leaveOut('further attachment', all.length - MAX_ATTACHMENTS)
  let isAfterPreview = false
  return lines(
    all.slice(0, MAX_ATTACHMENTS).map((one) => {
      const attachment = objectOf(one)
      const isPreview = isPreviewOf(attachment, reading.links, isAfterPreview)
      isAfterPreview ||= isPreview
      if (isPreview) return ''
      return reading.budget.part(ATTACHMENT_CHARS, () =>
        reading.budget.element(() =>
          attachment.is_share === true
            ? forwardText(attachment, reading, depth)
            : contentText(attachment, reading, depth),
        ),
      )
    }),
  )
}

/** Decides by the first rule that fits: a forward has the marks of a preview too. */
function isPreviewOf(
  attachment: SlackObject,
  links: ReadonlySet<string> | undefined,
  isAfterPreview: boolean,
): boolean {
  if (attachment.is_share === true) return false
  if (PREVIEW_MARKS.some((mark) => Boolean(attachment[mark]))) return true
  if (links === undefined) return false
  const { title_link: title, image_url: image, text } = attachment
  if ([title, image].some((url) => links.has(sameLink(asText(url))))) return true
  return isAfterPreview && asText(image) !== '' && asText(text) === `<${asText(image)}>`
}

/** Slack writes an address in words and in attachments with and without entities, or a slash at its end. */
export const sameLink = (url: string) => unescapeText(url).replace(/\/$/, '')

const PREVIEW_MARKS = [
  'is_msg_unfurl',
  'is_reply_unfurl',
  'is_thread_root_unfurl',
  'is_app_unfurl',
  'app_unfurl_url',
  'from_url',
  'original_url',
]

function forwardText(attachment: SlackObject, reading: AttachmentReading, depth: number): string {
  if (depth >= MAX_FORWARD_DEPTH) {
    reading.budget.leaveOut('forwarded message')
    return ''
  }
  const { author, place } = whose(attachment, reading)
  const { from_url: from, title_link: title, original_url: original } = attachment
  const url = unescapeText(asText(from) || asText(title) || asText(original))
  const forward: Forward = { author, ...(place && { place }), ...(isWeb(url) && { url }), text: '' }
  // An outer forward comes before those within it.
  reading.forwards.push(forward)
  const bodies = listOf(attachment.message_blocks).map((one) => objectOf(objectOf(one).message))
  // Slack gives them beside the message or within it.
  const below = (key: 'attachments' | 'files') => {
    const beside = listOf(attachment[key])
    return beside.length > 0 ? beside : bodies.flatMap((body) => listOf(body[key]))
  }
  const words = forwardedWords(attachment, bodies, reading)
  forward.text = lines([
    words,
    attachmentsText(below('attachments'), { ...reading, links: undefined }, depth + 1),
    files(below('files'), reading),
    ...(words === '' ? [pictureOf(attachment)] : []),
  ])
  const label = `[forwarded from ${[author, place].filter(Boolean).join(', ')}]`
  return lines([label, forward.text === '' ? '(without text)' : forward.text])
}

const isWeb = (url: string) => /^https?:\/\/[^\s<>|]+$/.test(url)

function whose(attachment: SlackObject, { budget }: AttachmentReading): { author: string; place: string } {
  const named = asText(attachment.author_name) || asText(attachment.author_subname)
  const id = asText(attachment.author_id).replace(/\W/g, '')
  const channel = asText(attachment.channel_id).replace(/\W/g, '')
  const label = escapeText(budget.take(unescapeText(asText(attachment.channel_name)).replace(/[<>|\n]/g, ' ')))
  const author = escapeText(budget.take(unescapeText(named).replace(/\s+/g, ' ')))
  const isPlace = /^[CG]\w+$/.test(channel)
  return {
    author: author || (id && `<@${id}>`) || 'somebody',
    place: isPlace ? `<#${channel}${label && `|${label}`}>` : label && `#${label}`,
  }
}

/** The same words stand in up to four fields: the first that has any is taken. */
function forwardedWords(attachment: SlackObject, bodies: SlackObject[], reading: AttachmentReading): string {
  return (
    lines(bodies.map(({ blocks }) => blocksText(blocks, reading))) ||
    lines(bodies.map(({ text }) => reading.budget.take(withoutNote(asText(text))))) ||
    legacyText({ ...attachment, text: withoutNote(asText(attachment.text)) }, reading) ||
    blocksText(attachment.blocks, reading) ||
    fallbackText(attachment, reading).replace(/^\[[^\][]{1,80}\] [^:\n]{1,80}: /, '')
  )
}

/** Slack's own words where it copies an app's blocks into a text. */
const NOTE = /(?:[ \n]?This message contains interactive elements\.|, with interactive elements\.?)\s*$/

/** Returns a text that Slack may have copied from blocks, without what Slack says about them. */
export function withoutNote(text: string): string {
  const end = text.slice(-60)
  const words = text.slice(0, text.length - end.length) + end.replace(NOTE, '')
  return PLACEHOLDER.test(words.slice(0, 100)) ? '' : words
}

function contentText(attachment: SlackObject, reading: AttachmentReading, depth: number): string {
  const { pretext, author_name: author, footer } = attachment
  const take = (value: unknown) => reading.budget.take(asText(value))
  const blocks = blocksText(attachment.blocks, reading)
  const legacy = () =>
    lines([
      take(pretext),
      take(author),
      legacyText(attachment, reading),
      actionsText(attachment, reading),
      take(footer),
    ])
  const words = blocks || legacy() || fallbackText(attachment, reading)
  const isPictured = words === '' || (blocks === '' && asText(attachment.image_url) !== '')
  return lines([
    words,
    isPictured ? pictureOf(attachment) : '',
    attachmentsText(attachment.attachments, reading, depth),
    files(attachment.files, reading),
  ])
}

function pictureOf({ image_url: image, thumb_url: thumb }: SlackObject): string {
  return asText(image) || asText(thumb) ? '(image)' : ''
}

/** Title, text and fields. Values hold markup even where `mrkdwn_in` does not name them. */
function legacyText(attachment: SlackObject, { budget }: AttachmentReading): string {
  const title = budget.take(asText(attachment.title))
  const url = asText(attachment.title_link)
  const isLinked = title !== '' && isWeb(url) && !/<[^<>]*>/.test(title)
  return lines([
    isLinked ? link(url, unescapeText(title)) : title,
    budget.take(asText(attachment.text)),
    ...listOf(attachment.fields).map((one) =>
      budget.element(() => {
        const field = objectOf(one)
        const [name, value] = [budget.take(asText(field.title)), budget.take(asText(field.value))]
        return name.trim() === '' || value.trim() === '' ? name + value : `${name}: ${value}`
      }),
    ),
  ])
}

function actionsText({ actions }: SlackObject, { budget }: AttachmentReading): string {
  const texts = listOf(actions).map((one) => {
    const { text, name, selected_options: selected } = objectOf(one)
    const chosen = asText(objectOf(listOf(selected)[0]).text)
    const words = budget.take(chosen || asText(text) || asText(name))
    return words === '' ? '' : `[${words}]`
  })
  return texts.filter(Boolean).join(' ')
}

/** What Slack writes where it has no words. */
const PLACEHOLDER =
  /^\s*(?:\[no preview available\]|\d+x\d+px image|Open Slack to .*|This content can't be displayed\.?)\s*$/i

function fallbackText({ fallback }: SlackObject, { budget }: AttachmentReading): string {
  const words = withoutNote(asText(fallback))
  return words.length < 500 && PLACEHOLDER.test(plainText(words, '')) ? '' : budget.take(words)
}

function files(described: unknown, reading: AttachmentReading): string {
  reading.files.push(...listOf(described))
  return filesText(described, reading.budget)
}
