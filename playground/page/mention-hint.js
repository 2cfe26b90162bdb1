/** Shows a hint, once per browser, when a message without a mention does not reach the bot. */
import { showNotice } from './notice.js'
import { isDirect, isOwn, state } from './state.js'

const TOLD = 'told-mention'
/** The time the hint stays, in ms. */
const STAYS_MS = 12_000
const HINT =
  'Thinkaloud does not read this message, because it does not mention @thinkaloud. Write @thinkaloud, or /ask, before your question.'

/** @param {object} change a new message */
export function hintAtMention({ channel, message }) {
  const isRead = isDirect(state.channels.get(channel)) || message.text.includes(`<@${state.bot}`)
  if (!isOwn(message) || message.thread_ts || isRead || localStorage.getItem(TOLD)) return
  localStorage.setItem(TOLD, 'yes')
  showNotice({ text: HINT, staysMs: STAYS_MS })
}
