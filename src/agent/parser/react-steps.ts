/**
 * The steps of a turn with labels: `Action:` with its input, and `Final Answer:`. What stands in no label's form is left to the
 * readers of calls, of JSON and of steps on one line; each is asked only where its marks are.
 */
import { CUT, inputOf, plainInput } from './action-input.ts'
import { argumentInput, readCall, type Call } from './bracket-call.ts'
import { MAY_BE_INLINE, readInline } from './inline-steps.ts'
import { readJsonBlock, readJsonBlockAt } from './json-action.ts'
import { sectionText, unwrapped, type Section } from './labels.ts'
import { MAY_LEAK, readLeaked, readLeakedAt } from './leaked-calls.ts'
import {
  actionAt,
  answerAt,
  faultAt,
  firstBegun,
  firstOf,
  type Match,
  type ModelOutput,
  type ParsedInput,
} from './model-output.ts'
import { braceAfter, closingFence, fenceAt, isSpace, nextLine, tidy } from './text-lines.ts'
import { listedTool, MAY_FINISH, namesFinish, namesNothing, toolNamed } from './tool-names.ts'

/**
 * What a turn says that may have labels, a JSON call, or all on one line. A labelled action decides; before a labelled
 * answer, or without any label, the first call does (before an answer only that of a listed tool: a thought may hold JSON).
 */
export function findStep(turn: ModelOutput): Match | undefined {
  const labelled = readSteps(turn)
  if (labelled && labelled.kind !== 'finish') return labelled
  const before = labelled ? { ...turn, text: turn.text.slice(0, labelled.at) } : turn
  const call = unlabelledCall(before)
  const listed = call?.kind === 'action' && turn.tools.includes(call.tool)
  return labelled && !listed ? labelled : call
}

function unlabelledCall(turn: ModelOutput): Match | undefined {
  const json = turn.text.includes('{') ? readJsonBlock(turn) : undefined
  const leaked = MAY_LEAK.test(turn.text) ? readLeaked(turn) : undefined
  const inline = MAY_BE_INLINE.test(turn.text) ? readInline(turn) : undefined
  return firstOf(firstBegun(json, leaked), inline)
}

/**
 * Reads the first action or final answer that is labelled. `Action: None` is passed over; whatever else is begun first
 * decides: a broken first action is not made good by a second.
 */
export function readSteps(turn: ModelOutput): Match | undefined {
  const braced = readBraced(turn)
  if (braced) return braced
  for (const [index, section] of turn.sections.entries()) {
    if (section.name === 'answer' && !leadsOn(turn, index)) return answerAt(turn, section.at, answerOf(turn, index))
    const found = section.name === 'action' ? readAction(turn, index, section) : undefined
    if (found) return found
  }
  return undefined
}

/** Labels in braces, `{` before the first: an object without quotes, which is read as one or not at all. */
export function readBraced(turn: ModelOutput): Match | undefined {
  const brace = lastSpoken(turn.text, (turn.sections[0]?.at ?? 0) - 1)
  if (turn.text[brace] !== '{') return undefined
  const end = turn.text[lastSpoken(turn.text, turn.text.length - 1, '`~')]
  return readJsonBlockAt(turn, brace) ?? (end === '}' ? faultAt(turn, brace, 'its JSON cannot be read') : undefined)
}

/** The offset of the last character up to `at` that is no white space and none of `others`; -1 where there is none. */
function lastSpoken(text: string, at: number, others = ''): number {
  while (at >= 0 && (isSpace(text[at] ?? '') || others.includes(text[at] ?? ''))) at--
  return at
}

/** `Answer: not yet` with an action and its input below it, before any other thought, is no answer. */
function leadsOn({ sections }: ModelOutput, index: number): boolean {
  const [next, after] = sections.slice(index + 1, index + 3)
  return sections[index]?.lone === true && next?.name === 'action' && after?.name === 'input'
}

/** Reads the action labelled at `index`; undefined where it names nothing and something later may. */
export function readAction(turn: ModelOutput, index: number, section: Section): Match | undefined {
  const written = writtenAction(turn, index, section)
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
  const parsed = beside ? wholeInput(turn, index, beside.input) : inputAfter(turn, index, { ...written, call })
  if (parsed && !parsed.ok) return faultAt(turn, section.at, parsed.what)
  if (parsed && isFinish(tool, turn.tools)) return answerAt(turn, section.at, textOf(parsed.input))
  if (parsed) return actionAt(turn, section.at, { tool, parsed })
  if (takesNone(turn, tool)) return actionAt(turn, section.at, { tool, parsed: { ok: true, input: {} } })
  return next?.name === 'answer' && !listedTool(tool, turn.tools) ? undefined : faultAt(turn, section.at, INPUTLESS)
}

/** Whether a tool may be called without any input, as models do then. */
function takesNone({ tools, accepts, isCut }: ModelOutput, tool: string): boolean {
  return !isCut && accepts !== undefined && tools.includes(tool) && accepts(tool, {})
}

/** The JSON, or the leaked call, that stands in an action's place. */
function unlabelledAt(turn: ModelOutput, at: number, call: Call | undefined): Match | undefined {
  const json = braceAfter(turn.text, at) === undefined ? undefined : readJsonBlockAt(turn, at)
  return json ?? (!call && MAY_LEAK.test(turn.text.slice(at)) ? readLeakedAt(turn, at) : undefined)
}

function isFinish(tool: string, tools: string[]): boolean {
  return (MAY_FINISH.test(tool) || !tools.includes(tool)) && namesFinish(tool, tools)
}

/** What completes "it could not be read: …". */
const NAMELESS = 'its action names no tool'
const INPUTLESS = 'its action has no "Action Input:"'

/** What stands after `Action:`: the tool's line, an input on the same line, and all up to the next label. */
function writtenAction(
  turn: ModelOutput,
  index: number,
  section: Section,
): { name: string; all: string; inline?: string } {
  const value = tidy(turn.text.slice(section.valueAt, turn.sections[index + 1]?.at))
  const bare = tidy(unwrapped(value, section.wrap))
  const all = tidy(bare.slice(fenceAt(bare, 0)?.end ?? 0))
  const line = all.includes('\n') ? all.slice(0, all.indexOf('\n')) : all
  const inline = inlineInput(line)
  return inline ? { name: line.slice(0, inline.at), all, inline: all.slice(inline.valueAt) } : { name: line, all }
}

/** The input of an action: on its own line, after its own label, or inside the call; undefined where there is none. */
function inputAfter(
  turn: ModelOutput,
  index: number,
  from: { inline?: string; call?: Call | undefined },
): ParsedInput | undefined {
  if (from.inline !== undefined) return wholeInput(turn, index, from.inline)
  const labelled = turn.sections[index + 1]?.name === 'input' ? inputOf(turn, index + 1) : undefined
  const empty = !labelled || (labelled.ok && labelled.input === '')
  return empty && from.call ? argumentInput(from.call) : labelled
}

/** An input without a label; none where it runs to the end of what was cut off. */
function wholeInput(turn: ModelOutput, index: number, written: string): ParsedInput {
  return turn.isCut && index + 1 >= turn.sections.length ? CUT : plainInput(tidy(written))
}

const PARTED =
  /^([^\n:：{"“|>→=-]{1,100}?)(?:[`*"']{0,3}\s{0,3}(?:[:：|→]|[=-]>)|\s{1,3}with (?:the )?(?:input|query|arguments?|args|parameters?)s?(?:\s{0,3}[:：]|(?=\s))|\s{1,4}(?=[{"“]))/

/** `search: x`, `search -> x`, `search {"query": "x"}`: an input beside or below the name of a listed tool. */
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

/** An answer that was written as a tool's input. */
function textOf(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}

/**
 * The answer that begins at a `Final Answer` label: all that follows, labels included, because an answer may speak of
 * them. It ends with the fence it stands in, or where the model runs on into another round of thinking or questions.
 */
export function answerOf(turn: ModelOutput, index: number): string {
  const section = turn.sections[index]
  if (!section) return ''
  const close = section.fenced ? closingFence(turn.text, section.valueAt) : undefined
  return sectionText(turn.text, section, close ?? runOn(turn, index))
}

/** Where a new `Thought:`, or `Question:` with a thought after it, begins in plain type at the left margin. */
function runOn({ text, sections }: ModelOutput, index: number): number {
  const next = sections.findIndex((section, i) => {
    if (i <= index || !isPlain(section)) return false
    return section.name === 'thought' || (section.name === 'question' && sections[i + 1]?.name === 'thought')
  })
  return sections[next]?.at ?? text.length
}

function isPlain(section: Section): boolean {
  return section.capital && !section.fenced && !section.decorated && section.indent === 0
}

const INPUT = /[\s,;.。]Action[ _-]?(?:\d{1,4} ?)?Input(?: ?\d{1,4})? ?[:：]/i

/** Where an `Action Input:` stands on the line of its action: its beginning, and that of its value. */
function inlineInput(line: string): { at: number; valueAt: number } | undefined {
  const match = INPUT.exec(line)
  return match ? { at: match.index, valueAt: match.index + match[0].length } : undefined
}
