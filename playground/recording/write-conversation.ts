import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorText } from '../base/error-text.ts'
import { MAX_CHARS, type RecordedConversation } from './conversation-file.ts'

/** Returns a conversation's file. @throws Error if it is too long to be read again */
export function conversationText(conversation: RecordedConversation): string {
  const text = `${JSON.stringify(conversation, null, 1)}\n`
  if (text.length <= MAX_CHARS) return text
  throw new Error(`This is too long for a test: ${text.length} characters, and at most ${MAX_CHARS} are read.`)
}

/** Writes `FOLDER/NAME.json`. Does not overwrite a file. @throws Error with a sentence */
export async function writeConversation(folder: string, conversation: RecordedConversation): Promise<void> {
  const file = join(folder, `${conversation.name}.json`)
  const text = conversationText(conversation)
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(file, text, { flag: 'wx' })
  } catch (cause) {
    throw new Error(isTaken(cause) ? TAKEN : `${file} cannot be written: ${errorText(cause)}.`, { cause })
  }
}

const TAKEN = 'A conversation with this name exists. Choose another name.'

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
