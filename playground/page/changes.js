/** Receives the workspace's changes from the server. */

/** The pause before a lost connection is tried again, in ms. */
const PAUSE_MS = 1000

/**
 * Listens on a WebSocket. A browser opens only six event streams per server, over all its tabs.
 * @param {{ opened(): void, lost(): void, told(change: object): void }} ears `opened` is also called after each
 * reconnection
 */
export function hearChanges(ears) {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/events${location.search}`)
  socket.addEventListener('open', () => ears.opened())
  socket.addEventListener('message', ({ data }) => ears.told(JSON.parse(data)))
  socket.addEventListener('close', () => {
    ears.lost()
    setTimeout(() => hearChanges(ears), PAUSE_MS)
  })
}
