/** Draws the channels and direct messages, with the open one and unread counts. */
import { byId, el } from './dom.js'
import { icon } from './icons.js'
import { isDirect, names, state } from './state.js'
import { syncList } from './sync-list.js'
import { unreadIn } from './unread.js'

/** @param {{ go(channel: string): void }} acts */
export function renderSidebar(acts) {
  const items = (kinds) =>
    [...state.channels.values()].filter(({ kind }) => kinds.includes(kind)).map((channel) => item(channel, acts))
  syncList(byId('channel-list'), items(['channel', 'group']))
  syncList(byId('dm-list'), items(['im', 'mpim']))
}

function item(channel, acts) {
  const isCurrent = channel.id === state.current
  // The open channel's threads show their own new replies.
  const { isUnread, count } = isCurrent ? { isUnread: false, count: 0 } : unreadIn(channel)
  const name = isDirect(channel) ? names.user(state.bot) : channel.name
  const traits = [channel.kind === 'group' && 'private', channel.shared && 'with another company']
  const words = [name, ...traits, isUnread && 'unread', count > 0 && `${count} for you`].filter(Boolean).join(', ')
  const make = () => {
    const attributes = {
      type: 'button',
      'aria-label': words,
      'aria-current': isCurrent && 'page',
      onclick: () => acts.go(channel.id),
    }
    const shared = channel.shared && el('span.shared-mark', { title: 'Shared by Slack Connect' }, icon('shared'))
    const counted = count > 0 && el('span.count', {}, String(count))
    const label = [sign(channel), el('span.channel-name', {}, name), shared, counted]
    return el('li', {}, el(`button.channel${isUnread ? '.unread' : ''}`, attributes, ...label))
  }
  return { key: channel.id, state: [words, isCurrent], make }
}

function sign(channel) {
  if (isDirect(channel)) return el('img', { src: 'icon.svg', alt: '', width: 18, height: 18 })
  return el('span.hash', { 'aria-hidden': 'true' }, channel.kind === 'group' ? icon('lock') : '#')
}
