/** Steps on one line, `… Action: search Action Input: x`, from models that write a turn without line breaks. */
import { plainInput } from './action-input.ts'
import { argumentInput, readCall } from './bracket-call.ts'
import {
  actionAt,
  answerAt,
  BESIDE_ANSWER,
  faultAt,
  type Match,
  type ModelOutput,
  type ActionInput,
} from './model-output.ts'
import { isLabelQuoted, isQuoted } from './quoted-call.ts'
import { tidy } from './text-lines.ts'
import { listedTool, namesFinish, toolNamed } from './tool-names.ts'

/** Labels in the middle of a line, capitalised as in the prompt and not quoted. */
const MARK =
  /(?<![\p{L}\p{N}"'“‘`])(?:(Action[ _-]?(?:\d{1,4} ?)?Input)|(Action)|(Final Answer))(?: ?\d{1,4})? ?[:：]/gu
const OBSERVATION = /\sObservation(?: ?\d{1,4})? ?[:：]/
const ANSWER = /\sFinal Answer ?[:：]/
const SENTENCE_END = /[.!?。！？)]\s*$|\banswer\s*$/i

/** A label in the text: where it begins and where its value begins. */
interface Mark {
  at: number
  end: number
}

/** A cheap check before the search: every step on one line contains one of these. */
export const MAY_BE_INLINE = /Action|Final Answer/

/**
 * The last resort for a turn on one line: `… Action: Search Action Input: x`. A label inside a sentence is prose, so an
 * action needs a tool and its input, and an answer needs the end of a sentence before it.
 */
export function readInline(turn: ModelOutput): Match | undefined {
  let action: Mark | undefined
  for (const match of turn.text.matchAll(MARK)) {
    const [text, input, called] = match
    const mark = { at: match.index, end: match.index + text.length }
    const found = called ? call(turn, mark) : input ? action && actionWith(turn, action, mark) : answer(turn, mark)
    if (found) return found
    action = called ? mark : undefined
  }
  return undefined
}

/** Reads `Action: search("x")` for listed tools. */
function call(turn: ModelOutput, mark: Mark): Match | undefined {
  const written = readCall(turn.text.slice(mark.end), turn.tools, true)
  const isOther =
    written && (isLabelQuoted(turn, mark.at) || isQuoted(turn, { at: mark.at, end: lineEnd(turn.text, mark.end) }))
  return written && !isOther
    ? calledAt(turn, mark.at, { tool: written.tool, parsed: argumentInput(written) })
    : undefined
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/**
 * Reads `Action: search Action Input: x`: the tool between two labels, the input up to the next label or observation.
 */
function actionWith(turn: ModelOutput, action: Mark, input: Mark): Match | undefined {
  const name = turn.text.slice(action.end, input.at).trim()
  const tool = turn.tools.length > 0 ? listedTool(name, turn.tools) : toolNamed(name, [])
  if (!tool || name.includes('\n') || isLabelQuoted(turn, action.at)) return undefined
  if (isQuoted(turn, { at: action.at, end: turn.text.length })) return undefined
  const next = turn.sections.find((section) => section.at > input.at)
  const rest = turn.text.slice(input.end, next?.at)
  const written = rest.slice(0, OBSERVATION.exec(rest)?.index)
  if (endsInAnswer(written)) return faultAt(turn, action.at, BESIDE_ANSWER)
  return calledAt(turn, action.at, { tool, parsed: plainInput(tidy(written)) })
}

function answer(turn: ModelOutput, mark: Mark): Match | undefined {
  if (!SENTENCE_END.test(turn.text.slice(Math.max(0, mark.at - 40), mark.at))) return undefined
  const text = tidy(turn.text.slice(mark.end))
  return text === '' ? undefined : answerAt(turn, mark.at, text)
}

/** Returns whether a final answer follows an input on its line. One inside a JSON input does not count. */
export function endsInAnswer(input: string): boolean {
  return ANSWER.test(input.slice(input.lastIndexOf('}') + 1))
}

function calledAt(turn: ModelOutput, at: number, { tool, parsed }: { tool: string; parsed: ActionInput }): Match {
  return parsed.ok && namesFinish(tool, turn.tools)
    ? answerAt(turn, at, String(parsed.input))
    : actionAt(turn, at, { tool, parsed })
}
