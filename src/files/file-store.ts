/** Stores the files of conversations: the text read from them and pictures, never the original documents. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Forgetting, Person, ThreadKey } from '../base/place.ts'
import type { FileKind, ParsedFile, PictureKind } from './types.ts'

/** A file of a conversation. */
export interface KeptFile {
  /** Slack's file id. */
  id: string
  /** The name, safe to use in a prompt and in a post. */
  name: string
  kind: FileKind | PictureKind
  /** Kind and size: `A PDF of 300 pages`. */
  what: string
  /** The id of the question that it came with, and who uploaded it. */
  question: string
  user: string
  /** Milliseconds since the epoch. */
  at: number
  /** The address where people open it. */
  permalink?: string
}

/** A text is stored parsed, a picture as its bytes. */
export type FileContent = { text: ParsedFile } | { picture: { mime: string; base64: string } }

/**
 * Limits for one conversation; the oldest files go first. `packed`: characters of one file before encryption. `all`:
 * characters of all files as stored.
 */
export const MAX_KEPT = { files: 50, packed: 6_000_000, all: 32_000_000 }

/** The files of each conversation, kept as long as its history. */
export interface FileStore extends Forgetting {
  /** Stores a file, and replaces an earlier version. @returns false if the file is too large */
  keep(thread: ThreadKey, file: KeptFile, content: FileContent): Promise<boolean>
  /** Returns undefined for a file that is not stored, has expired, or cannot be decrypted. */
  load(thread: ThreadKey, id: string): Promise<FileContent | undefined>
  /** Returns the files, oldest first, and renews their TTL. */
  list(thread: ThreadKey): Promise<KeptFile[]>
  /** Deletes the files that came with a question, by its id. */
  remove(thread: ThreadKey, question: string): Promise<void>
  /** Deletes what a person uploaded to any conversation. */
  forgetUser(person: Person): Promise<void>
}

/** Returns the stored form: compressed JSON, in base64. */
export async function packed(content: FileContent): Promise<string> {
  return (await promisify(gzip)(JSON.stringify(content))).toString('base64')
}

/** @throws Error if `packed` did not create the text */
export async function unpacked(text: string): Promise<FileContent> {
  return JSON.parse(String(await promisify(gunzip)(Buffer.from(text, 'base64')))) as FileContent
}

/** Returns the ids of the files that no longer fit beside newer ones. `chars` is the stored size of each. */
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
