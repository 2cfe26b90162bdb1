/** Builds Slack's file objects: https://docs.slack.dev/reference/objects/file-object. */
import { isObject } from '../args.ts'
import { CANVAS, kindOf, pngSize } from './file-kinds.ts'
import { TEAM } from '../store.ts'
import { previewOf } from './stored-files.ts'
import type { Json, StoredFile } from '../types.ts'

/** The widths of the smaller pictures that Slack makes, in pixels. */
const WIDTHS = [360, 480, 720, 960, 1024]
/** The smallest width, which exists for every picture. A larger one exists only if the original is larger. */
const LEAST_WIDTH = 360
/** The number of characters of a transcript in the file object. The whole transcript is at `vtt`. */
const MAX_TRANSCRIPT_PREVIEW = 300

/** Returns the whole object of a file, with addresses at `base`. */
export function fileObject(file: StoredFile, base: string): Json {
  const { id, mode, name, title, mimetype, filetype, created, user, size, altText } = file
  if (mode === 'tombstone' || mode === 'hidden_by_limit') return { id, mode }
  const preview = previewOf(file)
  return {
    ...{ id, created, timestamp: created, name, title, mimetype, filetype, pretty_type: prettyOf(file) },
    ...{ user, user_team: TEAM, editable: mode === 'snippet', size, mode },
    ...{ is_external: mode === 'external', external_type: mode === 'external' ? 'gdrive' : '' },
    ...{ is_public: true, public_url_shared: false, display_as_bot: false, username: '' },
    ...addresses(file, base),
    ...(altText && { alt_txt: altText }),
    ...(preview !== undefined && { preview, has_rich_preview: false }),
    ...thumbs(file, base),
    ...transcription(file, base),
    ...(file.durationMs !== undefined && { duration_ms: file.durationMs }),
    permalink: mode === 'quip' ? `${base}/docs/${TEAM}/${id}` : `${base}/files/${user}/${id}/${nameInAddress(name)}`,
    file_access: file.access ?? 'visible',
  }
}

function prettyOf({ mode, name }: StoredFile): string {
  return (mode === 'quip' ? CANVAS : kindOf(name)).pretty
}

/** Encodes a name for an address and a header (RFC 8187). Never throws. */
export function nameInAddress(name: string): string {
  const whole = Buffer.from(name).toString()
  return encodeURIComponent(whole).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

function addresses({ id, name, mode, externalUrl }: StoredFile, base: string): Json {
  if (mode === 'external')
    return { url_private: externalUrl ?? 'https://docs.example.com/d/1', has_rich_preview: false }
  const last = nameInAddress(name)
  const url_private = `${base}/files-pri/${TEAM}-${id}/${last}`
  return { url_private, url_private_download: `${base}/files-pri/${TEAM}-${id}/download/${last}` }
}

/** Returns `thumb_360` and the like, with their sizes if known. */
function thumbs(file: StoredFile, base: string): Json {
  const { id, bytes, mimetype, mode } = file
  if (!bytes || mode !== 'hosted' || !/^image\/(?!svg)/.test(mimetype)) return {}
  const size = pngSize(bytes)
  const widths = file.thumbs
    ? Object.keys(file.thumbs).map(Number)
    : WIDTHS.filter((width) => !size || width === LEAST_WIDTH || width < Math.max(size.width, size.height))
  const made = widths.map((width) => [`thumb_${width}`, `${base}/files-tmb/${TEAM}-${id}-0123456789/${width}.png`])
  return { ...Object.fromEntries(made), ...(size && { original_w: size.width, original_h: size.height }) }
}

function transcription({ id, transcription: heard, mimetype }: StoredFile, base: string): Json {
  if (!heard) return {}
  const kind = mimetype.startsWith('audio/') ? 'audio' : 'video'
  return { subtype: `slack_${kind}`, media_display_type: kind, ...transcript({ id, ...heard }, base) }
}

function transcript({ id, status, text }: { id: string; status: string; text: string }, base: string): Json {
  if (status !== 'complete') return { transcription: { status } }
  const preview = { content: text.slice(0, MAX_TRANSCRIPT_PREVIEW), has_more: text.length > MAX_TRANSCRIPT_PREVIEW }
  const vtt = `${base}/files-tmb/${TEAM}-${id}-0123456789/file.vtt`
  return { transcription: { status, locale: 'en-US', preview }, vtt }
}

/**
 * Returns a message's files as an event carries them. A file from Slack Connect has only its id until `files.info` is
 * called (https://docs.slack.dev/apis/slack-connect/#check_file_info). A clip has no transcript yet.
 */
export function filesInEvent(files: Json[]): Json[] {
  return files.map((file) => {
    const { file_access, id } = file
    if (file_access === 'check_file_info' || file_access === 'access_denied')
      return { id, created: 0, timestamp: 0, user: '', file_access }
    if (!isObject(file['transcription'])) return file
    const { vtt, ...rest } = file
    return { ...rest, ...(vtt !== undefined && { transcription: { status: 'processing' } }) }
  })
}

/** Returns a message's files as its history carries them. Files that the app may not have are only ids. */
export function filesInHistory(files: Json[]): Json[] {
  return files.map((file) => {
    if (file['file_access'] === 'access_denied') return filesInEvent([file])[0] ?? file
    return file['file_access'] === 'check_file_info' ? { ...file, file_access: 'visible' } : file
  })
}
