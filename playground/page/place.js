/**
 * The place on the page, in its address: `#CHANNEL[/THREAD_TS][/PANEL_ID[/ITEM]]`. Back, reload and a shared address
 * lead there again. The direct messages' Home is `#dm/home`.
 */
import { isDirect, slug, state } from './state.js'

const HOME = 'home'
const TS = /^\d+\.\d+$/

/** Returns the part of the page's address that holds the place. */
function written() {
  const channel = state.channels.get(state.current)
  if (!channel) return location.hash
  const view = state.isHome && isDirect(channel) ? HOME : undefined
  const parts = [slug(channel), view ?? state.thread, state.panel, state.panel && state.panelItem]
  return `#${parts.filter(Boolean).map(encodeURIComponent).join('/')}`
}

/** Writes a place that the person went to. Back returns from it. */
export function pushPlace() {
  if (written() !== location.hash) window.history.pushState(null, '', location.search + written())
}

/** Writes a place that the page went to by itself. */
export function notePlace() {
  if (written() !== location.hash) window.history.replaceState(null, '', location.search + written())
}

/**
 * Reads the place from the address, and drops unknown parts.
 * @returns {{ current: string | undefined, thread?: string, isHome: boolean, panel?: string, panelItem?: string }}
 */
export function readPlace() {
  const [wanted, ...rest] = location.hash.slice(1).split('/').map(decoded)
  const channel = [...state.channels.values()].find((one) => slug(one) === wanted)
  const isHome = rest[0] === HOME && channel !== undefined && isDirect(channel)
  const thread = !isHome && TS.test(rest[0] ?? '') ? rest[0] : undefined
  const [panel, panelItem] = isHome || thread ? rest.slice(1) : rest
  return { current: channel?.id, thread: channel?.messages.has(thread) ? thread : undefined, isHome, panel, panelItem }
}

function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
