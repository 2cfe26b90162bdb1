/** Words before a full stop that do not end a sentence. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr st jr sr prof gen col capt lt sgt maj adm cmdr rev hon gov sen rep pres no nos vol vols pp ed eds trans ' +
    'vs ca approx fl cf al op est dept univ inc ltd co corp mt ft jan feb mar apr jun jul aug sep sept oct nov dec'
  ).split(' '),
)

/** Marks that may end a sentence, with the closing quotes and brackets after them. */
const END = /[.!?]+["'”’»)\]]*|[。！？]+[」』”）]*/g

/**
 * Returns the sentences of a page's plain text, in order and without headings. Splits at a mark that is followed by a
 * capital, a digit or an opening quote, but not after an initial (`William J. Crowe`), an acronym (`U.S. Navy`) or an
 * abbreviation.
 */
export function sentencesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (/^\s*=+[^=].*=\s*$/.test(line) ? [] : splitParagraph(line)))
}

function splitParagraph(paragraph: string): string[] {
  const sentences: string[] = []
  let from = 0
  for (const end of paragraph.matchAll(END)) {
    const to = end.index + end[0].length
    if (!endsSentence(paragraph, end)) continue
    sentences.push(paragraph.slice(from, to))
    from = to
  }
  sentences.push(paragraph.slice(from))
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '')
}

function endsSentence(paragraph: string, end: RegExpExecArray): boolean {
  if (/^[。！？]/.test(end[0])) return true
  const next = end.index + end[0].length
  const after = paragraph.slice(next, next + 8)
  if (after !== '' && !/^\s+[\p{Lu}\p{Lt}\p{Lo}\p{N}"'“‘«([¿¡]/u.test(after)) return false
  if (!/^\.(?!\.)/.test(end[0])) return true
  const word = /[\p{L}.]*$/u.exec(paragraph.slice(Math.max(0, end.index - 12), end.index))?.[0] ?? ''
  const isInitial = /^(?:\p{L}\.)*\p{L}$/u.test(word)
  return !isInitial && !ABBREVIATIONS.has(word.toLowerCase())
}
