/** A message as a list item. */
import { drawAttachments } from './draw-attachments.js'
import { renderBlocks, renderChunks } from './draw-blocks.js'
import { el } from './dom.js'
import { drawFiles } from './draw-files.js'
import { emojiSign } from './emoji.js'
import { field, valuesIn } from './form-fields.js'
import { icon } from './icons.js'
import { messageTools } from './message-menu.js'
import { mrkdwn } from './mrkdwn.js'
import { personAvatar, personBadge } from './person.js'
import { dateOf, time } from './times.js'

/** Messages of one person within this many seconds are grouped under one name. */
const TOGETHER_S = 300

/**
 * @param {object} message a message or an ephemeral one
 * @param {object} view the context: `names`, `user(id)`, `together`, `replies`, `status`, and the actions
 */
export function messageItem(message, view) {
  if (message.subtype === 'channel_join' || message.subtype === 'tombstone') return note(message, view)
  const isEphemeral = message.isEphemeral === true
  const user = isEphemeral ? view.user(view.bot) : authorOf(message, view)
  const { together } = view
  const item = el(
    `li.message${together ? '.together' : ''}${isEphemeral ? '.ephemeral' : ''}`,
    { 'data-ts': message.ts, tabindex: -1 },
    together ? el('span.gutter', { 'aria-hidden': 'true' }, time(message.ts).replace(/\s?[AP]M$/i, '')) : avatar(user),
    el(
      'div.message-body',
      {},
      isEphemeral && el('p.only-you', {}, icon('eye'), ' ', 'Only visible to you'),
      messageHead(message, user, together),
      ...content(message, view, () => valuesIn(item)),
      ...drawAttachments(
        message,
        contextOf(message, view, () => valuesIn(item)),
      ),
      ...drawFiles(message),
      offers(message, view),
      reactions(message, view),
      threadLink(message, view),
    ),
    !isEphemeral && messageTools(message, view),
  )
  return item
}

/** A webhook's message has a name instead of a user. */
function authorOf({ user, username }, view) {
  return user === undefined ? { real_name: username ?? 'An app', kind: 'bot' } : view.user(user)
}

function messageHead(message, user, together) {
  const sent = dateOf(message.ts)
  return el(
    `p.message-head${together ? '.sr-only' : ''}`,
    {},
    el('strong', {}, user.real_name),
    ' ',
    personBadge(user),
    ' ',
    el('time', { datetime: sent.toISOString(), title: sent.toLocaleString() }, time(message.ts)),
    message.edited && !isMarkedBelow(message, together) && editedMark(),
  )
}

const editedMark = () => el('span.edited', {}, ' (edited)')

/** Returns whether the mark "(edited)" stands after the text. Grouped messages have no head to show it in. */
function isMarkedBelow(message, together) {
  return together && isTyped(message)
}

/** Returns whether a message is grouped under the name of the previous one. */
export function isTogether(message, previous) {
  if (!previous || message.isEphemeral || previous.isEphemeral || previous.subtype) return false
  return (
    previous.user === message.user &&
    previous.username === message.username &&
    Number(message.ts) - Number(previous.ts) < TOGETHER_S
  )
}

function note(message, view) {
  return el(
    'li.message.note',
    { 'data-ts': message.ts, tabindex: -1 },
    el('p', {}, ...mrkdwn(message.text, view.names)),
    threadLink(message, view),
  )
}

function avatar(user) {
  if (user.is_bot) return el('img.avatar', { src: 'icon.svg', alt: '', width: 36, height: 36 })
  return personAvatar(user)
}

/**
 * Draws the blocks, the chunks of a stream, or the text, as Slack shows them. A press also sends the filled-in values.
 */
function content(message, view, values) {
  const context = contextOf(message, view, values)
  const nodes = []
  if (message.chunks?.length > 0)
    nodes.push(...renderChunks(message.chunks, { ...context, mode: message.task_display_mode }))
  if (message.blocks?.length > 0 && !isTyped(message)) nodes.push(...renderBlocks(message.blocks, context))
  if (nodes.length === 0 && message.text !== '') {
    const mark = message.edited && isMarkedBelow(message, view.together) && editedMark()
    nodes.push(el('div.text', {}, ...mrkdwn(message.text, view.names), mark))
  }
  if (message.streaming_state === 'in_progress')
    nodes.push(el('span.writing', { role: 'img', 'aria-label': 'still writing' }, '▍'))
  return nodes
}

function contextOf(message, view, values) {
  const key = `${view.channel}-${message.ts}`
  return {
    key,
    names: view.names,
    press: (action) => view.press(message, { ...action, values: values() }),
    field: (block) => field(block, { values: {}, errors: {}, key }),
  }
}

/**
 * Returns whether a person typed the message. It is then drawn from its text, which has the line breaks and marks as
 * typed.
 */
function isTyped(message) {
  return message.client_msg_id !== undefined
}

/** Turns the quoted questions in the demo's bullets into buttons that put them into the box. */
function offers(message, view) {
  const isDemos = view.isDemo && message.user === view.bot && message.streaming_state !== 'in_progress'
  const lines = isDemos ? message.text.split('\n').filter((line) => /^\s*• /.test(line)) : []
  const questions = lines.flatMap((line) => /“([^”]+)”/.exec(line)?.[1] ?? [])
  if (questions.length === 0) return undefined
  const button = (text) => el('button.example', { type: 'button', onclick: () => view.offer(message, text) }, text)
  return el('ul.examples', { 'aria-label': 'Questions to try' }, ...questions.map((one) => el('li', {}, button(one))))
}

function reactions(message, view) {
  if (!message.reactions?.length) return undefined
  const more = el(
    'button.reaction.add',
    {
      type: 'button',
      'aria-label': 'Add another reaction',
      title: 'Add another reaction',
      onclick: (event) => view.pick(message, event.currentTarget),
    },
    icon('smile'),
  )
  return el('div.reactions', {}, ...message.reactions.map((one) => reaction(one, message, view)), more)
}

/** Draws a reaction and its people. A press adds or removes one's own. */
function reaction({ name, users, count }, message, view) {
  const isMine = users.includes(view.you)
  const who = users.map((id) => (id === view.you ? 'you' : view.user(id).real_name)).join(', ')
  return el(
    'button.reaction',
    {
      type: 'button',
      'aria-pressed': String(isMine),
      'aria-label': `${name}, ${count}`,
      title: `${who} reacted with :${name}:`,
      onclick: () => view.react(message, name, isMine),
    },
    `${emojiSign(name)} ${count}`,
  )
}

/**
 * Draws the line below a root: the number of replies, the time of the last, the number of new ones, and the bot's
 * status.
 */
function threadLink(message, view) {
  if (!view.openThread) return undefined
  const { replies, last, fresh, status } = view
  if (replies === 0 && !status) return undefined
  const count = replies === 1 ? '1 reply' : `${replies} replies`
  return el(
    `button.thread-link${status ? '.running' : ''}`,
    { type: 'button', onclick: () => view.openThread(message.ts) },
    replies > 0 ? el('span.replies', {}, count) : false,
    fresh > 0 && el('span.fresh', {}, ` · ${fresh} new`),
    status ? `${replies > 0 ? ' · ' : ''}${status}` : el('span.quiet', {}, ` · Last reply ${last}`),
  )
}
