import type { Message } from '../../agent/types.ts'

/** What a prompt asks, read as any model would have to: from its words alone. */
export type Prompt =
  | { kind: 'step'; asked: Asked }
  | { kind: 'standalone'; history: PastTurn[]; followUp: string }
  /** A prompt in a form that the demo does not speak. */
  | { kind: 'foreign' }

/** One turn of the ReAct loop, as far as the prompt shows it. */
export interface Asked {
  question: string
  /** The names of the tools that the prompt lists. */
  tools: string[]
  /** ISO date. */
  today: string
  /** What came back so far, oldest first. */
  observations: string[]
  /** The prompt says that no more tools can be used. */
  finalTurn: boolean
}

/** What was asked before in the thread, and what was answered. */
export interface PastTurn {
  question: string
  answer: string
}

/** Longer texts are read no further. */
const MOST_CHARS = 60_000

/** Reads the last prompt, which is all that a model ever sees. The question at hand stands after its last `Question:`. */
export function readPrompt(messages: Message[]): Prompt {
  const whole = messages.map((message) => message.content.slice(0, MOST_CHARS)).join('\n')
  const last = messages.at(-1)?.content.slice(-MOST_CHARS) ?? ''
  const start = `\n${last}`.lastIndexOf('\nQuestion:')
  if (/standalone question/i.test(last) && !/^Action:/m.test(whole)) return readStandalone(last)
  if (start < 0 || !/^Action Input:/m.test(whole)) return { kind: 'foreign' }
  const listed = /^Action:[^\n]*\[([^\]\n]*)\]/m.exec(whole)?.[1] ?? ''
  const tools = listed
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  const today = /today is (\d{4}-\d{2}-\d{2})/i.exec(whole)?.[1] ?? ''
  return { kind: 'step', asked: { ...readSteps(last.slice(start)), tools, today } }
}

/** The labels count only at the start of a line: the loop defuses those inside observations. */
function readSteps(text: string): Pick<Asked, 'question' | 'observations' | 'finalTurn'> {
  const [head = '', ...rest] = text.split(/^(?=Thought:|Observation:)/m)
  const observations = rest.filter((part) => part.startsWith('Observation:')).map(observationOf)
  const finalTurn =
    /^Final Answer:[^\n]*$/m.test(text.slice(text.lastIndexOf('Observation:') + 1)) || !/Thought:\s*$/.test(text)
  const question = head.slice('Question:'.length)
  return { question: (finalTurn ? (question.split('\n\n')[0] ?? '') : question).trim(), observations, finalTurn }
}

/** An observation without its label and the marks around it. */
function observationOf(part: string): string {
  const text = part.slice('Observation:'.length).trim()
  const fenced = /^<([^\s<>]+)>([\s\S]*)<\/\1>/.exec(text)
  return (fenced?.[2] ?? text).trim()
}

/** The conversation as `Q:` and `A:` lines, then the message after its label (the seed wrote “Follow Up Input:”). */
function readStandalone(text: string): Prompt {
  const end = text.search(/^standalone question:\s*$/im)
  const body = end >= 0 ? text.slice(0, end) : text
  const at = Math.max(...['Message:', 'Follow Up Input:', 'Follow up:'].map((label) => body.lastIndexOf(label)))
  const followUp = at >= 0 ? body.slice(body.indexOf(':', at) + 1).trim() : ''
  const history = body
    .slice(0, Math.max(at, 0))
    .split(/^Q:/m)
    .slice(1)
    .map((turn) => {
      const [question = '', answer = ''] = turn.split(/^A:/m)
      return { question: question.trim(), answer: answer.trim() }
    })
  return { kind: 'standalone', history, followUp }
}
