/** OPENAI_API=auto: asks the endpoint once, at the start. */
import { askOnce } from '../agent/ask-once.ts'
import type { Config } from '../config.ts'
import { ModelError } from '../base/errors.ts'
import type { Network } from '../base/http/proxy.ts'
import type { Log } from '../base/log.ts'
import { createModels } from './choose-model.ts'
import { operatorSentence } from './failure-for-operator.ts'

/** How long the start waits for the answer. Milliseconds. */
const PROBE_MS = 15_000

/**
 * Replaces `auto` with `responses` if one small call over that API succeeds, else with `chat`. Without a key or a URL,
 * nothing is called. Never rejects.
 */
export async function withChosenApi(
  config: Config,
  { log, net, now }: { log: Log; net: Network; now: () => number },
): Promise<Config> {
  if (config.OPENAI_API !== 'auto') return config
  if ((config.OPENAI_API_KEY ?? config.OPENAI_BASE_URL) === undefined) return { ...config, OPENAI_API: 'chat' }
  const tried: Config = { ...config, OPENAI_API: 'responses', OPENAI_FALLBACK_MODEL: undefined }
  const { model } = createModels({ config: tried, log, net, now })
  const signal = AbortSignal.timeout(PROBE_MS)
  try {
    await askOnce(model, 'Say the word ready, and nothing else.', { signal, timeMs: PROBE_MS })
    log.info({ model: model.name, api: 'responses' }, CHOSEN)
    return { ...config, OPENAI_API: 'responses' }
  } catch (error) {
    const isDown = signal.aborted || (error instanceof ModelError && error.retryable)
    const why = signal.aborted ? `It did not answer within ${PROBE_MS / 1000} s.` : operatorSentence(error)
    const say = isDown ? log.warn.bind(log) : log.info.bind(log)
    say({ model: model.name, api: 'chat', why }, CHOSEN)
    return { ...config, OPENAI_API: 'chat' }
  }
}

const CHOSEN = 'OPENAI_API=auto has chosen the API'
