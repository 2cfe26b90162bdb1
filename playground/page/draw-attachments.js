/** Draws attachments below a message, beside a coloured bar: https://docs.slack.dev/reference/messaging/payload. */
import { el, link } from './dom.js'
import { renderBlocks } from './draw-blocks.js'
import { emoji } from './emoji.js'
import { mrkdwn } from './mrkdwn.js'
import { dayOf, time } from './times.js'

const NAMED = { good: '#2eb67d', warning: '#ecb22e', danger: '#e01e5a' }

export function drawAttachments(message, context) {
  return (message.attachments ?? []).map((one) => {
    const body = el('div.attached', {}, ...(one.blocks ? renderBlocks(one.blocks, context) : classic(one, context)))
    const color = NAMED[one.color] ?? (/^#?[0-9a-f]{6}$/i.test(one.color ?? '') ? `#${one.color.replace('#', '')}` : '')
    if (color) body.style.borderColor = color
    const before = one.pretext && el('p', {}, ...mrkdwn(one.pretext, context.names))
    return el('div.block', {}, before, body)
  })
}

/** Draws the fields of the older form, in their order. */
function classic(one, { names }) {
  const nodes = [
    one.author_name && el('p.quiet', {}, one.author_link ? link(one.author_link, one.author_name) : one.author_name),
    one.title && el('p', {}, el('strong', {}, one.title_link ? link(one.title_link, one.title) : emoji(one.title))),
    one.text && el('p', {}, ...mrkdwn(one.text, names)),
    one.fields?.length > 0 && el('div.fields', {}, ...one.fields.map((field) => fieldOf(field, names))),
    one.image_url && el('p.image', {}, `🖼 ${one.image_url}`),
    one.footer &&
      el('p.quiet', {}, [one.footer, one.ts && `${dayOf(one.ts)} ${time(one.ts)}`].filter(Boolean).join(' · ')),
  ].filter(Boolean)
  return nodes.length > 0 ? nodes : [el('p', {}, ...mrkdwn(one.fallback ?? '(an empty attachment)', names))]
}

function fieldOf({ title, value }, names) {
  return el('div', {}, el('strong', {}, title ?? ''), el('div', {}, ...mrkdwn(value ?? '', names)))
}
