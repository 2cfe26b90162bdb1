import { z } from 'zod'
import { formFrom } from '../../stores/runs/form-schema.ts'
import { jsonHash } from '../tools/json-hash.ts'
import type { McpServerConfig } from '../types.ts'

/** A server's request to a person: to fill in a form, or to visit a page. All texts are the server's. */
export interface ElicitRequest {
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

/** Reads the parameters of `elicitation/create` in any version of the protocol. */
export function parseElicitation(params: unknown): ElicitRequest {
  const { message, mode, url = '', requestedSchema } = paramsSchema.parse(params ?? {})
  return mode === 'url' ? { message, url } : { message, schema: requestedSchema }
}

const MAX_MESSAGE_CHARS = 10_000
/** The maximum length of a button's address at Slack. */
const MAX_URL_CHARS = 3_000

/** Returns why a person cannot be asked this, as half a sentence. @returns undefined if they can be asked */
export function refusalReason({ message, schema, url }: ElicitRequest, config: McpServerConfig): string | undefined {
  if (message.length > MAX_MESSAGE_CHARS) return 'its text is too long'
  if (url !== undefined) return urlRefusalReason(url, config)
  const form = formFrom(schema)
  return 'why' in form ? form.why : undefined
}

/**
 * People are sent only to https, or to this machine if the operator has the server there. The address is never fetched
 * here.
 */
function urlRefusalReason(address: string, config: McpServerConfig): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || url.href.length > MAX_URL_CHARS) return 'its address is invalid or too long'
  if (url.username !== '' || url.password !== '') return 'its address contains a user name or password'
  if (url.protocol === 'https:' && !isLoopback(url.hostname)) return undefined
  const isOwn = config.kind === 'http' && new URL(config.url).hostname === url.hostname
  if (isOwn && isLoopback(url.hostname) && /^https?:$/.test(url.protocol)) return undefined
  return 'its address is not https'
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)
}

/** Returns the key of a request: a hash of its words and its schema or address. */
export function requestKey({ message, schema, url }: ElicitRequest): string {
  return jsonHash([message, schema ?? null, url ?? null])
}
