import { z } from 'zod'
import type { Tool, ToolContext, ToolOutput } from '../src/agent/contracts/tool.ts'
import { defineTool } from '../src/agent/define-tool.ts'
import { closestName } from '../src/base/closest-name.ts'

/** The name goes into prompts and into native tool calls, which accept nothing else. */
const NAME = /^[a-z][\w-]{0,63}$/i

/** Names that end a run in some dialect, and so cannot be tools. */
const RESERVED = ['finish', 'final_answer', 'none']

/** A host name or an IP address, with an optional port. */
const HOST = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

const HOSTS = 'Its hosts should be a list of host names such as "wiki.intranet" or "10.0.0.5:8080".'

/** A tool that somebody wrote for their own bot. */
export interface CustomTool extends Tool {
  /** Hosts that it may call although they are on a private network: `name`, or `name:port`. */
  hosts?: string[]
}

type RunCustomTool = (input: unknown, context: ToolContext) => unknown

/** A tool as people write it, checked field by field; the messages are shown at the start. */
const writtenSchema = z.strictObject(
  {
    name: z
      .string('Its name is missing.')
      .regex(NAME, 'Its name should be letters, digits, _ and -, at most 64, a letter first.'),
    description: z
      .string('Its description is missing.')
      .trim()
      .min(1, 'Its description is empty: the model chooses by it.')
      .max(1000, 'Its description is longer than 1000 characters.'),
    schema: z
      .custom<z.ZodType>((value) => value instanceof z.ZodObject, 'Its schema should be a zod object.')
      .optional(),
    effects: z.enum(['read', 'write'], 'Its effects should be "read" or "write".').default('read'),
    returnDirect: z.boolean('Its returnDirect should be true or false.').optional(),
    needsApproval: z.boolean('Its needsApproval should be true or false.').optional(),
    idempotent: z.boolean('Its idempotent should be true or false.').optional(),
    repeatable: z.boolean('Its repeatable should be true or false.').optional(),
    hosts: z.array(z.string(HOSTS).regex(HOST, HOSTS), HOSTS).optional(),
    run: z.custom<RunCustomTool>((value) => typeof value === 'function', 'Its run function is missing.'),
  },
  {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys' && Array.isArray(keys)
        ? unknownKey(String(keys[0]))
        : 'Its default export should be a tool: an object with name, description and run.',
  },
)

/** A mistyped `effects` would make a tool that writes one that only reads. */
function unknownKey(key: string): string {
  const known: string[] = Object.keys(writtenSchema.shape)
  const meant = closestName(key, known)
  return `It has an unknown key "${key}". ${meant ? `Did you mean "${meant}"?` : `The keys are ${known.join(', ')}.`}`
}

/** @throws Error whose message says what is wrong with it */
export function asTool(exported: unknown, taken: string[]): CustomTool {
  const { success, data, error } = writtenSchema.safeParse(exported)
  if (!success) throw new Error(error.issues[0]?.message)
  const name = data.name
  const clash =
    taken.some((other) => other.toLowerCase() === name.toLowerCase()) || RESERVED.includes(name.toLowerCase())
  if (clash) throw new Error(`The name "${name}" is taken: choose another.`)
  const { schema, run, hosts, needsApproval = data.effects === 'write', ...written } = data
  const tool = defineTool({
    ...written,
    needsApproval,
    schema: schema ?? plainText,
    // Called on the original object, so that `this` is what its author expects.
    run: async (input, context) =>
      asOutput(await run.call(exported, schema ? input : plainText.parse(input).input, context)),
  })
  return { ...tool, hosts }
}

/** The input of a tool without a schema. */
const plainText = z.object({ input: z.string().describe('text') })

/**
 * Returns text, or text with sources, a series and whether there is more. Anything else that an author returns becomes
 * JSON.
 */
function asOutput(value: unknown): ToolOutput | string {
  if (typeof value === 'string') return value
  return outputSchema.safeParse(value).data ?? JSON.stringify(value) ?? ''
}

const outputSchema = z.object({
  text: z.string(),
  sources: z.array(z.object({ title: z.string(), url: z.url({ protocol: /^https?$/ }) })).default([]),
  series: z
    .object({ title: z.string(), points: z.array(z.object({ label: z.coerce.string(), value: z.number() })) })
    .optional()
    .catch(undefined),
  exhausted: z.boolean().optional(),
})
