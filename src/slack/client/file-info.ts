import { z } from 'zod'
import type { FileRef } from '../../stores/runs/types.ts'
import { MAX_LISTED_FILES, NAMELESS } from '../content/file-text.ts'
import { cleanFileName } from '../format/escape.ts'
import type { SlackWeb } from './web-api.ts'

/** Slack's data about a file (https://docs.slack.dev/reference/objects/file-object). Do not store its addresses. */
export interface FileInfo {
  name: string
  size?: number | undefined
  mimetype: string
  mode: string
  isCanvas: boolean
  permalink?: string | undefined
  /** The download URL. */
  address?: string | undefined
  /** Slack's thumbnail of 1,024 pixels. `smaller`: the largest below that size. `small`: of 480 pixels or less. */
  thumbnail?: string | undefined
  smaller?: string | undefined
  small?: string | undefined
  /** For a recording: the URL of its transcript as subtitles, and the beginning of its transcript as text. */
  subtitles?: string | undefined
  transcript?: string | undefined
  /** The length of a recording, in ms. */
  durationMs?: number | undefined
}

const text = z.string().optional().catch(undefined)
const number = z.number().optional().catch(undefined)

const infoSchema = z.object({
  name: text,
  title: text,
  size: number,
  mimetype: text,
  mode: text,
  filetype: text,
  permalink: text,
  url_private: text,
  url_private_download: text,
  thumb_1024: text,
  thumb_960: text,
  thumb_720: text,
  thumb_480: text,
  thumb_360: text,
  vtt: text,
  duration_ms: number,
  transcription: z
    .object({ status: text, preview: z.object({ content: text }).optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

/** @throws SlackRefusal, and the reason of `signal` */
export async function fileInfo(client: SlackWeb, id: string, signal: AbortSignal): Promise<FileInfo> {
  const { file = {} } = await client.call('files.info', { file: id }, { effort: 'patient', signal })
  const info = infoSchema.parse(file)
  const isCanvas = isOfCanvas(info)
  return {
    name: (isCanvas ? info.title : undefined) ?? info.name ?? info.title ?? '',
    size: info.size,
    mimetype: info.mimetype ?? '',
    mode: info.mode ?? '',
    isCanvas,
    permalink: info.permalink,
    address: isCanvas
      ? (info.url_private ?? info.url_private_download)
      : (info.url_private_download ?? info.url_private),
    thumbnail: info.thumb_1024,
    smaller: info.thumb_960 ?? info.thumb_720,
    small: info.thumb_480 ?? info.thumb_360,
    subtitles: info.vtt,
    durationMs: info.duration_ms,
    transcript: info.transcription?.status === 'complete' ? info.transcription.preview?.content : undefined,
  }
}

/** Slack calls a canvas by the name of Quip, in one of these fields or all. */
function isOfCanvas({ mode, filetype, mimetype }: Pick<SlackFile, 'mode' | 'filetype' | 'mimetype'>): boolean {
  const names: unknown[] = ['quip', 'canvas']
  return names.includes(mode) || names.includes(filetype) || mimetype === 'application/vnd.slack-docs'
}

export function isRecording(mimetype = ''): boolean {
  return /^(?:audio|video)\//.test(mimetype)
}

/** Reads the files of a message from Slack's data, with names that are safe for prompts and posts. */
export function fileRefs(files: unknown): FileRef[] {
  if (!Array.isArray(files)) return []
  return files
    .slice(0, MAX_LISTED_FILES)
    .map((file: unknown) => refOf(typeof file === 'object' && file !== null ? file : {}))
}

function refOf({ id, name, title, size, mimetype, mode, filetype, file_access: access }: SlackFile): FileRef {
  // A canvas has no name of a file, only one that Slack made of its title.
  const names = isOfCanvas({ mode, filetype, mimetype }) ? [title, name] : [name, title]
  const given = names.map((one) => (typeof one === 'string' ? cleanFileName(one) : ''))
  const texts = Object.entries({ mimetype, mode, access }).filter(([, value]) => typeof value === 'string')
  return {
    id: typeof id === 'string' ? id : '',
    name: given.find((one) => one !== '') ?? NAMELESS,
    ...(typeof size === 'number' ? { size } : {}),
    ...Object.fromEntries(texts),
  }
}

type SlackFile = Partial<
  Record<'id' | 'name' | 'title' | 'size' | 'mimetype' | 'mode' | 'filetype' | 'file_access', unknown>
>
