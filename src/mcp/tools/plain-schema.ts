/**
 * Reduces a server's schema to what a prompt may contain: standard JSON Schema keywords only, bounded, with cleaned
 * texts. An invalid keyword value is rejected with its location, so that later code never sees an invalid schema.
 */
import { digitsOf, isRecord } from '../../base/parse-json.ts'
import { cleanText, hasHidden, type TextFault } from './clean-text.ts'

export type Schema = Record<string, unknown>

type PlainSchema = { ok: true; schema: Schema; faults: TextFault[] } | { ok: false; why: string }

const MAX_DEPTH = 30
/** Schemas and values in total. */
const MAX_PARTS = 5_000
const MAX_CHARS = 60_000
const TEXT_CHARS = 1_000
/** Longer examples and defaults are dropped. */
const EXAMPLE_CHARS = 500
const NAME_CHARS = 200

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

type KeywordReader = (value: unknown, walk: Walk) => unknown

interface Walk {
  faults: Set<TextFault>
  parts: { left: number }
  /** How many more levels are allowed. */
  deeper: number
  /** The location in the schema, for error messages. */
  at: string
}

class SchemaError extends Error {}

const number: KeywordReader = (value, walk) =>
  Number.isFinite(value) || digitsOf(value) !== undefined ? value : refuse(walk)
const count: KeywordReader = (value, walk) => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : refuse(walk))
const flag: KeywordReader = (value, walk) => (typeof value === 'boolean' ? value : refuse(walk))
const word: KeywordReader = (value, walk) =>
  typeof value === 'string' && value.length <= TEXT_CHARS && !hasHidden(value) ? value : refuse(walk)
const words: KeywordReader = (value, walk) =>
  Array.isArray(value) ? value.map((one) => name(one, takePart(walk))) : refuse(walk)
const type: KeywordReader = (value, walk) => {
  const types = Array.isArray(value) ? value : [value]
  return types.length > 0 && types.length < 9 && types.every((one) => TYPES.includes(one)) ? value : refuse(walk)
}
const text: KeywordReader = (value, walk) => {
  if (typeof value !== 'string') return undefined
  const { text: cleaned, faults } = cleanText(value, TEXT_CHARS)
  for (const fault of faults) walk.faults.add(fault)
  return cleaned
}
const data: KeywordReader = (value, walk) => {
  takePart(walk)
  if (digitsOf(value) !== undefined) return value
  if (typeof value === 'string') {
    if (hasHidden(value)) walk.faults.add('hidden')
    return value
  }
  if (Array.isArray(value)) return value.map((one) => data(one, below(walk, 'value')))
  return isRecord(value) ? entriesOf(value, walk, data) : value
}
const list: KeywordReader = (value, walk) => (Array.isArray(value) ? data(value, walk) : refuse(walk))
const example: KeywordReader = (value, walk) =>
  (JSON.stringify(value) ?? '').length > EXAMPLE_CHARS ? undefined : data(value, walk)
const schema: KeywordReader = (value, walk) => {
  if (typeof value === 'boolean') return value
  return isRecord(value) ? keywordsOf(value, takePart(walk)) : refuse(walk)
}
const schemas: KeywordReader = (value, walk) =>
  Array.isArray(value) ? value.map((one, i) => schema(one, below(walk, String(i)))) : refuse(walk)
const oneOrMore: KeywordReader = (value, walk) => (Array.isArray(value) ? schemas : schema)(value, walk)
const named: KeywordReader = (value, walk) => (isRecord(value) ? entriesOf(value, walk, schema) : refuse(walk))
const needs: KeywordReader = (value, walk) => (isRecord(value) ? entriesOf(value, walk, words) : refuse(walk))

/** The keywords that are kept, with the kind of value of each. */
const KEYWORDS: Record<string, KeywordReader> = {
  type,
  title: text,
  description: text,
  format: word,
  pattern: word,
  $ref: word,
  contentMediaType: word,
  enum: list,
  const: data,
  default: example,
  examples: example,
  required: words,
  dependentRequired: needs,
  properties: named,
  patternProperties: named,
  $defs: named,
  definitions: named,
  dependentSchemas: named,
  items: oneOrMore,
  additionalItems: schema,
  additionalProperties: schema,
  propertyNames: schema,
  not: schema,
  if: schema,
  then: schema,
  else: schema,
  contains: schema,
  unevaluatedProperties: schema,
  unevaluatedItems: schema,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  prefixItems: schemas,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: number,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  uniqueItems: flag,
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
}

/** Never throws on any input. */
export function plainSchema(given: unknown): PlainSchema {
  const walk: Walk = { faults: new Set(), parts: { left: MAX_PARTS }, deeper: MAX_DEPTH, at: '' }
  try {
    const plain = schema(given, walk)
    if (!isRecord(plain) || (plain.type ?? 'object') !== 'object')
      return { ok: false, why: 'its input is not an object' }
    const whole: Schema = { ...plain, type: 'object', properties: plain.properties ?? {} }
    if (JSON.stringify(whole).length > MAX_CHARS) return { ok: false, why: 'its schema is too long' }
    return { ok: true, schema: whole, faults: [...walk.faults] }
  } catch (error) {
    return { ok: false, why: error instanceof SchemaError ? error.message : 'its schema cannot be read' }
  }
}

function keywordsOf(value: Schema, walk: Walk): Schema {
  const kept = Object.entries(KEYWORDS).flatMap(([keyword, kind]): [string, unknown][] => {
    if (!Object.hasOwn(value, keyword)) return []
    const plain = kind(value[keyword], below(walk, keyword))
    return plain === undefined ? [] : [[keyword, plain]]
  })
  return Object.fromEntries(kept)
}

function entriesOf(value: Schema, walk: Walk, kind: KeywordReader): Schema {
  const entries = Object.entries(value).map(([key, one]) => [name(key, walk), kind(one, below(walk, key))])
  return Object.fromEntries(entries)
}

/** Checks the name of a field: a model writes it, and a person reads it when approving a call. */
function name(key: unknown, walk: Walk): string {
  const isOne = typeof key === 'string' && key.length <= NAME_CHARS && key !== '__proto__' && !hasHidden(key)
  return isOne ? key : refuse(walk)
}

function takePart(walk: Walk): Walk {
  if (walk.parts.left-- <= 0) throw new SchemaError('its schema has too many parts')
  return walk
}

function below(walk: Walk, step: string): Walk {
  if (walk.deeper <= 0) throw new SchemaError('its schema is nested too deeply')
  return { ...walk, deeper: walk.deeper - 1, at: `${walk.at}/${step.slice(0, 40)}` }
}

function refuse({ at }: Walk): never {
  throw new SchemaError(`its schema is wrong at ${cleanText(at || '/', TEXT_CHARS).text}`)
}
