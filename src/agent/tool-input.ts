import { z } from 'zod'
import { digitsOf, exactNumber, isRecord, parseExact, safeNumbers, stringifyExact } from '../base/parse-json.ts'
import { readLoose } from './parser/loose-json.ts'
import type { ToolSpec } from './contracts/model.ts'
import type { InputIssue, ParsedInput, Tool, ToolInput } from './contracts/tool.ts'

type CoercedInput = Extract<ParsedInput, { ok: true }> | { ok: false; problem: string }

/**
 * Fits a model's input to a tool's schema. For a tool with one field, `{"query": "x"}`, `"x"` and `x` are the same. A
 * tool with several fields takes an object, or JSON text of one. `problem` is a sentence that names the field.
 */
export function coerceInput(tool: Tool, input: unknown): CoercedInput {
  const fields = fieldsOf(tool)
  if (fields.length > 0 && isBrokenObject(input)) return { ok: false, problem: brokenProblem(tool, fields) }
  const readings = candidates(input, tool, fields)
  for (const reading of readings) {
    const result = tool.parse(reading)
    const converted = result.ok ? result : tool.parse(inSchemaTypes(reading, result.issues))
    if (converted.ok) return converted
  }
  const likeliest = tool.parse(readings.at(0))
  return { ok: false, problem: likeliest.ok ? '' : problemOf(tool, likeliest.issues, fields) }
}

export function namesOfTools(tools: Tool[]): string[] {
  return tools.map((tool) => tool.name)
}

/** Returns a check whether the named tool accepts an input. Unknown tools accept any. */
export function acceptsInput(tools: Tool[]): (name: string, input: unknown) => boolean {
  return (name, input) => {
    const tool = tools.find((each) => each.name === name)
    return !tool || coerceInput(tool, input).ok
  }
}

/**
 * Converts fields of the wrong type if nothing is lost: `3` and `"3"`, `true` and `"true"`, a list and its JSON text. A
 * `null` field is removed. Calls that leak as XML do not distinguish these types.
 */
function inSchemaTypes(input: unknown, issues: InputIssue[]): unknown {
  if (!isRecord(input)) return input
  const converted = new Map(Object.entries(input))
  for (const { path, expected } of issues) {
    const field = String(path[0])
    if (expected === undefined || path.length !== 1 || !Object.hasOwn(input, field)) continue
    const value = inType(input[field], expected)
    if (value === null) converted.delete(field)
    else if (value !== input[field]) converted.set(field, value)
  }
  return Object.fromEntries(converted)
}

function inType(value: unknown, type: string): unknown {
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
  const digits = digitsOf(value)
  if (digits !== undefined) return type === 'string' ? digits : value
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (type === 'array' || type === 'object') return listOrObject(text) ?? value
  if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return (type === 'number' || type === 'int' || type === 'integer') && /^-?\d{1,99}(?:\.\d{1,99})?$/.test(text)
    ? exactNumber(text)
    : value
}

/** Possible readings of an input, likeliest first. */
function candidates(input: unknown, tool: Tool, fields: string[]): unknown[] {
  const parsed = typeof input === 'string' ? (readJson(input) ?? namedFields(input, fields)) : input
  const out: unknown[] = isRecord(parsed) ? [parsed] : []
  if (fields.length === 0 && isEmpty(input)) return [input, {}]
  const only = fields.length === 1 ? fields[0] : onlyNeeded(tool, fields)
  if (only === undefined) return out.length > 0 ? out : [input]
  if (isRecord(parsed) && fields.length > 1) return out
  if (isRecord(parsed) && !(only in parsed)) {
    const values = Object.values(parsed)
    if (values.length === 1) out.push({ [only]: scalarText(values[0]) }, { [only]: values[0] })
    out.push({ [only]: parsed })
  }
  if (!isRecord(parsed)) out.push(...textCandidates(input, parsed).map((text) => ({ [only]: text })))
  else if (typeof input === 'string') out.push({ [only]: input })
  return out
}

/** The only required field of a tool with several. An input that is not an object goes there. */
function onlyNeeded({ parameters }: Tool, fields: string[]): string | undefined {
  const needed = fields.length > 1 ? neededOf(parameters) : []
  return needed.length === 1 ? needed[0] : undefined
}

function neededOf({ required }: Record<string, unknown>): string[] {
  return Array.isArray(required) ? required.map(String) : []
}

/** Reads `city="Rome", days=2` if it is the whole input of a tool with several fields. */
function namedFields(text: string, fields: string[]): unknown {
  const first = /^\s{0,20}(\w{1,60})\s{0,3}=(?!=)/.exec(text)?.[1]
  if (first === undefined || fields.length < 2 || !fields.includes(first)) return undefined
  const braced = `{${text.trim()}}`
  const loose = readLoose(braced)
  return loose.ok && loose.end === braced.length ? loose.value : undefined
}

function textCandidates(input: unknown, parsed: unknown): unknown[] {
  const isNumber = typeof parsed === 'number' || digitsOf(parsed) !== undefined
  const text =
    typeof parsed === 'string' && !isNumber ? parsed : typeof input === 'string' ? unquoted(input) : scalarText(input)
  const list = typeof input === 'string' ? listOrObject(input.trim()) : undefined
  return [text, ...(isNumber ? [parsed] : []), ...(Array.isArray(list) ? [list] : [])]
}

function scalarText(value: unknown): unknown {
  if (value === undefined || value === null) return ''
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : (digitsOf(value) ?? value)
}

/** Drops one pair of quotes or backticks that encloses the whole input. */
function unquoted(text: string): string {
  const trimmed = text.trim()
  const [first, last] = [trimmed[0] ?? '', trimmed.at(-1) ?? '']
  const paired = trimmed.length > 1 && (first === last ? '"\'`'.includes(first) : first === '“' && last === '”')
  return paired && !trimmed.slice(1, -1).includes(first) ? trimmed.slice(1, -1).trim() : trimmed
}

/** Returns whether an input is empty, or a word that models write for an empty one. */
function isEmpty(input: unknown): boolean {
  return (
    input === undefined ||
    input === null ||
    (typeof input === 'string' && /^\W{0,4}(?:none|null)?\W{0,4}$/i.test(input))
  )
}

/** Returns whether an object begins but cannot be read, mostly because it was cut off. Its fields are unknown. */
function isBrokenObject(input: unknown): boolean {
  return typeof input === 'string' && BEGINS_OBJECT.test(input) && !isRecord(readJson(input))
}

/** The quotes of the first key may be HTML's. */
const BEGINS_OBJECT = /^\s{0,20}\{\s{0,20}(?:["']|&(?:quot|#34);)[^"'\n]{1,60}?(?:["']|&(?:quot|#34);)\s{0,20}:/i

function brokenProblem(tool: Tool, fields: string[]): string {
  const what = 'it looks like a JSON object but cannot be parsed; perhaps it was cut off'
  return `The input of ${tool.name} is wrong (${what}). It takes ${describeFields(tool, fields)}.`
}

function problemOf(tool: Tool, issues: InputIssue[], fields: string[]): string {
  const details = issues.slice(0, 3).map((issue) => `${issue.path.join('.') || 'the input'}: ${issue.message}`)
  return `The input of ${tool.name} is wrong (${details.join('; ')}). It takes ${describeFields(tool, fields)}.`
}

function describeFields(tool: Tool, fields: string[]): string {
  if (fields.length === 0) return 'no fields'
  if (takesText(tool)) return `${fields[0]} as text`
  const schema = fieldsText(tool)
  return `a JSON object like ${schema.length > MAX_SCHEMA ? `${schema.slice(0, MAX_SCHEMA)}…` : schema}`
}

/** The longest schema in an error message, in characters. */
const MAX_SCHEMA = 2_000

/** Returns whether the tool takes a single field that can be text. */
export function takesText(tool: Tool): boolean {
  const [only, ...others] = Object.values(isRecord(tool.parameters.properties) ? tool.parameters.properties : {})
  if (others.length > 0 || !isRecord(only)) return false
  return ![only.type].flat().some((type) => type === 'array' || type === 'object') && only.$ref === undefined
}

/** The JSON Schema of the fields, which of them are required, and the definitions they refer to. */
export function fieldsText(tool: Tool): string {
  const { properties, $defs, definitions } = tool.parameters
  const fields = fieldsOf(tool)
  const needed = neededOf(tool.parameters).filter((name) => fields.includes(name))
  const text = stringifyExact(properties)
  const left = needed.length === 0 ? ['All of them may be left out'] : [`Only ${needed.join(', ')} must be there`]
  const refers = text.includes('"$ref"')
    ? [`"$ref" stands for what is in ${stringifyExact({ $defs, definitions })}`]
    : []
  return [text, ...refers, ...(needed.length < fields.length ? left : [])].join('. ')
}

/** A tool input from a zod schema. */
export function zodInput<Input>(schema: z.ZodType<Input>): ToolInput<Input> {
  const parameters: Record<string, unknown> = { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) }
  delete parameters.$schema
  return {
    parameters,
    parse(value) {
      const { success, data, error } = schema.safeParse(safeNumbers(value))
      return success ? { ok: true, value: data } : { ok: false, issues: error.issues.map(issueOf) }
    },
  }
}

function issueOf({ path, message, ...issue }: z.core.$ZodIssue): InputIssue {
  const at = path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  return issue.code === 'invalid_type' ? { path: at, message, expected: issue.expected } : { path: at, message }
}

/** The names of the tool's fields. Empty if the schema is not an object. */
export function fieldsOf({ parameters }: Tool): string[] {
  return isRecord(parameters.properties) ? Object.keys(parameters.properties) : []
}

/** The tool's definition for native tool calls. */
export function specOf({ name, description, parameters }: Tool): ToolSpec {
  return { name, description, parameters }
}

/** How objects, strings and numbers begin. Most inputs are plain words, and a failed parse is expensive. */
const LIKE_JSON = /^\s*(?:[{"]|-?[\d.]+(?:e[+-]?\d+)?\s*$)/i

function readJson(text: string): unknown {
  if (!LIKE_JSON.test(text)) return undefined
  const value = parseExact(text)
  // JSON in a text of JSON, as gateways escape arguments twice.
  if (typeof value === 'string' && BEGINS_OBJECT.test(value)) return readJson(value)
  return value === undefined && BEGINS_OBJECT.test(text) ? looseObject(text) : value
}

/** The list or object, if the text is its JSON and nothing else. */
function listOrObject(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined
  const loose = readLoose(text)
  return loose.ok && loose.end === text.length && typeof loose.value === 'object' ? loose.value : undefined
}

/** Reads an object with single quotes, trailing commas or Python's words. */
function looseObject(text: string): unknown {
  const loose = readLoose(text, text.indexOf('{'))
  return loose.ok && text.slice(loose.end).trim() === '' ? loose.value : undefined
}

/** Returns an input for people: the value alone if the only field is a text, otherwise as `inputText`. */
export function inputForPeople(input: unknown): string {
  const text = inputText(input)
  const read = typeof input === 'string' ? readJson(text) : input
  const values = isRecord(read) ? Object.values(read) : []
  const [only] = values
  const isText = typeof only === 'string' && digitsOf(only) === undefined
  return values.length === 1 && isText && only.trim() !== '' ? only : text
}

/** An input as text, for any dialect. */
export function inputText(input: unknown): string {
  return typeof input === 'string' ? input : stringifyExact(input)
}
