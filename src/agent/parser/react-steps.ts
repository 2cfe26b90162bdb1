/**
 * The steps of a turn with labels: `Action:` with its input, and `Final Answer:`. Unlabelled steps go to the readers of
 * calls, JSON and steps on one line. Each runs only if its marks occur.
 */
import { isRecord } from '../../base/parse-json.ts'
import { CUT, inputOf, plainInput } from './action-input.ts'
import { argumentInput, readCall, type BracketCall } from './bracket-call.ts'
import { endsInAnswer, MAY_BE_INLINE, readInline } from './inline-steps.ts'
import { readJsonBlock, readJsonBlockAt } from './json-action.ts'
import { sectionText, unwrapped, type LabelledSection } from './labels.ts'
import { MAY_LEAK, readLeaked, readLeakedAt } from './leaked-calls.ts'
import {
  actionAt,
  answerAt,
  BESIDE_ANSWER,
  faultAt,
  firstBegun,
  firstOf,
  QUOTED,
  type Match,
  type ModelOutput,
  type ActionInput,
} from './model-output.ts'
import { isLabelQuoted } from './quoted-call.ts'
import { braceAfter, closingFence, fenceAt, isSpace, nextLine, tidy } from './text-lines.ts'
import { listedTool, MAY_FINISH, namesFinish, namesNothing, toolNamed } from './tool-names.ts'

/**
 * Finds the step of a turn with labels, with a JSON call, or on one line. A labelled action wins. Before a labelled
 * answer, or without labels, the first call wins (before an answer only one of a listed tool, because a thought may
 * contain JSON).
 */
export function findStep(turn: ModelOutput): Match | undefined {
  const labelled = readSteps(turn)
  if (labelled && labelled.kind !== 'finish') return labelled
  const before = labelled ? { ...turn, text: turn.text.slice(0, labelled.at) } : turn
  const call = unlabelledCall(before)
  const listed = call?.kind === 'action' && turn.tools.includes(call.tool)
  if (!labelled || !listed) return labelled ?? call
  return faultAt(turn, call.at, BESIDE_ANSWER)
}

function unlabelledCall(turn: ModelOutput): Match | undefined {
  const json = turn.text.includes('{') ? readJsonBlock(turn) : undefined
  const leaked = MAY_LEAK.test(turn.text) ? readLeaked(turn) : undefined
  const inline = MAY_BE_INLINE.test(turn.text) ? readInline(turn) : undefined
  return firstOf(firstBegun(json, leaked), inline)
}

/**
 * Reads the first labelled action or final answer. Skips `Action: None`. Otherwise the first step decides, even if it
 * is broken: a second one does not repair it.
 */
export function readSteps(turn: ModelOutput): Match | undefined {
  const braced = readBraced(turn)
  if (braced) return braced
  let quoted: Match | undefined
  for (const [index, section] of turn.sections.entries()) {
    if (section.name === 'answer' && !isFollowedByCall(turn, index))
      return answerAt(turn, section.at, answerOf(turn, index))
    if (section.name !== 'action') continue
    const found = readAction(turn, index, section)
    if (found?.kind === 'action' && isLabelQuoted(turn, section.at)) quoted ??= faultAt(turn, section.at, QUOTED)
    else if (found?.kind === 'action' && isBesideAnswer(turn, index)) return faultAt(turn, found.at, BESIDE_ANSWER)
    else if (found) return found
  }
  return quoted
}

/**
 * Returns whether a final answer, or an action that finishes, follows an action and its input: then the action is only
 * reported. Behind another thought the answer is invented.
 */
export function isBesideAnswer({ text, sections, tools }: ModelOutput, index: number): boolean {
  const next = sections.slice(index + 1).find(({ name }) => name !== 'input')
  if (next?.name === 'action')
    return namesFinish(/^[^\n[({:：]{1,100}/u.exec(text.slice(next.valueAt, next.valueAt + 120))?.[0] ?? '', tools)
  return next?.name === 'answer' && !next.lone && (!next.fenced || sections[index]?.fenced === true)
}

/** Reads labels in braces, with `{` before the first, as an object without quotes. */
export function readBraced(turn: ModelOutput): Match | undefined {
  const brace = lastCharacter(turn.text, (turn.sections[0]?.at ?? 0) - 1)
  if (turn.text[brace] !== '{') return undefined
  const end = turn.text[lastCharacter(turn.text, turn.text.length - 1, '`~')]
  return readJsonBlockAt(turn, brace) ?? (end === '}' ? faultAt(turn, brace, 'its JSON cannot be read') : undefined)
}

/** The offset of the last character up to `at` that is neither white space nor in `others`, or -1. */
function lastCharacter(text: string, at: number, others = ''): number {
  while (at >= 0 && (isSpace(text[at] ?? '') || others.includes(text[at] ?? ''))) at--
  return at
}

/** Returns whether `Answer: not yet` is no answer, because an action and its input follow before any other thought. */
function isFollowedByCall({ sections }: ModelOutput, index: number): boolean {
  const [next, after] = sections.slice(index + 1, index + 3)
  return sections[index]?.lone === true && next?.name === 'action' && after?.name === 'input'
}

/** Reads the action labelled at `index`. Undefined if it names nothing and something later may. */
export function readAction(turn: ModelOutput, index: number, section: LabelledSection): Match | undefined {
  const written = writtenAction(turn, index, section)
  if (written.inline && endsInAnswer(written.inline)) return faultAt(turn, section.at, BESIDE_ANSWER)
  const next = turn.sections[index + 1]
  if (!written.name) return next && next.name !== 'input' ? undefined : faultAt(turn, section.at, NAMELESS)
  const exact = turn.tools.find((tool) => tool === written.name.trim())
  if (!exact && !listedTool(written.name, turn.tools) && namesNothing(written.name)) return undefined
  const call = exact ? undefined : readCall(written.all, turn.tools)
  const block = unlabelledAt(turn, section.valueAt, call)
  if (block) return block
  const beside = call || next?.name === 'input' ? undefined : besideName(written.all, turn.tools)
  const tool = beside?.tool ?? call?.tool ?? exact ?? toolNamed(written.name, turn.tools)
  if (!tool) return faultAt(turn, section.at, NAMELESS)
  const given = beside ? wholeInput(turn, index, beside.input) : inputAfter(turn, index, { ...written, call })
  const parsed = given?.ok ? unwrappedInput(turn, tool, given.input) : given
  if (parsed && !parsed.ok) return faultAt(turn, section.at, parsed.what)
  if (parsed && isFinish(tool, turn.tools)) return answerAt(turn, section.at, answerText(parsed.input))
  if (parsed) return actionAt(turn, section.at, { tool, parsed })
  if (takesNone(turn, tool)) return actionAt(turn, section.at, { tool, parsed: { ok: true, input: {} } })
  return next?.name === 'answer' && !listedTool(tool, turn.tools) ? undefined : faultAt(turn, section.at, INPUTLESS)
}

/** The arguments of a native call of the same tool that stands as the input. Other markup there is a fault. */
function unwrappedInput({ tools }: ModelOutput, tool: string, input: unknown): ActionInput {
  const text = typeof input === 'string' ? input : ''
  if (!WRAPS.test(text)) return { ok: true, input }
  const inner = unlabelledCall({ text, sections: [], tools, isFinal: false, isCut: false })
  return inner?.kind === 'action' && inner.tool === tool
    ? { ok: true, input: inner.input }
    : { ok: false, what: 'its input is another tool call' }
}

/** Call markup at the start of an input. */
const WRAPS = /^<(?:\|?tool_calls?|function_calls?|invoke\s|function=)|^\[TOOL_CALLS\]/i

/** Returns whether a tool may be called without input. */
function takesNone({ tools, accepts, isCut }: ModelOutput, tool: string): boolean {
  return !isCut && accepts !== undefined && tools.includes(tool) && accepts(tool, {})
}

/** The JSON or leaked call instead of an action. */
function unlabelledAt(turn: ModelOutput, at: number, call: BracketCall | undefined): Match | undefined {
  const json = braceAfter(turn.text, at) === undefined ? undefined : readJsonBlockAt(turn, at)
  return json ?? (!call && MAY_LEAK.test(turn.text.slice(at)) ? readLeakedAt(turn, at) : undefined)
}

function isFinish(tool: string, tools: string[]): boolean {
  return (MAY_FINISH.test(tool) || !tools.includes(tool)) && namesFinish(tool, tools)
}

/** Faults. Each completes "it could not be read: …". */
const NAMELESS = 'its action names no tool'
const INPUTLESS = 'its action has no "Action Input:"'

/** The text after `Action:`: the tool's line, an input on the same line, and everything up to the next label. */
function writtenAction(
  turn: ModelOutput,
  index: number,
  section: LabelledSection,
): { name: string; all: string; inline?: string } {
  const value = tidy(turn.text.slice(section.valueAt, turn.sections[index + 1]?.at))
  const bare = tidy(unwrapped(value, section.wrap))
  const all = tidy(bare.slice(fenceAt(bare, 0)?.end ?? 0))
  const line = all.includes('\n') ? all.slice(0, all.indexOf('\n')) : all
  const inline = inlineInput(line)
  return inline ? { name: line.slice(0, inline.at), all, inline: all.slice(inline.valueAt) } : { name: line, all }
}

/** The input of an action: on its own line, after its own label, or inside the call. Undefined if there is none. */
function inputAfter(
  turn: ModelOutput,
  index: number,
  from: { inline?: string; call?: BracketCall | undefined },
): ActionInput | undefined {
  if (from.inline !== undefined) return wholeInput(turn, index, from.inline)
  const labelled = turn.sections[index + 1]?.name === 'input' ? inputOf(turn, index + 1) : undefined
  const empty = !labelled || (labelled.ok && labelled.input === '')
  return empty && from.call ? argumentInput(from.call) : labelled
}

/** An input without a label. Incomplete if it runs to the end of truncated output. */
function wholeInput(turn: ModelOutput, index: number, written: string): ActionInput {
  return turn.isCut && index + 1 >= turn.sections.length ? CUT : plainInput(tidy(written))
}

const PARTED =
  /^([^\n:：{"“|>→=-]{1,100}?)(?:[`*"']{0,3}\s{0,3}(?:[:：|→]|[=-]>)|\s{1,3}with (?:the )?(?:input|query|arguments?|args|parameters?)s?(?:\s{0,3}[:：]|(?=\s))|\s{1,4}(?=[{"“]))/

/** An input beside or below the name of a listed tool: `search: x`, `search -> x`, `search {"query": "x"}`. */
function besideName(written: string, tools: string[]): { tool: string; input: string } | undefined {
  const match = PARTED.exec(written.slice(0, 120))
  const tool = match ? listedTool(match[1] ?? '', tools) : undefined
  const input = match ? tidy(written.slice(match[0].length)) : ''
  if (tool && input !== '') return { tool, input }
  const line = nextLine(written, 0)
  const below = listedTool(written.slice(0, line), tools)
  const body = written.slice(line)
  const brace = braceAfter(body, 0)
  return below && brace !== undefined ? { tool: below, input: withoutFence(body.slice(brace)) } : undefined
}

function withoutFence(text: string): string {
  return text.replace(/\n(?:`{3,}|~{3,})\s{0,9}$/, '')
}

/** The text of an answer that was written as a tool's input. */
function answerText(input: unknown): string {
  const only = isRecord(input) && Object.keys(input).length === 1 ? Object.values(input)[0] : input
  return typeof only === 'string' ? only : JSON.stringify(input)
}

/**
 * The answer at a `Final Answer` label: everything that follows, including labels, because an answer may mention them.
 * It ends with its fence, or where the model starts another round of thinking or questions.
 */
export function answerOf(turn: ModelOutput, index: number): string {
  const section = turn.sections[index]
  if (!section) return ''
  const close = section.fenced ? closingFence(turn.text, section.valueAt) : undefined
  return sectionText(turn.text, section, close ?? nextRoundAt(turn, index))
}

/** The offset of a new `Thought:`, or `Question:` with a thought after it, undecorated and at the left margin. */
function nextRoundAt({ text, sections }: ModelOutput, index: number): number {
  const next = sections.findIndex((section, i) => {
    if (i <= index || !isPlain(section)) return false
    return section.name === 'thought' || (section.name === 'question' && sections[i + 1]?.name === 'thought')
  })
  return sections[next]?.at ?? text.length
}

function isPlain(section: LabelledSection): boolean {
  return section.capital && !section.fenced && !section.decorated && section.indent === 0
}

const INPUT = /[\s,;.。]Action[ _-]?(?:\d{1,4} ?)?Input(?: ?\d{1,4})? ?[:：]/i

/** An `Action Input:` on the line of its action: where it begins, and where its value begins. */
function inlineInput(line: string): { at: number; valueAt: number } | undefined {
  const match = INPUT.exec(line)
  return match ? { at: match.index, valueAt: match.index + match[0].length } : undefined
}
