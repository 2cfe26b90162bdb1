import { z } from 'zod'
import { readLoose } from './parser/loose-json.ts'
import type { Tool, ToolSpec } from './types.ts'

export type Coerced = { ok: true; value: unknown } | { ok: false; problem: string }

/**
 * Makes what a model wrote fit a tool's schema. For a tool with one field, `{"query": "x"}`, `"x"` and `x` are the same;
 * a tool with several takes an object, or JSON text that holds one. A `problem` is a sentence that names the field.
 */
export function coerceInput(tool: Tool, input: unknown): Coerced {
  const fields = fieldsOf(tool)
  if (fields.length > 0 && isBrokenObject(input)) return { ok: false, problem: brokenProblem(tool, fields) }
  for (const candidate of candidates(input, fields)) {
    const result = tool.schema.safeParse(candidate)
    if (result.success) return { ok: true, value: result.data }
  }
  const last = tool.schema.safeParse(candidates(input, fields).at(0))
  return { ok: false, problem: last.success ? '' : problemOf(tool, last.error.issues, fields) }
}

/** The ways in which an input can be understood, the likeliest first. */
function candidates(input: unknown, fields: string[]): unknown[] {
  const parsed = typeof input === 'string' ? parseJson(input) : input
  const out: unknown[] = isRecord(parsed) ? [parsed] : []
  const [only] = fields
  if (only === undefined && isEmpty(input)) return [input, {}]
  if (fields.length !== 1 || only === undefined) return out.length > 0 ? out : [input]
  if (isRecord(parsed) && !(only in parsed)) {
    const values = Object.values(parsed)
    if (values.length === 1) out.push({ [only]: scalarText(values[0]) }, { [only]: values[0] })
  }
  if (!isRecord(parsed)) out.push(...textCandidates(input, parsed).map((text) => ({ [only]: text })))
  else if (typeof input === 'string') out.push({ [only]: input })
  return out
}

function textCandidates(input: unknown, parsed: unknown): unknown[] {
  const text = typeof parsed === 'string' ? parsed : typeof input === 'string' ? unquoted(input) : scalarText(input)
  return typeof parsed === 'number' ? [text, parsed] : [text]
}

function scalarText(value: unknown): unknown {
  if (value === undefined || value === null) return ''
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
}

/** Drops one pair of quotes or backticks that encloses the whole input. */
function unquoted(text: string): string {
  const trimmed = text.trim()
  const [first, last] = [trimmed[0] ?? '', trimmed.at(-1) ?? '']
  const paired = trimmed.length > 1 && (first === last ? '"\'`'.includes(first) : first === '“' && last === '”')
  return paired && !trimmed.slice(1, -1).includes(first) ? trimmed.slice(1, -1).trim() : trimmed
}

/** What models write as the input of a tool that takes none. */
function isEmpty(input: unknown): boolean {
  return (
    input === undefined ||
    input === null ||
    (typeof input === 'string' && /^\W{0,4}(?:none|null)?\W{0,4}$/i.test(input))
  )
}

/** An object that begins and cannot be read, mostly because it was cut off: its fields cannot be known. */
function isBrokenObject(input: unknown): boolean {
  return typeof input === 'string' && BEGINS_OBJECT.test(input) && !isRecord(parseJson(input))
}

const BEGINS_OBJECT = /^\s{0,20}\{\s{0,20}["'][^"'\n]{1,60}["']\s{0,20}:/

function brokenProblem(tool: Tool, fields: string[]): string {
  const what = 'it begins as a JSON object and cannot be read as one; perhaps it was cut off'
  return `The input of ${tool.name} is wrong (${what}). It takes ${describeFields(tool, fields)}.`
}

function problemOf(tool: Tool, issues: z.core.$ZodIssue[], fields: string[]): string {
  const details = issues.slice(0, 3).map((issue) => `${issue.path.join('.') || 'the input'}: ${issue.message}`)
  return `The input of ${tool.name} is wrong (${details.join('; ')}). It takes ${describeFields(tool, fields)}.`
}

function describeFields(tool: Tool, fields: string[]): string {
  if (fields.length === 0) return 'no fields'
  return fields.length === 1
    ? `${fields[0]} as text`
    : `a JSON object like ${JSON.stringify(specOf(tool).parameters.properties)}`
}

/** The names of the tool's fields; empty for a schema that is no object. */
export function fieldsOf(tool: Tool): string[] {
  return tool.schema instanceof z.ZodObject ? Object.keys(tool.schema.shape) : []
}

const specs = new WeakMap<Tool, ToolSpec>()

/** The tool as a JSON schema, for models that take tools natively and for prompts that list several fields. */
export function specOf(tool: Tool): ToolSpec {
  const known = specs.get(tool)
  if (known) return known
  const schema: Record<string, unknown> = { ...z.toJSONSchema(tool.schema, { io: 'input', unrepresentable: 'any' }) }
  delete schema.$schema
  const spec = { name: tool.name, description: tool.description, parameters: schema }
  specs.set(tool, spec)
  return spec
}

/** Objects, strings and numbers begin like this. Most inputs are plain words, and a failed parse costs much. */
const LIKE_JSON = /^\s*(?:[{"]|-?[\d.]+(?:e[+-]?\d+)?\s*$)/i

function parseJson(text: string): unknown {
  if (!LIKE_JSON.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return BEGINS_OBJECT.test(text) ? looseObject(text) : undefined
  }
}

/** As models write objects: single quotes, trailing commas, Python's words. */
function looseObject(text: string): unknown {
  const loose = readLoose(text, text.indexOf('{'))
  return loose.ok && text.slice(loose.end).trim() === '' ? loose.value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An input as text, whichever dialect it was written in. */
export function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? '')
}
