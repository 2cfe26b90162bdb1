/**
 * The two steps of an upload, and the transfer of the bytes between them:
 * https://docs.slack.dev/messaging/working-with-files#upload.
 */
import { invalid, isObject, optional, required } from '../args.ts'
import { fileObject } from '../files/file-object.ts'
import { BOT_USER, type Store } from '../store.ts'
import { keepFile } from '../files/stored-files.ts'
import { declined, Refusal, type Json, type StoredFile } from '../types.ts'
import { FROM_BOT, threadOf } from './chat.ts'
import type { Method, Workspace } from './method.ts'

/** Slack accepts files of up to 1 GB. Here they are kept in memory. */
const MAX_BYTES = 4_000_000

export const uploadMethods: Record<string, Method> = {
  'files.getUploadURLExternal': (args, { store, base }) => {
    const name = required(args, 'filename')
    const size = Number(args['length'])
    if (!Number.isInteger(size) || size < 1) throw invalid('[ERROR] missing required field: length')
    if (size > MAX_BYTES) throw declined('file_upload_size_restricted')
    const altText = optional(args, 'alt_txt')
    const mode = optional(args, 'snippet_type') === undefined ? 'hosted' : 'snippet'
    const { id } = keepFile(store, { name, size, mode, ...(altText && { altText }) }, BOT_USER)
    return { file_id: id, upload_url: `${base()}/upload/${id}` }
  },

  'files.completeUploadExternal': (args, { store, base }) => {
    const given: unknown[] = Array.isArray(args['files']) ? args['files'] : []
    if (given.length === 0) throw invalid('[ERROR] missing required field: files')
    const files = given.map((one) => uploaded(store, one))
    share(args, { store, base }, files)
    return { files: files.map((file) => ({ id: file.id, title: file.title })) }
  },
}

/** Returns a file whose bytes have arrived. */
function uploaded(store: Store, given: unknown): StoredFile {
  const file = isObject(given) ? store.files.get(String(given['id'])) : undefined
  if (!file) throw new Refusal('file_not_found', { why: 'No address was given out for this file.' })
  if (file.bytes === undefined) throw new Refusal('file_not_found', { why: `${file.id} was never uploaded.` })
  if (isObject(given) && typeof given['title'] === 'string') file.title = given['title']
  return file
}

/** Shares the uploaded files. Without a channel they stay private to the app. */
function share(args: Json, { store, base }: Pick<Workspace, 'store' | 'base'>, files: StoredFile[]) {
  const id = optional(args, 'channel_id')
  if (id === undefined) return
  const channel = store.writable(id)
  const thread = threadOf(args, channel, store)
  for (const file of files) file.channels.add(channel.id)
  const text = optional(args, 'initial_comment') ?? ''
  const shown = files.map((file) => fileObject(file, base()))
  const message = { ...FROM_BOT, text, files: shown, upload: true, subtype: 'file_share' }
  store.post(channel, { ...message, ...(thread && { thread_ts: thread }) })
}

/**
 * Stores the bytes of an announced file, sent as they are or as the only part of a form. @throws Refusal for an unknown
 * address
 */
export function takeUpload(store: Store, id: string, body: Buffer) {
  const file = store.files.get(id)
  if (!file || file.user !== BOT_USER)
    throw new Refusal('file_not_found', { why: 'No such upload address was given out.' })
  const part = /^--[^\r\n]+\r\n[^]*?\r\n\r\n([^]*)\r\n--[^\r\n]+--\s*$/.exec(body.toString('latin1'))?.[1]
  const bytes = part === undefined ? body : Buffer.from(part, 'latin1')
  if (bytes.length !== file.size)
    throw new Refusal('wrong_length', { why: `${bytes.length} bytes came, ${file.size} were announced.` })
  file.bytes = bytes
}
