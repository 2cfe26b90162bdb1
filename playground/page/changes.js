/** Receives the workspace's changes from the server. */

/** The pause before a lost connection is tried again, in ms. */
const PAUSE_MS = 1000

/**
 * Listens on a WebSocket. A browser opens only six event streams per server, over all its tabs.
 * @param {{ onOpen(): void, onLost(): void, onChange(change: object): void }} handlers `onOpen` is also called after
 * each reconnection
 */
export function receiveChanges(handlers) {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/events${location.search}`)
  socket.addEventListener('open', () => handlers.onOpen())
  socket.addEventListener('message', ({ data }) => handlers.onChange(JSON.parse(data)))
  socket.addEventListener('close', () => {
    handlers.onLost()
    setTimeout(() => receiveChanges(handlers), PAUSE_MS)
  })
}
