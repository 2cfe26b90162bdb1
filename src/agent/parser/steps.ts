import { answerOf } from './final-answer.ts'
import { readJsonBlockAt } from './json-block.ts'
import { argumentInput, readCall, type Call } from './call.ts'
import { braceAfter, fenceAt, nextLine } from './fences.ts'
import { actionAt, answerAt, faultAt, type Match, type Payload } from './match.ts'
import { inlineInput } from './inline.ts'
import { CUT, inputOf, plainInput } from './action-input.ts'
import { readLeakedAt } from './leaked-calls.ts'
import { listedTool, namesFinish, namesNothing, toolNamed } from './names.ts'
import { unwrapped, type Section } from './sections.ts'
import { tidy } from './trim.ts'
import type { ModelOutput } from './model-output.ts'

/**
 * Reads the first action or final answer that is labelled. `Action: None` is passed over; whatever else is begun first
 * decides: a broken first action is not made good by a second.
 */
export function readSteps(turn: ModelOutput): Match | undefined {
  for (const [index, section] of turn.sections.entries()) {
    if (section.name === 'answer' && !leadsOn(turn, index)) return answerAt(turn, section.at, answerOf(turn, index))
    const found = section.name === 'action' ? readAction(turn, index, section) : undefined
    if (found) return found
  }
  return undefined
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
  if (!listedTool(written.name, turn.tools) && namesNothing(written.name)) return undefined
  const call = turn.tools.includes(written.name.trim()) ? undefined : readCall(written.all, turn.tools)
  const block = readJsonBlockAt(turn, section.valueAt) ?? (call ? undefined : readLeakedAt(turn, section.valueAt))
  if (block) return block
  const beside = call || next?.name === 'input' ? undefined : besideName(written.all, turn.tools)
  const tool = beside?.tool ?? call?.tool ?? toolNamed(written.name, turn.tools)
  if (!tool) return faultAt(turn, section.at, NAMELESS)
  const payload = beside ? wholeInput(turn, index, beside.input) : payloadOf(turn, index, { ...written, call })
  if (payload && !payload.ok) return faultAt(turn, section.at, payload.what)
  if (payload && namesFinish(tool, turn.tools)) return answerAt(turn, section.at, textOf(payload.input))
  if (payload) return actionAt(turn, section.at, { tool, payload })
  return next?.name === 'answer' && !listedTool(tool, turn.tools) ? undefined : faultAt(turn, section.at, INPUTLESS)
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
function payloadOf(
  turn: ModelOutput,
  index: number,
  from: { inline?: string; call?: Call | undefined },
): Payload | undefined {
  if (from.inline !== undefined) return wholeInput(turn, index, from.inline)
  const labelled = turn.sections[index + 1]?.name === 'input' ? inputOf(turn, index + 1) : undefined
  const empty = !labelled || (labelled.ok && labelled.input === '')
  return empty && from.call ? argumentInput(from.call) : labelled
}

/** An input without a label; none where it runs to the end of what was cut off. */
function wholeInput(turn: ModelOutput, index: number, written: string): Payload {
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
