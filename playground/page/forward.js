/** Forwards a message to a channel, to the open thread or to the direct messages, with a comment. */
import { isDirect, state, titleOf } from './state.js'
import { askFields } from './own-window.js'
import { post } from './page-calls.js'

/** The places that a person may write in: the open thread first, then their channels. */
function places() {
  const channels = [...state.channels.values()].map((channel) => ({
    text: { text: isDirect(channel) ? titleOf(channel) : `#${channel.name}` },
    value: channel.id,
  }))
  const open = state.channels.get(state.current)
  const thread = { text: { text: `The open thread in ${titleOf(open)}` }, value: `${state.current}/${state.thread}` }
  return state.thread ? [thread, ...channels] : channels
}

export function forward(channel, message) {
  const options = places()
  const select = { type: 'static_select', action_id: 'to', options, initial_option: options[0] }
  const comment = { type: 'plain_text_input', action_id: 'text', multiline: true, max_length: 12_000 }
  const fields = [
    { block_id: 'to', label: { text: 'Forward to' }, element: select },
    { block_id: 'text', label: { text: 'Comment' }, optional: true, element: comment },
  ]
  askFields({ title: 'Forward message', fields, button: 'Forward' }, ({ to, text }) => {
    const [place, thread_ts] = to.split('/')
    return post('forward', { channel: place, thread_ts, text, of: { channel, ts: message.ts } })
  })
}
