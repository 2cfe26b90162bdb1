/** What a completion is: calls, an answer, or nothing that can be used. */
import { withoutMarkedNumbers, writtenInput } from '../base/parse-json.ts'
import { checkAnswer, type GivenTurn } from './check-answer.ts'
import { withoutQuotedCalls } from './copied-call.ts'
import { turnText } from './parser/model-output.ts'
import { wordsOfReasoning } from './parser/reasoning.ts'
import { withoutCallMarks } from './parser/special-tokens.ts'
import { plainProse } from './partial-answer.ts'
import { namesOfTools } from './tool-input.ts'
import { UNREADABLE_CHARS } from './prompt-size.ts'
import type { ModelTurn, RunState } from './run-state.ts'
import type { Completion, ParsedTurn } from './contracts/dialect.ts'

/** A refusal is the answer, without the form of the dialect. */
export function readTurn(
  run: RunState,
  completion: Completion,
  given: GivenTurn,
): Pick<ModelTurn, 'read' | 'reasoning'> {
  const reasoning = withoutCallMarks(completion.reasoning ?? '').trim() || undefined
  const { refusal } = completion
  if (refusal?.trim()) return { read: { kind: 'finish', thought: '', answer: refusal.trim() }, reasoning }
  const reading = run.dialect.read(completion, run.tools)
  const inReasoning = readReasoning(run, completion, reading, given.finalTurn !== undefined)
  const source = (inReasoning?.isWholeTurn && completion.reasoning) || completion.text
  const written = withWrittenNumbers(usablePart(inReasoning?.read ?? reading, completion))
  const own = completion.toolCalls?.length ? written : withoutQuotedCalls(run, written, source)
  const turn = withoutCopiedMarks(own, run.nonce)
  const settled = turn.kind === 'unreadable' ? (settledProse(run, completion.text) ?? turn) : turn
  return { read: checkAnswer(run, settled, given), reasoning: inReasoning?.isWholeTurn ? undefined : reasoning }
}

/** If the model was told the form and wrote prose again, that prose is its answer. */
function settledProse(run: RunState, written: string): ParsedTurn | undefined {
  const { dialect, progress } = run
  const last = progress.steps.at(-1)
  if (last?.kind !== 'unreadable' || dialect.takesProse === 'none') return undefined
  const isSame = last.text === written.slice(0, UNREADABLE_CHARS)
  const answer = isSame || dialect.takesProse === 'any' ? plainProse(written, callForms(run)) : ''
  return answer === '' ? undefined : { kind: 'finish', thought: '', answer }
}

/** The names and labels that make a text more than prose. */
export function callForms({ dialect: { beginsObservation }, tools }: RunState) {
  return { tools: namesOfTools(tools), beginsObservation }
}

/** A turn found in reasoning. `isWholeTurn`: the reasoning is the turn, so it is not shown beside it. */
interface ReasoningRead {
  read: ParsedTurn
  isWholeTurn?: true
}

/**
 * Some endpoints and models write the whole turn as reasoning, beside an empty text or in it. A call or a labelled
 * answer in it counts. Other reasoning is the answer only in the final turn, when the model would not write another.
 * Undefined if there is a text beside it.
 */
function readReasoning(
  run: RunState,
  completion: Completion,
  reading: ParsedTurn,
  isFinal: boolean,
): ReasoningRead | undefined {
  const { text, toolCalls = [], cutOff } = completion
  if (cutOff !== undefined || reading.kind === 'actions' || toolCalls.length > 0) return undefined
  const given = text.trim() === '' ? completion.reasoning?.trim() : unansweredReasoning(text)
  const reasoning = given && (unansweredReasoning(given) ?? given)
  const isAnswered = reading.kind === 'finish' && unansweredReasoning(reading.answer) === undefined
  if (!reasoning || isAnswered) return undefined
  const read = run.dialect.read({ text: reasoning }, run.tools)
  const isLabelled = read.kind === 'finish' && dense(read.answer) !== dense(reasoning)
  if (read.kind === 'actions' || isLabelled) return { read, isWholeTurn: true }
  if (!isFinal) return { read: run.dialect.read({ text: '' }, run.tools) }
  const answer = read.kind === 'finish' ? read.answer : plainProse(reasoning, callForms(run))
  return answer === '' ? undefined : { read: { kind: 'finish', thought: '', answer } }
}

/** The text after a mark such as `<think>` that is never closed, or all of a text that is nothing but reasoning. */
function unansweredReasoning(text: string): string | undefined {
  const reasoning = wordsOfReasoning(text)
  const isAll = reasoning?.isOpen || turnText(text, () => false).text.trim() === ''
  return isAll ? reasoning?.words : undefined
}

function dense(text: string): string {
  return text.replace(/\s+/g, '')
}

/**
 * Returns the usable part of a completion that was cut off at its length limit: an answer, which is then marked as cut
 * off, or an action with JSON input. A plain-text input may be incomplete; a tool must not run on that.
 */
function usablePart(reading: ParsedTurn, { cutOff }: Completion): ParsedTurn {
  if (cutOff !== 'length' || reading.kind === 'finish') return reading
  if (reading.kind === 'unreadable') return { ...reading, hint: `${TOO_LONG} ${reading.hint}` }
  const mayBeCut = reading.actions.some(({ input }) => typeof input === 'string')
  return mayBeCut
    ? { kind: 'unreadable', thought: reading.thought, hint: `${TOO_LONG} Write your turn again.` }
    : reading
}

/** An input with a number that a double cannot hold becomes JSON text, which keeps its digits wherever it goes. */
function withWrittenNumbers(turn: ParsedTurn): ParsedTurn {
  if (turn.kind === 'finish') return { ...turn, answer: withoutMarkedNumbers(turn.answer) }
  if (turn.kind === 'unreadable') return turn
  return { ...turn, actions: turn.actions.map((action) => ({ ...action, input: writtenInput(action.input) })) }
}

/** Removes this run's marks around observations, which small models copy with a result into the next call. */
function withoutCopiedMarks(turn: ParsedTurn, nonce: string): ParsedTurn {
  const marks = [`<${nonce}>`, `</${nonce}>`]
  const withoutThem = (text: string) => marks.reduce((rest, mark) => rest.replaceAll(mark, ''), text)
  const thought = withoutThem(turn.thought)
  if (turn.kind !== 'actions') return { ...turn, thought }
  const actions = turn.actions.map((action) => {
    const written = JSON.stringify(action.input ?? null)
    return written.includes(nonce) ? { ...action, input: JSON.parse(withoutThem(written)) as unknown } : action
  })
  return { ...turn, thought, actions }
}

const TOO_LONG = 'Your output was cut off because it was too long: be shorter.'
