import type { Config } from '../config.ts'
import type { Log } from '../base/log.ts'
import type { Network } from '../base/http/proxy.ts'
import { failureOf, knownFailureIn } from './failures.ts'
import { askEndpoint, modelsIn, OPENAI } from './model-list.ts'

const PROBE_MS = 10_000
/** Gateways list hundreds of models. The modal that shows them has room for this many. */
const MAX_NAMES = 100

/**
 * Asks the endpoint for its list of models, which costs nothing. Logs one warning if it does not answer, refuses the
 * key, or is not a model. Any other answer is fine: not every endpoint has such a list. Never rejects.
 * @returns the listed names, or none if there is no list
 */
export async function probeEndpoint(
  config: Config,
  { log, net, signal }: { log: Log; net: Network; signal: AbortSignal },
): Promise<string[]> {
  const asked = { net, signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]) }
  const answer = await listOf(askEndpoint('models', config, asked))
  if (Array.isArray(answer)) return answer
  if (!signal.aborted)
    log.warn(
      { endpoint: new URL(config.OPENAI_BASE_URL ?? OPENAI).origin, ...answer.facts },
      `the model is not usable: ${answer.sentence}`,
    )
  return []
}

/** The fault of the endpoint, or the names in its list. */
async function listOf(answer: Promise<Response>): Promise<{ sentence: string; facts?: object } | string[]> {
  try {
    const response = await answer
    const { status } = response
    if (status === 401) return { sentence: 'Its endpoint rejected the key. Check OPENAI_API_KEY and OPENAI_HEADERS.' }
    if (status >= 500) return { sentence: `Its endpoint answered with status ${status}.` }
    return modelsIn(await response.text())
      .slice(0, MAX_NAMES)
      .map(({ name }) => name)
  } catch (error) {
    const silent = 'Its endpoint does not answer. Check OPENAI_BASE_URL, and whether it is running.'
    return { sentence: knownFailureIn(error)?.hint ?? silent, facts: { error: failureOf(error, 'list').message } }
  }
}
