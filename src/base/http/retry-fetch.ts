import { ToolError } from '../errors.ts'
import { AddressRefused } from './connection-pools.ts'
import { getOnce, TransientHttpError, type GetRequest, type SizedResponse } from './bounded-get.ts'

/** `now`: milliseconds. `sleep` rejects when the signal aborts. */
export interface Clocks {
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
}

/** The pause before the second try if the server asks for none. */
const RETRY_MS = 300

/**
 * Makes a request within its time limit, and retries once after a temporary failure.
 * @throws ToolError with a sentence; the signal's reason if the caller aborted
 */
export async function fetchWithRetry(request: GetRequest, timeoutMs: number, clocks: Clocks): Promise<SizedResponse> {
  const timeUp = new AbortController()
  const timer = setTimeout(() => timeUp.abort(), timeoutMs)
  const signal = AbortSignal.any([request.signal, timeUp.signal])
  try {
    return await withOneRetry({ ...request, signal }, clocks.now() + timeoutMs, clocks)
  } catch (error) {
    request.signal.throwIfAborted()
    if (!timeUp.signal.aborted) throw error
    throw new ToolError(`${request.server} did not answer within ${timeoutMs / 1000} s.`, { isDown: true })
  } finally {
    clearTimeout(timer)
  }
}

/** Fails at once if the requested pause exceeds the time left, so that the model learns about it immediately. */
async function withOneRetry(request: GetRequest, deadline: number, clocks: Clocks): Promise<SizedResponse> {
  const first = await tryOnce(request)
  if (!(first instanceof TransientHttpError)) return first
  const pause = first.afterMs ?? RETRY_MS
  if (clocks.now() + pause >= deadline) return endOf(first)
  await clocks.sleep(pause, request.signal)
  const second = await tryOnce(request)
  return second instanceof TransientHttpError ? endOf(second) : second
}

/** @throws ToolError if the failure has no response that is worth reading */
function endOf(failure: TransientHttpError): SizedResponse {
  if (failure.response) return failure.response
  const pause = failure.afterMs === undefined ? '' : ` It asks to wait ${Math.ceil(failure.afterMs / 1000)} s.`
  throw new ToolError(`${failure.message}${pause}`, { isDown: true })
}

/** The response, or a temporary failure. */
async function tryOnce(request: GetRequest): Promise<SizedResponse | TransientHttpError> {
  try {
    return await getOnce(request)
  } catch (error) {
    if (error instanceof ToolError || request.signal.aborted) throw error
    return error instanceof TransientHttpError ? error : brokenConnection(error, request)
  }
}

/** undici only says "fetch failed". The reason is in the cause, or in the causes of each tried address. */
function brokenConnection(error: unknown, request: GetRequest): TransientHttpError {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth += 1) {
    if (cause instanceof AddressRefused)
      throw new ToolError(`${request.name} may not call this host: its address is private or reserved.`)
    if ('code' in cause && typeof cause.code === 'string')
      return new TransientHttpError(`${request.server} cannot be reached (${cause.code}).`)
  }
  return new TransientHttpError(`The connection to ${request.server} was lost.`)
}
