import type { Dialect, Examples, RunView } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'

/** How a worked turn begins, after what people and tools say. */
const OF_PEOPLE = /^(?:Question|Observation):/

/**
 * Reads the worked turns of a prompt file into messages. A line with `Question:` or `Observation:` begins what people
 * and tools say, the line after it begins the model's turn. They come before the question and never change, so that
 * prompt caches hit.
 */
export function workedTurns(text: string): Message[] {
  const messages: Message[] = []
  for (const line of text.split('\n')) {
    const role = OF_PEOPLE.test(line) ? ('user' as const) : ('assistant' as const)
    const last = messages.at(-1)
    if (line.trim() === '') continue
    if (last?.role === role && role === 'assistant') last.content += `\n${line}`
    else messages.push({ role, content: line })
  }
  return messages
}

/** Returns the worked turns that fit: all, those of the first two questions, or none. */
export function fittingExamples(worked: Message[], { examples }: RunView): Message[] {
  if (examples === undefined) return worked
  const questions = worked.flatMap(({ role, content }, i) =>
    role === 'user' && content.startsWith(QUESTION) ? [i] : [],
  )
  return examples === 'none' ? [] : worked.slice(0, questions[2])
}

/** Returns what worked turns ask and answer, as the dialect reads them. */
export function examplesIn(worked: readonly Message[], read: Dialect['read']): Examples {
  const questions = worked.flatMap(({ role, content }) =>
    role === 'user' && content.startsWith(QUESTION) ? [content.slice(QUESTION.length)] : [],
  )
  const answers = worked.flatMap(({ role, content }) => {
    const turn = role === 'assistant' ? read({ text: content }, []) : undefined
    return turn?.kind === 'finish' ? [turn.answer] : []
  })
  return { questions, answers }
}

const QUESTION = 'Question: '

/** Joins consecutive messages of people and tools, because some models demand that the roles take turns. */
export function alternating(messages: Message[]): Message[] {
  const joined: Message[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role !== 'user' || message.role !== 'user') joined.push({ ...message })
    else last.content += `\n${message.content}`
  }
  return joined
}
