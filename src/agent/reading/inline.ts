import { argumentInput, readCall } from './call.ts'
import type { Found } from './found.ts'
import { listedTool, namesFinish, toolNamed } from './names.ts'
import { plainInput, type Payload } from './payload.ts'
import { thoughtBefore } from './sections.ts'
import { tidy } from './trim.ts'
import type { Turn } from './turn.ts'

/** Labels in the middle of a line, capitals as the prompt has them, not in quotes. */
const MARK =
  /(?<![\p{L}\p{N}"'“‘`])(?:(Action[ _-]?(?:\d{1,4} ?)?Input)|(Action)|(Final Answer))(?: ?\d{1,4})? ?[:：]/gu
const INPUT = /[\s,;.。]Action[ _-]?(?:\d{1,4} ?)?Input(?: ?\d{1,4})? ?[:：]/i
const OBSERVATION = /\sObservation(?: ?\d{1,4})? ?[:：]/
const SENTENCE_END = /[.!?。！？)]\s*$|\banswer\s*$/i

/** Where an `Action Input:` stands on the line of its action: its beginning, and that of its value. */
export function inlineInput(line: string): { at: number; valueAt: number } | undefined {
  const match = INPUT.exec(line)
  return match ? { at: match.index, valueAt: match.index + match[0].length } : undefined
}

/**
 * The last resort, for a model that writes its whole turn on one line: `… Action: Search Action Input: x`. A label inside
 * a sentence is prose, so an action counts only with a tool and its input, and an answer only after a sentence's end.
 */
export function readInline(turn: Turn): Found | undefined {
  let action: { at: number; end: number } | undefined
  for (const match of turn.text.matchAll(MARK)) {
    const [mark, input, called] = match
    const end = match.index + mark.length
    const found = called
      ? calledAt(turn, match.index, end)
      : input
        ? action && actionBetween(turn, action, { at: match.index, end })
        : answerAt(turn, match.index, end)
    if (found) return found
    action = called ? { at: match.index, end } : undefined
  }
  return undefined
}

function calledAt(turn: Turn, at: number, end: number): Found | undefined {
  const call = readCall(turn.text.slice(end), turn.tools, true)
  return call && found(turn, at, { tool: call.tool, payload: argumentInput(call) })
}

function actionBetween(turn: Turn, action: { at: number; end: number }, input: { at: number; end: number }) {
  const name = turn.text.slice(action.end, input.at).trim()
  const tool = turn.tools.length > 0 ? listedTool(name, turn.tools) : toolNamed(name, [])
  if (!tool || name.includes('\n')) return undefined
  const next = turn.sections.find((section) => section.at > input.at)
  const rest = turn.text.slice(input.end, next?.at)
  const written = rest.slice(0, OBSERVATION.exec(rest)?.index)
  return found(turn, action.at, { tool, payload: plainInput(tidy(written)) })
}

function answerAt({ text, sections }: Turn, at: number, end: number): Found | undefined {
  if (!SENTENCE_END.test(text.slice(Math.max(0, at - 40), at))) return undefined
  const answer = tidy(text.slice(end))
  return answer === '' ? undefined : { kind: 'finish', at, thought: thoughtBefore(text, sections, at), answer }
}

function found({ text, sections }: Turn, at: number, { tool, payload }: { tool: string; payload: Payload }): Found {
  const thought = thoughtBefore(text, sections, at)
  if (!payload.ok) return { kind: 'fault', at, thought, what: payload.what }
  if (namesFinish(tool)) return { kind: 'finish', at, thought, answer: String(payload.input) }
  return { kind: 'action', at, thought, tool, input: payload.input }
}
