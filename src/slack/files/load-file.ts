/** Loads one file of a message and returns its content, or a sentence that says why not. */
import { pictureKind } from '../../files/file-type.ts'
import type { FileContent, KeptFile } from '../../files/file-store.ts'
import type { FileParser } from '../../files/parse-file.ts'
import { describeKind } from '../../files/section-units.ts'
import type { FileRef } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { download } from '../client/download.ts'
import { fileInfo, type FileInfo } from '../client/file-info.ts'
import { NAMELESS } from '../content/file-text.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import { cleanFileName } from '../format/escape.ts'
import { MAX_BYTES } from './file-limits.ts'
import { NOT_LOADED, WHY, whyRefused } from './left-out-files.ts'

interface LoadOptions {
  installation: Installation
  fetch: typeof globalThis.fetch
  signal: AbortSignal
  parser: FileParser
  /** Takes bytes from the question's budget. @returns false if the budget is too small */
  spend(bytes: number): boolean
}

type LoadedFile =
  | {
      about: Pick<KeptFile, 'name' | 'kind' | 'what' | 'permalink'>
      content: FileContent
      fault?: undefined
      killed?: undefined
    }
  /** `killed`: the file killed its parser process, and would do so again. */
  | { fault: string; killed?: true | undefined; about?: undefined; content?: undefined }

/** Above this size Slack's smaller picture is used, if there is one. Bytes. */
const SMALL_BYTES = 400_000
const MAX_PICTURE_BYTES = 4_000_000

/** Does not throw for a file that cannot be read. @throws the reason of `signal`, and transient errors of Slack */
export async function loadFile({ id, name, mode }: FileRef, options: LoadOptions): Promise<LoadedFile> {
  const told = MODES[mode ?? '']
  if (told) return { fault: told }
  try {
    const info = await fileInfo(options.installation.client, id, options.signal)
    const fault = MODES[info.mode]
    const loaded = fault ? { fault } : await loadBytes(info, options)
    // The message may have lacked the name.
    const known = name === NAMELESS ? cleanFileName(info.name) || name : name
    return loaded.about ? { ...loaded, about: { ...loaded.about, name: known } } : loaded
  } catch (error) {
    if (error instanceof SlackRefusal) return { fault: whyRefused(error.code) }
    throw error
  }
}

const MODES: Record<string, string | undefined> = {
  tombstone: WHY.tombstone,
  hidden_by_limit: WHY.hidden,
  external: WHY.external,
}

async function loadBytes(info: FileInfo, options: LoadOptions): Promise<LoadedFile> {
  if (/^(?:audio|video)\//.test(info.mimetype)) return loadTranscript(info, options)
  const thumbnail = thumbnailOf(info)
  if (!thumbnail && (info.size ?? 0) > MAX_BYTES.file) return { fault: WHY.tooLarge }
  return loadAt(thumbnail ?? info.address, thumbnail ? { ...info, size: undefined } : info, options)
}

/**
 * Returns Slack's smaller picture, which is always in a format that models see; undefined if the file itself is better.
 */
function thumbnailOf({ mimetype, size = 0, thumbnail, smaller, small }: FileInfo): string | undefined {
  if (!mimetype.startsWith('image/')) return undefined
  const isSeen = /^image\/(?:png|jpe?g|gif|webp)$/.test(mimetype)
  if (!isSeen || size > MAX_PICTURE_BYTES) return thumbnail ?? smaller ?? small
  return thumbnail ?? (size > SMALL_BYTES ? smaller : undefined)
}

/** Loads Slack's own transcript of a clip, with timestamps if there are any. */
async function loadTranscript(info: FileInfo, options: LoadOptions): Promise<LoadedFile> {
  if (info.subtitles) return loadAt(info.subtitles, { ...info, name: 'transcript.vtt', size: undefined }, options)
  const bytes = new TextEncoder().encode(info.transcript ?? '')
  return bytes.length > 0 ? contentOf({ ...info, name: 'transcript.txt' }, bytes, options) : { fault: WHY.noTranscript }
}

async function loadAt(address: string | undefined, info: FileInfo, options: LoadOptions): Promise<LoadedFile> {
  if (!address) return { fault: WHY.external }
  if (!options.spend(info.size ?? 0)) return { fault: WHY.tooMuch }
  const { installation, fetch, signal } = options
  const { client } = installation
  const from = { token: await client.token(), apiUrl: client.apiUrl, fetch, signal }
  const { bytes, fault } = await download(address, { ...from, maxBytes: MAX_BYTES.file, size: info.size })
  return bytes ? contentOf(info, bytes, options) : { fault: NOT_LOADED[fault] }
}

async function contentOf(info: FileInfo, bytes: Uint8Array, { signal, parser }: LoadOptions): Promise<LoadedFile> {
  const permalink = URL.canParse(info.permalink ?? '') ? { permalink: info.permalink ?? '' } : {}
  const file = { name: info.name, bytes }
  const kind = pictureKind(bytes)
  if (kind) {
    if (bytes.length > MAX_PICTURE_BYTES) return { fault: WHY.largePicture }
    const picture = { mime: `image/${kind}`, base64: Buffer.from(bytes).toString('base64') }
    return { about: { name: info.name, kind, what: 'A picture', ...permalink }, content: { picture } }
  }
  const { file: text, fault, killed } = await parser.parse(file, signal)
  if (!text) return { fault, killed }
  return { about: { name: info.name, kind: text.kind, what: describeKind(text), ...permalink }, content: { text } }
}
