/** Messages as list items, with separators for days and for new messages. */
import { el } from './dom.js'
import { isTogether, messageItem } from './message-list.js'
import { isOwn, names, state } from './state.js'
import { stamp } from './sync-list.js'
import { dateOf, dayOf } from './times.js'

/**
 * @param {object} channel
 * @param {{ messages: object[], acts: object, extra(message: object): object, newFrom?: string, day?: string }} given
 * `extra` returns what is drawn below a message; `newFrom` is the last message that was read; `day` is the day without
 * a separator, as `toDateString` returns it
 */
export function listItems(channel, { messages, acts, extra, newFrom, day: told }) {
  const view = surroundings(channel, acts)
  const items = []
  let previous
  let lastDay = told
  let isNewTold = newFrom === undefined
  for (const message of messages) {
    const day = dateOf(message.ts).toDateString()
    if (day !== lastDay) {
      items.push(line(`day-${day}`, dayOf(message.ts), 'day'))
      previous = undefined
    }
    lastDay = day
    if (!isNewTold && message.ts > newFrom && message.user !== state.you) {
      items.push(line('new', 'New', 'new'))
      previous = undefined
      isNewTold = true
    }
    items.push(messageOf(message, { view, previous, extra, channel }))
    previous = message
  }
  return items
}

function messageOf(message, { view, previous, extra, channel }) {
  const together = isTogether(message, previous)
  const { openThread, ...more } = extra(message)
  return {
    key: `${channel.id}-${message.ts}`,
    state: [stamp(message), together, ...Object.values(more)],
    make: () => messageItem(message, { ...view, together, openThread, ...more }),
  }
}

export function line(key, words, look) {
  return { key, state: [words], make: () => el(`li.divider.${look}`, {}, el('span', {}, words)) }
}

function surroundings(channel, acts) {
  return {
    names,
    channel: channel.id,
    you: state.you,
    bot: state.bot,
    isDemo: state.isDemo,
    shortcuts: state.shortcuts,
    isOwn,
    forward: (message) => acts.forward(channel.id, message),
    edit: (message) => acts.edit(channel.id, message),
    remove: (message) => acts.remove(channel.id, message),
    shortcut: (message, callbackId) => acts.shortcut(channel.id, message, callbackId),
    user: (id) => state.users.get(id) ?? { name: id, real_name: id, is_bot: false, kind: 'member' },
    press: (message, action) => acts.press(channel.id, message.ts, action),
    react: (message, name, removed) => acts.react(channel.id, message.ts, { name, removed }),
    offer: (message, text) => acts.offer(message, text),
    pick: (message, button) => acts.pick(channel.id, message, button),
  }
}
