import type { ParsedTurn } from '../types.ts'
import { answerOf } from './final-answer.ts'
import { argumentInput, readCall, type Call } from './call.ts'
import { nextLine } from './fences.ts'
import { actionAt, answerAt, faultAt, toReading, type Match } from './match.ts'
import { readInline } from './inline.ts'
import { namesFinish, namesNothing } from './names.ts'
import type { Section } from './sections.ts'
import { readAction } from './steps.ts'
import { dedent, tidy } from './trim.ts'
import { modelOutputOf, type ModelOutput } from './model-output.ts'

const FORM =
  'Write "Thought: …", then one line "Action: Tool[input]" with the bracket closed at its end; "Action: Finish[answer]" ends.'

/**
 * Reads a completion of the docstore and bracket dialects (the ReAct paper's form): `Action 1: Search[input]`, numbered or
 * not; `Finish[answer]` ends. The input is the text up to the last bracket of the action's line.
 */
export function readBracket(completion: string, tools: string[]): ParsedTurn {
  const turn = modelOutputOf(completion, tools)
  return toReading(readActions(turn) ?? readUnlabelled(turn) ?? readInline(turn), turn, FORM)
}

function readActions(turn: ModelOutput): Match | undefined {
  for (const [index, section] of turn.sections.entries()) {
    if (section.name === 'answer') return answerAt(turn, section.at, answerOf(turn, index))
    const found = section.name === 'action' ? readOne(turn, index, section) : undefined
    if (found) return found
  }
  return undefined
}

/** Reads one labelled action; undefined where it names nothing and a later one may. */
function readOne(turn: ModelOutput, index: number, section: Section): Match | undefined {
  const next = turn.sections[index + 1]
  const written = tidy(dedent(turn.text.slice(section.valueAt, next?.at), section.indent))
  if ((!written && next?.name === 'action') || namesNothing(written)) return undefined
  const call = readCall(written, turn.tools)
  if (call) return called(turn, section.at, call)
  if (next?.name === 'input' || namesFinish(written)) return readAction(turn, index, section)
  return faultAt(turn, section.at, 'its action is not written as Tool[input]')
}

/** A line that is a listed tool's call and nothing else, from a model that left the label out. */
function readUnlabelled(turn: ModelOutput): Match | undefined {
  const { text } = turn
  const tools = [...turn.tools, 'Finish']
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const call = readCall(text.slice(at, nextLine(text, at)), tools, true)
    if (call?.argument !== undefined && !call.round) return called(turn, at, call)
  }
  return undefined
}

/** A call of Finish is the answer. Round brackets may hold named arguments; here they stay text. */
function called(turn: ModelOutput, at: number, call: Call): Match {
  const payload = argumentInput(call)
  if (!payload.ok) return faultAt(turn, at, payload.what)
  const input = typeof payload.input === 'string' ? payload.input : tidy(call.argument ?? '')
  if (namesFinish(call.tool)) return answerAt(turn, at, input)
  return actionAt(turn, at, { tool: call.tool, payload: { ok: true, input } })
}
