/** Messages as list items. */
import { renderBlocks, renderChunks } from './draw-blocks.js'
import { el } from './dom.js'
import { drawFiles } from './draw-files.js'
import { emojiSign } from './emoji.js'
import { field, valuesIn } from './form-fields.js'
import { icon } from './icons.js'
import { messageTools } from './message-menu.js'
import { mrkdwn } from './mrkdwn.js'
import { personAvatar, personBadge } from './person.js'

/** Messages of one person within so many seconds stand together under one name. */
const TOGETHER_S = 300

/**
 * @param {object} message a message or an ephemeral one
 * @param {object} view who and what is around it: `names`, `user(id)`, `previous`, `replies`, `status`, and what can be done
 */
export function messageItem(message, view) {
  if (message.subtype === 'channel_join' || message.subtype === 'tombstone') return note(message, view)
  const isWhisper = message.isWhisper === true
  const user = isWhisper ? view.user(view.bot) : view.user(message.user)
  const together = isTogether(message, view.previous)
  const item = el(
    `li.message${together ? '.together' : ''}${isWhisper ? '.whisper' : ''}`,
    { 'data-ts': message.ts },
    together ? el('span.gutter', { 'aria-hidden': 'true' }, time(message.ts).replace(/\s?[AP]M$/i, '')) : avatar(user),
    el(
      'div.message-body',
      {},
      isWhisper && el('p.only-you', {}, icon('eye'), ' ', 'Only visible to you'),
      messageHead(message, user, together),
      ...content(message, view, () => valuesIn(item)),
      ...drawFiles(message),
      reactions(message, view),
      threadLink(message, view),
    ),
    !isWhisper && messageTools(message, view),
  )
  return item
}

function messageHead(message, user, together) {
  const sent = new Date(Number(message.ts) * 1000)
  return el(
    `p.message-head${together ? '.sr-only' : ''}`,
    {},
    el('strong', {}, user.real_name),
    ' ',
    personBadge(user),
    ' ',
    el('time', { datetime: sent.toISOString(), title: sent.toLocaleString() }, time(message.ts)),
    message.edited && el('span.edited', {}, ' (edited)'),
  )
}

function isTogether(message, previous) {
  if (!previous || message.isWhisper || previous.isWhisper || previous.subtype) return false
  return previous.user === message.user && Number(message.ts) - Number(previous.ts) < TOGETHER_S
}

function note(message, view) {
  return el(
    'li.note',
    { 'data-ts': message.ts },
    el('p', {}, ...mrkdwn(message.text, view.names)),
    threadLink(message, view),
  )
}

function avatar(user) {
  if (user.is_bot) return el('img.avatar', { src: 'icon.svg', alt: '', width: 36, height: 36 })
  return personAvatar(user)
}

/** Blocks where there are some, the chunks of a stream, else the text; as Slack shows them. What is filled in goes with a press. */
function content(message, view, values) {
  const key = `${view.channel}-${message.ts}`
  const context = {
    key,
    names: view.names,
    press: (action) => view.press(message, { ...action, values: values() }),
    field: (block) => field(block, { values: {}, errors: {}, key }),
  }
  const nodes = []
  if (message.chunks?.length > 0)
    nodes.push(...renderChunks(message.chunks, { ...context, mode: message.task_display_mode }))
  if (message.blocks?.length > 0 && !isTyped(message)) nodes.push(...renderBlocks(message.blocks, context))
  if (nodes.length === 0 && message.text !== '') nodes.push(el('div.text', {}, ...mrkdwn(message.text, view.names)))
  if (message.streaming_state === 'in_progress')
    nodes.push(el('span.writing', { role: 'img', 'aria-label': 'still writing' }, '▍'))
  return nodes
}

/** What a person typed is shown from its text, where line breaks and marks stand as they were typed. */
function isTyped(message) {
  return message.client_msg_id !== undefined
}

function reactions(message, view) {
  if (!message.reactions?.length) return undefined
  return el(
    'div.reactions',
    {},
    ...message.reactions.map(({ name, users, count }) =>
      el(
        'button.reaction',
        {
          type: 'button',
          'aria-pressed': String(users.includes(view.you)),
          'aria-label': `${name}, ${count}`,
          onclick: () => view.react(message, name, users.includes(view.you)),
        },
        `${emojiSign(name)} ${count}`,
      ),
    ),
  )
}

/** Under a root: how many replies there are, and what the bot does. */
function threadLink(message, view) {
  if (!view.openThread) return undefined
  const { replies, status } = view
  if (replies === 0 && !status) return undefined
  const count = replies === 1 ? '1 reply' : `${replies} replies`
  const words = status ? (replies > 0 ? `${count} · ${status}` : status) : count
  return el(
    `button.thread-link${status ? '.running' : ''}`,
    { type: 'button', onclick: () => view.openThread(message.ts) },
    words,
  )
}

export function time(ts) {
  return new Date(Number(ts) * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}

/**
 * Brings a list up to date, leaving alone the items that did not change: what has the focus keeps it, and a screen reader
 * hears only what is new.
 * @param {HTMLElement} list
 * @param {{ key: string, state: unknown, make(): HTMLElement }[]} items
 */
export function syncList(list, items) {
  const old = new Map([...list.children].map((child) => [child.dataset.key, child]))
  let place = list.firstElementChild
  for (const { key, state, make } of items) {
    const print = JSON.stringify(state)
    const before = old.get(key)
    old.delete(key)
    if (before?.dataset.print === print) {
      if (before === place) place = place.nextElementSibling
      else list.insertBefore(before, place)
      continue
    }
    const fresh = make()
    if (before) keepState(before, fresh)
    fresh.dataset.key = key
    fresh.dataset.print = print
    if (before) {
      if (before === place) place = place.nextElementSibling
      const focused = focusIn(before)
      before.replaceWith(fresh)
      if (focused >= 0) focusable(fresh)[focused]?.focus()
    } else list.insertBefore(fresh, place)
  }
  for (const gone of old.values()) gone.remove()
}

/** What somebody opened or closed stays so while the rest is drawn anew. */
function keepState(before, fresh) {
  const opened = [...before.querySelectorAll('details')]
  for (const [index, details] of [...fresh.querySelectorAll('details')].entries()) {
    if (opened[index]?.dataset.touched === undefined) continue
    details.open = opened[index].open
    details.dataset.touched = ''
  }
}

const focusable = (item) => [...item.querySelectorAll('button, a[href], summary, select, [tabindex="0"]')]

/** Which of an item's elements has the focus; below nought if none. */
function focusIn(item) {
  return focusable(item).indexOf(document.activeElement)
}
