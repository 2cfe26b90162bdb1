/** Files that people and the app bring into the workspace. */
import { kindOf } from './file-kinds.ts'
import { BOT_USER, type Store } from '../store.ts'
import type { FileMode, FileTrouble, StoredFile } from '../types.ts'

/** A file as a person has it, with all that may be odd about it in Slack. */
export interface GivenFile {
  name: string
  /** What is in it; a text is UTF-8. A file that is gone, or that lies elsewhere, has none. */
  bytes?: Uint8Array | string
  title?: string
  /** What Slack takes it for; by its name unless told. */
  mimetype?: string
  /** The size that Slack tells, in bytes; the true one unless told. */
  size?: number
  /**
   * `hosted` unless told; `external` lies at `externalUrl`, of `tombstone` and `hidden_by_limit` only the id is left.
   */
  mode?: FileMode
  externalUrl?: string
  /** As over Slack Connect: the event has the id alone. `access_denied` has it for good. */
  access?: 'check_file_info' | 'access_denied'
  /** What stands in place of a picture for those who do not see it. */
  altText?: string
  /**
   * Smaller pictures by width in pixels. Without this the original is served as each; `{}` for a picture without any.
   */
  thumbs?: Record<number, Uint8Array>
  /** What Slack heard in a clip; `transcriptStatus` is `complete` unless told. */
  transcript?: string
  transcriptStatus?: 'processing' | 'complete' | 'failed' | 'none'
  /** What goes wrong when it is downloaded. */
  trouble?: FileTrouble
}

/** Slack's own first lines of a text, and how much of a clip's transcript is in the file's object, in characters. */
const MAX_PREVIEW = 2_000

/** Takes a file in, as yet shared nowhere. */
export function keepFile(store: Store, given: GivenFile, user: string): StoredFile {
  const { name, title = name, bytes: content, mode = 'hosted', mimetype, transcript, transcriptStatus, ...rest } = given
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const kind = kindOf(name)
  const id = store.id('F')
  const heard = transcript !== undefined || transcriptStatus !== undefined
  const file: StoredFile = {
    ...{ id, name, title, user, mode, channels: new Set<string>(), created: Math.floor(Number(store.ts())) },
    ...{ mimetype: mimetype ?? kind.mimetype, filetype: kind.filetype, size: given.size ?? bytes?.length ?? 0 },
    ...(bytes && { bytes }),
    ...(heard && { transcription: { status: transcriptStatus ?? 'complete', text: transcript ?? '' } }),
  }
  const { altText, access, externalUrl, thumbs, trouble } = rest
  Object.assign(file, clean({ altText, access, externalUrl, thumbs, trouble }))
  store.files.set(id, file)
  return file
}

function clean<T extends object>(fields: T): Partial<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as Partial<T>
}

/** Whether the app may know of a file: its own, or one shared where it is, or in a public channel. */
export function isKnownToBot(store: Store, file: StoredFile): boolean {
  if (file.user === BOT_USER) return true
  return [...file.channels].some((id) => {
    const channel = store.channels.get(id)
    return channel?.kind === 'channel' || channel?.members.has(BOT_USER) === true
  })
}

/** Whether a person may have a file: their own, or one shared where they are. */
export function isKnownTo(user: string, store: Store, file: StoredFile): boolean {
  return file.user === user || [...file.channels].some((id) => store.channels.get(id)?.members.has(user) === true)
}

/** What is read of a text file before it is opened. */
export function previewOf({ bytes = new Uint8Array(), filetype, mode, mimetype }: StoredFile): string | undefined {
  const isText = mode === 'snippet' || (mimetype.startsWith('text/') && filetype !== 'html')
  if (!isText) return undefined
  // A character is at most four bytes.
  return Buffer.from(bytes.subarray(0, 4 * MAX_PREVIEW))
    .toString()
    .slice(0, MAX_PREVIEW)
}
