/** Edits and deletes people's own messages. */
import { askText, askWhether } from './own-window.js'
import { post } from './page-calls.js'
import { isOwn, state } from './state.js'

export function edit(channel, message) {
  askText({ title: 'Edit message', text: asTyped(message.text), button: 'Save', multiline: true }, (text) =>
    post('edit', { channel, ts: message.ts, text }),
  )
}

/** Deletes a message after a confirmation, because it cannot be restored. */
export function remove(channel, message) {
  const title = 'Delete message'
  const text = 'Are you sure you want to delete this message? This cannot be undone.'
  askWhether({ title, text, yes: 'Delete', style: 'danger' }, () => post('delete', { channel, ts: message.ts }))
}

/** Opens the person's last message for editing. Returns whether there is one. */
export function editLast(messages) {
  const last = messages.filter(Boolean).findLast(isOwn)
  if (last) edit(state.current, last)
  return last !== undefined
}

/** Returns a person's text as it was typed: mentions by name, plain addresses, characters unescaped. */
function asTyped(text) {
  const named = text
    .replace(/<@([UW]\w+)>/g, (whole, id) => `@${state.users.get(id)?.name ?? id}`)
    .replace(/<(https?:\/\/[^<>|]+)>/g, '$1')
  return named.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
