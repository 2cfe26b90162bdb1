import type { Message } from '../../agent/types.ts'

/** One turn of the ReAct loop, as the prompt shows it: its tools' names, an ISO date, what was observed; and whether no tool may be used. */
export interface Asked {
  question: string
  tools: string[]
  today: string
  observations: string[]
  finalTurn: boolean
}

/** What was asked before in the thread, and what was answered. */
export type PastTurn = { question: string; answer: string }

/** What a prompt asks, read as any model would have to: from its words alone. `foreign`: in a form that the demo does not speak. */
export type Prompt =
  { kind: 'step'; asked: Asked } | { kind: 'standalone'; history: PastTurn[]; followUp: string } | { kind: 'foreign' }

/** Longer texts are read no further. */
const MOST_CHARS = 60_000

/** Reads the last prompt, which is all that a model ever sees. The question at hand stands after its last `Question:`. */
export function readPrompt(messages: Message[]): Prompt {
  const whole = messages.map((message) => message.content.slice(0, MOST_CHARS)).join('\n')
  const last = messages.at(-1)?.content.slice(-MOST_CHARS) ?? ''
  const start = `\n${last}`.lastIndexOf('\nQuestion:')
  if (/standalone question/i.test(last) && !/^Action:/m.test(whole)) return readStandalone(last)
  if (start < 0 || !/^Action Input:/m.test(whole)) return { kind: 'foreign' }
  const tools = (/^Action:[^\n]*\[([^\]\n]*)\]/m.exec(whole)?.[1] ?? '').split(',').map((name) => name.trim())
  const today = /today is (\d{4}-\d{2}-\d{2})/i.exec(whole)?.[1] ?? ''
  return { kind: 'step', asked: { ...readSteps(last.slice(start)), tools, today } }
}

/** The labels count only at the start of a line: the loop defuses those inside observations. */
function readSteps(text: string): Pick<Asked, 'question' | 'observations' | 'finalTurn'> {
  const [head = '', ...rest] = text.split(/^(?=Thought:|Observation:)/m)
  const observations = rest
    .filter((part) => part.startsWith('Observation:'))
    .map((part) => {
      const seen = part.slice('Observation:'.length).trim()
      return (/^<([^\s<>]+)>([\s\S]*)<\/\1>/.exec(seen)?.[2] ?? seen).trim()
    })
  const isDemanded = /^Final Answer:[^\n]*$/m.test(text.slice(text.lastIndexOf('Observation:') + 1))
  const [finalTurn, question] = [isDemanded || !/Thought:\s*$/.test(text), head.slice('Question:'.length)]
  return { question: (finalTurn ? (question.split('\n\n')[0] ?? '') : question).trim(), observations, finalTurn }
}

/** The conversation as `Q:` and `A:` lines, then the message after its label (the seed wrote “Follow Up Input:”). */
function readStandalone(text: string): Prompt {
  const body = text.split(/^standalone question:\s*$/im)[0] ?? ''
  const at = Math.max(...['Message:', 'Follow Up Input:'].map((label) => body.lastIndexOf(label)))
  const turns = body
    .slice(0, Math.max(at, 0))
    .split(/^Q:/m)
    .slice(1)
    .map((turn) => turn.split(/^A:/m))
  const history = turns.map(([question = '', answer = '']) => ({ question: question.trim(), answer: answer.trim() }))
  return { kind: 'standalone', history, followUp: at < 0 ? '' : body.slice(body.indexOf(':', at) + 1).trim() }
}
