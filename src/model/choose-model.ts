import type { Model } from '../agent/contracts/model.ts'
import type { Config } from '../config.ts'
import { expiringCache } from '../base/expiring-cache.ts'
import type { Log } from '../base/log.ts'
import type { Network } from '../base/http/proxy.ts'
import { withBreaker } from './circuit-breaker.ts'
import { withFallback } from './fallback.ts'
import { ListedWindows } from './model-list.ts'
import { openAiModel } from './openai.ts'
import { HANG_SHARE } from './stall-timer.ts'
import { loadPrices, withPrices, type Prices } from './prices.ts'

interface ModelParts {
  /** The models that have turned out not to accept pictures. */
  blindModels: Set<string>
  /** The windows that the endpoint lists. */
  listed: ListedWindows
  config: Config
  log: Log
  net: Network
  /** Milliseconds since the epoch. */
  now: () => number
  /** Absent if nothing is measured. */
  meter?: ModelMeter | undefined
}

/** Measures each endpoint separately, so that a first model's failures are visible although the second one answers. */
export interface ModelMeter {
  model(model: Model): Model
  breaker(model: string, isOpen: boolean): void
}

export interface Models {
  /** The agent's model. */
  model: Model
  /** The model that condenses follow-ups. */
  condenseModel: Model
  /** The models offered to a channel: those that the settings name or PRICES_FILE lists. */
  names: string[]
  /** Any model that the endpoint may know. Undefined if a budget in dollars requires a price that it does not have. */
  byName(name: string): Model | undefined
}

/** Creates the models that the settings name. @throws ConfigError */
export function createModels(given: Omit<ModelParts, 'blindModels' | 'listed'>): Models {
  const parts: ModelParts = { ...given, blindModels: new Set(), listed: new ListedWindows(given) }
  const { OPENAI_MODEL: main, OPENAI_CONDENSE_MODEL: condenser, PRICES_FILE: file } = parts.config
  const prices = loadPrices(file)
  const made = new Map<string, Model>()
  const others = expiringCache<Model>({ ttlMs: OTHERS_MS, max: MAX_OTHERS, now: parts.now })
  const names = choosable(parts.config, prices)
  const modelNamed = (name: string) => {
    const kept = name === condenser || names.includes(name) ? made : others
    const model = kept.get(name) ?? modelOf(name, parts, prices)
    kept.set(name, model)
    return model
  }
  return {
    model: modelNamed(main),
    condenseModel: modelNamed(condenser ?? main),
    names,
    byName: (name) =>
      names.includes(name) || (!mustCost(parts.config) && NAME.test(name)) ? modelNamed(name) : undefined,
  }
}

/** Limits for models that only channels have named: how many are cached, and for how long after their last use. */
const MAX_OTHERS = 100
const OTHERS_MS = 3_600_000
const NAME = /^[\x21-\x7e]{1,200}$/

/** A budget in dollars does not limit models without a price, so it restricts the choice to models with one. */
function choosable(config: Config, prices: Prices): string[] {
  const { OPENAI_MODEL, OPENAI_CONDENSE_MODEL, OPENAI_FALLBACK_MODEL } = config
  const named = [OPENAI_MODEL, OPENAI_CONDENSE_MODEL, OPENAI_FALLBACK_MODEL, ...Object.keys(prices)]
  const isFree = (name: string) => name === OPENAI_MODEL || !mustCost(config) || Object.hasOwn(prices, name)
  return [...new Set(named.filter((name) => name !== undefined))].filter(isFree)
}

function mustCost({ RUN_MAX_USD, BUDGET_TEAM_DAY_USD }: Config): boolean {
  return RUN_MAX_USD !== undefined || BUDGET_TEAM_DAY_USD !== undefined
}

function modelOf(name: string, parts: ModelParts, prices: Prices): Model {
  const { OPENAI_FALLBACK_MODEL: second } = parts.config
  const first = endpoint(name, parts, prices)
  return second && second !== name ? withFallback(first, endpoint(second, parts, prices), parts.log, parts.now) : first
}

/** OPENAI_CONTEXT_TOKENS is OPENAI_MODEL's window. Other models have it unless the endpoint lists their own. */
async function knownWindow(model: string, { config, listed }: ModelParts): Promise<number | undefined> {
  const { OPENAI_CONTEXT_TOKENS: given, OPENAI_MODEL: main } = config
  return given !== undefined && model === main ? given : ((await listed.of(model)) ?? given)
}

function endpoint(model: string, parts: ModelParts, prices: Prices): Model {
  const { config, log, net, now, meter, blindModels } = parts
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, OPENAI_HEADERS: headers, OPENAI_STREAM: stream } = config
  const own = openAiModel({
    model,
    apiKey,
    baseUrl,
    headers,
    stream,
    // `auto` is resolved before (choose-api.ts).
    api: config.OPENAI_API === 'responses' ? 'responses' : 'chat',
    effort: config.OPENAI_REASONING_EFFORT,
    fetch: net.fetch,
    blindModels,
    knownWindow: () => knownWindow(model, parts),
    log,
    now,
  })
  const priced = withPrices(own, prices)
  const measured = meter?.model(priced) ?? priced
  const onChange = meter && ((isOpen: boolean) => meter.breaker(model, isOpen))
  return withBreaker(measured, { hangMs: config.AGENT_TIMEOUT_MS * HANG_SHARE, now, onChange })
}
