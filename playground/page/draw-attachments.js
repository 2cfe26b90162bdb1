/** Draws attachments below a message, beside a coloured bar: https://docs.slack.dev/reference/messaging/payload. */
import { el, link } from './dom.js'
import { renderBlocks } from './draw-blocks.js'
import { drawFiles } from './draw-files.js'
import { mrkdwn } from './mrkdwn.js'
import { dayOf, time } from './times.js'

const NAMED = { good: '#2eb67d', warning: '#ecb22e', danger: '#e01e5a' }

export function drawAttachments(message, context) {
  return (message.attachments ?? []).map((one) => {
    if (one.is_share) return forwarded(one, context)
    const body = el('div.attached', {}, ...(one.blocks ? renderBlocks(one.blocks, context) : classic(one, context)))
    const color = NAMED[one.color] ?? (/^#?[0-9a-f]{6}$/i.test(one.color ?? '') ? `#${one.color.replace('#', '')}` : '')
    if (color) body.style.borderColor = color
    const before = one.pretext && el('p', {}, ...mrkdwn(one.pretext, context.names))
    return el('div.block', {}, before, body)
  })
}

/** Draws a forwarded message: its author, what it shows, its files, and the link to the original. */
function forwarded(one, context) {
  const blocks = (one.message_blocks ?? []).flatMap(({ message }) => message?.blocks ?? [])
  const said =
    blocks.length > 0 ? renderBlocks(blocks, context) : [el('p', {}, ...mrkdwn(one.text ?? '', context.names))]
  return el(
    'div.block.attached',
    {},
    el('p', {}, el('strong', {}, one.author_name ?? 'Somebody')),
    ...said,
    ...drawAttachments(one, context),
    ...drawFiles(one),
    el('p.quiet', {}, [one.footer, one.ts && `${dayOf(one.ts)} ${time(one.ts)}`].filter(Boolean).join(' · ')),
  )
}

/** Draws the fields of the older form, in their order. */
function classic(one, { names }) {
  const nodes = [
    one.author_name && el('p.quiet', {}, one.author_link ? link(one.author_link, one.author_name) : one.author_name),
    one.title &&
      el(
        'p',
        {},
        el(
          'strong',
          {},
          one.title_link ? link(one.title_link, one.title) : el('span', {}, ...mrkdwn(one.title, names)),
        ),
      ),
    one.text && el('p', {}, ...mrkdwn(one.text, names)),
    one.fields?.length > 0 && el('div.fields', {}, ...one.fields.map((field) => fieldOf(field, names))),
    one.image_url && el('p.image', {}, `🖼 ${one.image_url}`),
    one.footer && el('p.quiet', {}, ...mrkdwn(one.footer, names), one.ts ? ` · ${dayOf(one.ts)} ${time(one.ts)}` : ''),
  ].filter(Boolean)
  return nodes.length > 0 ? nodes : [el('p', {}, ...mrkdwn(one.fallback ?? '(an empty attachment)', names))]
}

function fieldOf({ title, value }, names) {
  return el('div', {}, el('strong', {}, title ?? ''), el('div', {}, ...mrkdwn(value ?? '', names)))
}
