import { readBlobAt } from './blob.ts'
import { argumentInput, readCall, type Call } from './call.ts'
import { fenceAt } from './fences.ts'
import type { Found } from './found.ts'
import { inlineInput } from './inline.ts'
import { listedTool, namesFinish, namesNothing, toolNamed } from './names.ts'
import { answerOf, inputOf, plainInput, type Payload } from './payload.ts'
import { thoughtBefore, unwrapped } from './sections.ts'
import { tidy } from './trim.ts'
import type { Turn } from './turn.ts'

/**
 * Reads the first action or final answer that is labelled. `Action: None` is passed over; whatever else is begun first
 * decides: a broken first action is not made good by a second.
 */
export function readSteps(turn: Turn): Found | undefined {
  let orphan: Found | undefined
  for (const [index, section] of turn.sections.entries()) {
    if (section.name === 'answer') return finish(turn, index, answerOf(turn.text, turn.sections, index))
    if (section.name === 'action') {
      const found = readAction(turn, index)
      if (found) return found
    } else if (section.name === 'input' && turn.sections[index - 1]?.name !== 'action') {
      orphan ??= fault(turn, index, 'it has an "Action Input:" but no "Action:" before it')
    }
  }
  return orphan
}

/** Reads the action labelled at `index`; undefined where it names nothing and something later may. */
export function readAction(turn: Turn, index: number): Found | undefined {
  const written = writtenAction(turn, index)
  const input = turn.sections[index + 1]?.name === 'input' ? index + 1 : undefined
  if (!written.name) return input || !turn.sections[index + 1] ? nameless(turn, index) : undefined
  const listed = listedTool(written.name, turn.tools)
  if (!listed && namesNothing(written.name)) return undefined
  const blob = readBlobAt(turn, turn.sections[index]?.valueAt ?? 0)
  if (blob) return blob
  const call = listed ? undefined : readCall(written.all, turn.tools)
  const tool = listed ?? call?.tool ?? toolNamed(written.name, turn.tools)
  const payload = payloadOf(turn, { input, inline: written.inline, call })
  if (!tool) return nameless(turn, index)
  if (namesFinish(tool)) return finishCalled(turn, index, payload)
  if (payload) return action(turn, index, { tool, payload })
  return withoutInput(turn, index, listed)
}

/** What stands after `Action:`: the tool's line, an input on the same line, and all up to the next label. */
function writtenAction({ text, sections }: Turn, index: number): { name: string; all: string; inline?: string } {
  const section = sections[index]
  if (!section) return { name: '', all: '' }
  const value = tidy(unwrapped(tidy(text.slice(section.valueAt, sections[index + 1]?.at)), section.wrap))
  const all = tidy(value.slice(fenceAt(value, 0)?.end ?? 0))
  const line = all.includes('\n') ? all.slice(0, all.indexOf('\n')) : all
  const inline = inlineInput(line)
  return inline ? { name: line.slice(0, inline.at), all, inline: all.slice(inline.valueAt) } : { name: line, all }
}

function payloadOf(
  turn: Turn,
  from: { input: number | undefined; inline: string | undefined; call: Call | undefined },
): Payload | undefined {
  if (from.inline !== undefined) return plainInput(tidy(from.inline))
  const labelled = from.input === undefined ? undefined : inputOf(turn.text, turn.sections, from.input)
  const empty = labelled?.ok && labelled.input === ''
  return (empty || !labelled) && from.call ? argumentInput(from.call) : labelled
}

/** An action without an input: a mere word before the final answer is passed over, a tool's name is not. */
function withoutInput(turn: Turn, index: number, listed: string | undefined): Found | undefined {
  if (!listed && turn.sections[index + 1]?.name === 'answer') return undefined
  return fault(turn, index, 'its action has no "Action Input:"')
}

function action(turn: Turn, index: number, { tool, payload }: { tool: string; payload: Payload }): Found {
  if (!payload.ok) return fault(turn, index, payload.what)
  return { kind: 'action', ...placed(turn, index), tool, input: payload.input }
}

/** `Action: Finish` in the form of a tool: its input is the answer, unless an answer of its own follows. */
function finishCalled(turn: Turn, index: number, payload: Payload | undefined): Found | undefined {
  if (payload && !payload.ok) return fault(turn, index, payload.what)
  if (!payload) return turn.sections[index + 1]?.name === 'answer' ? undefined : finish(turn, index, '')
  return finish(turn, index, typeof payload.input === 'string' ? payload.input : JSON.stringify(payload.input))
}

function finish(turn: Turn, index: number, answer: string): Found {
  if (!answer) return fault(turn, index, 'its final answer is empty')
  return { kind: 'finish', ...placed(turn, index), answer }
}

function nameless(turn: Turn, index: number): Found {
  return fault(turn, index, 'its action names no tool')
}

function fault(turn: Turn, index: number, what: string): Found {
  return { kind: 'fault', ...placed(turn, index), what }
}

function placed({ text, sections }: Turn, index: number): { at: number; thought: string } {
  const at = sections[index]?.at ?? 0
  return { at, thought: thoughtBefore(text, sections, at) }
}
