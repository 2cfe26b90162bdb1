import { backoffMs, sleep } from '../../base/backoff.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { addressAtSlack } from './check-slack-address.ts'
import { SlackRefusal } from './slack-errors.ts'
import type { CallOptions, SlackWeb } from './web-api.ts'

/** How long an upload may take, because a message waits for it. Milliseconds. */
const UPLOAD_MS = 30_000
const TRY_MS = 10_000
const TRIES = 3
/** The name under which a refused upload is remembered, and the refusals that apply to all files. */
export const UPLOAD_SCOPE = 'files:write'
const NO_UPLOADS = new Set(['missing_scope', 'file_uploads_disabled', 'unknown_method', 'not_allowed_token_type'])

/**
 * Uploads a text as a file that nobody sees yet (https://docs.slack.dev/messaging/working-with-files#upload). If Slack
 * does not accept files at all, that is remembered. @returns the file's id, or undefined if it failed. @throws the
 * reason of `signal`
 */
export async function uploadText(
  client: SlackWeb,
  file: { name: string; text: string },
  stopped: AbortSignal,
  log: Log,
): Promise<string | undefined> {
  if (client.refusals.has(UPLOAD_SCOPE)) return undefined
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(UPLOAD_MS)])
  const body = Buffer.from(file.text)
  // Slack knows from any other extension how to show the file.
  const snippet = file.name.endsWith('.txt') ? { snippet_type: 'text' } : {}
  const args = { filename: file.name, length: body.length, ...snippet }
  try {
    const { upload_url, file_id } = await client.call('files.getUploadURLExternal', args, { effort: 'patient', signal })
    await sendBytes(addressAtSlack(String(upload_url), client.apiUrl), body, client.fetch, signal)
    return String(file_id)
  } catch (error) {
    stopped.throwIfAborted()
    log.warn({ error: messageOf(error) }, 'a file could not be uploaded')
    if (error instanceof SlackRefusal && NO_UPLOADS.has(error.code)) client.refusals.set(UPLOAD_SCOPE, true)
    return undefined
  }
}

/** Sends the bytes only to Slack, or to the server of `SLACK_API_URL`: to no other host, and without redirects. */
async function sendBytes(
  address: string | undefined,
  body: Buffer<ArrayBuffer>,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<void> {
  if (!address) throw new Error('the upload address is not at a host of Slack')
  for (let attempt = 1; ; attempt++) {
    const time = AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)])
    const sent = await fetch(address, { method: 'POST', body, signal: time, redirect: 'manual' }).catch(() => undefined)
    await sent?.body?.cancel().catch(() => undefined)
    if (sent?.ok) return
    signal.throwIfAborted()
    if (attempt >= TRIES) throw new Error(`Slack rejected the content of a file (${sent?.status ?? 'no answer'})`)
    await sleep(backoffMs(attempt, { base: 500, max: 5_000 }), signal)
  }
}

/**
 * Shows an uploaded file in a thread. `find` finds the ts of the message that shows it. @returns that ts, or the file's
 * id if none is found. @throws SlackRefusal
 */
export async function shareFile(
  client: SlackWeb,
  { id, title }: { id: string; title: string },
  place: { channel_id: string; thread_ts: string },
  find: () => Promise<string | undefined>,
  how: Pick<CallOptions, 'signal' | 'checkLease'>,
): Promise<string> {
  const lookUp = async () => {
    const ts = await find()
    return ts === undefined ? undefined : { ts }
  }
  const args = { files: [{ id, title }], ...place }
  await client.call('files.completeUploadExternal', args, { effort: 'patient', lookUp, ...how })
  return (await find()) ?? id
}
