import { answerOf } from './final-answer.ts'
import { readJsonBlockAt } from './json-block.ts'
import { argumentInput, readCall, type Call } from './call.ts'
import { fenceAt } from './fences.ts'
import { actionAt, answerAt, faultAt, type Match, type Payload } from './match.ts'
import { inlineInput } from './inline.ts'
import { inputOf, plainInput } from './action-input.ts'
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
    if (section.name === 'answer') return answerAt(turn, section.at, answerOf(turn, index))
    const found = section.name === 'action' ? readAction(turn, index, section) : undefined
    if (found) return found
  }
  return undefined
}

/** Reads the action labelled at `index`; undefined where it names nothing and something later may. */
export function readAction(turn: ModelOutput, index: number, section: Section): Match | undefined {
  const written = writtenAction(turn, index, section)
  const next = turn.sections[index + 1]
  if (!written.name) return next && next.name !== 'input' ? undefined : faultAt(turn, section.at, NAMELESS)
  if (!listedTool(written.name, turn.tools) && namesNothing(written.name)) return undefined
  const block = readJsonBlockAt(turn, section.valueAt)
  if (block) return block
  const call = turn.tools.includes(written.name.trim()) ? undefined : readCall(written.all, turn.tools)
  const tool = call?.tool ?? toolNamed(written.name, turn.tools)
  if (!tool) return faultAt(turn, section.at, NAMELESS)
  const payload = payloadOf(turn, index, { ...written, call })
  if (payload && !payload.ok) return faultAt(turn, section.at, payload.what)
  if (payload && namesFinish(tool)) return answerAt(turn, section.at, textOf(payload.input))
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
  if (from.inline !== undefined) return plainInput(tidy(from.inline))
  const labelled = turn.sections[index + 1]?.name === 'input' ? inputOf(turn, index + 1) : undefined
  const empty = !labelled || (labelled.ok && labelled.input === '')
  return empty && from.call ? argumentInput(from.call) : labelled
}

/** An answer that was written as a tool's input. */
function textOf(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}
