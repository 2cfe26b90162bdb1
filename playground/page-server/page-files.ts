/** Files at the page: uploads, and downloads. No upload is trusted or executed. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pictureType } from '../slack/files/file-kinds.ts'
import { nameInAddress } from '../slack/files/file-object.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import { readBytes } from '../base/loopback-server.ts'
import { BOT_USER } from '../slack/store.ts'
import { isKnownTo } from '../slack/files/stored-files.ts'
import type { Json, StoredFile } from '../slack/types.ts'

/**
 * The limits of a message in bytes and files, which the page enforces too, and of the uploads that wait for a message.
 */
const MESSAGE_BYTES = 40_000_000
const MESSAGE_FILES = 10
const WAITING_BYTES = 2 * MESSAGE_BYTES
const NAME_CHARS = 255
const ALT_CHARS = 1_000

/**
 * The headers of a file. It is downloaded or drawn as a picture. A browser that shows it as a page gives it no rights.
 */
const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}

/** Stores a file for a later message. @throws Error if it is empty or too large */
export async function takeFile(
  slack: LocalSlack,
  { searchParams, you }: { searchParams: URLSearchParams; you: string },
  request: IncomingMessage,
): Promise<Json> {
  const bytes = await readBytes(request, MESSAGE_BYTES)
  if (bytes.length === 0) throw new Error('The file is empty.')
  makeRoom(slack, bytes.length)
  const altText = searchParams.get('alt')?.slice(0, ALT_CHARS)
  const name = plainName(searchParams.get('name') ?? '')
  return { id: slack.upload({ name, bytes, ...(altText && { altText }) }, you).id }
}

/** Returns a name without folders and invisible characters. */
function plainName(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}/\\]/gu, '_').trim()
  return plain.slice(0, NAME_CHARS) || 'file'
}

/** Drops uploads that were never sent, the oldest first. */
function makeRoom({ store }: LocalSlack, more: number) {
  const waiting = [...store.files.values()].filter((file) => file.channels.size === 0 && isPersons(file))
  let held = more + waiting.reduce((sum, { size }) => sum + size, 0)
  for (const { id, size } of waiting) {
    if (held <= WAITING_BYTES) return
    store.files.delete(id)
    held -= size
  }
}

/** Returns whether a person uploaded a file. The app's uploads wait for their second call. */
function isPersons(file: StoredFile): boolean {
  return file.user !== BOT_USER
}

/** Returns the files of a person's message: the person's own, within the limits. @throws Error */
export function pendingFiles({ store }: LocalSlack, ids: unknown, you: string): StoredFile[] {
  const given: unknown[] = Array.isArray(ids) ? ids : []
  const files = given.map((id) => {
    const file = store.files.get(String(id))
    if (file?.user !== you || file.channels.size > 0) throw new Error('A file is not there any more. Attach it again.')
    return file
  })
  const size = files.reduce((sum, file) => sum + file.size, 0)
  if (files.length > MESSAGE_FILES || size > MESSAGE_BYTES)
    throw new Error(`A message takes ${MESSAGE_FILES} files, and 40 MB in all.`)
  return files
}

/**
 * Sends a file to a person who is where it was shared. The Content-Type depends on the bytes, and only pictures have
 * one.
 */
export function sendShared(slack: LocalSlack, at: { path: string; you: string }, response: ServerResponse) {
  const file = slack.store.files.get(at.path.split('/')[2] ?? '')
  if (!file?.bytes || file.mode === 'tombstone' || !isKnownTo(at.you, slack.store, file))
    return void response.writeHead(404).end()
  const headers = {
    ...HEADERS,
    'content-type': pictureType(file.bytes) ?? 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${nameInAddress(file.name)}`,
  }
  response.writeHead(200, headers).end(file.bytes)
}
