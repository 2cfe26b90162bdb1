import { z } from 'zod'
import { formOf } from '../../stores/runs/question-form.ts'
import { jsonHash } from '../tools/json-hash.ts'
import type { McpServerConfig } from '../types.ts'

/** What a server asks a person: to fill in a form or to visit a page. All of its text comes from the server. */
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

/** Reads the parameters of `elicitation/create`, in any protocol version. */
export function elicitedBy(params: unknown): Elicited {
  const { message, mode, url = '', requestedSchema } = paramsSchema.parse(params ?? {})
  return mode === 'url' ? { message, url } : { message, schema: requestedSchema }
}

const MAX_MESSAGE_CHARS = 10_000
/** Slack's limit for the address of a button. */
const MAX_URL_CHARS = 3_000

/** Returns why a person cannot be asked this, as half a sentence; undefined if they can. */
export function whyNotAsked({ message, schema, url }: Elicited, config: McpServerConfig): string | undefined {
  if (message.length > MAX_MESSAGE_CHARS) return 'its words are too long'
  if (url !== undefined) return whyNotVisited(url, config)
  const form = formOf(schema)
  return 'why' in form ? form.why : undefined
}

/** Allows https addresses, and loopback addresses if the operator runs the server there. We never fetch the address. */
function whyNotVisited(address: string, config: McpServerConfig): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || url.href.length > MAX_URL_CHARS) return 'its address is none, or too long'
  if (url.username !== '' || url.password !== '') return 'its address hides its host behind a name or a password'
  if (url.protocol === 'https:' && !isLoopback(url.hostname)) return undefined
  const isOwn = config.kind === 'http' && new URL(config.url).hostname === url.hostname
  if (isOwn && isLoopback(url.hostname) && /^https?:$/.test(url.protocol)) return undefined
  return 'its address is not one of https'
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)
}

/** Identifies a request by its message and its schema or address. */
export function keyOf({ message, schema, url }: Elicited): string {
  return jsonHash([message, schema ?? null, url ?? null])
}
