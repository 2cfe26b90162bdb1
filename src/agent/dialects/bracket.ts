import type { Prompts } from '../../prompts.ts'
import { messageLine } from '../message-line.ts'
import { inputText } from '../tool-input.ts'
import { beginsObservation, readBracket } from '../parser/index.ts'
import type { Action, Dialect, Message, ParsedTurn, RunView, Step, Tool } from '../types.ts'
import { describeTool, fencedObservation, tailOf } from './prompt-parts.ts'

const FINISH = 'Finish'

/** The paper's two tools, by the names that they have here. */
const DOCSTORE = new Map([
  ['Search', 'wikipedia'],
  ['Lookup', 'wikipedia_lookup'],
])

interface Form {
  name: string
  system(view: RunView): string
  /** `Thought 1:`, as in the paper, or `Thought:`. */
  numbered: boolean
  /** The model's name for each tool that it may use. */
  tools(tools: Tool[]): Map<string, string>
}

/** Search[…] / Lookup[…] / Finish[…], few-shot and numbered, as in the ReAct paper's HotpotQA and FEVER runs (seed 000). */
export function docstoreDialect(prompts: Prompts): Dialect {
  const system = (view: RunView) => prompts.docstore({ today: view.today })
  return bracketForm({ name: 'docstore', system, numbered: true, tools: () => DOCSTORE }, prompts)
}

/** The same form for any tools, taught by worked examples that stand beside them (seed 000's custom agent). */
export function bracketDialect(prompts: Prompts, examples: string): Dialect {
  const system = (view: RunView) =>
    prompts.bracket({ tools: view.tools.map(describeAction).join('\n'), examples, today: view.today })
  const tools = (all: Tool[]) => new Map(all.map((tool) => [tool.name, tool.name]))
  return bracketForm({ name: 'bracket', system, numbered: false, tools }, prompts)
}

function describeAction(tool: Tool): string {
  return describeTool(tool).replace(`${tool.name}:`, `${tool.name}[input]:`)
}

function bracketForm(form: Form, prompts: Prompts): Dialect {
  return {
    name: form.name,
    stop: ['\nObservation'],
    beginsObservation,
    render: (view) => ({ messages: renderBracket(view, form, prompts) }),
    read: (completion, tools) => {
      const names = form.tools(tools)
      return withOurNames(readBracket(completion.text, [...names.keys(), FINISH]), names)
    },
  }
}

function renderBracket(view: RunView, form: Form, prompts: Prompts): Message[] {
  const names = new Map([...form.tools(view.tools)].map(([theirs, ours]) => [ours, theirs]))
  const steps = view.steps.map((step, i) => renderStep(step, { view, label: labelOf(form, i + 1), names }))
  const label = labelOf(form, view.steps.length + 1)
  const tail = tailOf(view, prompts, {
    cue: `Thought${label}:`,
    form: `Write only:\nAction${label}: Finish[the answer]`,
  })
  return [
    { role: 'system', content: form.system(view) },
    { role: 'user', content: `Question: ${view.question}\n${steps.join('')}${tail}` },
  ]
}

function labelOf(form: Form, n: number): string {
  return form.numbered ? ` ${n}` : ''
}

function renderStep(
  step: Step,
  { view, label, names }: { view: RunView; label: string; names: Map<string, string> },
): string {
  if (step.kind === 'message') return messageLine(step)
  const said =
    step.kind === 'tool'
      ? `Thought${label}: ${step.thought}\nAction${label}: ${actionText(step.action, names)}\n`
      : `Thought${label}: ${step.text}\n`
  return `${said}Observation${label}: ${fencedObservation(step, view.nonce)}\n`
}

function actionText({ tool, input }: Action, names: Map<string, string>): string {
  return `${names.get(tool) ?? tool}[${inputText(input)}]`
}

function withOurNames(reading: ParsedTurn, names: Map<string, string>): ParsedTurn {
  if (reading.kind !== 'actions') return reading
  return {
    ...reading,
    actions: reading.actions.map((action) => ({ ...action, tool: names.get(action.tool) ?? action.tool })),
  }
}
