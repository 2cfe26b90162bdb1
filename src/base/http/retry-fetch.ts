import { setTimeout as wait } from 'node:timers/promises'
import { ToolError } from '../errors.ts'
import { AddressRefused } from './agents.ts'
import { exchange, Passing, type Exchange, type Received } from './exchange.ts'

/** Time as it is told and as it is spent; tests bring their own. */
export interface Clocks {
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
}

export const systemClocks: Clocks = { now: Date.now, sleep: (ms, signal) => wait(ms, undefined, { signal }) }

/** The pause before the second try where the server asks for none. */
const RETRY_MS = 300

/**
 * Makes a request within its time, and once more when it failed in a way that may pass.
 * @throws ToolError with a sentence; the signal's reason when the caller gave up.
 */
export async function fetchWithRetry(request: Exchange & { timeoutMs: number }, clocks: Clocks): Promise<Received> {
  const controller = new AbortController()
  const giveUp = () => controller.abort(request.signal.reason)
  request.signal.addEventListener('abort', giveUp, { once: true })
  const timer = setTimeout(() => controller.abort(), request.timeoutMs)
  try {
    return await twice({ ...request, signal: controller.signal }, clocks.now() + request.timeoutMs, clocks)
  } catch (error) {
    request.signal.throwIfAborted()
    if (!controller.signal.aborted) throw error
    throw new ToolError(`${request.name} did not answer within ${request.timeoutMs / 1000} s.`, { isDown: true })
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', giveUp)
  }
}

/** A pause that would outlast the time left is not begun: the model hears at once what is asked for. */
async function twice(request: Exchange, deadline: number, clocks: Clocks): Promise<Received> {
  const first = await once(request)
  if (!(first instanceof Passing)) return first
  const pause = first.afterMs ?? RETRY_MS
  if (clocks.now() + pause >= deadline) throw down(first)
  await clocks.sleep(pause, request.signal)
  const second = await once(request)
  if (second instanceof Passing) throw down(second)
  return second
}

/** The answer, or what may pass. */
async function once(request: Exchange): Promise<Received | Passing> {
  try {
    return await exchange(request)
  } catch (error) {
    if (error instanceof ToolError || request.signal.aborted) throw error
    return error instanceof Passing ? error : brokenConnection(error, request)
  }
}

function down(passing: Passing): ToolError {
  return new ToolError(`${passing.message}${pauseSentence(passing)}`, { isDown: true })
}

function pauseSentence(passing: Passing): string {
  return passing.afterMs === undefined ? '' : ` It asks for a pause of ${Math.ceil(passing.afterMs / 1000)} s.`
}

/** undici says "fetch failed" and puts what happened into the cause, or into the causes of a tried family of addresses. */
function brokenConnection(error: unknown, request: Exchange): Passing {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth += 1) {
    if (cause instanceof AddressRefused)
      throw new ToolError(`${request.name} may not call this host: it lies at a private or reserved address.`)
    if ('code' in cause && typeof cause.code === 'string')
      return new Passing(`${request.name} could not be reached (${cause.code}).`)
  }
  return new Passing(`The connection to ${request.name} broke off.`)
}
