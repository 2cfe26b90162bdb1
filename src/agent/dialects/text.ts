import type { Prompts } from '../../prompts.ts'
import { fieldsOf, inputText, specOf } from '../input.ts'
import { fenceObservation } from '../observation.ts'
import { beginsObservation, readText } from '../parse.ts'
import type { Dialect, Message, RunView, Step, Tool } from '../types.ts'

/**
 * Thought / Action / Action Input / Observation in plain text, zero-shot: seeds 003 and 004, after Yao et al. 2022
 * (ReAct, arXiv:2210.03629). System message first and unchanging, so that prompt caches hit; what changes comes last.
 */
export function textDialect(prompts: Prompts): Dialect {
  return {
    name: 'text',
    stop: ['\nObservation:', '\nObservation :'],
    beginsObservation,
    render: (view) => ({ messages: renderText(view, prompts) }),
    read: (completion, tools) => readText(completion.text, tools.map((tool) => tool.name)),
  }
}

function renderText(view: RunView, prompts: Prompts): Message[] {
  const system = prompts.text({
    tools: view.tools.map(describeTool).join('\n'),
    tool_names: view.tools.map((tool) => tool.name).join(', '),
    today: view.today,
  })
  const tail = view.lastCall ? `\n${prompts['last-call']({ reason: REASONS[view.lastCall] })}` : 'Thought:'
  const steps = view.steps.map((step) => renderStep(step, view.nonce))
  return [
    { role: 'system', content: system },
    { role: 'user', content: `Question: ${view.question}\n${steps.join('')}${tail}` },
  ]
}

function renderStep(step: Step, nonce: string): string {
  const said = step.action
    ? `Thought: ${step.thought}\nAction: ${step.action.tool}\nAction Input: ${inputText(step.action.input)}\n`
    : `Thought: ${step.unreadable ?? step.thought}\n`
  return `${said}Observation: ${fenceObservation(step.observation?.text ?? '', nonce)}\n`
}

/** `name: description`, and the fields' JSON schema where there are several. */
export function describeTool(tool: Tool): string {
  if (fieldsOf(tool).length < 2) return `${tool.name}: ${tool.description}`
  return `${tool.name}: ${tool.description} The input is a JSON object: ${JSON.stringify(specOf(tool).parameters.properties)}`
}

/** What has run out, as the last call tells the model. */
export const REASONS = {
  steps: 'steps',
  time: 'time',
  tokens: 'tokens',
  cost: 'budget',
  loop: 'new things to try (the same action was repeated)',
  unreadable: 'attempts to follow the format',
  stopped: 'time, because a person stopped the work',
} as const
