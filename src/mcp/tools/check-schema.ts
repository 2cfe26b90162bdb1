/**
 * Validates the input of an MCP tool with ajv, in bounded time. Whatever would take too long is left to the server,
 * which validates everything itself. Neither creating nor using a check throws.
 */
import { Ajv } from '@modelcontextprotocol/client/validators/ajv'
import type { InputIssue, ParsedInput } from '../../agent/contracts/tool.ts'
import { schemaAt } from '../../agent/strict-schema.ts'
import { isRecord, roundedNumbers } from '../../base/parse-json.ts'
import { isLarge, valuesText, misfit, NUMERIC } from './exact-limits.ts'
import type { Schema } from './plain-schema.ts'

type Arguments = Record<string, unknown>
type Check = (value: unknown) => ParsedInput<Arguments>
type Validator = ReturnType<InstanceType<typeof Ajv>['compile']>
type AjvError = NonNullable<Validator['errors']>[number]

/** Limits on the parts of a schema, with references expanded, and on schema parts multiplied by input parts. */
const MAX_PARTS = 2_000
const MAX_WORK = 300_000
/** How often a reference is expanded inside itself, which limits the validated depth of recursive data. */
const MAX_RECURSION = 3
const DEEPEST_INPUT = 100
const MAX_ISSUES = 50

/** Compiles the schema on first use. */
export function checkOf(schema: Schema): Check {
  let compiled: CompiledSchema | undefined
  return (value) => {
    if (!isRecord(value))
      return { ok: false, issues: [{ path: [], message: 'should be a JSON object', expected: 'object' }] }
    const { parts, isTooDeep } = measure(value)
    if (isTooDeep) return { ok: false, issues: [{ path: [], message: 'is nested too deeply' }] }
    compiled ??= compile(schema)
    const { validate } = compiled
    compiled.input.value = value
    if (!validate || compiled.parts * parts > MAX_WORK || validate(roundedNumbers(value)))
      return { ok: true, value: withPlainIntegers(value, schema) }
    return { ok: false, issues: (validate.errors ?? []).slice(0, MAX_ISSUES).map(issueOf) }
  }
}

/** `1.0` for an integer is sent as 1: some servers read nothing else. */
function withPlainIntegers(value: Arguments, { properties }: Schema): Arguments {
  const fields = isRecord(properties) ? properties : {}
  const plain = Object.entries(value).map(([key, one]): [string, unknown] => {
    const field = fields[key]
    const whole = isRecord(field) && field.type === 'integer' ? roundedNumbers(one) : one
    return [key, Number.isSafeInteger(whole) ? whole : one]
  })
  return Object.fromEntries(plain)
}

/** `input`: the input under validation with its marked numbers, for the keyword `exact`. */
interface CompiledSchema {
  validate: Validator | undefined
  parts: number
  input: { value: unknown }
}

function compile(schema: Schema): CompiledSchema {
  const walk = { root: schema, left: { parts: MAX_PARTS }, open: new Map<string, number>() }
  const checked = checkable(schema, walk)
  const parts = MAX_PARTS - walk.left.parts
  const input: CompiledSchema['input'] = { value: undefined }
  try {
    const ajv = new Ajv({
      allErrors: true,
      strict: false,
      validateSchema: false,
      validateFormats: false,
      meta: false,
      ownProperties: true,
      addUsedSchema: false,
      logger: false,
    })
    ajv.addKeyword({ keyword: EXACT, errors: true, validate: exactCheck(input) })
    return { validate: ajv.compile(checked), parts, input }
  } catch {
    return { validate: undefined, parts, input }
  }
}

/** Our own keyword: limits that are compared digit by digit, `{maximum: …, enum: …}`. */
const EXACT = 'exactLimits'

/** The form of a keyword's function in ajv. */
interface KeywordCheck {
  (limits: Schema, data: unknown, parent?: unknown, context?: { instancePath: string }): boolean
  errors?: { keyword: string; message: string; params: object }[]
}

function exactCheck(input: CompiledSchema['input']): KeywordCheck {
  const check: KeywordCheck = (limits, _data, _parent, context) => {
    const value = schemaAt(`#${context?.instancePath ?? ''}`, Object(input.value))
    const messages = Object.entries(limits).flatMap(([keyword, limit]) => misfit(keyword, limit, value) ?? [])
    check.errors = messages.map((message) => ({ keyword: EXACT, message, params: {} }))
    return messages.length === 0
  }
  return check
}

interface SchemaCheck {
  root: Schema
  left: { parts: number }
  /** How often each reference is currently being expanded. */
  open: Map<string, number>
}

/** Keywords that are kept unchanged, because checking them takes linear time. */
const PLAIN = [
  ...['type', 'enum', 'const', 'required', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
]

/**
 * Returns the schema without references, and without keywords that take more than linear time (patterns, unique items)
 * or that could fail only because a part was dropped (`not`, `if`, the exclusivity of `oneOf`). Anything beyond the
 * limits allows everything.
 */
function checkable(value: unknown, walk: SchemaCheck): Schema | boolean {
  if (typeof value === 'boolean') return value
  if (!isRecord(value) || walk.left.parts <= 0) return true
  walk.left.parts -= 1 + (Array.isArray(value.enum) ? measure(value.enum).parts : 0)
  const target = typeof value.$ref === 'string' ? resolveRef(value.$ref, walk) : true
  const isExact = (key: string) => NUMERIC.includes(key) && (key === 'multipleOf' || isLarge(value[key]))
  const given = PLAIN.flatMap((key): [string, unknown][] => (Object.hasOwn(value, key) ? [[key, value[key]]] : []))
  const plain = given.filter(([key]) => !isExact(key))
  const exact = given.filter(([key]) => isExact(key))
  const below = (one: unknown) => checkable(one, walk)
  const all = [...listOf(value.allOf).map(below), ...(target === true ? [] : [target])]
  const any = [value.anyOf, value.oneOf].filter(Array.isArray).map((some) => ({ anyOf: some.map(below) }))
  const allOf = [...all, ...any]
  return {
    ...Object.fromEntries(plain),
    ...(exact.length > 0 ? { [EXACT]: Object.fromEntries(exact) } : {}),
    ...fieldsOf(value, below),
    ...itemsOf(value, below),
    ...(allOf[0] === undefined ? {} : { allOf }),
  }
}

function fieldsOf(
  { properties, patternProperties, additionalProperties, dependentRequired }: Schema,
  below: Below,
): Schema {
  return {
    ...(isRecord(properties) ? { properties: mapValues(properties, below) } : {}),
    ...(additionalProperties === undefined || patternProperties
      ? {}
      : { additionalProperties: below(additionalProperties) }),
    ...(dependentRequired === undefined ? {} : { dependencies: dependentRequired }),
  }
}

/** Converts to the syntax of draft 7, which is what this ajv supports. */
function itemsOf({ items, prefixItems, additionalItems }: Schema, below: Below): Schema {
  const first = prefixItems ?? (Array.isArray(items) ? items : undefined)
  const rest = prefixItems ? items : additionalItems
  if (!first) return items === undefined ? {} : { items: below(items) }
  return { items: listOf(first).map(below), ...(rest === undefined ? {} : { additionalItems: below(rest) }) }
}

type Below = (one: unknown) => Schema | boolean

/** Resolves `#/$defs/name`. A reference that is dangling, remote or too recursive allows everything. */
function resolveRef(ref: string, walk: SchemaCheck): Schema | boolean {
  const times = walk.open.get(ref) ?? 0
  if (!/^#(?:\/|$)/.test(ref) || times >= MAX_RECURSION) return true
  walk.open.set(ref, times + 1)
  const filled = checkable(schemaAt(ref, walk.root), walk)
  walk.open.set(ref, times)
  return filled
}

/** Counts values and stops at too much nesting. */
function measure(value: unknown): { parts: number; isTooDeep: boolean } {
  let parts = 0
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_INPUT) return { parts, isTooDeep: true }
    parts += level.length
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return { parts, isTooDeep: false }
}

function issueOf({ instancePath, keyword, params, message }: AjvError): InputIssue {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const details: Record<string, unknown> = params
  if (keyword === 'required') return { path: [...path, String(details.missingProperty)], message: 'is missing' }
  if (keyword === 'additionalProperties')
    return { path: [...path, String(details.additionalProperty)], message: 'there is no such field' }
  if (keyword === 'enum') return { path, message: `should be one of ${valuesText(listOf(details.allowedValues))}` }
  if (keyword === 'const') return { path, message: `should be ${valuesText([details.allowedValue])}` }
  if (keyword !== 'type') return { path, message: message ?? 'is wrong' }
  const types = [details.type].flat().map(String)
  return { path, message: `should be ${types.join(' or ')}`, expected: types.find((type) => type !== 'null') ?? 'null' }
}

function mapValues(record: Schema, below: Below): Schema {
  return Object.fromEntries(Object.entries(record).map(([key, one]) => [key, below(one)]))
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
