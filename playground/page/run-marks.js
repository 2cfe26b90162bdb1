/** Finds the parsed parts in a model's raw output: thought, action, input, answer. */

/** The maximum number of an input's fields that are searched. */
const MAX_LEAVES = 50

/**
 * Searches each part after the previous one. Parts whose quotes or white space differ are found too.
 * @param {string} text @param {object | undefined} read
 * @returns {{ from: number, to: number, part: string }[]} in order
 */
export function marksIn(text, read) {
  const hay = squeezed(text)
  const marks = []
  let from = 0
  for (const { part, words } of wordsOf(read)) {
    const found = place(hay, words, from) ?? place(hay, words, 0)
    if (!found || marks.some((mark) => mark.from < found.to && found.from < mark.to)) continue
    marks.push({ ...found, part })
    from = found.to
  }
  return marks.sort((one, other) => one.from - other.from)
}

function wordsOf(read) {
  if (read?.kind === 'finish') return [{ part: 'answer', words: read.answer }]
  if (read?.kind === 'unreadable') return [{ part: 'thought', words: read.thought }]
  const actions = (read?.actions ?? []).flatMap(({ tool, input }) => [
    { part: 'action', words: tool },
    ...leavesOf(input).map((words) => ({ part: 'input', words })),
  ])
  return read ? [{ part: 'thought', words: read.thought }, ...actions] : []
}

/** Returns the texts and numbers in an input. */
function leavesOf(input) {
  const leaves = []
  const open = [input]
  while (open.length > 0 && leaves.length < MAX_LEAVES) {
    const one = open.shift()
    if (one !== null && typeof one === 'object') open.unshift(...Object.values(one).slice(0, MAX_LEAVES))
    else if (one !== null && one !== undefined) leaves.push(String(one))
  }
  return leaves
}

/** Folds white space. Returns the text, and the position of each of its characters in the original. */
function squeezed(text) {
  const [signs, places] = [[], []]
  for (let at = 0; at < text.length; at += 1) {
    const isSpace = /\s/.test(text[at])
    if (isSpace && signs.at(-1) === ' ') continue
    signs.push(isSpace ? ' ' : text[at])
    places.push(at)
  }
  return { text: signs.join(''), places }
}

function place(hay, words, from) {
  const start = hay.places.findIndex((at) => at >= from)
  const wanted = squeezed(words.trim()).text
  if (wanted === '' || start < 0) return undefined
  for (const form of [
    wanted,
    JSON.stringify(wanted).slice(1, -1),
    squeezed(JSON.stringify(words.trim()).slice(1, -1)).text,
  ]) {
    const at = hay.text.indexOf(form, start)
    if (at >= 0) return { from: hay.places[at], to: hay.places[at + form.length - 1] + 1 }
  }
  const [lower, low] = [hay.text.toLowerCase(), wanted.toLowerCase()]
  const at = lower.length === hay.text.length && low.length === wanted.length ? lower.indexOf(low, start) : -1
  return at < 0 ? undefined : { from: hay.places[at], to: hay.places[at + low.length - 1] + 1 }
}
