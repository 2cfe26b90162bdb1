import { basename, extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError, messageOf } from '../../base/errors.ts'
import { DIALECT_NAMES, type DialectName } from '../../config.ts'

/** The parsed command line of an evaluation. */
export type EvalOptions =
  | { kind: 'read'; file: string; out: string; dialect?: DialectName }
  | { kind: 'replay'; file: string; out: string; dialect: DialectName; limit?: number }
  | { kind: 'work'; out: string; variants: Variant[]; limit?: number }
  | { kind: 'ask'; file: string; out: string; variants: Variant[]; append: string; concurrency: number; limit?: number }

export const HELP = `Asks the agent a set of questions and scores its answers. Needs a model (OPENAI_API_KEY or OPENAI_BASE_URL), no Slack settings.

  npm run eval -- SET.jsonl [options]                 a question set, one {"id", "question", "gold"} per line;
                                                      with "rejected" instead of "gold", any other answer is right
  npm run eval -- --set work [options]                40 questions of a working day with their own small tools,
                                                      and 30 follow-ups; with --compare structured,text,native
  npm run eval -- --replay FILE.jsonl [options]       recorded episodes: model and observations as recorded
  npm run eval -- --read FILE.jsonl --out OUT.jsonl   only the parser, over completions

  --out DIR             the folder for results.md, results.json and chart.svg (default: eval-results/NAME-TIME);
                        with the DIR of an interrupted evaluation, only the rest is asked
  --dialect NAME        instead of AGENT_DIALECT (for a replay: bracket)
  --model NAME          instead of OPENAI_MODEL; "demo" is the built-in demo, with the dialect text only
  --compare LIST        compares several: text,json,native or text:gpt-5-mini,json:llama3.1:8b
  --append TEXT         added to each question, e.g. "Answer in as few words as possible."
  --concurrency N       questions at the same time (default 4)
  --limit N             only the first N questions
  --help                this text

EM and F1 are computed as by HotpotQA. The last line of stdout is "N of M right", by EM.`

interface Defaults {
  /** From the configuration. */
  dialect: DialectName | 'auto'
  model: string
  now: Date
}

/** @throws ConfigError with a sentence about an unknown or invalid option */
export function parseOptions(args: string[], defaults: Defaults): EvalOptions {
  const { values, positionals } = parse(args)
  if (values.set !== undefined) return workOptions(values, positionals, defaults)
  const [file, ...more] = [values.read, values.replay, ...positionals].filter((one) => one !== undefined)
  if (file === undefined) throw new ConfigError('Name a question set, or --replay or --read a file. See --help.')
  if (more.length > 0) throw new ConfigError(`Name one file only, not ${file} and ${more.join(', ')}.`)
  if (values.read !== undefined) return readOptions(file, values)
  const limit = values.limit === undefined ? undefined : count(values.limit, '--limit')
  const out = values.out ?? join('eval-results', `${basename(file, extname(file))}-${stamp(defaults.now)}`)
  if (values.replay !== undefined) {
    refuse(values, ['model', 'compare', 'append', 'concurrency'], '--replay')
    return { kind: 'replay', file, out, dialect: dialectOf(values.dialect ?? 'bracket', '--dialect'), limit }
  }
  const concurrency = count(values.concurrency ?? '4', '--concurrency')
  const variants = variantsOf(values, defaults)
  return { kind: 'ask', file, out, variants, append: values.append ?? '', concurrency, limit }
}

type OptionValues = ReturnType<typeof parse>['values']

function parse(args: string[]) {
  const text = { type: 'string' } as const
  const named = { out: text, dialect: text, model: text, compare: text, append: text, concurrency: text, limit: text }
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...named, replay: text, read: text, set: text } })
  } catch (error) {
    throw new ConfigError(`${messageOf(error).split('. ')[0]}. --help lists the options.`)
  }
}

/** The set that is shipped. */
function workOptions(values: OptionValues, positionals: string[], defaults: Defaults): EvalOptions {
  if (values.set !== 'work') throw new ConfigError(`--set: there is no set "${values.set}". The set is work.`)
  if (positionals.length > 0)
    throw new ConfigError(`--set work has its own questions, so ${positionals[0]} is too much.`)
  refuse(values, ['append', 'concurrency', 'replay', 'read'], '--set')
  const limit = values.limit === undefined ? undefined : count(values.limit, '--limit')
  const out = values.out ?? join('eval-results', `work-${stamp(defaults.now)}`)
  return { kind: 'work', out, variants: variantsOf(values, defaults), limit }
}

function readOptions(file: string, values: OptionValues): EvalOptions {
  refuse(values, ['model', 'compare', 'append', 'concurrency', 'limit'], '--read')
  if (values.out === undefined) throw new ConfigError('--read needs --out OUT.jsonl, the file to write to.')
  const dialect = values.dialect ? dialectOf(values.dialect, '--dialect') : undefined
  return { kind: 'read', file, out: values.out, dialect }
}

function refuse(values: OptionValues, names: (keyof OptionValues)[], beside: string): void {
  const given = names.find((name) => values[name] !== undefined)
  if (given) throw new ConfigError(`--${given} cannot be used with ${beside}.`)
}

function variantsOf(values: OptionValues, { dialect, model }: Defaults): Variant[] {
  if (values.compare !== undefined) {
    refuse(values, ['dialect'], '--compare')
    return parseVariants(values.compare, values.model ?? model)
  }
  const own = values.dialect === undefined ? namedDialect(dialect) : dialectOf(values.dialect, '--dialect')
  return [{ dialect: own, model: values.model ?? model }]
}

/** @throws ConfigError for `auto`: two reports can only be compared if each names its dialect */
function namedDialect(dialect: Defaults['dialect']): DialectName {
  if (dialect !== 'auto') return dialect
  throw new ConfigError('AGENT_DIALECT is auto. Name the dialect to measure with --dialect or --compare.')
}

function count(text: string, option: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1) throw new ConfigError(`${option} should be a whole number, 1 or more.`)
  return number
}

/** Returns `20261121-103500`, for a folder name. */
function stamp(now: Date): string {
  return now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
}

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
function parseVariants(list: string, model: string): Variant[] {
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
function dialectOf(name: string, option: string): DialectName {
  const dialect = DIALECT_NAMES.find((one) => one === name)
  if (!dialect)
    throw new ConfigError(`${option}: there is no dialect "${name}". Choose from ${DIALECT_NAMES.join(', ')}.`)
  return dialect
}

/** Returns the name for tables and charts: `text · gpt-5-mini`. */
export function nameOf({ dialect, model }: Variant): string {
  return `${dialect} · ${model}`
}
