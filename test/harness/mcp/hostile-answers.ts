/** The common part of hostile-http.ts and hostile-stdio.ts: a hand-written server of the protocol before 2026-07-28. */
import { z } from 'zod'

export const MEGABYTE = 'x'.repeat(1_000_000)

export const askedSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.object({ name: z.string().optional(), cursor: z.string().optional() }).optional(),
})
export type RpcRequest = z.infer<typeof askedSchema>

/** Returns the answer that both transports share; undefined for a tool that differs between them. */
export function answerOf(
  { method, params }: RpcRequest,
  { tools, endless }: { tools: string[]; endless: boolean },
): unknown {
  if (method === 'initialize') {
    const serverInfo = { name: 'hostile', version: '1' }
    return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } }
  }
  if (method === 'tools/list') {
    const listed = tools.map((name) => ({ name, description: name, inputSchema: { type: 'object' } }))
    if (endless) return { result: { tools: [], nextCursor: `${Number(params?.cursor ?? 0) + 1}` } }
    return { result: { tools: [...listed, { name: 42 }, null, { name: 'no_schema' }] } }
  }
  if (method === 'tools/call')
    return params?.name === 'fine' ? { result: { content: [{ type: 'text', text: 'fine' }] } } : undefined
  return { error: { code: -32601, message: 'no such method' } }
}
