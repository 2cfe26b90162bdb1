/** What is kept of the files of conversations: what was read of them, never the files themselves. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Forgetting, Person, ThreadKey } from '../base/place.ts'
import type { FileKind, ParsedFile, PictureKind } from './types.ts'

/** A file of a conversation. */
export interface KeptFile {
  /** Slack's. */
  id: string
  /** As it may stand in a prompt and in a post. */
  name: string
  kind: FileKind | PictureKind
  /** What it is and how large: `A PDF of 300 pages`. */
  what: string
  /** The id of the question that it came with, and who put it there. */
  question: string
  user: string
  /** When, in ms since the epoch. */
  at: number
  /** Where people open it. */
  permalink?: string
}

/** A text has its parse, a picture its bytes. */
export type FileContent = { text: ParsedFile } | { picture: { mime: string; base64: string } }

/** Of one conversation; the oldest goes first. `packed`: of one file, in characters before it is sealed; `all`: of all of them, as they are stored. */
export const MAX_KEPT = { files: 50, packed: 6_000_000, all: 32_000_000 }

/** The files of each conversation, kept as long as its history. */
export interface FileStore extends Forgetting {
  /** Takes the place of the same file. @returns false where it is too large to be kept */
  keep(thread: ThreadKey, file: KeptFile, content: FileContent): Promise<boolean>
  /** Undefined for a file that is not kept, or not any more, or cannot be opened. */
  load(thread: ThreadKey, id: string): Promise<FileContent | undefined>
  /** Oldest first. Their time begins anew. */
  list(thread: ThreadKey): Promise<KeptFile[]>
  /** Forgets the files that came with a question, by its id. */
  remove(thread: ThreadKey, question: string): Promise<void>
  /** Forgets what a person put into any conversation. */
  forgetUser(person: Person): Promise<void>
}

/** As it is stored: compressed JSON, in base64. */
export async function packed(content: FileContent): Promise<string> {
  return (await promisify(gzip)(JSON.stringify(content))).toString('base64')
}

/** @throws Error for what `packed` has not made */
export async function unpacked(text: string): Promise<FileContent> {
  return JSON.parse(String(await promisify(gunzip)(Buffer.from(text, 'base64')))) as FileContent
}

/** The ids of those that have no room beside the newer ones. `chars`: of each file, as it is stored. */
export function withoutRoom(files: readonly { id: string; at: number; chars: number }[]): string[] {
  let [count, chars] = [0, 0]
  return files
    .toSorted((a, b) => b.at - a.at)
    .flatMap((file) => {
      count += 1
      chars += file.chars
      return count > MAX_KEPT.files || chars > MAX_KEPT.all ? [file.id] : []
    })
}
