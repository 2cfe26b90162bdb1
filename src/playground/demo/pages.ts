/** Finding pages by the tools of the wiki, and sentences on them. */
import { contentWords, NAME, overlap, sentencesOf, subjectOf, wordsOf } from './english.ts'
import { namesakes, namesIn } from './known-names.ts'
import { answered, unknown, type Final, type Move, type Plan, type Rule } from './plan.ts'
import type { Asked } from './read-prompt.ts'

/** A page that was found, with the sentences that it begins with; `others` are what else its name could mean. */
export interface Page {
  title: string
  sentences: string[]
  others: string[]
}

/** Opens a page. Where the tool names other titles in place of one, the one that fits the question best is tried, once. */
export function* openPage(question: string, title: string, thought: string): Generator<Move, Page | Final, string> {
  const first = yield { thought, tool: 'wikipedia', input: title }
  const offered = offeredTitles(first)
  if (!offered) return pageOf(title, first, [])
  const isSimilar = first.startsWith('Could not find')
  const share = (one: string) => overlap(question, contentWords(one, '')) / (1 + wordsOf(one).length)
  const fitting = offered.filter((one) => !isSimilar || meansTheSame(one, title)).sort((a, b) => share(b) - share(a))
  const [best, ...others] = fitting
  if (best === undefined) return unknown(`I could not find a page about ${title}.`)
  const why = `There is no page "${title}" with text. "${best}" fits the question best.`
  return pageOf(best, yield { thought: why, tool: 'wikipedia', input: best }, isSimilar ? [] : others)
}

/** Tools begin what went wrong with their own name. */
function pageOf(title: string, text: string, others: string[]): Page | Final {
  if (/^wikipedia |^$/.test(text) || offeredTitles(text)) return unknown(text || `The page ${title} is empty.`)
  return { title, sentences: sentencesOf(text), others }
}

/** Whether one of two titles says all that the other says: "dune book" and "Dune (novel)". */
function meansTheSame(offered: string, wanted: string): boolean {
  const [a, b] = [wordsOf(offered.replace(/\(.*\)/, '')), wordsOf(wanted)]
  return overlap(wanted, a) === a.length || overlap(offered, b) === b.length
}

/** The titles of "Could not find … Similar: ['a', 'b']" and "… may refer to: ['a', 'b']"; nothing for a page. */
function offeredTitles(observation: string): string[] | undefined {
  if (!/^Could not find|^\[[^\]\n]{1,300}\] may refer to/.test(observation)) return undefined
  const list = /(?:Similar|may refer to):\s*\[(.*)\]/.exec(observation.slice(0, 5000))?.[1] ?? ''
  return [...list.matchAll(/'((?:[^'\\]|\\.|'(?![,\]]|$))*)'|"([^"]*)"/g)].map((match) => match[1] ?? match[2] ?? '')
}

/** Walks through the sentences of the page that was opened last that have a word, at most three, until one can be read. */
export function* lookUp(
  { page, word, thought }: { page: Page; word: string; thought: string },
  read: (sentence: string) => string | undefined,
): Generator<Move, string | undefined, string> {
  for (let hit = 1; hit <= 3; hit++) {
    const seen = yield { thought, tool: 'wikipedia_lookup', input: word, place: { page: page.title, hit } }
    const [, n, of, sentence = ''] = /^\(Result (\d+) \/ (\d+)\)\s*([\s\S]+)/.exec(seen) ?? []
    if (n && read(sentence) !== undefined) return read(sentence)
    if (n === of) return undefined
  }
  return undefined
}

const MONTH = '(?:Jan|Febr|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec)\\p{Ll}*'
const NUMBER =
  '(?<![\\d.,-]|\\b(?:in|from|since|by|to) )[−-]?\\d[\\d,.]*(?<=\\d)(?: [mb]illion)?(?: ?°C| (?!in\\b|and\\b|by\\b)\\p{Ll}+(?: per \\p{Ll}+)?)?'
/** How a question begins, and the value that its answer has to hold. */
const KINDS: [RegExp, RegExp][] = [
  [/^when\b.*\bdied?\b/i, new RegExp(`\\d{4} [–-] ((?:\\d{1,2} ${MONTH}|${MONTH} \\d{1,2},) \\d{4})`, 'u')],
  [/^(?:in )?when\b/i, new RegExp(`((?:(?:\\d{1,2} )?${MONTH} (?:\\d{1,2}, )?)?\\b(?:1\\d|20)\\d\\d\\b)`, 'u')],
  [
    /^where\b|^in (?:what|which)\b/i,
    new RegExp(`\\b(?:in|at|near|to|on) ((?:the )?(?:river )?${NAME}(?:, ${NAME})?)`, 'u'),
  ],
  [
    /^how (?!come|do|can)|\b(?:record|height|diameter)\b/i,
    new RegExp(`(${NUMBER}|\\b(?:once|two|three|four|eight|twenty) \\p{Ll}+)`, 'u'),
  ],
]

/** The sentence with the value in bold that the question asks for; nothing where it has none. Other questions take any sentence. */
function answerIn(sentence: string, question: string): string | undefined {
  const kind = KINDS.find(([asked]) => asked.test(question))
  const value = kind?.[1].exec(sentence.slice(0, 2000))?.[1]
  return kind ? value && sentence.replace(value, (text) => `**${text}**`) : sentence
}

/** What changes from day to day stands on no page, and the demo has no opinions. */
const LIVE =
  /\b(?:yesterday|today|tomorrow|tonight|weather|news|stock|price|followers|you|your|me|my|i|we|us|poem|joke)\b/i

/** A question about a named thing: a sentence of its page with the question's words, and a value of the kind that is asked for. */
export const facts: Rule = ({ question, tools }) => {
  const isQuestion =
    /^(?:in )?(?:who|whom|what|when|where|which|how|why|can|could|does|did|do|is|are|was|were|has|have|the)\b/i
  const subject = subjectOf(question)
  if (!isQuestion.test(question) || LIVE.test(question) || !tools.includes('wikipedia') || !subject) return undefined
  const words = contentWords(question, `${subject} ${namesIn(question)[0]?.text ?? ''}`)
  return words.length > 0 && words.length < 12 ? factOf({ question, tools }, subject, words) : undefined
}

/** Two of the words are enough, else the longest are looked up; a life's dates stand in brackets, where no word “born” has to be. */
function* factOf({ question, tools }: Pick<Asked, 'question' | 'tools'>, name: string, words: string[]): Plan {
  const isLife = /^when\b.*\b(?:born|died?)\b/i.test(question)
  const score = (one: string) =>
    answerIn(one, question) === undefined ? 0 : overlap(one, words) + (isLife && /\(.*\d{4}/.test(one) ? 1 : 0)
  let failed: Final | undefined
  for (const title of [name, ...namesakes(name).slice(0, 2)]) {
    const page = yield* openPage(question, title, `The question is about ${title}. I look it up.`)
    if ('answer' in page) failed ??= page
    if ('answer' in page) continue
    const best = page.sentences.toSorted((a, b) => score(b) - score(a))[0] ?? ''
    const isEnough = (one: string) => score(one) >= Math.max(1, score(best))
    let found = score(best) >= Math.min(2, words.length) ? best : undefined
    for (const word of tools.includes('wikipedia_lookup') ? words.slice(0, 2) : [])
      found ??= yield* lookUp({ page, word, thought: `I look up "${word}" on the page.` }, (one) =>
        isEnough(one) ? one : undefined,
      )
    found ??= score(best) > 0 ? best : undefined
    if (found !== undefined) return answered(answerIn(found, question) ?? found)
  }
  return failed ?? unknown(`I found the page about ${name}, but not what you asked.`)
}
