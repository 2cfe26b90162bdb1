import type { PastTurn } from '../../src/agent/contracts/dialect.ts'
import type { Message } from '../../src/agent/contracts/model.ts'

const MAX_CHARS = 60_000
/** A parsed prompt: a turn of the loop, or a follow-up after its `history`. `today` is an ISO date. */
export interface ReadPrompt {
  question: string
  /** The messages that the person added during the run, in order. */
  added?: string[]
  tools?: string[]
  today: string
  /** The asker's local time, as the prompt says it. */
  time: string
  /** Where it is asked, such as `the public channel "#general"`, and who asks, such as `"Alice"`. */
  place?: string
  asker?: string
  /** What people asked the bot to remember here. */
  remembered?: string[]
  observations: string[]
  isFinalTurn: boolean
  history?: PastTurn[]
  /** Earlier messages in the thread, one per line, and the same as a list, each with its indented lines. */
  said?: string
  messages?: string[]
}

/** Reads a prompt from its text alone, as a model does. Returns undefined for a form that the demo does not know. */
export function readPrompt(messages: Message[]): ReadPrompt | undefined {
  const whole = messages.map((message) => message.content.slice(0, MAX_CHARS)).join('\n')
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && /^Question:/m.test(content))
  const last = messages
    .slice(asked)
    .map(({ content }) => content.slice(-MAX_CHARS))
    .join('\n')
  if (/standalone question/i.test(last) && !/^Action:/m.test(whole)) return readStandalone(last)
  const start = `\n${last}`.lastIndexOf('\nQuestion:')
  if (start < 0 || !/^Action Input:/m.test(whole)) return undefined
  const tools = (/^Action:[^\n]*\[([^\]\n]*)\]/m.exec(whole)?.[1] ?? '').split(',').map((name) => name.trim())
  const before = last.slice(0, Math.max(start, 0))
  const [, , fenced = ''] = /wrote in this thread before[^\n]*\n<([^\s<>]+)>([^]*?)<\/\1>/.exec(before) ?? []
  const all = fenced.split(/\n(?! )/).map((message) => message.trim())
  const listed = all.filter((message) => message !== '' && !message.startsWith('(Files that came'))
  const [, , kept = ''] = /asked you to remember[^\n]*\n<([^\s<>]+)>([^]*?)<\/\1>/.exec(before) ?? []
  const remembered = kept
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const told = listed.map((message) => `\n- ${message.replace(/\s*\n\s*/g, ' ')}`).join('')
  const said = listed.length > 0 ? { said: told, messages: listed } : {}
  return {
    ...readSteps(last.slice(start)),
    ...said,
    ...(remembered.length > 0 ? { remembered } : {}),
    tools,
    ...askedIn(before),
    today: /today is (\d{4}-\d{2}-\d{2})/i.exec(whole)?.[1] ?? '',
  }
}

function askedIn(before: string): Pick<ReadPrompt, 'place' | 'asker' | 'time'> {
  const [, place, asker, time = ''] = /^You are asked in (.*), by (.*), at (.*)\.$/m.exec(before) ?? []
  return { time, ...(place ? { place } : {}), ...(asker ? { asker } : {}) }
}

/** The label of a message that a person added during the run. */
const ADDED = /^Message from the person:/m

/** Labels count only at the start of a line, because the loop escapes the labels inside observations. */
function readSteps(text: string): Pick<ReadPrompt, 'question' | 'added' | 'observations' | 'isFinalTurn'> {
  const [head = '', ...rest] = text.split(/^(?=Thought:|Observation:)/m)
  const seen = rest.map((part) => /^Observation:\s*(?:<([^\s<>]+)>([^]*?)<\/\1>|([^]*))/.exec(part)).filter(Boolean)
  const observations = seen.map((found) => (found?.[2] ?? found?.[3] ?? '').trim())
  const isFinalTurn = /^You have run out of [^\n]{1,200}, so no more tools can be used\./m.test(text)
  const [first = '', ...added] = head.slice('Question:'.length).split(ADDED)
  const question = (isFinalTurn ? (first.split('\n\n')[0] ?? '') : first).trim()
  const later = rest.flatMap((part) => part.split(ADDED).slice(1))
  const more = [...added, ...later].map((words) => words.split('\n')[0]?.trim() ?? '').filter(Boolean)
  return { question, added: more, observations, isFinalTurn }
}

/** The conversation as `Q:` and `A:` lines, then the message after its label. */
function readStandalone(text: string): ReadPrompt {
  const body = text.split(/^standalone question:\s*$/im)[0] ?? ''
  const at = body.lastIndexOf('Message:')
  const turns = body.slice(0, Math.max(at, 0)).split(/^Q:/m).slice(1)
  const pairs = turns.map((turn) => turn.split(/^A:/m))
  const history = pairs.map(([question = '', answer = '']) => ({ question: question.trim(), answer: answer.trim() }))
  return { question: body.slice(at + 8).trim(), today: '', time: '', observations: [], isFinalTurn: false, history }
}
