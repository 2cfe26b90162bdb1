/** The text dialect, and the parts of prompts that all dialects share. */
import type { Prompts } from '../../base/prompts.ts'
import { cutMiddle, defused, defuseLabels, fenceObservation, messageLine, REPEATED } from '../observation.ts'
import { knownResults } from '../known-results.ts'
import { pastAnswer, PICTURE_NAME_CHARS } from '../prompt-size.ts'
import { acceptsInput, fieldsOf, fieldsText, inputText, takesText, namesOfTools } from '../tool-input.ts'
import { labelledAnswer } from '../parser/answer-opening.ts'
import { modelOutputOf, toParsedTurn, type AcceptsInput } from '../parser/model-output.ts'
import { beginsObservation } from '../parser/observation-cut.ts'
import { isLabelled } from '../parser/taught-form.ts'
import { findStep } from '../parser/react-steps.ts'
import type { Dialect, ParsedTurn, RenderedPrompt, RunView } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'
import type { Step, StopReason, ToolStep, UnreadableStep } from '../contracts/run-events.ts'
import type { Tool } from '../contracts/tool.ts'
import { HELD_FORM, isHeld, readHeldTurn, repeatsItself, turnSchema } from './held-turn.ts'
import { alternating, examplesIn, fittingExamples, workedTurns } from './worked-turns.ts'

/**
 * Thought / Action / Action Input / Observation in plain text, zero-shot ("langchain-mini", "LLM ReAct 模式的实现"), after
 * Yao et al. 2022 (ReAct, arXiv:2210.03629). The system message comes first and does not change, so that prompt caches
 * hit. What changes comes last.
 */
export function textDialect(prompts: Prompts): Dialect {
  const worked = workedTurns(prompts['text-turns']({}))
  const read: Dialect['read'] = ({ text }, tools) =>
    readHeldTurn(text, tools) ?? readText(text, namesOfTools(tools), acceptsInput(tools))
  return {
    name: 'text',
    omitsRepeated: true,
    examples: examplesIn(worked, read),
    stop: ['\nObservation:', '\nObservation :'],
    beginsObservation,
    render: (view) => renderText(view, prompts, worked),
    read,
    isOwnForm: isLabelled,
    opensAnswer: (line) => labelledAnswer(line),
  }
}

function renderText(view: RunView, prompts: Prompts, worked: Message[]): RenderedPrompt {
  return renderTurns(view, prompts, {
    system: prompts.text(toolVariables(view)),
    worked,
    question: `Question: ${view.question}`,
    written: writtenStep,
  })
}

interface TurnParts {
  system: string
  worked: Message[]
  question: string
  /** A step as the model wrote it. */
  written(step: WrittenStep): string
}

/**
 * A prompt of turns that ends with `Final Answer:`, after worked turns. A run that has repeated itself is asked for its
 * next turns in the held form, whose schema leaves out the repeated tool, so that a loop cannot form.
 */
export function renderTurns(
  view: RunView,
  prompts: Prompts,
  { system, worked, question, written }: TurnParts,
): RenderedPrompt {
  const isHeld = !view.finalTurn && repeatsItself(view.steps)
  const cue = isHeld ? HELD_FORM : ''
  const tail = tailOf(view, prompts, { cue, form: 'Write only:\nFinal Answer: the answer' })
  const messages = alternating([
    { role: 'system', content: system },
    ...fittingExamples(worked, view),
    questionMessage(view, prompts, saidBefore(view, prompts) + question),
    ...view.steps.flatMap((step) => repetition(step) ?? turnMessages(step, view.nonce, written)),
    ...(tail === '' ? [] : [{ role: 'user' as const, content: tail }]),
  ])
  return isHeld ? { messages, schema: turnSchema(view) } : { messages }
}

/**
 * What the loop says about a repeated call. The call itself is left out: a small model goes on as it sees itself write,
 * and the result stands right before.
 */
function repetition(step: Step): Message[] | undefined {
  if (step.kind !== 'tool' || !step.observation?.hint) return undefined
  const { said } = repeatedResult(step.observation.text, step.action.tool)
  return said === '' ? undefined : [{ role: 'user', content: said }]
}

/** A step as two messages: what the model wrote, and the observation. A person's addition is one. */
export function turnMessages(step: Step, nonce: string, written: (step: WrittenStep) => string): Message[] {
  if (step.kind === 'message') return [{ role: 'user', content: messageLine(step).trimEnd() }]
  return [
    { role: 'assistant', content: written(step).trimEnd() },
    { role: 'user', content: `Observation: ${fencedObservation(step, nonce)}` },
  ]
}

type WrittenStep = ToolStep | UnreadableStep

/** A step in the labels of the text form. The conversational dialect uses it too. */
export function renderStep(step: Step, nonce: string): string {
  if (step.kind === 'message') return messageLine(step)
  return `${writtenStep(step)}Observation: ${fencedObservation(step, nonce)}\n`
}

function writtenStep(step: WrittenStep): string {
  if (step.kind === 'unreadable') return `Thought: ${defuseLabels(step.text)}\n`
  const { thought, action } = step
  return `Thought: ${defuseLabels(thought)}\nAction: ${action.tool}\nAction Input: ${inputText(action.input)}\n`
}

const FORM =
  'Write "Thought: …", then either "Action: <tool>" and "Action Input: <input>", each on a line of its own, or "Final Answer: <answer>".'

/**
 * Reads a completion of the text dialect (LangChain's zero-shot ReAct): Thought, Action, Action Input, Final Answer.
 * Also reads JSON calls and turns on one line. The input stays text as written, but becomes an object if the model
 * fenced a JSON object or wrote a Python dict.
 */
export function readText(completion: string, tools: string[], accepts?: AcceptsInput): ParsedTurn {
  const turn = modelOutputOf(completion, tools, { accepts })
  return toParsedTurn(findStep(turn), turn, isHeld(completion) ? HELD_FORM : FORM)
}

/** Built once for each tool, because every model call needs it. */
const descriptions = new WeakMap<Tool, string>()

/** `name: description`, followed by the JSON schema if the tool takes more than one text; or the tool's brief. */
export function describeTool(tool: Tool): string {
  const known = descriptions.get(tool)
  if (known !== undefined) return known
  const description = descriptionOf(tool)
  descriptions.set(tool, description)
  return description
}

function descriptionOf(tool: Tool): string {
  if (tool.brief !== undefined) return `${tool.name}: ${tool.brief}`
  const line = `${tool.name}: ${tool.description}`
  if (fieldsOf(tool).length === 0) return `${line} The input is {}.`
  return takesText(tool) ? line : `${line} The input is a JSON object: ${fieldsText(tool)}`
}

/** The variables of prompts that list tools. `tool_names` omits some names if there are many tools. */
export function toolVariables(view: RunView): { tools: string; tool_names: string; today: string } {
  const names = view.tools.filter(({ brief }) => brief === undefined).map(({ name }) => name)
  const others = names.length < view.tools.length ? ', or another of those above' : ''
  return {
    tools: view.tools.map(describeTool).join('\n'),
    tool_names: `${names.join(', ')}${others}`,
    today: view.today,
  }
}

/** The thread's messages, its files, what is remembered and what was already done, as data. Empty if there are none. */
export function saidBefore(view: RunView, prompts: Prompts): string {
  const { askedIn, said, filesText, remembered, doneBefore, nonce } = view
  const fenced = (text: string | undefined, prompt: (data: string) => string) =>
    text ? [prompt(fenceObservation(text, nonce))] : []
  const parts = [
    ...(askedIn ? [askedIn] : []),
    ...linksOf(view, prompts),
    ...fenced(said, (messages) => prompts['thread-messages']({ messages })),
    ...fenced(filesText, (files) => prompts['thread-files']({ files })),
    ...fenced(remembered, (texts) => prompts.remembered({ remembered: texts })),
    ...fenced(doneBefore, (calls) => prompts['done-before']({ calls })),
    ...fenced(earlierTurns(view), (turns) => prompts['earlier-turns']({ turns })),
  ]
  return parts.map((part) => `${part}\n\n`).join('')
}

/** The tool that opens the question's links, if it has any. */
function linksOf({ question, tools }: RunView, prompts: Prompts): string[] {
  const opener = /https?:\/\//i.test(question) && tools.find(({ opensLinks }) => opensLinks)
  return opener ? [prompts.links({ tool: opener.name })] : []
}

/** The earlier turns, if the question is about them. */
function earlierTurns({ history, aboutHistory }: RunView): string {
  if (!aboutHistory) return ''
  return history.map(({ question, answer }) => `Q: ${question}\nA: ${pastAnswer(answer)}`).join('\n')
}

/** The message that contains the question, with the pictures that came with it. */
export function questionMessage({ images, nonce }: RunView, prompts: Prompts, content: string): Message {
  if (!images) return { role: 'user', content }
  const names = images.map(({ name }) => cutMiddle(name.replace(/\s+/g, ' '), PICTURE_NAME_CHARS)).join(', ')
  const unseen = `${prompts['unseen-pictures']({ names: fenceObservation(names, nonce) })}\n\n`
  return { role: 'user', content, images, unseen }
}

/** The observation of a step, fenced unless it is the operator's instructions, and the loop's note after it. */
export function fencedObservation(step: ToolStep | UnreadableStep, nonce: string): string {
  const { observation } = step
  const { text = '', instructions, hint, note } = observation ?? {}
  const { result, said } =
    hint && step.kind === 'tool' ? repeatedResult(text, step.action.tool) : { result: text, said: '' }
  const fenced = instructions ? defused(result) : fenceObservation(result, nonce)
  return [fenced, said, note].filter(Boolean).join('\n')
}

/** The result of a repeated call, and what the loop says about it, which is no data. */
function repeatedResult(text: string, tool: string): { result: string; said: string } {
  const { before, after, already, enough } = REPEATED
  if (!text.startsWith(before)) return { result: text, said: '' }
  const mayGoOn = text.endsWith(after)
  const end = mayGoOn ? text.length - after.length : text.length
  const next = mayGoOn ? ` ${enough} If not, use another tool than ${tool}.` : ''
  return { result: text.slice(before.length, end), said: `${already}${next}` }
}

/** The part of the question that the final turn repeats. Characters. */
const REPEATED_QUESTION_CHARS = 500

const REASONS: Record<StopReason, string> = {
  steps: 'steps',
  time: 'time',
  tokens: 'tokens',
  cost: 'budget',
  loop: 'new things to try (the same action was repeated)',
  unreadable: 'attempts to follow the format',
  stopped: 'time, because a person stopped the work',
}

/** The end of the prompt: on the final turn the demand to answer now in `form`, otherwise the cue for the next turn. */
export function tailOf(view: RunView, prompts: Prompts, { cue, form }: { cue: string; form: string }): string {
  if (!view.finalTurn) return cue
  const results = knownResults(view.steps)
  const known = results === '' ? '' : `In short, the tools have returned:\n${fenceObservation(results, view.nonce)}\n`
  // A lost model otherwise answers one of the examples.
  const question = cutMiddle(view.question.replace(/\s+/g, ' '), REPEATED_QUESTION_CHARS)
  return `\n${prompts['final-turn']({ reason: REASONS[view.finalTurn], known, question, form })}`
}
