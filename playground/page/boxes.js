/** The two boxes for writing messages: the channel's and the open thread's. */
import { createComposer } from './composer.js'
import { byId, el } from './dom.js'
import { emojiSuggestions } from './emoji.js'
import { editLast } from './own-messages.js'
import { say } from './page-calls.js'
import { aboutPerson } from './person.js'
import { toEnd } from './scroll-end.js'
import { isDirect, names, repliesTo, rootsIn, state } from './state.js'

const current = () => state.channels.get(state.current)
const ASK = { insert: '/ask', label: '/ask', about: 'a question; /ask alone for help' }

/** People of other companies have no commands of the app. */
const commands = () => (state.users.get(state.you)?.kind === 'external' ? [] : [ASK])

export const messageBox = createComposer(byId('message-form'), {
  id: 'message-box',
  suggestions: (word) => [...people(), ...commands(), ...emojiSuggestions(word)],
  send: (text, files) => {
    state.newFrom = undefined
    toEnd(byId('scroller'))
    return say({ channel: state.current, text }, files)
  },
  editLast: () => editLast(rootsIn(current())),
})

export const replyBox = createComposer(byId('reply-form'), {
  id: 'reply-box',
  suggestions: (word) => [...people(), ...emojiSuggestions(word)],
  send: (text, files) => {
    state.newRepliesFrom = undefined
    toEnd(byId('thread-scroller'))
    return say({ channel: state.current, text, thread_ts: state.thread }, files)
  },
  editLast: () => editLast([current().messages.get(state.thread), ...repliesTo(current(), state.thread)]),
})

function people() {
  const others = [...state.users.values()].filter((user) => user.id !== state.you)
  return others.map((user) => ({
    insert: `@${user.name}`,
    label: `@${user.name}`,
    about: user.is_bot ? 'the bot' : `${user.real_name}, ${aboutPerson(user)}`,
  }))
}

/** Updates the boxes for the open channel and thread: their labels and their drafts. */
export function turnBoxes() {
  const channel = current()
  const ask = [el('kbd', {}, '@thinkaloud'), ' or ', el('kbd', {}, '/ask'), ' with a question · Enter sends']
  if (isDirect(channel)) messageBox.label(`Message ${names.user(state.bot)}`, ['Enter sends'])
  else messageBox.label(`Message #${channel.name}`, ask)
  replyBox.label('Reply in thread', ['Once the bot has answered in a thread, replies need no mention.'])
  messageBox.turnTo(channel.id)
  if (state.thread) replyBox.turnTo(`${channel.id}/${state.thread}`)
}
