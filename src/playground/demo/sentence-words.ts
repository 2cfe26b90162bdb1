/** Reading English a little: sentences, names, the words that matter. */

const CAPITALISED = "(?:\\p{Lu}\\.(?:\\p{Lu}\\.)*|(?:Jr|Sr|Dr|St|Inc)\\.|\\p{Lu}[\\p{L}'’&-]*)"

/** A proper name: words with capitals, initials, and the small words that stand inside names. */
export const NAME = `${CAPITALISED}(?:\\s(?:(?:de|van|von|du|la|&)\\s)?${CAPITALISED})*(?:\\s\\([\\p{L} ]+\\))?`

/** A full stop after these ends no sentence. */
const ABBREVIATIONS = /(?:^|[\s(])(?:\p{Lu}|Jr|Sr|Dr|Mr|Mrs|St|No|vs|approx|U\.S|U\.K)\.$/u

/** The sentences of a text; an initial or an abbreviation ends none. */
export function sentencesOf(text: string): string[] {
  const out: string[] = []
  for (const piece of text.split(/(?<=[.!?]["”’)]?)\s+/)) {
    const before = out.at(-1)
    if (before !== undefined && (ABBREVIATIONS.test(before) || !/^["“(]?[\p{Lu}\d]/u.test(piece)))
      out[out.length - 1] = `${before} ${piece}`
    else out.push(piece)
  }
  return out.filter(Boolean)
}

/** A name without the full stop of the sentence that it ended. */
export function trimName(name: string): string {
  const text = name.trim()
  return /(?:\b\p{Lu}|Jr|Sr|Inc)\.$/u.test(text) ? text : text.replace(/[.'’]+$/, '')
}

/** Words that say nothing of what a question is about. */
const SMALL = new Set(
  (
    'a an and are as at be been by can could current did do does ever exactly expect fact few for from get give had has have he her him ' +
    'his how i in is it its made make many me much my no of on one or our please say she should so solve solved solving some tell than ' +
    'that the their them there these they thing this time to us was we were what when where which who whom whose why will with would you your about'
  ).split(' '),
)

/** The words of a question that say what it is about, without those of its subject. */
export function contentWords(question: string, subject = ''): string[] {
  const taken = new Set(wordsOf(subject))
  const words = wordsOf(question).filter((word) => !SMALL.has(word) && !taken.has(word))
  return [...new Set(words)].map((word) => SYNONYMS[word] ?? word)
}

/** What a page is more likely to say. */
const SYNONYMS: Record<string, string> = { faster: 'fastest', high: 'height', quickest: 'fastest', wrote: 'author' }

/** Lower-case words, without a possessive s. */
export function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []).map((word) =>
    word.replace(/['’]s$/, ''),
  )
}

/** How many of the words a sentence has. */
export function overlap(sentence: string, words: string[]): number {
  const lower = sentence.toLowerCase()
  return words.filter((word) => lower.includes(word)).length
}

/** The sentence with the most of the words, the first of equals. */
export function bestSentence(sentences: string[], words: string[]): string | undefined {
  const scored = sentences.map((sentence) => ({ sentence, score: overlap(sentence, words) }))
  return scored.sort((a, b) => b.score - a.score).find(({ score }) => score > 0)?.sentence
}

/** The question word, and what may stand before it: no part of any name. */
const OPENING =
  /^\s*(?:(?:and|so|but)\s+)?(?:who|what|when|where|which|how|why|can|could|does|did|do|is|are|was|were|tell me|author)\b(?:['’]s\b)?/i

/** The proper name that a question is about, the longest one in it; without any, what its last article introduces. */
export function subjectOf(text: string): string | undefined {
  const rest = text.slice(0, 500).replace(OPENING, '')
  const names = rest.match(new RegExp(NAME, 'gu')) ?? []
  const longest = names.sort((a, b) => b.length - a.length)[0]
  if (longest === undefined) return /.*\b(?:an?|the)\s([\p{L}'’]+(?: [\p{L}'’]+){0,2})[?.\s]*$/u.exec(rest)?.[1]
  // "Rubik's cube": a possessive goes on with the thing that it names.
  const after = rest.slice(rest.indexOf(longest) + longest.length).match(/^\s(\p{Ll}+)/u)?.[1]
  return /['’]s$/.test(longest) && after ? `${longest} ${after}` : trimName(longest.replace(/['’]s$/, ''))
}
