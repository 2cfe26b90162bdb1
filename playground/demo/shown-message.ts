/** Reads what the prompt shows of messages: alerts, forwards, and tables as lines of `a | b`. */

/** The maximum number of lines of a message that an answer repeats, and of cells that are added up. */
const MAX_LINES = 12
const MAX_CELLS = 500

/** The values of the recordings about what was said: `source` and `about`, `head` and `terms`. */
type ShownValues = Partial<Record<'source' | 'about' | 'heading' | 'terms', string>>

/**
 * `said`: the thread's messages, each `Name: words` with its further lines indented. `column`: the name of the column
 * to add up, as the question says it.
 */
export function shownValues(said: string[], column = ''): ShownValues {
  return { ...aboutOf(said), ...columnOf(said, column) }
}

const ATTACHED = /^\(Attached to the question\)$/

/** Returns the message that "this" means: what came with the question, else the one that began the thread. */
function aboutOf(said: string[]): ShownValues {
  const messages = said.map((message) => {
    const at = message.indexOf(': ')
    return { source: message.slice(0, Math.max(at, 0)), text: message.slice(at + 2) }
  })
  const shown = messages.find(({ source }) => ATTACHED.test(source)) ?? messages[0]
  const lines = (shown?.text ?? '').split('\n').map((line) => line.trim().slice(0, 300))
  const told = lines.filter(Boolean).slice(0, MAX_LINES)
  if (!shown || told.length === 0) return {}
  const source = ATTACHED.test(shown.source) ? 'what you attached' : `a message of **${shown.source}**`
  return { source, about: told.map((line) => `\n- ${line}`).join('') }
}

const NUMBER = /^[^\d-]{0,3}(-?\d[\d,]*(?:\.\d+)?)\s*\D{0,8}$/

/** Returns the head and the numbers of the named column, or of the last one that has numbers only. */
function columnOf(said: string[], wanted: string): ShownValues {
  const lines = said.flatMap((message) => message.replace(/^[^:\n]{0,100}: /, '').split('\n'))
  const rows = lines.map((line) => line.split(' | ').map((cell) => cell.trim())).filter((row) => row.length > 1)
  const [heads = [], ...below] = rows
  const columns = heads.map((head, i) => {
    const cells = below.slice(0, MAX_CELLS).map((row) => row[i] ?? '')
    const numbers = cells.filter(Boolean).map((cell) => NUMBER.exec(cell)?.[1]?.replaceAll(',', ''))
    return { head, numbers }
  })
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
  const fits = columns.filter(({ numbers }) => numbers.length > 0 && numbers.every((one) => one !== undefined))
  const named = wanted === '' ? fits.at(-1) : fits.find(({ head }) => plain(head) === plain(wanted))
  return named ? { heading: named.head, terms: named.numbers.join('+').replaceAll('+-', '-') } : {}
}
