import type { Model } from '../agent/types.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Network } from '../proxy.ts'
import { withBreaker } from './circuit-breaker.ts'
import { withFallback } from './fallback.ts'
import { openAiModel } from './openai.ts'
import { HANG_SHARE } from './silence.ts'
import { loadPrices, withPrices, type Prices } from './prices.ts'

interface Parts {
  config: Config
  log: Log
  net: Network
  /** Absent where nothing is measured. */
  meter?: ModelMeter | undefined
}

/** Measures each endpoint by itself, so that a first model's failures are seen although the second answers. */
export interface ModelMeter {
  model(model: Model): Model
  breaker(model: string, isOpen: boolean): void
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
  const first = endpoint(name, parts, prices)
  return second && second !== name ? withFallback(first, endpoint(second, parts, prices), parts.log) : first
}

function endpoint(model: string, { config, log, net, meter }: Parts, prices: Prices): Model {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, OPENAI_HEADERS: headers, OPENAI_STREAM: stream } = config
  const priced = withPrices(openAiModel({ model, apiKey, baseUrl, headers, stream, fetch: net.fetch, log }), prices)
  const measured = meter?.model(priced) ?? priced
  const onChange = meter && { onChange: (isOpen: boolean) => meter.breaker(model, isOpen) }
  return withBreaker(measured, { hangMs: config.AGENT_TIMEOUT_MS * HANG_SHARE, ...onChange })
}
