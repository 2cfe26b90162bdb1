/**
 * Fits a tool's JSON schema into the strict subset of structured outputs: objects list all their properties, nothing
 * else is allowed, and optional properties are nullable. Keywords outside the subset are left out, because the tool's
 * own schema still checks the input. https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
import { isRecord } from '../base/parse-json.ts'

export type StrictSchema = Record<string, unknown>

/** The subset allows ten levels. The turn around an input takes three. */
const MAX_DEPTH = 7
/** How many schemas an input may consist of, with each reference resolved. */
const MAX_SCHEMAS = 300
const SCALARS = new Set(['string', 'number', 'integer', 'boolean', 'null'])

interface StrictWalk {
  root: StrictSchema
  depth: number
  budget: { left: number }
}

/** Returns the strict form of a schema, or undefined if the subset cannot express it. */
export function strictSchema(schema: StrictSchema): StrictSchema | undefined {
  return strict(schema, { root: schema, depth: 0, budget: { left: MAX_SCHEMAS } })
}

function strict(given: unknown, walk: StrictWalk): StrictSchema | undefined {
  if (!isRecord(given) || walk.depth > MAX_DEPTH || walk.budget.left-- <= 0) return undefined
  const deeper = { ...walk, depth: walk.depth + 1 }
  if (typeof given['$ref'] === 'string') return strict(resolved(given['$ref'], walk.root), deeper)
  const { type, description, properties } = given
  const said = typeof description === 'string' && description !== '' ? { description } : {}
  const choices = given['anyOf'] ?? given['oneOf'] ?? onlyOne(given['allOf'])
  if (Array.isArray(choices) && !isRecord(properties)) {
    const branches = choices.map((one) => strict(one, deeper))
    return branches.length > 0 && branches.every(Boolean) ? { ...said, anyOf: branches } : undefined
  }
  const values = 'const' in given ? [given['const']] : given['enum']
  if (Array.isArray(values)) return values.every(isScalar) && values.length > 0 ? { ...said, enum: values } : undefined
  const types = [type ?? (isRecord(properties) ? 'object' : undefined)].flat()
  if (types.length > 1) return strict({ ...said, anyOf: types.map((one) => ({ ...given, type: one })) }, deeper)
  if (types[0] === 'object') return strictObject(given, said, deeper)
  if (types[0] === 'array') {
    const items = strict(given['items'], deeper)
    return items && { ...said, type: 'array', items }
  }
  return typeof types[0] === 'string' && SCALARS.has(types[0]) ? { ...said, type: types[0] } : undefined
}

/** An object whose properties are not all known cannot be expressed. */
function strictObject(
  { properties, additionalProperties, patternProperties, ...rest }: StrictSchema,
  said: StrictSchema,
  walk: StrictWalk,
) {
  const entries = Object.entries(isRecord(properties) ? properties : {})
  const isOpen =
    isRecord(additionalProperties) ||
    isRecord(patternProperties) ||
    (additionalProperties === true && entries.length === 0)
  const isUnknown = entries.length === 0 && additionalProperties !== false && walk.depth > 1
  if (isOpen || isUnknown || COMBINING.some((keyword) => keyword in rest)) return undefined
  const required = new Set(Array.isArray(rest['required']) ? rest['required'] : [])
  const fields = entries.map(([name, schema]) => {
    const field = strict(schema, walk)
    return [name, field && !required.has(name) ? nullable(field) : field] as const
  })
  if (fields.some(([, field]) => field === undefined)) return undefined
  return {
    ...said,
    type: 'object',
    properties: Object.fromEntries(fields),
    required: fields.map(([name]) => name),
    additionalProperties: false,
  }
}

/** Beside properties, these say more than the subset can. */
const COMBINING = ['anyOf', 'oneOf', 'allOf']

function nullable(schema: StrictSchema): StrictSchema {
  const branches = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [schema]
  const { description } = schema
  const said = description === undefined ? {} : { description }
  return branches.some((one) => isRecord(one) && one['type'] === 'null')
    ? schema
    : { ...said, anyOf: [...branches, { type: 'null' }] }
}

function onlyOne(all: unknown): unknown {
  return Array.isArray(all) && all.length === 1 ? all : undefined
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Follows a reference within the schema, such as `#/$defs/filter`. */
function resolved(ref: string, root: StrictSchema): unknown {
  if (!ref.startsWith('#')) return undefined
  const path = ref.slice(1).split('/').filter(Boolean)
  return path.reduce<unknown>((value, part) => {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }, root)
}

/** Removes the nulls by which a model leaves out optional fields. Nulls that the schema itself allows stay. */
export function withoutNulls(value: unknown, schema: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item) => withoutNulls(item, isRecord(schema) ? schema['items'] : undefined))
  if (!isRecord(value)) return value
  const own = isRecord(schema) ? schema : {}
  const properties = isRecord(own['properties']) ? own['properties'] : {}
  const required = new Set(Array.isArray(own['required']) ? own['required'] : [])
  const kept = Object.entries(value).filter(([name, field]) => field !== null || required.has(name))
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutNulls(field, properties[name])]))
}
