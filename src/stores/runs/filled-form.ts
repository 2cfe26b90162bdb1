import { Worker } from 'node:worker_threads'
import { exactNumber } from '../../base/parse-json.ts'
import type { FieldKind, FormField } from './form-schema.ts'

/** The value of a field: a text, chosen values, or nothing. A boolean is the text `true` or `false`. */
export type FilledValue = string | string[] | undefined

type FieldValue = string | number | boolean | string[]

/** The content of the answer without empty fields, or its errors: sentences for people by the names of the fields. */
type FilledForm = { content: Record<string, FieldValue> } | { errors: Map<string, string> }

/** Checks the values against the fields, except for patterns (`checkPatterns`). */
export function checkForm(fields: readonly FormField[], filled: (field: FormField) => FilledValue): FilledForm {
  const content: [string, FieldValue][] = []
  const errors = new Map<string, string>()
  for (const field of fields) {
    const given = filled(field)
    const isEmpty = given === undefined || given.length === 0
    if (isEmpty && field.isRequired) errors.set(field.name, 'Please fill this in.')
    if (isEmpty) continue
    const checked = checkField(field, given)
    if ('why' in checked) errors.set(field.name, checked.why)
    else content.push([field.name, checked.value])
  }
  return errors.size > 0 ? { errors } : { content: Object.fromEntries(content) }
}

type CheckedField = { value: FieldValue } | { why: string }

/** Checks one non-empty value, except for its pattern. */
export function checkField(field: FieldKind, given: string | string[]): CheckedField {
  if (field.kind === 'several') return checkSeveral(field, [given].flat())
  const text = [given].flat()[0] ?? ''
  if (field.kind === 'text') return checkText(field, text)
  if (field.kind === 'number') return checkNumber(field, text)
  if (field.kind === 'boolean')
    return text === 'true' || text === 'false' ? { value: text === 'true' } : { why: 'Please choose yes or no.' }
  return field.options.some(({ value }) => value === text) ? { value: text } : { why: GONE }
}

const GONE = 'This cannot be chosen. Please open the form again.'

function checkSeveral(
  { options, minItems, maxItems }: Extract<FieldKind, { kind: 'several' }>,
  given: string[],
): CheckedField {
  if (!given.every((one) => options.some(({ value }) => value === one))) return { why: GONE }
  if (given.length < minItems) return { why: `Please choose at least ${minItems}.` }
  return given.length > maxItems ? { why: `Please choose at most ${maxItems}.` } : { value: given }
}

function checkNumber(
  { isInteger, minimum, maximum }: Extract<FieldKind, { kind: 'number' }>,
  text: string,
): CheckedField {
  const value = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?\s*$/i.test(text) ? Number(text) : NaN
  if (!Number.isFinite(value)) return { why: 'Please write a number.' }
  if (isInteger && !Number.isInteger(value)) return { why: 'Please write a whole number.' }
  if (minimum !== undefined && value < minimum) return { why: `At least ${minimum}, please.` }
  if (maximum !== undefined && value > maximum) return { why: `At most ${maximum}, please.` }
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
  return { value: isRounded ? exactNumber(text.trim()) : value }
}

function checkText(field: Extract<FieldKind, { kind: 'text' }>, text: string): CheckedField {
  const chars = [...text].length
  if (chars < field.minLength) return { why: `At least ${field.minLength} characters, please.` }
  if (chars > field.maxLength) return { why: `At most ${field.maxLength} characters, please.` }
  if (field.format && !FORMATS[field.format].isRight(text)) return { why: FORMATS[field.format].why }
  return { value: text }
}

const FORMATS = {
  email: {
    isRight: (text: string) => text.length <= 320 && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text),
    why: 'Please write an e-mail address.',
  },
  uri: { isRight: isAddress, why: 'Please write a whole address, such as https://example.com/page.' },
  date: { isRight: isDate, why: 'Please write a date as 2026-11-22.' },
  'date-time': {
    isRight: (text: string) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i.test(text) &&
      isDate(text.slice(0, 10)) &&
      !Number.isNaN(Date.parse(text)),
    why: 'Please write a moment as 2026-11-22T14:30:00Z.',
  },
}

function isAddress(text: string): boolean {
  return !/\s/.test(text) && URL.canParse(text)
}

function isDate(text: string): boolean {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  return day !== undefined && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

/**
 * How long all patterns of a form may take together, once their thread has started: Slack waits three seconds for the
 * answer to a form. Milliseconds.
 */
const PATTERNS_MS = 1_000

/** Posts the index of each pair whose text does not match, and then `done`. An invalid pattern matches everything. */
const MATCHER = `
const { parentPort, workerData } = require('node:worker_threads')
workerData.forEach(({ pattern, text }, place) => {
  try {
    if (!new RegExp(pattern, 'u').test(text)) parentPort.postMessage(place)
  } catch {}
})
parentPort.postMessage('done')`

/**
 * Returns the values that do not match their field's pattern, in the form of `checkForm`. A server's regular expression
 * may run for ever, so the patterns run in their own thread. A pattern that is invalid, or was not checked in time, is
 * left to the server.
 */
export async function checkPatterns(
  fields: readonly FormField[],
  content: Record<string, unknown>,
): Promise<Map<string, string>> {
  const pairs = fields.flatMap((field) => {
    const text = Object.hasOwn(content, field.name) ? content[field.name] : undefined
    const pattern = field.kind === 'text' ? field.pattern : undefined
    return pattern === undefined || typeof text !== 'string' ? [] : [{ name: field.name, pattern, text }]
  })
  const wrong = pairs.length === 0 ? [] : await unmatched(pairs)
  return new Map(
    wrong.map(({ name, pattern }) => [name, `This must match the pattern ${pattern}`.slice(0, 200)] as const),
  )
}

async function unmatched<Pair extends { pattern: string; text: string }>(pairs: Pair[]): Promise<Pair[]> {
  const worker = new Worker(MATCHER, {
    eval: true,
    execArgv: [],
    env: {},
    workerData: pairs.map(({ pattern, text }) => ({ pattern, text })),
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  })
  const wrong: Pair[] = []
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    worker.on('online', () => (timer = setTimeout(resolve, PATTERNS_MS)))
    worker.on('message', (message: unknown) => {
      const pair = typeof message === 'number' ? pairs[message] : undefined
      if (pair) wrong.push(pair)
      else resolve()
    })
    worker.on('error', () => resolve())
    worker.on('exit', () => resolve())
  })
  clearTimeout(timer)
  await worker.terminate()
  return wrong
}
