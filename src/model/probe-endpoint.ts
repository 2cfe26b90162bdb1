import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Network } from '../proxy.ts'
import { failureOf, knownFailureIn } from './failures.ts'
import { modelFetch } from './model-fetch.ts'

const OPENAI = 'https://api.openai.com/v1'
const PROBE_MS = 10_000

/**
 * Asks the model's endpoint for its list of models, which costs nothing, and says in one warning line when it does not answer,
 * does not take the key, or is no model's. Any other answer is one: not every endpoint has such a list. Never rejects.
 */
export async function probeEndpoint(
  config: Config,
  { log, net, signal }: { log: Log; net: Network; signal: AbortSignal },
): Promise<void> {
  const url = new URL(config.OPENAI_BASE_URL ?? OPENAI)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`
  const headers = new Headers(config.OPENAI_HEADERS)
  if (config.OPENAI_API_KEY !== undefined && !headers.has('authorization'))
    headers.set('authorization', `Bearer ${config.OPENAI_API_KEY}`)
  const init = { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]) }
  const fault = await faultOf(modelFetch(net.fetch ?? globalThis.fetch)(url, init))
  if (fault && !signal.aborted)
    log.warn({ endpoint: url.origin, ...fault.facts }, `the model cannot be asked as it is: ${fault.sentence}`)
}

async function faultOf(answer: Promise<Response>): Promise<{ sentence: string; facts?: object } | undefined> {
  try {
    const response = await answer
    const { status } = response
    if (status === 401) return { sentence: 'Its endpoint refused the key. Check OPENAI_API_KEY and OPENAI_HEADERS.' }
    if (status >= 500) return { sentence: `Its endpoint answered with status ${status}.` }
    await response.text()
    return undefined
  } catch (error) {
    const silent = 'Its endpoint does not answer. Check OPENAI_BASE_URL, and whether it runs.'
    return { sentence: knownFailureIn(error)?.hint ?? silent, facts: { error: failureOf(error, 'list').error.message } }
  }
}
