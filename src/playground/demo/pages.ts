import { overlap, sentencesOf, wordsOf } from './sentence-words.ts'
import type { Move } from './plan.ts'
import type { Asked } from './read-prompt.ts'

/** A page that was found: the title that it was asked for by, and the sentences that it begins with. */
export interface Page {
  title: string
  sentences: string[]
  /** The other pages that the name could have meant. */
  others: string[]
}

/** The tool that looks a word up on the page found last, if the prompt lists one. */
function lookupTool(asked: Asked): string | undefined {
  return asked.tools.find((name) => /lookup/i.test(name))
}

/** The tool that finds pages. */
export function searchTool(asked: Asked): string | undefined {
  return asked.tools.find((name) => /^(wikipedia|search)$/i.test(name))
}

/**
 * Finds a page. Where the tool names other titles in place of one, the one that fits the question best is tried, once.
 * Gives what went wrong as text where there was no page.
 */
export function* findPage(asked: Asked, title: string, why: string): Generator<Move, Page | string, string> {
  const tool = searchTool(asked)
  if (!tool) return 'There is no tool here that finds pages.'
  const first = yield { thought: why, tool, input: title }
  const offered = offeredTitles(first)
  if (!offered) return { title, sentences: sentencesOf(first), others: [] }
  const isSimilar = first.startsWith('Could not find')
  const words = wordsOf(asked.question)
  const fitting = offered.filter((one) => !isSimilar || meansTheSame(one, title))
  const [best, ...others] = fitting.sort((a, b) => overlapOf(b, words) - overlapOf(a, words))
  if (best === undefined) return isSimilar ? '' : first
  const second = yield {
    thought: `There is no page "${title}" with text. "${best}" fits the question best.`,
    tool,
    input: best,
  }
  return offeredTitles(second)
    ? second
    : { title: best, sentences: sentencesOf(second), others: isSimilar ? [] : others }
}

/** Whether one of two titles says all that the other says: "dune book" and "Dune (novel)". */
function meansTheSame(offered: string, wanted: string): boolean {
  const [a, b] = [offered.replace(/\(.*\)/, ''), wanted].map((title) =>
    wordsOf(title).map((word) => word.replace(/s$/, '')),
  )
  if (!a || !b) return false
  return a.every((word) => b.includes(word)) || b.every((word) => a.includes(word))
}

/** The share of a title's words that the question has. */
function overlapOf(title: string, words: string[]): number {
  const own = wordsOf(title)
  return own.length === 0 ? 0 : own.filter((word) => overlap(word, words) > 0).length / own.length
}

/** The titles of "Could not find … Similar: ['a', 'b']" and "… may refer to: ['a', 'b']"; nothing for a page. */
function offeredTitles(observation: string): string[] | undefined {
  if (!/^Could not find|\] may refer to/.test(observation)) return undefined
  const list = /(?:Similar|may refer to):\s*\[(.*)\]/.exec(observation)?.[1] ?? ''
  return [...list.matchAll(/'((?:[^'\\]|\\.|'(?![,\]]|$))*)'|"([^"]*)"/g)].map((match) => match[1] ?? match[2] ?? '')
}

/** Looks a word up on the page found last; gives the sentence, or nothing. */
export function* lookUp(asked: Asked, word: string, why: string): Generator<Move, string | undefined, string> {
  const tool = lookupTool(asked)
  if (!tool) return undefined
  const seen = yield { thought: why, tool, input: word }
  return /^\(Result \d+ \/ \d+\)\s*([\s\S]+)/.exec(seen)?.[1]
}
