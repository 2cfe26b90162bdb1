import { setTimeout as pause } from 'node:timers/promises'
import { discard, followRedirects, readCapped } from '../../base/http/response-limits.ts'
import { addressAtSlack } from './check-slack-address.ts'

/**
 * Why there are no bytes. `login`: Slack sent its login page (with status 200), 401 or 403, because the token may not
 * read files. `elsewhere`: the address is not at Slack or redirects away from it. `refused`: a status that a retry does
 * not change.
 */
export type NotLoaded = 'login' | 'tooLarge' | 'tooSlow' | 'elsewhere' | 'refused' | 'unreachable'

type DownloadResult = { bytes: Uint8Array; fault?: undefined } | { bytes?: undefined; fault: NotLoaded }

export interface DownloadOptions {
  token: string
  apiUrl: string
  fetch: typeof globalThis.fetch
  signal: AbortSignal
  maxBytes: number
  /** The file's size according to Slack. An HTML page of that size is the file itself, not a login page. */
  size?: number | undefined
  /** Whether the file is a canvas: it is an HTML page, and its size is not that of the page. */
  isCanvas?: boolean | undefined
}

/** For the whole download, in ms. */
const TIMEOUT_MS = 30_000
const TRIES = 3
const PAUSE_MS = 500

/**
 * Downloads a file (https://docs.slack.dev/reference/objects/file-object, `url_private_download`). The token goes only
 * to Slack's own hosts: redirects that lead elsewhere are not followed. @throws the reason of `signal`
 */
export async function download(address: string, options: DownloadOptions): Promise<DownloadResult> {
  const time = AbortSignal.timeout(TIMEOUT_MS)
  const signal = AbortSignal.any([options.signal, time])
  for (let attempt = 1; ; attempt++) {
    const loaded = await load(address, { ...options, signal }).catch(() => ({ fault: 'unreachable' }) as const)
    options.signal.throwIfAborted()
    if (time.aborted) return { fault: 'tooSlow' }
    if (loaded.fault !== 'unreachable' || attempt === TRIES) return loaded
    await pause(PAUSE_MS * attempt, undefined, { signal }).catch(() => undefined)
  }
}

async function load(address: string, options: DownloadOptions): Promise<DownloadResult> {
  const { token, apiUrl, fetch, signal } = options
  const first = addressAtSlack(address, apiUrl)
  if (first === undefined) return { fault: 'elsewhere' }
  let leadsAway = false
  const answer = await followRedirects<Response>(new URL(first), {
    send: (url) => fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual', signal }),
    follows(next) {
      leadsAway = next === undefined || addressAtSlack(next.href, apiUrl) === undefined
      return !leadsAway
    },
  })
  if (answer && !leadsAway) return bytesOf(answer, options)
  if (answer) await discard(answer)
  return { fault: 'elsewhere' }
}

async function bytesOf(answer: Response, { maxBytes, size, isCanvas }: DownloadOptions): Promise<DownloadResult> {
  if (answer.status !== 200 || !answer.body) {
    await discard(answer)
    const mayPass = answer.status >= 500 || answer.status === 429
    return { fault: mayPass ? 'unreachable' : answer.status === 401 || answer.status === 403 ? 'login' : 'refused' }
  }
  const bytes = await readCapped(answer.body, maxBytes)
  if (!bytes) return { fault: 'tooLarge' }
  const isLogin = isPage(bytes) && (isCanvas ? isInteractive(bytes) : bytes.length !== size)
  return isLogin ? { fault: 'login' } : { bytes }
}

/** The login page has scripts and a form, in every language. A canvas has neither, whatever people write into it. */
function isInteractive(bytes: Buffer): boolean {
  return /<(?:script|form|input)\b/i.test(bytes.toString('latin1'))
}

function isPage(bytes: Buffer): boolean {
  return /^(?:\ufeff|ï»¿)?\s*<(?:!doctype html|html)\b/i.test(bytes.subarray(0, 500).toString('latin1'))
}
