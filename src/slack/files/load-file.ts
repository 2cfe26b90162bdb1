/** Loads one file of a message and returns its content, or a sentence that says why not. */
import { pictureKind } from '../../files/file-type.ts'
import type { FileContent, KeptFile } from '../../files/store/types.ts'
import type { FileParser } from '../../files/parse-file.ts'
import { describeKind } from '../../files/section-units.ts'
import type { ParsedFile } from '../../files/types.ts'
import type { FileRef } from '../../stores/runs/types.ts'
import { download } from '../client/download.ts'
import { fileInfo, isRecording, type FileInfo } from '../client/file-info.ts'
import type { Mentions } from '../client/mentions.ts'
import { NAMELESS } from '../content/file-text.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import { cleanFileName } from '../format/escape.ts'
import type { QuestionWork } from '../question-work.ts'
import { MAX_BYTES, MAX_RECORDING_MS } from './file-limits.ts'
import { NOT_LOADED, NOT_TRANSCRIBED, WHY, whyRefused } from './left-out-files.ts'

/** The means by which the files of a question are loaded. */
export interface FileIntake {
  work: QuestionWork
  parser: FileParser
  /** Also aborted when the question has waited too long for its files. */
  signal: AbortSignal
  /** Takes bytes from the question's budget. @returns false if the budget is too small */
  spend(bytes: number): boolean
}

type LoadedFile =
  | {
      about: Pick<KeptFile, 'name' | 'kind' | 'what' | 'permalink' | 'tables'>
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
export async function loadFile({ id, name, mode }: FileRef, intake: FileIntake): Promise<LoadedFile> {
  const told = MODES[mode ?? '']
  if (told) return { fault: told }
  try {
    const info = await fileInfo(intake.work.installation.client, id, intake.signal)
    const fault = MODES[info.mode]
    const loaded = fault ? { fault } : await loadBytes(info, intake)
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

async function loadBytes(info: FileInfo, intake: FileIntake): Promise<LoadedFile> {
  if (isRecording(info.mimetype)) return loadTranscript(info, intake)
  if (info.isCanvas) return loadAt(info.address, { ...info, name: 'canvas.quip', size: undefined }, intake)
  const thumbnail = thumbnailOf(info)
  if (!thumbnail && (info.size ?? 0) > MAX_BYTES.file) return { fault: WHY.tooLarge }
  return loadAt(thumbnail ?? info.address, thumbnail ? { ...info, size: undefined } : info, intake)
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

/** Loads Slack's own transcript of a clip, with timestamps if there are any. Without one, the clip is transcribed. */
async function loadTranscript(info: FileInfo, intake: FileIntake): Promise<LoadedFile> {
  if (info.subtitles) return loadAt(info.subtitles, { ...info, name: 'transcript.vtt', size: undefined }, intake)
  const { words = '', fault = WHY.noWords } = info.transcript ? { words: info.transcript } : await heard(info, intake)
  return words === '' ? { fault } : contentOf({ ...info, name: TRANSCRIPT }, new TextEncoder().encode(words), intake)
}

/** The name of a transcript that is plain text. */
const TRANSCRIPT = 'transcript.txt'

/** Has a recording transcribed. */
async function heard(info: FileInfo, intake: FileIntake): Promise<{ words?: string; fault?: string }> {
  const { transcribe } = intake.work.services
  const { size = 0, durationMs = 0, name, mimetype } = info
  if (!transcribe) return { fault: WHY.noTranscript }
  if (durationMs > MAX_RECORDING_MS) return { fault: WHY.longRecording }
  if (size > MAX_BYTES.recording) return { fault: WHY.largeRecording }
  const { bytes, fault } = await bytesAt(info.address, info, intake, MAX_BYTES.recording)
  if (!bytes) return { fault: fault === WHY.tooLarge ? WHY.largeRecording : fault }
  const heard = await transcribe({ name, mimetype, bytes }, intake.signal)
  return heard.fault === undefined ? heard : { fault: NOT_TRANSCRIBED[heard.fault] }
}

async function loadAt(address: string | undefined, info: FileInfo, intake: FileIntake): Promise<LoadedFile> {
  const { bytes, fault } = await bytesAt(address, info, intake, MAX_BYTES.file)
  return bytes ? contentOf(info, bytes, intake) : { fault }
}

type LoadedBytes = { bytes: Uint8Array; fault?: undefined } | { bytes?: undefined; fault: string }

async function bytesAt(
  address: string | undefined,
  { size, isCanvas }: FileInfo,
  { work, signal, spend }: FileIntake,
  maxBytes: number,
): Promise<LoadedBytes> {
  if (!address) return { fault: WHY.external }
  if (!spend(size ?? 0)) return { fault: WHY.tooMuch }
  const { client } = work.installation
  const from = { token: await client.token(), apiUrl: client.apiUrl, fetch: client.fetch, signal }
  const { bytes, fault } = await download(address, { ...from, maxBytes, size, isCanvas })
  return bytes ? { bytes } : { fault: NOT_LOADED[fault] }
}

async function contentOf(info: FileInfo, bytes: Uint8Array, intake: FileIntake): Promise<LoadedFile> {
  const permalink = URL.canParse(info.permalink ?? '') ? { permalink: info.permalink ?? '' } : {}
  const file = { name: info.name, bytes }
  const kind = pictureKind(bytes)
  if (kind) {
    if (bytes.length > MAX_PICTURE_BYTES) return { fault: WHY.largePicture }
    const picture = { mime: `image/${kind}`, base64: Buffer.from(bytes).toString('base64') }
    return { about: { name: info.name, kind, what: 'A picture', ...permalink }, content: { picture } }
  }
  const { file: parsed, fault, killed } = await intake.parser.parse(file, intake.signal)
  if (!parsed) return { fault, killed }
  const text = info.isCanvas ? await withNames(parsed, intake.work.mentions) : parsed
  const tables = text.tables?.length
  const about = { name: info.name, kind: text.kind, what: describeKind(text), ...permalink, ...(tables && { tables }) }
  return { about, content: { text } }
}

/** Returns a canvas with names: in its HTML, people and channels are ids. */
async function withNames(canvas: ParsedFile, mentions: Mentions): Promise<ParsedFile> {
  const named = async <Part extends { text: string }>(one: Part) => ({
    ...one,
    text: await mentions.withNames(one.text),
  })
  const { sections, headings = [], tables = [] } = canvas
  return {
    ...canvas,
    sections: await Promise.all(sections.map(named)),
    headings: await Promise.all(headings.map(named)),
    ...(tables.length > 0 && { tables: await Promise.all(tables.map(named)) }),
  }
}
