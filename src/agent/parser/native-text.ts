import type { ParsedTurn } from '../types.ts'
import { leakedCalls } from './leaked-calls.ts'
import { readJsonBlock } from './json-block.ts'
import { sectionsOf, thoughtBefore } from './sections.ts'
import { turnText } from './model-output.ts'
import { tidy } from './trim.ts'

/** What a model with native tools said to people: without reasoning and special tokens. */
export function spokenWords(completion: string): string {
  return tidy(turnText(completion, () => false).text)
}

/**
 * The native calls that a model wrote into its text instead of making them, all of them where they are whole. Undefined
 * where there are none; only those of listed tools count, because an answer may show a call.
 */
export function readLeakedCalls(completion: string, tools: string[]): ParsedTurn | undefined {
  const { text, isFinal, isCut } = turnText(completion, () => false)
  const turn = { text, sections: sectionsOf(text), tools, isFinal, isCut }
  const calls = leakedCalls(turn)
  const [first] = calls
  const actions = calls.flatMap((call) =>
    call.ok && tools.includes(call.tool) ? [{ tool: call.tool, input: call.input }] : [],
  )
  if (first && actions.length > 0)
    return { kind: 'actions', thought: thoughtBefore(text, turn.sections, first.at), actions }
  if (first && !first.ok)
    return { kind: 'unreadable', thought: '', hint: 'Your tool call broke off. Call the tool again.' }
  const block = CALL.test(text) ? readJsonBlock(turn) : undefined
  if (block?.kind !== 'action' || !tools.includes(block.tool)) return undefined
  return { kind: 'actions', thought: block.thought, actions: [{ tool: block.tool, input: block.input }] }
}

/** JSON is a call where a mark says so, or where it is all that was written. */
const CALL = /tool[_▁]?calls?|function_?call|python_tag|tool_use|^\s{0,20}(?:`{3}(?:json)?\s{0,9})?[{[]/i
