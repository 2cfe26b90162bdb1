/**
 * Describes model calls: the question, the kind of call, and the earlier results in its prompt. A replay chooses
 * answers by them.
 */
import { isObject } from '../slack/args.ts'
import type { Json } from '../slack/types.ts'
import type { RecordedCall, RecordedTool } from './conversation-file.ts'

/** The number of characters of a question that are compared. */
const QUESTION_CHARS = 300
/** The number of characters of an output that are searched in a prompt. Shorter texts could match by chance. */
const MARK_CHARS = 60
const LEAST_RESULT = 12
const LEAST_OUTPUT = 30

/** Returns all messages of a request as one text, with white space folded. */
export function promptOf(body: Json): string {
  return plain(messagesOf(body).map(contentOf).join('\n'))
}

/** Returns the question of a request, read from its messages. */
export function askedIn(body: Json): Pick<RecordedCall, 'kind' | 'question'> {
  const texts = messagesOf(body).map(contentOf)
  const whole = texts.join('\n')
  if (/standalone question/i.test(whole) && body['tools'] === undefined)
    return {
      kind: 'condense',
      question: cut((whole.split('\nMessage: ').at(-1) ?? '').split(/\nstandalone/i)[0] ?? ''),
    }
  const people = messagesOf(body).filter(({ role }) => role === 'user')
  // Worked questions stand before it, and results behind it.
  const asking = people.map(contentOf).findLast((text) => /^Question: /m.test(text))
  const asked = asking?.split(/^Question: /m).at(-1)?.split(/\nThought/)[0] ?? contentOf(people[0] ?? {})
  return { kind: 'step', question: cut(asked ?? '') }
}

/** Returns the results and outputs of a recording that a prompt contains, in its order. */
export function seenIn(prompt: string, all: { tools: RecordedTool[]; models: Pick<RecordedCall, 'text'>[] }): string[] {
  const marks = [
    ...all.tools.map((tool, i) => ({ name: `tool ${i}`, mark: markOf(resultText(tool), LEAST_RESULT) })),
    ...all.models.map(({ text }, i) => ({ name: `model ${i}`, mark: markOf(longestLine(text), LEAST_OUTPUT) })),
  ]
  return marks
    .map(({ name, mark }) => ({ name, at: mark === '' ? -1 : prompt.indexOf(mark) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at || a.name.localeCompare(b.name))
    .map(({ name }) => name)
}

function resultText({ output, error }: RecordedTool): string {
  if (error) return error.message
  if (typeof output === 'string') return output
  return isObject(output) && typeof output['text'] === 'string' ? output['text'] : ''
}

/** Prompts set other labels, so a dialect's labels are left out. */
function longestLine(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^\s*[A-Z][\w ]{0,20}:/, ''))
  return lines.toSorted((a, b) => b.length - a.length)[0] ?? ''
}

function markOf(text: string, min: number): string {
  const mark = plain(text).slice(0, MARK_CHARS).trim()
  return mark.length < min ? '' : mark
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function cut(text: string): string {
  return plain(text).slice(0, QUESTION_CHARS)
}

function messagesOf(body: Json): Json[] {
  const messages: unknown[] = Array.isArray(body['messages']) ? body['messages'] : []
  return messages.filter(isObject)
}

/** Returns the text of a message: its parts joined, followed by its tool calls. */
function contentOf({ content, tool_calls: calls }: Json): string {
  const parts: unknown[] = Array.isArray(content) ? content : [content]
  const texts = parts.map((part) => (isObject(part) ? part['text'] : part)).filter((one) => typeof one === 'string')
  return [...texts, ...(Array.isArray(calls) ? [JSON.stringify(calls)] : [])].join('\n')
}
