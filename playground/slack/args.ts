import { Refusal, type Json } from './types.ts'

/** The arguments that travel as JSON inside a form. */
const STRUCTURED = new Set([
  'attachments',
  'blocks',
  'chunks',
  'files',
  'loading_messages',
  'message',
  'metadata',
  'prompts',
  'view',
])

/** Reads a request's body and query as Slack does: a form or JSON; structured arguments of a form are JSON text. */
export function parseArgs(body: string, contentType: string, query: URLSearchParams): Json {
  const fromQuery = fromForm(query)
  if (contentType.includes('application/json')) return { ...fromQuery, ...fromJson(body) }
  return { ...fromQuery, ...fromForm(new URLSearchParams(body)) }
}

/** Reads a JSON body. The SDK never sends one, but other clients do. */
function fromJson(body: string): Json {
  let value: unknown
  try {
    value = JSON.parse(body === '' ? '{}' : body)
  } catch {
    throw new Refusal('invalid_json', { why: 'The body is not JSON.' })
  }
  if (!isObject(value)) throw new Refusal('json_not_object', { why: 'The body is JSON, but no object.' })
  return value
}

/** Reads a form. Its values are text: flags and structured arguments are parsed here, numbers where they are used. */
function fromForm(form: URLSearchParams): Json {
  const entries = [...form].map(([key, text]) => [key, STRUCTURED.has(key) ? structured(key, text) : scalar(text)])
  return Object.fromEntries(entries)
}

/** Each invalid structure has its own error in Slack. */
function structured(key: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const errors: Record<string, string> = { blocks: 'invalid_blocks_format', metadata: 'invalid_metadata_format' }
    throw new Refusal(errors[key] ?? 'invalid_arguments', { why: `${key} is not JSON.` })
  }
}

function scalar(text: string): unknown {
  if (text === 'true') return true
  return text === 'false' ? false : text
}

/** Returns whether a value is a plain object of JSON. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a required text argument. @throws Refusal `invalid_arguments` */
export function required(args: Json, name: string): string {
  const value = args[name]
  if (typeof value === 'string' && value !== '') return value
  throw invalid(`[ERROR] missing required field: ${name}`)
}

/** Returns a text argument; undefined if it is empty. @throws Refusal if it is not a text */
export function optional(args: Json, name: string): string | undefined {
  const value = args[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw invalid(`[ERROR] must be a string: ${name}`)
}

/** Returns a whole number within bounds. Forms carry it as text. */
export function whole(args: Json, name: string, bounds: { normal: number; max: number }): number {
  const value = args[name] ?? bounds.normal
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1)
    throw new Refusal('invalid_limit', { why: `${name} is ${String(value)}.` })
  return Math.min(number, bounds.max)
}

/** Returns whether an argument is on: `true`, `1`. */
export function flag(args: Json, name: string): boolean {
  return args[name] === true || args[name] === '1' || args[name] === 1
}

/** Returns the refusal `invalid_arguments`, with the reason where Slack's SDK shows it. */
export function invalid(why: string): Refusal {
  return new Refusal('invalid_arguments', { why, more: { response_metadata: { messages: [why] } } })
}
