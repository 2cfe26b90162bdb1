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
  const { $ref: ref } = given
  if (typeof ref === 'string') return ref.startsWith('#') ? strict(schemaAt(ref, walk.root), deeper) : undefined
  const { type, description, properties } = given
  const said = typeof description === 'string' && description !== '' ? { description } : {}
  const choices = given['anyOf'] ?? given['oneOf'] ?? onlyOne(given['allOf'])
  if (Array.isArray(choices) && !isRecord(properties)) {
    const branches = choices.map((one) => strict(one, deeper))
    return branches.length > 0 && branches.every(Boolean) ? { ...said, anyOf: branches } : undefined
  }
  const values = 'const' in given ? [given['const']] : given['enum']
  if (Array.isArray(values)) return oneOfValues(values, said)
  const types = [type ?? (isRecord(properties) ? 'object' : undefined)].flat()
  if (types.length > 1) return strict({ ...said, anyOf: types.map((one) => ({ ...given, type: one })) }, deeper)
  if (types[0] === 'object') return strictObject(given, said, deeper)
  if (types[0] === 'array') {
    const items = strict(given['items'], deeper)
    return items && { ...said, type: 'array', items }
  }
  return typeof types[0] === 'string' && SCALARS.has(types[0]) ? { ...said, type: types[0] } : undefined
}

/** The subset limits how many values all lists together may have. Of a longer list only the types are said. */
const MAX_VALUES = 100

function oneOfValues(values: unknown[], said: StrictSchema): StrictSchema | undefined {
  const types = [...new Set(values.map(typeOf))]
  if (values.length === 0 || types.includes(undefined)) return undefined
  const lists = types.map((type) =>
    type === 'null' || values.length > MAX_VALUES
      ? { type }
      : { type, enum: values.filter((one) => typeOf(one) === type) },
  )
  return lists.length === 1 ? { ...said, ...lists[0] } : { ...said, anyOf: lists }
}

function typeOf(value: unknown): string | undefined {
  if (value === null) return 'null'
  return ['string', 'number', 'boolean'].find((type) => typeof value === type)
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

/**
 * Follows a reference within a JSON schema, such as `#/$defs/filter`. True, the schema that allows everything, if it
 * leads nowhere.
 */
export function schemaAt(ref: string, root: object): unknown {
  let at: unknown = root
  for (const step of ref.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return true
    at = Reflect.get(at, key)
  }
  return at
}

/**
 * Removes null fields that the schema names and does not require: a model leaves out optional fields by them. What the
 * schema does not name is data.
 */
export function withoutNulls(value: unknown, schema: unknown, root = schema): unknown {
  const forms = formsOf(schema, root)
  if (Array.isArray(value)) {
    const items = forms.find((form) => isRecord(form['items']))?.['items']
    return value.map((item) => withoutNulls(item, items, root))
  }
  if (!isRecord(value)) return value
  const [own] = forms.map(fieldsIn).toSorted((one, other) => known(value, other) - known(value, one))
  if (!own) return value
  const kept = Object.entries(value).filter(
    ([name, field]) => field !== null || own.required.includes(name) || !Object.hasOwn(own.properties, name),
  )
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutNulls(field, own.properties[name], root)]))
}

interface KnownFields {
  properties: StrictSchema
  required: unknown[]
}

function fieldsIn({ properties, required }: StrictSchema): KnownFields {
  return { properties: isRecord(properties) ? properties : {}, required: Array.isArray(required) ? required : [] }
}

/** How many fields of a value a schema knows. */
function known(value: object, { properties }: KnownFields): number {
  return Object.keys(value).filter((name) => Object.hasOwn(properties, name)).length
}

/** The schemas that a schema stands for, with its references followed and its choices apart. */
function formsOf(schema: unknown, root: unknown, depth = 0): StrictSchema[] {
  if (!isRecord(schema) || depth > MAX_DEPTH) return []
  const { $ref: ref } = schema
  if (typeof ref === 'string') return isRecord(root) ? formsOf(schemaAt(ref, root), root, depth + 1) : []
  const choices = [schema['anyOf'], schema['oneOf'], schema['allOf']].filter(Array.isArray).flat()
  return [schema, ...choices.flatMap((one) => formsOf(one, root, depth + 1))]
}
