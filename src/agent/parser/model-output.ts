/**
 * Prepares a completion for reading, and holds what a reader found in it. The readers tolerate any form, but read only
 * what the model wrote in this turn, up to its first invented observation. No reader throws, and all take linear time.
 * Truncated output is unreadable, never guessed. An unreadable turn becomes a step that tells the model so (`addSteps`
 * in agent.ts). In a final turn, its prose is used (`partialOf`). Three in a row end the run (`MAX_UNREADABLE` in
 * budget.ts).
 */
import type { ParsedTurn } from '../contracts/dialect.ts'
import { plainLabels } from './label-styles.ts'
import { opensStep, sectionsOf, unwrapped, type LabelReader, type LabelledSection } from './labels.ts'
import { beginsObservation, cutWhole, MAX_CHARS } from './observation-cut.ts'
import { MAY_END_REASONING, withoutReasoning } from './reasoning.ts'
import {
  hasFinalPart,
  finalPart,
  MAY_HOLD_TOKENS,
  withoutEnd,
  withoutHead,
  withoutCallMarks,
} from './special-tokens.ts'
import { braceAfter, fenceAt, nextLine, tidy } from './text-lines.ts'

/** A completion prepared for reading: the text of the turn, its labelled parts, and the tools that it may name. */
export interface ModelOutput {
  text: string
  sections: LabelledSection[]
  tools: string[]
  /** Whether a tool accepts an input, if the tools' schemas are known. */
  accepts?: AcceptsInput | undefined
  /** Whether the model marked the text as the part for people. */
  isFinal: boolean
  /**
   * Whether the completion exceeds the size that is read. Anything that reaches the end of the text is then incomplete.
   */
  isCut: boolean
}

export type AcceptsInput = (tool: string, input: unknown) => boolean

/** Prepares a completion that may name `tools`. `labelAt` reads labels other than those of plain ReAct. */
export function modelOutputOf(
  completion: string,
  tools: string[],
  { labelAt, accepts }: { labelAt?: LabelReader; accepts?: AcceptsInput | undefined } = {},
): ModelOutput {
  const { text, isFinal, isCut } = turnText(completion)
  const sections = sectionsOf(text, labelAt)
  const plain = sections.some(opensStep) ? text : plainLabels(text, labelAt)
  if (plain === text) return { text, sections, tools, accepts, isFinal, isCut }
  const own = cutWhole(plain).text
  return { text: own, sections: sectionsOf(own, labelAt), tools, accepts, isFinal, isCut }
}

/**
 * Extracts the turn: normalises line breaks, drops reasoning and special tokens, and cuts at the first invented
 * observation. `begins` recognises an observation in dialects that name it differently.
 */
export function turnText(
  completion: string,
  begins: (line: string) => boolean = beginsObservation,
): Pick<ModelOutput, 'text' | 'isFinal' | 'isCut'> {
  const lines = withPlainBreaks(completion.slice(0, MAX_CHARS + 1))
  const mayHoldTokens = MAY_HOLD_TOKENS.test(lines)
  const cut = cutWhole(mayHoldTokens ? withoutHead(lines) : lines, begins)
  const mayReason = cut.reasoning.length > 0 || MAY_END_REASONING.test(cut.text)
  const turn = mayReason ? withoutReasoning(cut.text, cut.reasoning) : cut.text
  const final = mayHoldTokens ? finalPart(turn) : { text: turn, isFinal: false }
  const ended = mayHoldTokens ? withoutEnd(withoutHead(final.text)) : final.text.trimEnd()
  const text =
    cut.text.startsWith(ended) && cut.reasoning.length === 0 ? cutLastLine(ended, begins) : cutWhole(ended, begins).text
  return {
    text,
    isFinal: final.isFinal || (mayHoldTokens && hasFinalPart(lines)),
    isCut: completion.length > MAX_CHARS && lines.trimEnd().endsWith(text.slice(-100)),
  }
}

/** Line breaks as `\n`, and DeepSeek's marks with one bar, however a gateway wrote them. */
function withPlainBreaks(text: string): string {
  const broken = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  return broken.includes('DSML') ? broken.replace(/<(\/?)\s?[|｜]{1,2}\s?DSML\s?[|｜]{1,2}\s?/g, '<$1｜DSML｜') : broken
}

/**
 * Cuts a prefix of a text that was already cut: only its last line, which may have lost its end, can now begin an
 * observation.
 */
function cutLastLine(text: string, begins: (line: string) => boolean): string {
  const at = text.lastIndexOf('\n') + 1
  return at < text.length && begins(`${text.slice(at)}\n`) ? text.slice(0, at) : text
}

/** A reader's find in a turn, before it becomes a ParsedTurn. `at` is the offset where it begins. */
export type Match =
  | { kind: 'action'; at: number; thought: string; tool: string; input: unknown }
  | { kind: 'finish'; at: number; thought: string; answer: string }
  /** A step that begins but cannot be read. `what` completes "it could not be read: …". */
  | { kind: 'fault'; at: number; thought: string; what: string }

/** The fault of a call that is only quoted. */
export const QUOTED = 'its call stands inside a sentence, a quotation, an example or an answer, so it was not made'

/** The fault of a call beside a final answer: it is only reported. */
export const BESIDE_ANSWER = 'it holds both a call and a final answer'

/** The value of an input, or the fault in it. */
export type ActionInput = { ok: true; input: unknown } | { ok: false; what: string }

/** The action at `at`, or the fault in its input. */
export function actionAt(
  turn: ModelOutput,
  at: number,
  { tool, parsed }: { tool: string; parsed: ActionInput },
): Match {
  if (!parsed.ok) return faultAt(turn, at, parsed.what)
  return { kind: 'action', at, thought: thoughtBefore(turn, at), tool, input: parsed.input }
}

/** The answer at `at`. An empty answer is a fault. */
export function answerAt(turn: ModelOutput, at: number, answer: string): Match {
  if (answer === '') return faultAt(turn, at, 'its answer is empty')
  return { kind: 'finish', at, thought: thoughtBefore(turn, at), answer }
}

export function faultAt(turn: ModelOutput, at: number, what: string): Match {
  return { kind: 'fault', at, thought: thoughtBefore(turn, at), what }
}

/**
 * The thought before `end`: the text before the first label and after each `Thought:`. Leaves out the echoed question.
 */
export function thoughtBefore({ text, sections }: Pick<ModelOutput, 'text' | 'sections'>, end: number): string {
  const parts: string[] = []
  let open: { valueAt: number; wrap: string } | undefined = { valueAt: 0, wrap: '' }
  for (const section of sections) {
    if (section.at >= end) break
    if (open) parts.push(thoughtText(text.slice(open.valueAt, section.at), open.wrap))
    open = section.name === 'thought' ? section : undefined
  }
  if (open) parts.push(thoughtText(text.slice(open.valueAt, end), open.wrap))
  return parts.filter(Boolean).join('\n')
}

function thoughtText(part: string, wrap: string): string {
  const mayHaveFence = part.includes('```') || part.includes('~~~')
  const unfenced = mayHaveFence
    ? part
        .split('\n')
        .filter((line) => !fenceAt(line, 0))
        .join('\n')
    : part
  return tidy(withoutCallMarks(unwrapped(tidy(unfenced), wrap)))
}

/** The first match. A broken step is not repaired by text inside or after it. A call that is only quoted is no step. */
export function firstBegun(one: Match | undefined, other: Match | undefined): Match | undefined {
  if (one && other && isQuotation(one) !== isQuotation(other)) return isQuotation(one) ? other : one
  return !one || !other ? (one ?? other) : one.at <= other.at ? one : other
}

function isQuotation(match: Match): boolean {
  return match.kind === 'fault' && match.what === QUOTED
}

/** The match that is not a fault, or the earlier one if that does not decide. */
export function firstOf(one: Match | undefined, other: Match | undefined): Match | undefined {
  if (one && other && (one.kind === 'fault') !== (other.kind === 'fault')) return one.kind === 'fault' ? other : one
  return firstBegun(one, other)
}

/**
 * Converts a match to a ParsedTurn. Without a match, or for a fault, the hint gives the reason and the expected `form`,
 * and the thought is the prose before any JSON. Text that the model marked as the part for people is the answer.
 */
export function toParsedTurn(match: Match | undefined, turn: ModelOutput, form: string): ParsedTurn {
  if (match?.kind === 'action') {
    return { kind: 'actions', thought: match.thought, actions: [{ tool: match.tool, input: match.input }] }
  }
  if (match?.kind === 'finish') return { kind: 'finish', thought: match.thought, answer: match.answer }
  const words = match ? '' : tidy(turn.text)
  if (turn.isFinal && turn.sections.length === 0 && words) return { kind: 'finish', thought: '', answer: words }
  const thought = match?.thought ?? thoughtBefore(turn, jsonBegins(turn.text))
  return { kind: 'unreadable', thought, hint: `That reply could not be read: ${match?.what ?? missing(turn)}. ${form}` }
}

/** The offset of the first line that begins with JSON, fenced or not. */
function jsonBegins(text: string): number {
  for (let at = text.includes('{') ? 0 : text.length; at < text.length; at = nextLine(text, at))
    if (braceAfter(text, at, nextLine(text, at)) !== undefined) return at
  return text.length
}

function missing(turn: ModelOutput): string {
  return turn.text.trim() !== ''
    ? 'it names neither an action nor a final answer'
    : 'it is empty, or begins with what only a tool may say'
}
