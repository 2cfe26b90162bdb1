/** A message that the bot will not read, because it has no mention, gets a hint: once in a browser. */
import { showNotice } from './notice.js'
import { isDirect, isOwn, state } from './state.js'

const TOLD = 'told-mention'
/** How long the hint stays, in ms. */
const STAYS_MS = 12_000
const HINT =
  'Thinkaloud does not read this message, because it does not mention @thinkaloud. Write @thinkaloud, or /ask, before your question.'

/** @param {object} change a message that is new */
export function hintAtMention({ channel, message }) {
  const isRead = isDirect(state.channels.get(channel)) || message.text.includes(`<@${state.bot}`)
  if (!isOwn(message) || message.thread_ts || isRead || localStorage.getItem(TOLD)) return
  localStorage.setItem(TOLD, 'yes')
  showNotice({ text: HINT, staysMs: STAYS_MS })
}
