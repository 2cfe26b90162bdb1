import { ATTACHED_CHARS } from '../../agent/prompt-size.ts'
import type { Attached, Question } from '../../stores/runs/types.ts'
import { fileRefs } from '../client/file-info.ts'
import type { MessageContent } from '../content/message-content.ts'
import { cutBetweenRows } from '../content/table-text.ts'

/** What the message of a question holds. Only `text` is what the person says; the rest is data. */
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
