/**
 * Finds what a question asks for and no result has said yet, although a tool is about it. A small model otherwise gives
 * the first result as the answer, when the question needs a second tool.
 */
import { hasRun } from './partial-answer.ts'
import { inputForPeople } from './tool-input.ts'
import type { Step } from './contracts/run-events.ts'
import type { Tool } from './contracts/tool.ts'

/** A word of the question, and the tools that are about it. */
interface AskedWord {
  word: string
  tools: string[]
}

/** More tools than that are about many things. */
const MAX_TOOLS = 2
const MAX_WORDS = 3

/**
 * Returns a line for each step, such as `Still missing: phone (colleague)`, or an empty text. The words are those of
 * the question that stand in the description of one or two tools, and its numbers if a tool does sums, as long as they
 * stand in no input or result, and none of their tools has run. A line is not repeated beside another result.
 */
export function unsaidAfter(question: string, tools: readonly Tool[], steps: readonly Step[]): string[] {
  const asked = askedWords(question, tools)
  const said = new Set<string>()
  const called = new Set<string>()
  let before = ''
  return steps.map((step) => {
    // Beside a repeated result, the loop asks for another tool.
    if (!hasRun(step)) return step.kind === 'tool' && step.observation?.hint ? before : ''
    const { action, observation } = step
    called.add(action.tool)
    const text = `${inputForPeople(action.input)}\n${observation.text}`
    for (const word of [...stems(text), ...numbersIn(text)]) said.add(word)
    const open = asked.filter(({ word, tools: about }) => !said.has(word) && !about.some((name) => called.has(name)))
    const words = open.slice(0, MAX_WORDS).map(({ word, tools: about }) => `${word} (${about.join(' or ')})`)
    const line = words.length === 0 ? '' : `Still missing: ${words.join(', ')}`
    const isNew = line !== before
    before = line
    return isNew ? line : ''
  })
}

function askedWords(question: string, tools: readonly Tool[]): AskedWord[] {
  const namesOf = (isAbout: (tool: Tool) => boolean) => tools.filter(isAbout).map(({ name }) => name)
  const words = new Set(stems(question).filter((word) => word.length >= SHORTEST && !OF_INPUTS.has(word)))
  const asked = [
    ...[...words].map((word) => ({ word, tools: namesOf((tool) => wordsOf(tool).has(word)) })),
    ...[...new Set(numbersIn(question))].map((word) => ({ word, tools: namesOf(doesSums) })),
  ]
  return asked.filter(({ tools: about }) => about.length > 0 && about.length <= MAX_TOOLS)
}

/** Shorter words are about anything. */
const SHORTEST = 4
/** Words that say what an input is, such as "one or two words". */
const OF_INPUTS = new Set(['input', 'name', 'number', 'text', 'word'])

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
