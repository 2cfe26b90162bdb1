/**
 * The content of a question's message. An `app_mention` may not say which files and forwards it has (`mayHaveFiles`).
 */
import { settledWithin } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import { conversationOf, type Question, type QuestionParts, type Attached } from '../../stores/runs/types.ts'
import type { Services } from '../services.ts'
import { ATTACHED_CHARS } from '../../agent/prompt-size.ts'
import { fileRefs } from '../client/file-info.ts'
import type { MessageContent } from '../content/message-content.ts'
import { cutBetweenRows } from '../content/table-text.ts'

/** How long after a mention its `message` event may come. Milliseconds. */
const EVENT_MS = 250

/** What the message of a question holds besides its words. */
export function questionParts({ files, attached }: AskedWords): QuestionParts {
  return { ...(files ? { files } : {}), ...(attached ? { attached } : {}) }
}

/**
 * Returns the question with what its `message` event holds, or as it is if that event does not come in time. Never
 * rejects.
 */
export async function withParts(
  { mayHaveFiles, ...question }: Question,
  { control, now, log }: Pick<Services, 'control' | 'now' | 'log'>,
): Promise<Question> {
  if (!mayHaveFiles) return question
  let heard = (_: QuestionParts) => {}
  const parts = new Promise<QuestionParts>((resolve) => (heard = resolve))
  try {
    const run = { thread: conversationOf(question), id: question.id }
    const end = await control.listen(run, (signal) => signal.type === 'parts' && heard(signal.parts))
    const waitMs = Math.min(Math.max(0, question.at + EVENT_MS - now().getTime()), EVENT_MS)
    const isThere = await settledWithin(waitMs, [parts])
    end()
    if (isThere) return { ...question, ...(await parts) }
  } catch (error) {
    log.warn({ question: question.id, error: messageOf(error) }, 'could not read the other event of a mention')
  }
  return { ...question, mayHaveFiles }
}

/** The content of a question's message. Only `text` is what the person says; the rest is data. */
export type AskedWords = Pick<Question, 'text' | 'files' | 'attached'>

export function askedWords(content: MessageContent): AskedWords {
  const attached = attachedOf(content)
  return {
    text: content.words,
    ...(content.files.length > 0 ? { files: fileRefs(content.files) } : {}),
    ...(attached ? { attached } : {}),
  }
}

/** Returns undefined if the message shows nothing but its words and files. */
function attachedOf({ attached, forwards, tables }: MessageContent): Attached | undefined {
  if (attached === '' && tables.length === 0) return undefined
  const sources = forwards.flatMap(({ author, url }) => (url ? [{ title: `Forwarded from ${author}`, url }] : []))
  return {
    text: cutBetweenRows(attached, ATTACHED_CHARS, tables),
    sources: sources.slice(0, MAX_SOURCES),
    ...(tables.length > 0 ? { tables } : {}),
  }
}

const MAX_SOURCES = 5
