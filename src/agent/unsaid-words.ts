/**
 * Finds what a question asks for and no result has said yet, although a tool is about it. A small model otherwise gives
 * the first result as the answer, when the question needs a second tool.
 */
import { hasRun } from './partial-answer.ts'
import { inputForPeople } from './tool-input.ts'
import type { Step } from './contracts/run-events.ts'
import type { Tool } from './contracts/tool.ts'

/** A word of the question, and the tools whose descriptions hold it. */
export interface UnsaidWord {
  word: string
  tools: string[]
}

/** More tools than that are about many things. */
const MAX_TOOLS = 2
const MAX_WORDS = 3

/**
 * Returns the words of the question that stand in the description of one or two tools, and its numbers if a tool does
 * sums: those that stand in no input or result, and whose tools have not run. Empty before the first result.
 */
export function unsaidWords(question: string, tools: readonly Tool[], steps: readonly Step[]): UnsaidWord[] {
  const ran = steps.filter(hasRun)
  if (ran.length === 0) return []
  const called = new Set(ran.map(({ action }) => action.tool))
  const texts = ran.map(({ action, observation }) => `${inputForPeople(action.input)} ${observation.text}`).join('\n')
  const said = new Set([...stems(texts), ...numbersIn(texts)])
  const namesOf = (isAbout: (tool: Tool) => boolean) => tools.filter(isAbout).map(({ name }) => name)
  const words = stems(question)
    .filter((word) => word.length >= SHORTEST)
    .map((word) => ({ word, tools: namesOf((tool) => wordsOf(tool).has(word)) }))
  const numbers = numbersIn(question).map((word) => ({ word, tools: namesOf(doesSums) }))
  const isOpen = ({ word, tools: about }: UnsaidWord) =>
    !said.has(word) && about.length > 0 && about.length <= MAX_TOOLS && !about.some((name) => called.has(name))
  return [...new Map([...words, ...numbers].filter(isOpen).map((one) => [one.word, one])).values()].slice(0, MAX_WORDS)
}

/** Shorter words are about anything. */
const SHORTEST = 4

function doesSums({ description }: Tool): boolean {
  return /\b(?:mathematic|arithmetic|calculat)/i.test(description)
}

/** Numbers that are no part of a name, a date or a time, without separators of thousands. */
function numbersIn(text: string): string[] {
  const plain = text.replace(/(?<=\d)[,\u00a0\u202f](?=\d{3}(?!\d))/g, '')
  return plain.match(/(?<![\p{L}\p{N}.,:/_-])\d+(?:\.\d+)?(?![\p{L}\p{N}:/_-])/gu) ?? []
}

const described = new WeakMap<Tool, Set<string>>()

function wordsOf(tool: Tool): Set<string> {
  const words = described.get(tool) ?? new Set(stems(`${tool.name} ${tool.description}`))
  described.set(tool, words)
  return words
}

/** The words in lower case, without the plural. */
function stems(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).map((word) => word.replace(/(?<=\p{L}{3})s$/u, ''))
}
