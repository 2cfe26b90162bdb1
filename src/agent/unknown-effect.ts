/** Calls that were interrupted: which may be repeated, and what the model is told of the others. */
import { canonicalJson } from './canonical-json.ts'
import type { RunState } from './run-state.ts'
import { coerceInput } from './tool-input.ts'
import type { Observation, ToolStep } from './contracts/run-events.ts'
import type { Tool } from './contracts/tool.ts'

/** Returns whether a call may be repeated after a crash. */
export function isSafeToRepeat(tool: Tool | undefined): boolean {
  return tool?.effects === 'read' || tool?.idempotent === true
}

/** The observation for a call whose effect is unknown. `why` is a clause. */
export function unknownEffect(tool: string, why: string): Observation {
  const text =
    `It is not known whether ${tool} took effect: ${why}. ` +
    'Look with another tool whether it did, or ask the person before you do it again.'
  return { ok: false, unknown: true, text }
}

/** Returns whether the run made the same call before, in any notation, and its effect is unknown. */
export function isUnknownRepeat({ progress }: RunState, step: ToolStep, tool: Tool, input: unknown): boolean {
  const key = canonicalJson(input)
  return progress.steps.some((other) => {
    if (other.kind !== 'tool' || other === step || other.action.tool !== tool.name) return false
    if (!other.observation?.unknown) return false
    const before = coerceInput(tool, other.action.input)
    return before.ok && canonicalJson(before.value) === key
  })
}

/** Returns whether an earlier try of the question has changed something with the tool, which must not happen twice. */
export function wasUsedBefore({ task }: RunState, tool: Tool): boolean {
  return !isSafeToRepeat(tool) && task.doneBefore?.tools.includes(tool.name) === true
}
