/** Files that people and the app bring into the workspace. */
import { CANVAS, kindOf } from './file-kinds.ts'
import { BOT_USER, type Store } from '../store.ts'
import type { FileMode, FileFault, StoredFile } from '../types.ts'

/** A file that a person uploads, with anything unusual that Slack files can have. */
export interface UploadedFile {
  name: string
  /** The content; a text is UTF-8. Absent for a file that is deleted or stored elsewhere. */
  bytes?: Uint8Array | string
  title?: string
  /** Slack's type of the file. Default: by its name. */
  mimetype?: string
  /** The size that Slack reports, in bytes. Default: the true one. */
  size?: number
  /**
   * Default: `hosted`. A `quip` is a canvas, whose bytes are HTML. An `external` file is at `externalUrl`. A
   * `tombstone` or `hidden_by_limit` file has only its id.
   */
  mode?: FileMode
  externalUrl?: string
  /** As over Slack Connect, the event has only the id. With `access_denied`, `files.info` is refused too. */
  access?: 'check_file_info' | 'access_denied'
  /** The alternative text of a picture. */
  altText?: string
  /** Smaller pictures by width in pixels. Default: the original for each width. `{}` for none. */
  thumbs?: Record<number, Uint8Array>
  /** The transcript of a clip. `transcriptStatus` defaults to `complete`. */
  transcript?: string
  transcriptStatus?: 'processing' | 'complete' | 'failed' | 'none'
  /** The length of a recording, in ms, if Slack says it. */
  durationMs?: number
  /** The fault of its download. */
  fault?: FileFault
}

/** The length of Slack's preview of a text, and of the part of a transcript in the file's object, in characters. */
const MAX_PREVIEW = 2_000

/** Stores a file that is not shared anywhere yet. */
export function keepFile(store: Store, given: UploadedFile, user: string): StoredFile {
  const { name, title = name, bytes: content, mode = 'hosted', mimetype, transcript, transcriptStatus, ...rest } = given
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const kind = mode === 'quip' ? CANVAS : kindOf(name)
  const id = store.id('F')
  const heard = transcript !== undefined || transcriptStatus !== undefined
  const file: StoredFile = {
    ...{ id, name, title, user, mode, channels: new Set<string>(), created: Math.floor(Number(store.ts())) },
    ...{ mimetype: mimetype ?? kind.mimetype, filetype: kind.filetype, size: given.size ?? bytes?.length ?? 0 },
    ...(bytes && { bytes }),
    ...(heard && { transcription: { status: transcriptStatus ?? 'complete', text: transcript ?? '' } }),
  }
  const { altText, access, externalUrl, thumbs, durationMs, fault } = rest
  Object.assign(file, clean({ altText, access, externalUrl, thumbs, durationMs, fault }))
  store.files.set(id, file)
  return file
}

function clean<T extends object>(fields: T): Partial<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as Partial<T>
}

/**
 * Returns whether the app may access a file: its own, one shared in a channel that it is in, or one in a public
 * channel.
 */
export function isKnownToBot(store: Store, file: StoredFile): boolean {
  if (file.user === BOT_USER) return true
  return [...file.channels].some((id) => {
    const channel = store.channels.get(id)
    return channel?.kind === 'channel' || channel?.members.has(BOT_USER) === true
  })
}

/** Returns whether a person may access a file: their own, or one shared in a channel that they are in. */
export function isKnownTo(user: string, store: Store, file: StoredFile): boolean {
  return file.user === user || [...file.channels].some((id) => store.channels.get(id)?.members.has(user) === true)
}

/** Returns the preview of a text file. */
export function previewOf({ bytes = new Uint8Array(), filetype, mode, mimetype }: StoredFile): string | undefined {
  const isText = mode === 'snippet' || (mimetype.startsWith('text/') && filetype !== 'html')
  if (!isText) return undefined
  // A character is at most four bytes.
  return Buffer.from(bytes.subarray(0, 4 * MAX_PREVIEW))
    .toString()
    .slice(0, MAX_PREVIEW)
}
