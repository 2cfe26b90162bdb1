import type { Prompts } from '../../prompts.ts'
import { messageLine } from '../message-line.ts'
import { inputText } from '../tool-input.ts'
import { beginsIntermediateAnswer, readSelfAsk } from '../parser/index.ts'
import type { Dialect, Message, ParsedTurn, RunView, Step, Tool } from '../types.ts'
import { fencedObservation, tailOf } from './prompt-parts.ts'

/** The tools that can answer a follow-up question, the best first. */
const SEARCHES = ['search', 'duckduckgo', 'wikipedia']

/** Self-ask with search (Press et al. 2022, arXiv:2210.03350; named in seed 000): follow-up questions, each answered by a search. */
export function selfAskDialect(prompts: Prompts): Dialect {
  return {
    name: 'self-ask',
    stop: ['\nIntermediate answer:'],
    beginsObservation: beginsIntermediateAnswer,
    render: (view) => ({ messages: renderSelfAsk(view, prompts) }),
    read: (completion, tools) => onSearch(readSelfAsk(completion.text), tools),
  }
}

/** The tool that this dialect asks; undefined where none of them is there. */
function searchTool(tools: Tool[]): Tool | undefined {
  return SEARCHES.flatMap((name) => tools.filter((tool) => tool.name === name))[0] ?? tools[0]
}

function onSearch(reading: ParsedTurn, tools: Tool[]): ParsedTurn {
  const search = searchTool(tools)?.name
  if (reading.kind !== 'actions' || search === undefined) return reading
  return { ...reading, actions: reading.actions.map((action) => ({ ...action, tool: search })) }
}

function renderSelfAsk(view: RunView, prompts: Prompts): Message[] {
  const head = view.steps.length > 0 ? 'Are follow up questions needed here: Yes.\n' : ''
  const steps = view.steps.map((step) => renderStep(step, view.nonce)).join('')
  const cue = view.steps.length > 0 ? '' : 'Are follow up questions needed here:'
  const tail = tailOf(view, prompts, { cue, form: 'Write only:\nSo the final answer is: the answer' })
  return [
    { role: 'system', content: prompts['self-ask']({ today: view.today }) },
    { role: 'user', content: `Question: ${view.question}\n${head}${steps}${tail}` },
  ]
}

function renderStep(step: Step, nonce: string): string {
  if (step.kind === 'message') return messageLine(step)
  const asked = step.kind === 'tool' ? `Follow up: ${inputText(step.action.input)}` : step.text
  return `${asked}\nIntermediate answer: ${fencedObservation(step, nonce)}\n`
}
