/** Stores the parsed content of conversations' files, never the files themselves. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import type { ForgottenPerson, Forgetting, Moving, ThreadKey } from '../../base/place.ts'
import { FILE_KINDS, PICTURE_KINDS, type FileKind, type ParsedFile } from '../types.ts'

/** A file of a conversation. */
export const keptFile = z.object({
  /** Slack's id. */
  id: z.string(),
  /** The name in a form that is safe in prompts and posts. */
  name: z.string(),
  kind: z.enum([...(Object.keys(FILE_KINDS) as FileKind[]), ...PICTURE_KINDS]),
  /** The kind and the size: `A PDF of 300 pages`. */
  what: z.string(),
  /** The id of the question that it came with. */
  question: z.string(),
  /** If that question was edited or repeated, the first one's id. Version 0.1.0 did not store it. */
  original: z.string().optional(),
  /** The id of the uploader. */
  user: z.string(),
  /** The uploader's workspace, if it is another one than the conversation's. */
  userTeam: z.string().optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** The address at which people open it. */
  permalink: z.string().optional(),
  /** The number of tables in a document. */
  tables: z.number().optional(),
})
export type KeptFile = z.infer<typeof keptFile>

/** A text is stored parsed, a picture as its bytes. */
export type FileContent = { text: ParsedFile } | { picture: { mime: string; base64: string } }

/**
 * The bounds of one conversation; the oldest files are dropped first. `packed`: of one file, in characters before it is
 * sealed. `all`: of all files, as they are stored.
 */
export const MAX_KEPT = { files: 50, packed: 6_000_000, all: 32_000_000 }

/** The files of each conversation, kept as long as its history. */
export interface FileStore extends Forgetting, Moving {
  /** Stores a file, replacing its earlier version. @returns false if it is too large */
  keep(thread: ThreadKey, file: KeptFile, content: FileContent): Promise<boolean>
  /** @returns undefined for a file that is unknown, has expired, or cannot be opened */
  load(thread: ThreadKey, id: string): Promise<FileContent | undefined>
  /** Returns the files, the oldest first, and restarts their expiry. */
  list(thread: ThreadKey): Promise<KeptFile[]>
  /** Deletes the files that came with a question, by its id. */
  remove(thread: ThreadKey, question: string): Promise<void>
  /** Deletes the files that a person uploaded to any conversation. */
  forgetUser(person: ForgottenPerson): Promise<void>
}

/** Returns the stored form: compressed JSON, in base64. */
export async function packed(content: FileContent): Promise<string> {
  return (await promisify(gzip)(JSON.stringify(content))).toString('base64')
}

/** @throws Error for anything that `packed` did not make */
export async function unpacked(text: string): Promise<FileContent> {
  return JSON.parse(String(await promisify(gunzip)(Buffer.from(text, 'base64')))) as FileContent
}

/** Returns the ids of the files to drop to make room for newer ones. `chars`: of each file, as it is stored. */
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

/** The address of a place in a file. */
export function addressOf(permalink: string, place: string): string {
  const url = new URL(permalink)
  url.hash = place
  return url.href
}
