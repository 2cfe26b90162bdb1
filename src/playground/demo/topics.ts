import { readSpan } from './ages.ts'
import { findPage, lookUp, searchTool, type Page } from './pages.ts'
import { answered, type Move, type Plan, type Rule } from './plan.ts'
import type { Asked } from './read-prompt.ts'
import { bestSentence, contentWords, overlap, subjectOf } from './sentence-words.ts'
import { isWriteFile } from './write-file.ts'

/** How many words are looked up on a page before the answer is that it does not say. */
const MOST_LOOKUPS = 2

/** What changes from day to day stands on no page. */
const LIVE = /\b(?:yesterday|today|tomorrow|tonight|this week|weather|news|stock|price|followers)\b/i

/** "Who is X?", "What is X?", "Tell me about X": the page's first sentences. */
export const definitions: Rule = (asked) => {
  if (!searchTool(asked) || LIVE.test(asked.question)) return undefined
  const question = asked.question.trim().replace(/[?.!\s]+$/, '')
  const plain =
    /^(?:(?:and |so )?(?:who|what)(?:['’]s| is| are| was| were)|tell me about|define|explain)\s+(?:an? |the )?(?=.*\p{L})(.{2,80})$/iu.exec(
      question,
    )
  const subject = plain?.[1]
  const isMore =
    subject !== undefined && /\b(?:for|in|by|that|which|who|at|when|with)\b|['’]s\s+\p{Ll}+\s/u.test(subject)
  return subject === undefined || isMore ? undefined : define(asked, subject)
}

/** A name with several meanings is answered by the likeliest, and the others are named. */
function* define(asked: Asked, subject: string): Plan {
  const page = yield* findPage(asked, subject, `I look up ${subject}.`)
  if (typeof page === 'string')
    return answered(`I could not find a page about ${subject}. ${page}`.trim(), 'There is no such page.')
  const also = page.others.length > 0 ? `\n\nThe name could also mean: ${page.others.join(', ')}.` : ''
  return answered(`${page.sentences.slice(0, 2).join(' ')}${also}`)
}

/** A question about a named thing: the sentence of its page that has most of the question's words. */
export const topics: Rule = (asked) => {
  const isQuestion =
    /^\W*(?:and |so )?(?:who|what|when|where|which|how|why|can|could|does|did|do|is|are|was|were|has|have)\b/i.test(
      asked.question,
    )
  if (!isQuestion || LIVE.test(asked.question) || !searchTool(asked)) return undefined
  const subject = subjectOf(asked.question)
  if (!subject) return undefined
  const words = contentWords(asked.question, subject)
  return words.length > 0 && words.length < 12 ? find(asked, subject, words) : undefined
}

/** Where the page does not have it, the answer says so and what the demo can do; nothing is made up. */
function* find(asked: Asked, subject: string, words: string[]): Plan {
  const page = yield* findPage(asked, subject, `The question is about ${subject}. I look it up.`)
  if (typeof page === 'string')
    return answered(`I could not find a page about ${subject}. ${page}`.trim(), 'There is no such page.')
  if (/^when\b/i.test(asked.question) && words.includes('born')) return birth(page)
  const sentence = yield* sentenceAbout(asked, page, words)
  if (sentence === undefined)
    return answered(
      `I found the page about ${page.title}, but not what you asked. ${onlyDemo(asked)}`,
      'The page does not say.',
    )
  return answered(sentence)
}

/** The first sentences first; then the longest words of the question, which say most, are looked up. */
function* sentenceAbout(asked: Asked, page: Page, words: string[]): Generator<Move, string | undefined, string> {
  let best = bestSentence(page.sentences, words)
  const enough = Math.min(2, words.length)
  if (best && overlap(best, words) >= enough) return best
  const longest = [...words].sort((a, b) => b.length - a.length).slice(0, MOST_LOOKUPS)
  for (const word of longest) {
    const seen = yield* lookUp(asked, word, `I look up "${word}" on the page.`)
    if (seen !== undefined && overlap(seen, words) >= overlap(best ?? '', words)) best = seen
    if (best && overlap(best, words) >= enough) break
  }
  return best
}

/** A date of birth stands in brackets after the name, where no word “born” has to be. */
function birth(page: Page): ReturnType<typeof answered> {
  const sentence = page.sentences.find((one) => readSpan(one))
  return answered(sentence ?? `The page about ${page.title} does not say when.`)
}

/** What the demo says of itself where its rules end. */
export function onlyDemo(asked: Asked): string {
  const can = [
    asked.tools.includes('calculator') && 'sums (“What is 29 to the power 0.23, and half of it?”)',
    searchTool(asked) &&
      'who or what something is, how old somebody is, and plain facts about it (“Who was Ada Lovelace?”, “What is the world record for solving a Rubik’s Cube?”)',
    asked.tools.includes('github_user') && 'the followers of a GitHub user',
    asked.tools.includes('GetInvoice') && 'totals and differences of invoices',
    asked.tools.some(isWriteFile) && 'a file (“Write "Buy milk" into list.txt”)',
  ].filter((one) => typeof one === 'string')
  const list = can.length > 0 ? ` I can do ${can.join('; ')}.` : ''
  return `I am only the demo: a handful of rules in place of a language model.${list} Set OPENAI_API_KEY or OPENAI_BASE_URL for real answers.`
}
