import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Log } from '../base/log.ts'
import { parseJson } from '../base/parse-json.ts'
import type { Network } from '../base/http/proxy.ts'
import { failureOf, knownFailureIn } from './failures.ts'
import { modelFetch } from './model-fetch.ts'

const OPENAI = 'https://api.openai.com/v1'
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
  const url = new URL(config.OPENAI_BASE_URL ?? OPENAI)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`
  const headers = new Headers(config.OPENAI_HEADERS)
  if (config.OPENAI_API_KEY !== undefined && !headers.has('authorization'))
    headers.set('authorization', `Bearer ${config.OPENAI_API_KEY}`)
  const init = { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]) }
  const answer = await listOf(modelFetch(net.fetch ?? globalThis.fetch)(url, init))
  if (Array.isArray(answer)) return answer
  if (!signal.aborted)
    log.warn({ endpoint: url.origin, ...answer.facts }, `the model is not usable: ${answer.sentence}`)
  return []
}

/** The fault of the endpoint, or the names in its list. */
async function listOf(answer: Promise<Response>): Promise<{ sentence: string; facts?: object } | string[]> {
  try {
    const response = await answer
    const { status } = response
    if (status === 401) return { sentence: 'Its endpoint rejected the key. Check OPENAI_API_KEY and OPENAI_HEADERS.' }
    if (status >= 500) return { sentence: `Its endpoint answered with status ${status}.` }
    return namesIn(await response.text())
  } catch (error) {
    const silent = 'Its endpoint does not answer. Check OPENAI_BASE_URL, and whether it is running.'
    return { sentence: knownFailureIn(error)?.hint ?? silent, facts: { error: failureOf(error, 'list').message } }
  }
}

const listSchema = z.object({ data: z.array(z.object({ id: z.string().min(1).max(200) })) })

function namesIn(text: string): string[] {
  const { data = [] } = listSchema.safeParse(parseJson(text)).data ?? {}
  return data.slice(0, MAX_NAMES).map(({ id }) => id)
}
