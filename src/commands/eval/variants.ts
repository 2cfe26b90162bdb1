import { DIALECTS, type DialectName } from '../../config.ts'
import { ConfigError } from '../../base/errors.ts'

/** One side of a comparison: a dialect on a model. */
export interface Variant {
  dialect: DialectName
  model: string
}

/**
 * Parses `text,json` or `text:gpt-5-mini,json:llama3.1:8b`. The text after the first colon is the model; the default is
 * `model`.
 * @throws ConfigError for an unknown dialect or a duplicate side.
 */
export function parseVariants(list: string, model: string): Variant[] {
  const variants = list.split(',').map((entry) => parseVariant(entry.trim(), model))
  const twice = variants.find((variant, i) => variants.findIndex((other) => nameOf(other) === nameOf(variant)) < i)
  if (twice) throw new ConfigError(`--compare names ${nameOf(twice)} twice.`)
  return variants
}

function parseVariant(entry: string, model: string): Variant {
  const colon = entry.indexOf(':')
  const [dialect, named] = colon < 0 ? [entry, ''] : [entry.slice(0, colon), entry.slice(colon + 1)]
  return { dialect: dialectOf(dialect, '--compare'), model: named || model }
}

/** @throws ConfigError naming the option */
export function dialectOf(name: string, option: string): DialectName {
  const dialect = DIALECTS.find((one) => one === name)
  if (!dialect) throw new ConfigError(`${option}: there is no dialect "${name}". Choose from ${DIALECTS.join(', ')}.`)
  return dialect
}

/** Returns the name for tables and charts: `text · gpt-5-mini`. */
export function nameOf({ dialect, model }: Variant): string {
  return `${dialect} · ${model}`
}
