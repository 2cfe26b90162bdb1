/**
 * Serves `url_private`, `url_private_download`, thumbnails and transcripts. A bearer token with `files:read` gets the
 * bytes; others get the login page, as in Slack. https://docs.slack.dev/reference/objects/file-object#authentication
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { nameInAddress } from './file-object.ts'
import { wait } from '../../base/loopback-server.ts'
import { isKnownToBot } from './stored-files.ts'
import type { FileFault, StoredFile } from '../types.ts'
import type { WebApiOptions } from '../web-api-options.ts'

/** The size of a piece of a slow download, in bytes. */
const PIECE = 1_024
const LOGIN_PAGE =
  '<!DOCTYPE html><html lang="en-US"><head><title>Sign in | Slack</title><script>window.boot = {}</script></head><body>' +
  '<h1>Sign in to Local Slack</h1><form action="/signin" method="post"><input name="email"></form></body></html>\n'

/** The path prefixes that are handled here. */
export const FILE_PATHS: ReadonlySet<string> = new Set(['files-pri', 'files-tmb', 'workspace-signin'])

/** A download in progress. */
interface Download {
  options: WebApiOptions
  url: URL
  response: ServerResponse
  file: StoredFile
  fileFault: FileFault
}

/** Answers a request for a file. It is recorded as a call of `download`, with the file's id and the token's owner. */
export async function serveFile(options: WebApiOptions, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', options.workspace.base())
  if (url.pathname === '/workspace-signin') return sendPage(response, 200)
  const file = options.workspace.store.files.get(/^\/files-\w+\/[A-Z0-9]+-([A-Z0-9]+)/.exec(url.pathname)?.[1] ?? '')
  const token = tokenOf(options, request.headers.authorization)
  const args = { file: file?.id ?? '', path: url.pathname, token }
  const fileFault = takeFileFault(file)
  const fault = options.faults.take('download', args)
  const error = fault?.error ?? refusal(options, token, file, fileFault)
  options.calls.push({ method: 'download', args, ok: !error, at: options.workspace.now(), ...(error && { error }) })
  await wait((fault?.delayMs ?? 0) + (fileFault.delayMs ?? 0))
  await fault?.hold
  if (fault?.dropBefore) return void response.destroy()
  const { status = fileFault.status, retryAfter = fileFault.retryAfter } = fault ?? {}
  if (status !== undefined || retryAfter !== undefined) return sendPage(response, status ?? 429, retryAfter)
  if (error === 'file_not_found' || !file) return sendPage(response, 404)
  if (error) return login(options, response, url, fileFault.login ?? options.loginPage())
  await send({ options, url, response, file, fileFault })
}

/** Returns the owner of the token, without the token itself. */
function tokenOf({ botToken, isRevoked }: WebApiOptions, authorization = ''): 'bot' | 'none' | 'unknown' {
  if (authorization === '') return 'none'
  return authorization === `Bearer ${botToken}` && !isRevoked() ? 'bot' : 'unknown'
}

/** Returns the fault of this download, and counts it. A fault ends after its `times`. */
function takeFileFault(file: StoredFile | undefined): FileFault {
  const fileFault = file?.fault
  if (!fileFault || fileFault.times === 0) return {}
  if (fileFault.times !== undefined) fileFault.times -= 1
  return fileFault
}

/** Returns Slack's error code, if there is an error. A missing token is recorded as the app's mistake. */
function refusal(
  options: WebApiOptions,
  token: string,
  file: StoredFile | undefined,
  fileFault: FileFault,
): string | undefined {
  const { refusals, workspace } = options
  if (token === 'none') {
    refusals.push({ method: 'download', error: 'not_authed', why: 'There is no Authorization: Bearer header.' })
    return 'not_authed'
  }
  if (token === 'unknown') return 'invalid_auth'
  if (fileFault.login || !workspace.isGranted('files:read')) return 'missing_scope'
  const isThere = file?.bytes && file.mode !== 'tombstone' && file.mode !== 'hidden_by_limit'
  return isThere && isKnownToBot(workspace.store, file) ? undefined : 'file_not_found'
}

/** Answers with the login page, which ends with status 200, as Slack does. */
function login({ workspace }: WebApiOptions, response: ServerResponse, url: URL, how: 'redirect' | 'page') {
  if (how === 'page') return sendPage(response, 200)
  redirect(response, `${workspace.base()}/workspace-signin?redir=${encodeURIComponent(url.pathname)}`)
}

function redirect(response: ServerResponse, location: string) {
  response.writeHead(302, { location }).end()
}

function sendPage(response: ServerResponse, status: number, retryAfter?: number) {
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  response.writeHead(status, { ...headers, ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) })
  response.end(LOGIN_PAGE)
}

/** Sends the bytes, with the fault if there is one. */
async function send(download: Download) {
  const { options, url, response, fileFault } = download
  if (fileFault.redirectTo !== undefined) return redirect(response, fileFault.redirectTo)
  const hop = Number(url.searchParams.get('hop') ?? 0)
  if (hop < (fileFault.redirects ?? 0))
    return redirect(response, `${options.workspace.base()}${url.pathname}?hop=${hop + 1}`)
  const { body, type } = contentOf(download)
  response.setHeader('content-type', fileFault.type ?? type)
  if (url.pathname.includes('/download/'))
    response.setHeader('content-disposition', `attachment; filename*=UTF-8''${nameInAddress(download.file.name)}`)
  if (fileFault.sends === undefined) response.setHeader('content-length', String(body.length))
  if (fileFault.pieceMs === undefined && fileFault.cutAfter === undefined && fileFault.sends === undefined)
    return void response.end(body)
  await sendOddly(response, body, fileFault)
}

/** Returns the file, a smaller picture of it, or its transcript. */
function contentOf({ url, file }: Download): { body: Uint8Array; type: string } {
  const { bytes = new Uint8Array(), thumbs = {}, transcription, mimetype } = file
  if (url.pathname.endsWith('/file.vtt')) return { body: captions(transcription?.text ?? ''), type: 'text/vtt' }
  const width = /^\/files-tmb\/.*\/(\d+)\.png$/.exec(url.pathname)?.[1]
  return { body: (width && thumbs[Number(width)]) || bytes, type: mimetype }
}

/** Returns a transcript as WebVTT, with a cue of five seconds for each sentence. */
function captions(text: string): Uint8Array {
  const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23)
  const cues = text.split(/(?<=[.!?])\s+/).map((words, i) => `${clock(5 * i)} --> ${clock(5 * i + 5)}\n- ${words}\n`)
  return Buffer.from(['WEBVTT\n', ...cues].join('\n'))
}

/** Sends bytes slowly, too many of them, or cut off. */
async function sendOddly(response: ServerResponse, body: Uint8Array, fileFault: FileFault) {
  const { sends = body.length, cutAfter = Infinity, pieceMs = 0 } = fileFault
  const end = Math.min(sends, cutAfter)
  const source = body.length > 0 ? body : Buffer.alloc(PIECE)
  const pieceSize = pieceMs > 0 ? PIECE : 64 * PIECE
  for (let sent = 0; sent < end && !response.destroyed;) {
    const from = sent % source.length
    const piece = source.subarray(from, from + Math.min(pieceSize, end - sent))
    if (pieceMs > 0) await wait(pieceMs)
    // Each write waits for the reader, so that nothing is buffered without limit.
    await new Promise<void>((resolve) => {
      response.once('close', resolve)
      response.write(piece, () => resolve(void response.off('close', resolve)))
    })
    sent += piece.length
  }
  if (cutAfter < sends) response.destroy()
  else response.end()
}
