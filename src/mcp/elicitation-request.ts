import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { PersonsAnswer, ToolAsks } from '../agent/types.ts'
import { formOf } from '../run/question-form.ts'
import type { McpServerConfig } from './types.ts'

/** What a server asks a person: to fill in a form, or to visit a page. All of it is the server's words. */
export interface Elicited {
  message: string
  schema?: Record<string, unknown>
  url?: string
}

const paramsSchema = z.object({
  message: z.string().catch(''),
  mode: z.unknown().optional(),
  url: z.string().optional().catch(undefined),
  requestedSchema: z.record(z.string(), z.unknown()).catch({}),
})

/** Reads the parameters of `elicitation/create`, in whichever version. */
export function elicitedBy(params: unknown): Elicited {
  const { message, mode, url = '', requestedSchema } = paramsSchema.parse(params ?? {})
  return mode === 'url' ? { message, url } : { message, schema: requestedSchema }
}

const MOST_MESSAGE_CHARS = 10_000
/** Of a button's address at Slack. */
const MOST_URL_CHARS = 3_000

/** Why a person is not asked this: half a sentence. Undefined where they can be. */
export function whyNotAsked({ message, schema, url }: Elicited, config: McpServerConfig): string | undefined {
  if (message.length > MOST_MESSAGE_CHARS) return 'its words are too long'
  if (url !== undefined) return whyNotVisited(url, config)
  const form = formOf(schema)
  return 'why' in form ? form.why : undefined
}

/** People are sent to https alone, or to this machine where the operator has the server there. The address is never fetched here. */
function whyNotVisited(address: string, config: McpServerConfig): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || url.href.length > MOST_URL_CHARS) return 'its address is none, or too long'
  if (url.username !== '' || url.password !== '') return 'its address hides its host behind a name or a password'
  if (url.protocol === 'https:' && !isLoopback(url.hostname)) return undefined
  const isOwn = config.kind === 'http' && new URL(config.url).hostname === url.hostname
  if (isOwn && isLoopback(url.hostname) && /^https?:$/.test(url.protocol)) return undefined
  return 'its address is not one of https'
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)
}

/** What comes back with an answer: which of the protocol's ways asked, and what. */
const stateSchema = z.discriminatedUnion('way', [
  z.object({
    way: z.literal('result'),
    /** Which result of the call, from 1: the answers to one result go back together. */
    round: z.number(),
    key: z.string(),
    requests: z.record(z.string(), z.unknown()),
    requestState: z.string().optional(),
  }),
  z.object({ way: z.literal('request'), request: z.string() }),
  z.object({ way: z.literal('refusal') }),
])

export type AskingState = z.infer<typeof stateSchema>
/** An `input_required` result whose requests are being answered, the one of `key` next. */
export type AskingResult = Extract<AskingState, { way: 'result' }>

export function stateOf({ state }: Pick<PersonsAnswer, 'state'>): AskingState | undefined {
  return stateSchema.safeParse(state).data
}

export function asks(server: string, { message, schema, url }: Elicited, state: AskingState): ToolAsks {
  const what = url === undefined ? { schema: schema ?? {} } : { url: new URL(url).href }
  return { asks: { server, message, ...what, state } }
}

/** An answer as the protocol carries it. */
export interface ElicitAnswer {
  action: PersonsAnswer['action']
  content?: z.infer<typeof contentSchema>
  [more: string]: unknown
}

const contentSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))

/** Content goes with an acceptance of a form alone. */
export function answerOf({ action, content }: Pick<PersonsAnswer, 'action' | 'content'>): ElicitAnswer {
  const values = contentSchema.safeParse(content).data
  return action === 'accept' && values ? { action, content: values } : { action }
}

/** What tells one request from another: its words, and its schema or address. */
export function keyOf({ message, schema, url }: Elicited): string {
  return createHash('sha256')
    .update(JSON.stringify([message, schema ?? null, url ?? null]))
    .digest('hex')
}
