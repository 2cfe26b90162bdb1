/** What the person at the page has read: the playground keeps it for each of them, so that it outlives a change of person. */
import { state } from './state.js'

/** The channel that was told last, and how many messages it had. */
let told = ''

/** To be called when the open channel may have changed or grown. Nobody reads what stands in a hidden tab. */
export function markRead(post) {
  const channel = state.channels.get(state.current)
  if (!channel || document.hidden) return
  const now = `${channel.id} ${channel.messages.size}`
  if (now === told) return
  told = now
  // Without an answer the playground has stopped, which is said elsewhere.
  post('read', { channel: channel.id }).catch(() => undefined)
}
