import { z } from 'zod'

/**
 * The form in which a person answers a tool's question, read from its schema: an object of plain fields, as in MCP's
 * elicitation (https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation). The schema is a server's:
 * nothing throws on it.
 */

/** One field. `title` and `description` are a server's words. */
export type FormField = { name: string; title: string; description?: string; isRequired: boolean } & FieldKind

export type FieldKind =
  | {
      kind: 'text'
      format?: 'email' | 'uri' | 'date' | 'date-time'
      minLength: number
      maxLength: number
      pattern?: string
      initial?: string
    }
  | { kind: 'number'; isInteger: boolean; minimum?: number; maximum?: number; initial?: number }
  | { kind: 'boolean'; initial?: boolean }
  | { kind: 'one'; options: FormOption[]; initial?: string }
  | { kind: 'several'; options: FormOption[]; minItems: number; maxItems: number; initial?: string[] }

interface FormOption {
  value: string
  title: string
}

/** The most fields that fit into a modal and that a person can survey: https://docs.slack.dev/reference/block-kit */
const MAX_FIELDS = 40
const MAX_OPTIONS = 100
const MAX_CHARS = 3_000

/** Slack takes 250,000 bytes a modal (https://docs.slack.dev/reference/views). */
const MAX_SCHEMA_CHARS = 30_000

/** The fields in the schema's order, or half a sentence that says why there is no form. */
type Form = { fields: FormField[] } | { why: string }

const count = z.number().int().nonnegative().catch(0)
const wordsSchema = z.object({
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
})
const titledSchema = z.array(z.object({ const: z.string(), title: z.string().optional().catch(undefined) }))
const choiceSchema = z.union([
  z.object({ oneOf: titledSchema }),
  z.object({ anyOf: titledSchema }),
  z.object({ enum: z.array(z.string()), enumNames: z.array(z.string()).optional().catch(undefined) }),
])
const severalSchema = z.object({
  items: choiceSchema,
  minItems: count,
  maxItems: z.number().int().positive().catch(Infinity),
  default: z.array(z.string()).optional().catch(undefined),
})
const textSchema = z.object({
  minLength: count,
  maxLength: z.number().int().positive().catch(MAX_CHARS),
  pattern: z.string().max(1_000).optional().catch(undefined),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional().catch(undefined),
  default: z.string().optional().catch(undefined),
})
const numberSchema = z.object({
  minimum: z.number().optional().catch(undefined),
  maximum: z.number().optional().catch(undefined),
  default: z.number().optional().catch(undefined),
})
const booleanSchema = z.object({ default: z.boolean().optional().catch(undefined) })
const formSchema = z.object({
  properties: z.record(z.string(), z.looseObject({ type: z.unknown().optional() })),
  required: z.array(z.string()).catch([]),
})

/** Reads a schema. @returns the reason if it cannot be shown to a person */
export function formFrom(schema: unknown): Form {
  if (sizeOf(schema) > MAX_SCHEMA_CHARS) return { why: 'its form is too large' }
  const read = formSchema.safeParse(schema)
  if (!read.success) return { why: 'its schema is not an object with fields' }
  const { properties, required } = read.data
  const names = Object.keys(properties)
  if (names.length > MAX_FIELDS)
    return { why: `it has ${names.length} fields, and a form can have at most ${MAX_FIELDS}` }
  const missing = required.find((name) => !Object.hasOwn(properties, name))
  if (missing !== undefined) return { why: 'it requires a field that it does not describe' }
  const fields: FormField[] = []
  for (const [name, property] of Object.entries(properties)) {
    const kind = kindOf(property)
    if ('why' in kind) return { why: `the field ${JSON.stringify(name.slice(0, 100))} ${kind.why}` }
    const { title, description } = wordsSchema.parse(property)
    const words = {
      title: title?.trim() || name || 'Value',
      description: description?.trim() ? description : undefined,
    }
    fields.push({ name, ...words, isRequired: required.includes(name), ...kind })
  }
  return { fields }
}

/** A schema that is nested too deeply to be measured counts as too large. */
function sizeOf(schema: unknown): number {
  try {
    return JSON.stringify(schema ?? null).length
  } catch {
    return Infinity
  }
}

function kindOf(property: { type?: unknown }): FieldKind | { why: string } {
  if (property.type === 'boolean') return { kind: 'boolean', initial: booleanSchema.parse(property).default }
  if (property.type === 'number' || property.type === 'integer') return numberOf(property)
  if (property.type === 'array') return severalOf(property)
  if (property.type !== 'string' && property.type !== undefined) return { why: 'is of an unsupported kind' }
  const choice = choiceSchema.safeParse(property)
  if (choice.success) return oneOf(choice.data, property)
  return property.type === 'string' ? textField(property) : { why: 'has no type' }
}

function textField(property: object): FieldKind | { why: string } {
  const { default: given, format, pattern, minLength, maxLength } = textSchema.parse(property)
  if (minLength > Math.min(maxLength, MAX_CHARS)) return { why: 'requires a longer text than a form can take' }
  return {
    kind: 'text',
    minLength,
    maxLength: Math.min(maxLength, MAX_CHARS),
    format,
    pattern,
    initial: given === undefined || given.length > MAX_CHARS ? undefined : given,
  }
}

function numberOf(property: { type?: unknown }): FieldKind | { why: string } {
  const { minimum, maximum, default: given } = numberSchema.parse(property)
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) return { why: 'accepts no number' }
  return { kind: 'number', isInteger: property.type === 'integer', minimum, maximum, initial: given }
}

function oneOf(choice: z.infer<typeof choiceSchema>, property: object): FieldKind | { why: string } {
  const options = optionsOf(choice)
  if ('why' in options) return options
  const given = textSchema.parse(property).default
  return { kind: 'one', options, initial: options.some(({ value }) => value === given) ? given : undefined }
}

function severalOf(property: object): FieldKind | { why: string } {
  const read = severalSchema.safeParse(property)
  if (!read.success) return { why: 'is a list without choices' }
  const options = optionsOf(read.data.items)
  if ('why' in options) return options
  const { minItems, maxItems, default: given = [] } = read.data
  if (minItems > Math.min(maxItems, options.length)) return { why: 'requires more choices than it offers' }
  const known = given.filter((value) => options.some((option) => option.value === value))
  const max = Math.min(maxItems, options.length)
  const initial = known.length > 0 ? known.slice(0, max) : undefined
  return { kind: 'several', options, minItems, maxItems: max, initial }
}

function optionsOf(choice: z.infer<typeof choiceSchema>): FormOption[] | { why: string } {
  const titled = 'oneOf' in choice ? choice.oneOf : 'anyOf' in choice ? choice.anyOf : undefined
  const all =
    titled?.map((option) => ({ value: option.const, title: option.title ?? option.const })) ??
    ('enum' in choice ? choice.enum.map((value, i) => ({ value, title: choice.enumNames?.[i] ?? value })) : [])
  const options = [...new Map(all.map((option) => [option.value, option])).values()]
  if (options.length === 0) return { why: 'offers no choices' }
  return options.length > MAX_OPTIONS
    ? { why: `offers ${options.length} choices, and a form can have at most ${MAX_OPTIONS}` }
    : options
}
