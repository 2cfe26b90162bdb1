/** Decides a file's type by its extension, as Slack does: https://docs.slack.dev/reference/objects/file-object. */
interface SlackFileType {
  mimetype: string
  filetype: string
  /** Slack's name of the type, for people. */
  pretty: string
}

const office = 'application/vnd.openxmlformats-officedocument'

/** The MIME type and the name for people, by extension. */
const KINDS: Record<string, [mimetype: string, pretty: string]> = {
  png: ['image/png', 'PNG'],
  jpg: ['image/jpeg', 'JPEG'],
  jpeg: ['image/jpeg', 'JPEG'],
  gif: ['image/gif', 'GIF'],
  webp: ['image/webp', 'WebP'],
  svg: ['image/svg+xml', 'SVG'],
  heic: ['image/heic', 'HEIC'],
  pdf: ['application/pdf', 'PDF'],
  docx: [`${office}.wordprocessingml.document`, 'Word Document'],
  xlsx: [`${office}.spreadsheetml.sheet`, 'Excel Spreadsheet'],
  pptx: [`${office}.presentationml.presentation`, 'PowerPoint Presentation'],
  odt: ['application/vnd.oasis.opendocument.text', 'OpenDocument Text'],
  csv: ['text/csv', 'CSV'],
  json: ['application/json', 'JSON'],
  md: ['text/markdown', 'Markdown'],
  html: ['text/html', 'HTML'],
  txt: ['text/plain', 'Plain Text'],
  js: ['text/javascript', 'JavaScript'],
  ts: ['text/plain', 'TypeScript'],
  py: ['text/x-python', 'Python'],
  zip: ['application/zip', 'Zip'],
  mp3: ['audio/mpeg', 'MP3'],
  m4a: ['audio/mp4', 'MPEG 4 Audio'],
  webm: ['video/webm', 'WebM'],
  mp4: ['video/mp4', 'MPEG 4 Video'],
}

const BINARY: SlackFileType = { mimetype: 'application/octet-stream', filetype: 'binary', pretty: 'Binary' }

/** Slack's type of a canvas. */
export const CANVAS: SlackFileType = { mimetype: 'application/vnd.slack-docs', filetype: 'quip', pretty: 'Canvas' }

/** Returns the type that a name implies. Slack trusts the name, so the file may be something else. */
export function kindOf(name: string): SlackFileType {
  const end = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const [mimetype, pretty] = KINDS[end] ?? []
  return mimetype && pretty ? { mimetype, pretty, filetype: end === 'jpeg' ? 'jpg' : end } : BINARY
}

/**
 * Returns the type of a picture that a browser may draw in a page. Decides by the first bytes, because names and
 * senders may lie.
 */
export function pictureType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(head)) return 'image/gif'
  return /^RIFF[^]{4}WEBP/.test(head) ? 'image/webp' : undefined
}

/** Returns the width and height of a PNG in pixels. Its IHDR comes first. Undefined for other types. */
export function pngSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  if (pictureType(bytes) !== 'image/png' || bytes.length < 24) return undefined
  const view = Buffer.from(bytes.subarray(16, 24))
  return { width: view.readUInt32BE(0), height: view.readUInt32BE(4) }
}
