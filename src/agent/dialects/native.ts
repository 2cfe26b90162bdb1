import { messageText } from '../observation.ts'
import { isRecord, markedInput, parseExact, stringifyExact } from '../../base/parse-json.ts'
import type { Prompts } from '../../base/prompts.ts'
import { specOf, namesOfTools } from '../tool-input.ts'
import { callsIn, PARALLEL } from '../parser/json-action.ts'
import { reactLabel } from '../parser/labels.ts'
import { turnText } from '../parser/model-output.ts'
import { MAY_CALL, MAY_GO_ON, readWritten } from '../parser/written-calls.ts'
import { withoutCallMarks } from '../parser/special-tokens.ts'
import { tidy } from '../parser/text-lines.ts'
import { listedTool } from '../parser/tool-names.ts'
import type { AnswerOpening, Completion, Dialect, ParsedTurn, RenderedPrompt, RunView } from '../contracts/dialect.ts'
import type { Message, ToolCall, ToolSpec } from '../contracts/model.ts'
import type { Action, Step, ToolStep, UnreadableStep } from '../contracts/run-events.ts'
import type { Tool } from '../contracts/tool.ts'
import { ANSWER, HELD_FORM, readHeldTurn, turnSchema } from './held-turn.ts'
import { describeTool, fencedObservation, questionMessage, saidBefore, tailOf } from './text.ts'
import { alternating } from './worked-turns.ts'

/** Native tool calls, in parallel if the model asks for several. The text beside a call is the thought. */
export function nativeDialect(prompts: Prompts): Dialect {
  return {
    name: 'native',
    stop: [],
    takesProse: 'none',
    beginsObservation: () => false,
    render: (view) => renderNative(view, prompts),
    read: (completion, tools) => readHeldTurn(completion.text, tools) ?? readNative(completion, namesOfTools(tools)),
    isOwnForm: () => false,
    opensAnswer: opensProse,
  }
}

function renderNative(view: RunView, prompts: Prompts): RenderedPrompt {
  const messages: Message[] = [
    { role: 'system', content: systemText(view, prompts) },
    questionMessage(view, prompts, `${saidBefore(view, prompts)}${view.question}`),
    ...renderSteps(view),
  ]
  if (view.finalTurn) {
    messages.push({ role: 'user', content: tailOf(view, prompts, { cue: '', form: 'Write the answer alone.' }).trim() })
    return { messages, tools: callable(view), toolChoice: 'none' }
  }
  const last = view.steps.findLast(({ kind }) => kind !== 'message')
  if (last?.kind !== 'unreadable' || last.isAnswer || last.text.trim() === '')
    return { messages, tools: callable(view) }
  messages.push({ role: 'user', content: HELD_FORM })
  return {
    messages: alternating(messages),
    tools: [...callable(view), ANSWER_TOOL],
    toolChoice: 'required',
    schema: turnSchema(view),
  }
}

/**
 * After an announced call or a call written as text, the model is asked once more, with a schema. If the endpoint
 * ignores schemas, a tool call is required, and calling this tool gives the answer.
 */
const ANSWER_TOOL: ToolSpec = {
  name: ANSWER,
  description: 'Gives the answer to the person, in Markdown.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string', description: 'the answer' } },
    required: ['text'],
  },
}

/** Lists the tools that have only one line in words: endpoints accept about a hundred tools at most. */
function systemText({ tools, today }: RunView, prompts: Prompts): string {
  const more = tools.filter(({ brief }) => brief !== undefined)
  const system = prompts.native({ today })
  return more.length === 0
    ? system
    : `${system}\n\n${prompts['more-tools']({ tools: more.map(describeTool).join('\n'), how: callsBy(tools) })}`
}

/** The tool that describes the others. Only MCP toolboxes have it, and a small window leaves inputs out without it. */
const DETAILS = 'tool_details'

function hasDetails(tools: Tool[]): boolean {
  return tools.some(({ name }) => name === DETAILS)
}

function callsBy(tools: Tool[]): string {
  return hasDetails(tools)
    ? `ask \`${DETAILS}\` for it by its name, then call it with \`call_tool\``
    : 'call it with `call_tool`; if the input is wrong, the result says which one is right'
}

/** The tools that the model may call by their own names. The list never changes in a run, so that prompt caches hit. */
function callable({ tools }: RunView): ToolSpec[] {
  const full = tools.filter(({ brief }) => brief === undefined).map(specOf)
  return full.length < tools.length ? [...full, callTool(hasDetails(tools))] : full
}

const CALL_TOOL = 'call_tool'

/** Calls a tool that has only one line in the system message. The observation of `tool_details` describes its input. */
function callTool(mayAsk: boolean): ToolSpec {
  return {
    name: CALL_TOOL,
    description: `Calls a tool that has only one line in the list.${mayAsk ? ` Ask ${DETAILS} about it before.` : ''}`,
    parameters: {
      type: 'object',
      properties: {
        tool: { type: 'string', description: 'the name of the tool' },
        input: { type: 'object', description: `its input${mayAsk ? `, as ${DETAILS} has described it` : ''}` },
      },
      required: ['tool', 'input'],
    },
  }
}

/** Steps of one completion become one message with all of its calls. */
function renderSteps(view: RunView): Message[] {
  const { steps } = view
  return steps.flatMap((step, i) => {
    if (step.kind === 'message') return [{ role: 'user' as const, content: messageText(step) }]
    if (step.kind === 'unreadable') return renderUnreadable(step)
    const isFirst = steps.findIndex((other) => other.kind === 'tool' && other.turn === step.turn) === i
    return isFirst ? renderTurn(toolSteps(steps, step.turn), view) : []
  })
}

function toolSteps(steps: readonly Step[], turn: number): ToolStep[] {
  return steps.filter((step): step is ToolStep => step.kind === 'tool' && step.turn === turn)
}

function renderUnreadable({ text, observation }: UnreadableStep): Message[] {
  return [
    { role: 'assistant', content: text || '(nothing)' },
    { role: 'user', content: observation.text },
  ]
}

function renderTurn(steps: ToolStep[], { tools, nonce }: RunView): Message[] {
  const idOf = ({ action, turn }: ToolStep, i: number) => action.callId ?? `call_${turn}_${i}`
  const toolCalls = steps.map((step, i) => ({ id: idOf(step, i), ...callOf(step.action, tools) }))
  const results = steps.map((step, i) => ({
    role: 'tool' as const,
    content: fencedObservation(step, nonce),
    toolCallId: idOf(step, i),
  }))
  const { thought = '', kept } = steps[0] ?? {}
  return [{ role: 'assistant', content: thought, toolCalls, ...(kept ? { kept } : {}) }, ...results]
}

function callOf({ tool, input }: Action, tools: Tool[]): { name: string; arguments: string } {
  const isBrief = tools.some(({ name, brief }) => name === tool && brief !== undefined)
  const fields = markedInput(input)
  if (isBrief) return { name: CALL_TOOL, arguments: stringifyExact({ tool, input: fields }) }
  return { name: tool, arguments: typeof fields === 'string' ? JSON.stringify({ input }) : stringifyExact(fields) }
}

export function readNative({ text, toolCalls }: Completion, tools: string[]): ParsedTurn {
  const words = plainText(text)
  const answer = toolCalls?.find(({ name }) => name === ANSWER && !tools.includes(name))
  const answered = answer && readAnswer(answer)
  if (answered) return answered
  if (toolCalls?.length) {
    const actions = toolCalls.flatMap((call) => readCalls(call, tools))
    return { kind: 'actions', thought: withoutCallMarks(words), actions }
  }
  return readWritten(text, tools)
}

/** The answer as a tool. An empty one is unreadable. */
function readAnswer(call: ToolCall): ParsedTurn | undefined {
  const args = parseArguments(call.arguments)
  const answer = tidy(String(isRecord(args) ? (args['text'] ?? Object.values(args)[0] ?? '') : args))
  return answer === '' ? undefined : { kind: 'finish', thought: '', answer }
}

/** The calls of one native call: `multi_tool_use.parallel` wraps several. */
function readCalls(call: ToolCall, tools: string[]): Action[] {
  const isWrapper = PARALLEL.test(call.name) && !tools.includes(call.name)
  const wrapped = isWrapper ? callsIn(parseArguments(call.arguments), tools) : []
  return wrapped.length > 0 ? wrapped : [readCall(call, tools)]
}

function readCall({ id, name, arguments: written }: ToolCall, tools: string[]): Action {
  const args = parseArguments(written)
  const isIndirect = name === CALL_TOOL && !tools.includes(name) && typeof args === 'object' && args !== null
  if (!isIndirect || !('tool' in args) || typeof args.tool !== 'string')
    return { tool: listedTool(name, tools) ?? name, input: args, callId: id }
  const { tool, input, ...rest } = args as { tool: string; input?: unknown }
  return { tool: listedTool(tool.trim(), tools) ?? tool.trim(), input: input ?? rest, callId: id }
}

/**
 * Any text may be the answer, or a sentence before a call. Such sentences are short, so the first characters are held
 * back. Text that looks like JSON, a call or a label is read as a whole.
 */
function opensProse(line: string, isFirst: boolean): AnswerOpening | undefined {
  const at = line.length - line.trimStart().length
  const isProse = isFirst && /^[\p{L}\p{N}#*_"'(-]/u.test(line.slice(at)) && !BEGINS_SCAFFOLDED.test(line.slice(at))
  if (!isProse || line.length - at < LONGEST_LABEL || reactLabel(line, 0) || ANSWER_LABEL.test(line)) return undefined
  return { at, form: 'text', hold: MAX_PREAMBLE, endsAt: mayCall }
}

/** Returns whether a line of an answer may be a part of a call. */
function mayCall(line: string): boolean {
  return [SCAFFOLDING, MAY_CALL, MAY_GO_ON].some((mark) => mark.test(line))
}

/** A label is at most this long, in characters. `MAX_PREAMBLE` is the longest text that models write before a call. */
const LONGEST_LABEL = 30
const MAX_PREAMBLE = 300

const LABEL = '\\W{0,6}(?:thought|action(?: input)?|final answer|思考|行动|最终答案)\\W{0,4}[:\uff1a]'
const SCAFFOLDING = new RegExp(`^${LABEL}`, 'imu')
const BEGINS_SCAFFOLDED = new RegExp(`^${LABEL}`, 'iu')

/** The label at the start of an answer, such as `Answer: 42`. */
const ANSWER_LABEL = /^[*_#\s]{0,6}(?:answer|答案)[*_]{0,3}\s{0,3}[:\uff1a][*_]{0,3}\s{0,9}(?=\S)/iu

/** Arguments that are not JSON stay text. The loop then tells the model which input the tool accepts. */
function parseArguments(text: string): unknown {
  const value = parseExact(text || '{}')
  return value === undefined ? text : value
}

/** The text without reasoning and special tokens. */
function plainText(completion: string): string {
  return tidy(turnText(completion, () => false).text)
}
