import type { Prompts } from '../../prompts.ts'
import { messageLine } from '../message-line.ts'
import { beginsObservation, readJson } from '../parser/index.ts'
import type { Action, Dialect, Message, RunView, Step } from '../types.ts'
import { fencedObservation, tailOf, toolVariables } from './prompt-parts.ts'

/**
 * The chat agent of seeds 001 and 002 (LangChain's chat-zero-shot-react-description): one JSON blob with `action` and
 * `action_input` a turn. The scratchpad goes into the user message in the words that seed 001 shows.
 */
export function jsonDialect(prompts: Prompts): Dialect {
  return {
    name: 'json',
    stop: ['\nObservation:', '\nObservation :'],
    beginsObservation,
    render: (view) => ({ messages: renderJson(view, prompts) }),
    read: (completion, tools) =>
      readJson(
        completion.text,
        tools.map((tool) => tool.name),
      ),
  }
}

const PREVIOUS_WORK =
  "This was your previous work (but I haven't seen any of it! I only see what you return as final answer):"

function renderJson(view: RunView, prompts: Prompts): Message[] {
  const work =
    view.steps.length === 0
      ? ''
      : `${PREVIOUS_WORK}\n${view.steps.map((step) => renderStep(step, view.nonce)).join('')}`
  const cue = view.steps.length === 0 ? '' : 'Thought:'
  const tail = tailOf(view, prompts, { cue, form: 'Write only:\nFinal Answer: the answer' })
  return [
    { role: 'system', content: prompts.json(toolVariables(view)) },
    { role: 'user', content: `${view.question}\n\n${work}${tail}` },
  ]
}

function renderStep(step: Step, nonce: string): string {
  if (step.kind === 'message') return messageLine(step)
  const said =
    step.kind === 'tool'
      ? `Thought: ${step.thought}\nAction:\n\`\`\`\n${blobOf(step.action)}\n\`\`\`\n\n`
      : `Thought: ${step.text}\n`
  return `${said}Observation: ${fencedObservation(step, nonce)}\n`
}

function blobOf({ tool, input }: Action): string {
  return JSON.stringify({ action: tool, action_input: input }, null, 2)
}
