import type { Prompts } from '../../base/prompts.ts'
import { messageLine } from '../observation.ts'
import { inputText } from '../tool-input.ts'
import { labelledAnswer } from '../parser/answer-opening.ts'
import { labelReader, type Label } from '../parser/labels.ts'
import { toParsedTurn, turnText } from '../parser/model-output.ts'
import { beginsObservation } from '../parser/observation-cut.ts'
import { nextLine, tidy } from '../parser/text-lines.ts'
import type { Dialect, ParsedTurn, RunView } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'
import type { Action, Step } from '../contracts/run-events.ts'
import type { Tool } from '../contracts/tool.ts'
import { fencedObservation, questionMessage, saidBefore, tailOf } from './text.ts'

/** Tools that can answer a follow-up question, best first. */
const SEARCHES = ['search', 'duckduckgo', 'wikipedia']

/**
 * Self-ask with search (Press et al. 2022, arXiv:2210.03350; named in "ReAct with LangChain"): each follow-up question
 * is one search.
 */
export function selfAskDialect(prompts: Prompts): Dialect {
  return {
    name: 'self-ask',
    stop: ['\nIntermediate answer:'],
    beginsObservation: beginsIntermediateAnswer,
    render: (view) => ({ messages: renderSelfAsk(view, prompts) }),
    read: (completion, tools) => withRunTools(readSelfAsk(completion.text), tools),
    opensAnswer: (line) => labelledAnswer(line, labelAt),
  }
}

/** The tool that answers follow-up questions, or undefined if the run has no tools. */
function searchTool(tools: Tool[]): Tool | undefined {
  return (
    SEARCHES.flatMap((name) => tools.filter((tool) => tool.name === name))[0] ?? tools.find((tool) => !isOther(tool))
  )
}

/** Names the run's own search tool, or another tool that the follow-up names, in the actions. */
function withRunTools(parsed: ParsedTurn, tools: Tool[]): ParsedTurn {
  const search = searchTool(tools)?.name
  const others = tools.filter(isOther)
  if (parsed.kind !== 'actions') return parsed
  const ofRun = (action: Action) => (search === undefined ? action : { ...action, tool: search })
  return { ...parsed, actions: parsed.actions.map((action) => otherCall(action, others) ?? ofRun(action)) }
}

/** Returns whether a follow-up calls a tool by its name: `read_skill[name]`, `propose_memory[text]`. */
function isOther({ name, proposes }: Tool): boolean {
  return name === 'read_skill' || proposes === true
}

function otherCall({ input }: Action, others: Tool[]): Action | undefined {
  const [, name, written = ''] = /^(\w{3,40})(?:\s{0,3}[[(:]|\s|$)\s{0,3}(.{0,4000})$/s.exec(String(input)) ?? []
  if (!others.some((tool) => tool.name === name)) return undefined
  return {
    tool: name!,
    input: written
      .trim()
      .replace(/[\])]$/, '')
      .trim(),
  }
}

function renderSelfAsk(view: RunView, prompts: Prompts): Message[] {
  const head = view.steps.length > 0 ? 'Are follow up questions needed here: Yes.\n' : ''
  const steps = view.steps.map((step) => renderStep(step, view)).join('')
  const cue = view.steps.length > 0 ? '' : 'Are follow up questions needed here:'
  const tail = tailOf(view, prompts, { cue, form: 'Write only:\nSo the final answer is: the answer' })
  return [
    { role: 'system', content: prompts['self-ask']({ today: view.today }) },
    questionMessage(view, prompts, `${saidBefore(view, prompts)}Question: ${view.question}\n${head}${steps}${tail}`),
  ]
}

function renderStep(step: Step, { nonce, tools }: RunView): string {
  if (step.kind === 'message') return messageLine(step)
  const written = step.kind === 'tool' ? `Follow up: ${followUpText(step.action, tools)}` : step.text
  return `${written}\nIntermediate answer: ${fencedObservation(step, nonce)}\n`
}

function followUpText({ tool, input }: Action, tools: Tool[]): string {
  const isNamed = tools.some((one) => one.name === tool && isOther(one))
  return isNamed ? `${tool}[${inputText(input)}]` : inputText(input)
}

type SelfAskLabel = 'followUp' | 'intermediate' | 'answer' | 'needed'

const labelAt = labelReader<SelfAskLabel>({
  followUp: ['follow[ -]?up(?: question)?'],
  intermediate: ['intermediate[ -]answer'],
  answer: ['so[, ]{1,2}the final answer is', 'the final answer is', 'final[ -]answer'],
  needed: ['are follow[ -]?up questions needed here'],
})
const FOLLOW_UP = /\bFollow[ -]?up ?\d{0,3} ?[:：]/i
const INLINE_ANSWER = /(?<=[.!?] {0,3})So,? the final answer is ?[:：]/
const FORM =
  'Write "Follow up: <one thing to search for>" on a line of its own, or, when you know, "So the final answer is: <answer>".'

/** Returns whether a line begins an intermediate answer. Only the search tool may give one. */
export function beginsIntermediateAnswer(line: string): boolean {
  const label = labelAt(line, 0)
  return label?.name === 'intermediate' && label.colon
}

/**
 * Reads a completion of the self-ask dialect: `Follow up: …` is a search, `So the final answer is: …` ends the run. The
 * first of them wins. The tool of an action is `search`, whatever the run's search tool is called.
 */
export function readSelfAsk(completion: string): ParsedTurn {
  const { text, isFinal, isCut } = turnText(
    completion,
    (line) => beginsObservation(line) || beginsIntermediateAnswer(line),
  )
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const label = labelAt(text, at)
    const answer = label?.name === 'answer' ? answerFrom(text, label.valueAt) : ''
    if (answer) return { kind: 'finish', thought: tidy(text.slice(0, at)), answer }
    const input = label && followUp(text, label)
    if (input) return { kind: 'actions', thought: tidy(text.slice(0, at)), actions: [{ tool: 'search', input }] }
  }
  const inline = INLINE_ANSWER.exec(text)
  const answer = inline ? answerFrom(text, inline.index + inline[0].length) : ''
  if (inline && answer) return { kind: 'finish', thought: tidy(text.slice(0, inline.index)), answer }
  return toParsedTurn(undefined, { text, sections: [], tools: [], isFinal, isCut }, FORM)
}

/** The answer, without the next question that base models continue with. */
function answerFrom(text: string, at: number): string {
  const rest = text.slice(at)
  return tidy(rest.slice(0, /^Question:/m.exec(rest)?.index))
}

/**
 * The follow-up question on the label's line or the next one. Some models write `needed here: Yes. Follow up: …` on one
 * line.
 */
function followUp(text: string, label: Label<SelfAskLabel>): string | undefined {
  const rest = text.slice(label.valueAt)
  if (label.name === 'followUp') return firstLine(rest)
  const line = label.name === 'needed' ? rest.slice(0, nextLine(rest, 0)) : ''
  const inline = FOLLOW_UP.exec(line)
  return inline ? firstLine(line.slice(inline.index + inline[0].length)) : undefined
}

function firstLine(text: string): string | undefined {
  const line = /\S[^\n]*/.exec(text)?.[0] ?? ''
  return labelAt(line, 0) ? undefined : tidy(line)
}
