/** Answers in event streams: the request that a stream answers, and an error answer for a stream that breaks off. */
import { parseJson } from '../../base/parse-json.ts'
import { z } from 'zod'
import { messageOf, ToolError } from '../../base/errors.ts'

const message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.object({ requestId: z.union([z.string(), z.number()]).optional() }).optional(),
})

/** Returns the id of the request in a body that we send, or of the one that it cancels, as JSON. */
export function requestId(body: unknown): { id?: string; cancels?: string } {
  const { id, method, params } = message.safeParse(typeof body === 'string' ? parseJson(body) : undefined).data ?? {}
  const cancels = method === 'notifications/cancelled' ? params?.requestId : undefined
  // JSON has no text for undefined.
  return { id: JSON.stringify(id), cancels: JSON.stringify(cancels) }
}

/** The code of our error answers, from JSON-RPC's range for implementations, and the mark by which we know them. */
const STREAM_BROKE = -32000
const MARK = 'thinkaloud: the stream ended early'

/** Returns whether an error answer is one of ours. */
export function isStreamFault(data: unknown): boolean {
  return data === MARK
}

const EVENT_ID = /(?:^|\n)id:/

/**
 * Appends an error answer to a stream that ends without one. The SDK would otherwise wait until the call's time is up;
 * an answer that has already come wins. A stream whose events have ids may be resumed, which is left to the SDK unless
 * we cut the stream off ourselves.
 */
export async function* withAnswer(
  chunks: AsyncGenerator<Uint8Array, undefined>,
  name: string,
  id: string,
): AsyncGenerator<Uint8Array, undefined> {
  const decoder = new TextDecoder('latin1')
  let hasIds = false
  let fault: unknown = new ToolError(`${name} closed the connection before it answered.`)
  try {
    for await (const chunk of chunks) {
      hasIds ||= EVENT_ID.test(decoder.decode(chunk))
      yield chunk
    }
    if (hasIds) return undefined
  } catch (error) {
    if (hasIds && !(error instanceof ToolError)) throw error
    fault = error
  }
  const text = fault instanceof ToolError ? messageOf(fault) : `The connection to ${name} broke before it answered.`
  const error = { code: STREAM_BROKE, message: text, data: MARK }
  yield Buffer.from(`\n\ndata: {"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}\n\n`)
  return undefined
}
