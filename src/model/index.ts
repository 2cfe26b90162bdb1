import type { Model } from '../agent/types.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Net } from '../net.ts'
import { withBreaker } from './breaker.ts'
import { withFallback } from './fallback.ts'
import { openAiModel } from './openai.ts'
import { loadPrices, withPrices, type Prices } from './prices.ts'

interface Parts {
  config: Config
  log: Log
  net: Net
}

/** The models that the settings name: the agent's, and the one that condenses follow-ups. @throws ConfigError */
export function createModels(parts: Parts): { model: Model; condenseModel: Model } {
  const { OPENAI_MODEL: main, OPENAI_CONDENSE_MODEL: condenser, PRICES_FILE: file } = parts.config
  const prices = loadPrices(file)
  const model = modelOf(main, parts, prices)
  return { model, condenseModel: condenser && condenser !== main ? modelOf(condenser, parts, prices) : model }
}

function modelOf(name: string, parts: Parts, prices: Prices): Model {
  const { OPENAI_FALLBACK_MODEL: second } = parts.config
  const first = withBreaker(endpoint(name, parts))
  const model = second && second !== name ? withFallback(first, withBreaker(endpoint(second, parts)), parts.log) : first
  return withPrices(model, prices)
}

function endpoint(model: string, { config, log, net }: Parts): Model {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, OPENAI_HEADERS: headers, OPENAI_STREAM: stream } = config
  return openAiModel({ model, apiKey, baseUrl, headers, stream, fetch: net.fetch, log })
}
