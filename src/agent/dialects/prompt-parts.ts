import type { Prompts } from '../../prompts.ts'
import { fieldsOf, specOf } from '../tool-input.ts'
import { fenceObservation } from '../observation.ts'
import type { RunView, StopReason, Tool, ToolStep, UnreadableStep } from '../types.ts'

/** `name: description`, and the fields' JSON schema where there are several. */
export function describeTool(tool: Tool): string {
  if (fieldsOf(tool).length < 2) return `${tool.name}: ${tool.description}`
  return `${tool.name}: ${tool.description} The input is a JSON object: ${JSON.stringify(specOf(tool).parameters.properties)}`
}

/** What the prompts that list tools are filled with. */
export function toolVariables(view: RunView): { tools: string; tool_names: string; today: string } {
  const names = view.tools.map((tool) => tool.name).join(', ')
  return { tools: view.tools.map(describeTool).join('\n'), tool_names: names, today: view.today }
}

/** What people wrote in the thread, as data before the question; nothing where nobody did. */
export function saidBefore({ said, nonce }: RunView, prompts: Prompts): string {
  return said ? `${prompts['thread-messages']({ messages: fenceObservation(said, nonce) })}\n\n` : ''
}

/** The step's observation as the prompt carries it, and after it what the loop adds. */
export function fencedObservation({ observation }: ToolStep | UnreadableStep, nonce: string): string {
  const fenced = fenceObservation(observation?.text ?? '', nonce)
  return observation?.note ? `${fenced}\n${observation.note}` : fenced
}

const REASONS: Record<StopReason, string> = {
  steps: 'steps',
  time: 'time',
  tokens: 'tokens',
  cost: 'budget',
  loop: 'new things to try (the same action was repeated)',
  unreadable: 'attempts to follow the format',
  stopped: 'time, because a person stopped the work',
}

/** The end of the prompt: on the final turn the demand to answer now in `form`, else the cue for the next turn. */
export function tailOf(view: RunView, prompts: Prompts, { cue, form }: { cue: string; form: string }): string {
  return view.finalTurn ? `\n${prompts['final-turn']({ reason: REASONS[view.finalTurn], form })}` : cue
}
