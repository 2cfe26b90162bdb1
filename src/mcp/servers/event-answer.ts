/** Finds the request that an event stream answers, and adds an error answer to a stream that breaks off. */
import { parseJson } from '../../base/parse-json.ts'
import { z } from 'zod'
import { messageOf, ToolError } from '../../base/errors.ts'

const message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.object({ requestId: z.union([z.string(), z.number()]).optional() }).optional(),
})

/** Returns the id of the request in a body that we send, or of the request that it cancels, as JSON. */
export function requestId(body: unknown): { id?: string; cancels?: string } {
  const { data } = message.safeParse(typeof body === 'string' ? parseJson(body) : undefined)
  if (!data) return {}
  const cancels = data.method === 'notifications/cancelled' ? data.params?.requestId : undefined
  return {
    ...(data.id === undefined ? {} : { id: JSON.stringify(data.id) }),
    ...(cancels === undefined ? {} : { cancels: JSON.stringify(cancels) }),
  }
}

/** The code of that error, from JSON-RPC's range for implementations, and the mark that identifies it as ours. */
const STREAM_BROKE = -32000
const MARK = 'thinkaloud: the stream broke off'

/** Returns whether an error answer is one of ours. */
export function isStreamFault(data: unknown): boolean {
  return data === MARK
}

const EVENT_ID = /(?:^|\n)id:/

/**
 * If a stream ends without an answer, the SDK waits until the call times out. This adds one more event: an error as the
 * answer to the request. The SDK drops it if the answer has already arrived. A stream whose events have ids can be
 * resumed by the SDK, unless we cut it off ourselves.
 */
export async function* withAnswer(
  chunks: AsyncGenerator<Uint8Array, undefined>,
  name: string,
  id: string,
): AsyncGenerator<Uint8Array, undefined> {
  const decoder = new TextDecoder('latin1')
  let hasIds = false
  let fault: unknown = new ToolError(`${name} ended the connection before it answered.`)
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
