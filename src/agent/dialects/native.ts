import type { Prompts } from '../../prompts.ts'
import { inputText, specOf } from '../tool-input.ts'
import { readText, stripThinking } from '../parser/index.ts'
import type { Completion, Dialect, Message, ParsedTurn, Rendered, RunView, Step } from '../types.ts'
import { fencedObservation, tailOf } from './prompt-parts.ts'

/** The model's own tool calls, several at once where it asks for them; its text beside a call is the thought. */
export function nativeDialect(prompts: Prompts): Dialect {
  return {
    name: 'native',
    stop: [],
    beginsObservation: () => false,
    render: (view) => renderNative(view, prompts),
    read: (completion, tools) =>
      readNative(
        completion,
        tools.map((tool) => tool.name),
      ),
  }
}

function renderNative(view: RunView, prompts: Prompts): Rendered {
  const messages: Message[] = [
    { role: 'system', content: prompts.native({ today: view.today }) },
    { role: 'user', content: view.question },
    ...turnsOf(view.steps).flatMap((turn) => renderTurn(turn, view.nonce)),
  ]
  if (view.finalTurn)
    messages.push({ role: 'user', content: tailOf(view, prompts, { cue: '', form: 'Write the answer alone.' }).trim() })
  return { messages, tools: view.tools.map(specOf), ...(view.finalTurn ? { toolChoice: 'none' as const } : {}) }
}

/** Steps that one completion asked for belong into one message with all of its calls. */
function turnsOf(steps: Step[]): Step[][] {
  const turns = new Map<number, Step[]>()
  for (const step of steps) turns.set(step.turn, [...(turns.get(step.turn) ?? []), step])
  return [...turns.values()]
}

function renderTurn(steps: Step[], nonce: string): Message[] {
  const unread = steps.find((step) => !step.action)
  if (unread) {
    const content = unread.unreadable || '(nothing)'
    return [
      { role: 'assistant', content },
      { role: 'user', content: unread.observation?.text ?? '' },
    ]
  }
  const idOf = (step: Step, i: number) => step.action!.callId ?? `call_${step.turn}_${i}`
  const toolCalls = steps.map((step, i) => ({
    id: idOf(step, i),
    name: step.action!.tool,
    arguments: argumentsOf(step.action!.input),
  }))
  const results = steps.map((step, i) => ({
    role: 'tool' as const,
    content: fencedObservation(step, nonce),
    toolCallId: idOf(step, i),
  }))
  return [{ role: 'assistant', content: steps[0]!.thought, toolCalls }, ...results]
}

function argumentsOf(input: unknown): string {
  return typeof input === 'string' ? JSON.stringify({ input }) : inputText(input)
}

function readNative({ text, reasoning, toolCalls }: Completion, tools: string[]): ParsedTurn {
  const words = stripThinking(text).trim()
  if (toolCalls?.length) {
    const actions = toolCalls.map((call) => ({
      tool: call.name,
      input: parseArguments(call.arguments),
      callId: call.id,
    }))
    return { kind: 'actions', thought: words || (reasoning ?? '').trim(), actions }
  }
  if (SCAFFOLDING.test(words)) return readText(words, tools)
  if (words !== '') return { kind: 'finish', thought: (reasoning ?? '').trim(), answer: words }
  return { kind: 'unreadable', thought: '', hint: 'You wrote nothing. Call a tool, or write the answer.' }
}

/** Some models write ReAct's labels although they were given tools: then that is how they are read, and no person sees it. */
const SCAFFOLDING = /^\W{0,6}(?:thought|action(?: input)?|final answer|思考|行动|最终答案)\W{0,4}[:\uff1a]/imu

/** Arguments that are no JSON stay text: the loop tells the model what the tool takes. */
function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch {
    return text
  }
}
