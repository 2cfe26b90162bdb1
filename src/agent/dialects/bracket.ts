import type { Prompts } from '../../base/prompts.ts'
import { messageLine } from '../observation.ts'
import { inputText } from '../tool-input.ts'
import { answerInBrackets, labelledAnswer } from '../parser/answer-opening.ts'
import { argumentInput, readCall, type BracketCall } from '../parser/bracket-call.ts'
import { readInline } from '../parser/inline-steps.ts'
import { readJsonBlock } from '../parser/json-action.ts'
import type { LabelledSection } from '../parser/labels.ts'
import { readLeaked } from '../parser/leaked-calls.ts'
import {
  actionAt,
  answerAt,
  faultAt,
  modelOutputOf,
  toParsedTurn,
  type Match,
  type ModelOutput,
} from '../parser/model-output.ts'
import { beginsObservation } from '../parser/observation-cut.ts'
import { isLabelled } from '../parser/taught-form.ts'
import { isQuoted } from '../parser/quoted-call.ts'
import { answerOf, firstStep, readAction, readBraced } from '../parser/react-steps.ts'
import { dedent, nextLine, tidy } from '../parser/text-lines.ts'
import { namesFinish, namesNothing } from '../parser/tool-names.ts'
import type { Dialect, ParsedTurn, RunView } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'
import type { Action, Step } from '../contracts/run-events.ts'
import type { Tool } from '../contracts/tool.ts'
import { describeTool, fencedObservation, questionMessage, saidBefore, tailOf } from './text.ts'

const FINISH = 'Finish'

/** The two tools of the paper and their names here, and the one that reads skills. */
const DOCSTORE = new Map([
  ['Search', 'wikipedia'],
  ['Lookup', 'wikipedia_lookup'],
  ['read_skill', 'read_skill'],
])

interface BracketForm {
  name: string
  system(view: RunView): string
  /** Whether steps are numbered (`Thought 1:`, as in the paper). */
  numbered: boolean
  /** The name that the model uses for each tool. */
  tools(tools: Tool[]): Map<string, string>
}

/**
 * Search[…] / Lookup[…] / Finish[…], few-shot and numbered, as in the ReAct paper's HotpotQA and FEVER runs ("ReAct
 * with LangChain").
 */
export function docstoreDialect(prompts: Prompts): Dialect {
  const system = (view: RunView) => prompts.docstore({ today: view.today })
  const tools = (all: Tool[]) => new Map([...DOCSTORE, ...all.filter(isCard).map(({ name }) => [name, name] as const)])
  return bracketForm({ name: 'docstore', system, numbered: true, tools }, prompts)
}

const isCard = ({ proposes }: Tool) => proposes === true

/**
 * The same form for any tools, taught by the worked examples in `examples` (the custom agent of "ReAct with
 * LangChain").
 */
export function bracketDialect(prompts: Prompts, examples: string): Dialect {
  const system = (view: RunView) =>
    prompts.bracket({ tools: view.tools.map(describeAction).join('\n'), examples, today: view.today })
  const tools = (all: Tool[]) => new Map(all.map((tool) => [tool.name, tool.name]))
  return bracketForm({ name: 'bracket', system, numbered: false, tools }, prompts)
}

function describeAction(tool: Tool): string {
  return describeTool(tool).replace(`${tool.name}:`, `${tool.name}[input]:`)
}

function bracketForm(form: BracketForm, prompts: Prompts): Dialect {
  return {
    name: form.name,
    stop: ['\nObservation'],
    beginsObservation,
    render: (view) => ({ messages: renderBracket(view, form, prompts) }),
    read: (completion, tools) => {
      const names = form.tools(tools)
      return withOurNames(readBracket(completion.text, [...names.keys(), FINISH]), names)
    },
    isOwnForm: isLabelled,
    opensAnswer: (line) => labelledAnswer(line) ?? answerInBrackets(line),
  }
}

function renderBracket(view: RunView, form: BracketForm, prompts: Prompts): Message[] {
  const names = new Map([...form.tools(view.tools)].map(([theirs, ours]) => [ours, theirs]))
  const steps = view.steps.map((step, i) => renderStep(step, view, labelOf(form, i + 1), names))
  const label = labelOf(form, view.steps.length + 1)
  const tail = tailOf(view, prompts, {
    cue: `Thought${label}:`,
    form: `Write only:\nAction${label}: Finish[the answer]`,
  })
  return [
    { role: 'system', content: form.system(view) },
    questionMessage(view, prompts, `${saidBefore(view, prompts)}Question: ${view.question}\n${steps.join('')}${tail}`),
  ]
}

function labelOf(form: BracketForm, n: number): string {
  return form.numbered ? ` ${n}` : ''
}

function renderStep(step: Step, view: RunView, label: string, names: Map<string, string>): string {
  if (step.kind === 'message') return messageLine(step)
  const written =
    step.kind === 'tool'
      ? `Thought${label}: ${step.thought}\nAction${label}: ${actionText(step.action, names)}\n`
      : `Thought${label}: ${step.text}\n`
  return `${written}Observation${label}: ${fencedObservation(step, view.nonce)}\n`
}

function actionText({ tool, input }: Action, names: Map<string, string>): string {
  return `${names.get(tool) ?? tool}[${inputText(input)}]`
}

function withOurNames(parsed: ParsedTurn, names: Map<string, string>): ParsedTurn {
  if (parsed.kind !== 'actions') return parsed
  return {
    ...parsed,
    actions: parsed.actions.map((action) => ({ ...action, tool: names.get(action.tool) ?? action.tool })),
  }
}

const FORM =
  'Write "Thought: …", then one line "Action: Tool[input]" with the bracket closed at its end; "Action: Finish[answer]" ends.'

/**
 * Reads a completion of the docstore and bracket dialects (the ReAct paper's form): `Action 1: Search[input]`, numbered
 * or not. `Finish[answer]` ends the run. The input is the text up to the last bracket of the action's line.
 */
export function readBracket(completion: string, tools: string[]): ParsedTurn {
  const turn = modelOutputOf(completion, tools)
  const found = readActions(turn) ?? readUnlabelled(turn) ?? readLeaked(turn) ?? readInline(turn) ?? listedJson(turn)
  return toParsedTurn(found, turn, FORM)
}

/**
 * Reads a call that leaked as JSON. It must name a listed tool, because a page that the model quotes may be JSON too.
 */
function listedJson(turn: ModelOutput): Match | undefined {
  const block = readJsonBlock(turn)
  return block?.kind === 'action' && turn.tools.includes(block.tool) ? block : undefined
}

function readActions(turn: ModelOutput): Match | undefined {
  const braced = readBraced(turn)
  if (braced) return braced
  return firstStep(turn, (index, section) => {
    if (section.name === 'answer') return answerAt(turn, section.at, answerOf(turn, index))
    return section.name === 'action' ? readOne(turn, index, section) : undefined
  })
}

/** Reads one labelled action. Returns undefined if it names nothing, because a later one may. */
function readOne(turn: ModelOutput, index: number, section: LabelledSection): Match | undefined {
  const next = turn.sections[index + 1]
  const written = tidy(dedent(turn.text.slice(section.valueAt, next?.at), section.indent))
  if ((!written && next?.name === 'action') || namesNothing(written)) return undefined
  const call = readCall(written, turn.tools)
  if (call) return called(turn, section.at, call)
  if (next?.name === 'input' || namesFinish(written, turn.tools)) return readAction(turn, index, section)
  return faultAt(turn, section.at, 'its action is not written as Tool[input]')
}

/** Finds a line that is only a call of a listed tool, for models that omit the label. */
function readUnlabelled(turn: ModelOutput): Match | undefined {
  const { text } = turn
  const tools = [...turn.tools, 'Finish']
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const call = readCall(text.slice(at, nextLine(text, at)), tools, true)
    const isCall = call?.argument !== undefined && !call.round
    if (isCall && !isQuoted(turn, { at, end: nextLine(text, at) })) return called(turn, at, call)
  }
  return undefined
}

/** A call of Finish is the answer. Named arguments in its round brackets stay text. */
function called(turn: ModelOutput, at: number, call: BracketCall): Match {
  const parsed = argumentInput(call)
  if (!parsed.ok) return faultAt(turn, at, parsed.what)
  const input = typeof parsed.input === 'string' ? parsed.input : tidy(call.argument ?? '')
  if (namesFinish(call.tool, turn.tools)) return answerAt(turn, at, input)
  return actionAt(turn, at, { tool: call.tool, parsed: { ok: true, input } })
}
