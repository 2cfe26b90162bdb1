/** Receives the workspace's changes from the server. */

/** Before a connection that was lost is tried again. */
const PAUSE_MS = 1000

/**
 * A WebSocket and not an event stream: a browser opens six of those to a server, over all its tabs.
 * @param {{ opened(): void, lost(): void, told(change: object): void }} ears `opened` also after each time that it was
 *   lost
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
