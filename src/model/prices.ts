import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Model, Usage } from '../agent/contracts/model.ts'
import type { Config } from '../config.ts'
import { ConfigError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'

/** Dollars per million input and output tokens; `cached` is for input from the provider's cache (default: as `in`). */
const price = z.object({ in: z.number().min(0), out: z.number().min(0), cached: z.number().min(0).optional() })
const table = z.record(z.string(), price)
export type Prices = z.infer<typeof table>

/** Reads PRICES_FILE, e.g. `{"gpt-5-mini": {"in": 0.25, "out": 2}}`. @throws ConfigError */
export function loadPrices(file: string | undefined): Prices {
  if (file === undefined) return {}
  try {
    return table.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new ConfigError(
      'PRICES_FILE should be a JSON file such as {"gpt-5-mini": {"in": 0.25, "out": 2}}, in dollars per million tokens.',
    )
  }
}

/** The settings that limit dollars. RUN_MAX_USD limits every run, in commands too. */
const BUDGETS = ['BUDGET_TEAM_DAY_USD', 'RUN_MAX_USD'] as const

/**
 * Checks that the regularly used models have prices, because a budget in dollars limits only those. A missing price of
 * the fallback model is only a warning.
 * @throws ConfigError
 */
export function checkBudgetPrices(
  config: Config,
  log: Log,
  budgets: readonly (typeof BUDGETS)[number][] = BUDGETS,
): void {
  const budget = budgets.find((setting) => config[setting] !== undefined)
  if (budget === undefined) return
  const prices = loadPrices(config.PRICES_FILE)
  const lacking = MODELS.filter((setting) => config[setting] && !Object.hasOwn(prices, config[setting]))
  const required = lacking.find((setting) => setting !== 'OPENAI_FALLBACK_MODEL')
  if (required) throw new ConfigError(needsPrice(budget, config[required]!, required))
  if (lacking.length > 0) log.warn(needsPrice(budget, config.OPENAI_FALLBACK_MODEL!, 'OPENAI_FALLBACK_MODEL'))
}

const MODELS = ['OPENAI_MODEL', 'OPENAI_CONDENSE_MODEL', 'OPENAI_FALLBACK_MODEL'] as const

function needsPrice(budget: string, model: string, setting: string): string {
  return (
    `${budget} cannot limit ${model} (${setting}), which has no price. Set PRICES_FILE to a JSON file ` +
    `with one, such as {${JSON.stringify(model)}: {"in": 0.25, "out": 2}}, in dollars per million tokens.`
  )
}

/** Adds the cost to each call's usage. A model without a price gets no cost rather than a guessed one. */
export function withPrices(model: Model, prices: Prices): Model {
  if (Object.keys(prices).length === 0) return model
  return {
    name: model.name,
    stream: (request) => model.stream({ ...request, onUsage: (usage) => request.onUsage?.(priced(usage, prices)) }),
  }
}

function priced(usage: Usage, prices: Prices): Usage {
  const rate = Object.hasOwn(prices, usage.model) ? prices[usage.model] : undefined
  if (!rate) return usage
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens)
  const dollars =
    (usage.inputTokens - cached) * rate.in + cached * (rate.cached ?? rate.in) + usage.outputTokens * rate.out
  return { ...usage, costUsd: dollars / 1_000_000 }
}
