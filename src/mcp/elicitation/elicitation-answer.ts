import { z } from 'zod'
import type { PersonsAnswer, ToolAsks, ToolQuestion } from '../../agent/contracts/tool.ts'
import type { ElicitRequest } from './elicitation-request.ts'

/** Converts a server's request into a question to the asker, and the answer into the protocol's form. */

/** The state that comes back with an answer: which mechanism of the protocol asked, and the request. */
const stateSchema = z.discriminatedUnion('way', [
  z.object({
    way: z.literal('result'),
    /** The number of the call's result, from 1. The answers to one result go back together. */
    round: z.number(),
    key: z.string(),
    requests: z.record(z.string(), z.unknown()),
    requestState: z.string().optional(),
  }),
  z.object({ way: z.literal('request'), request: z.string() }),
  z.object({ way: z.literal('refusal') }),
])

type AskingState = z.infer<typeof stateSchema>
/** An `input_required` result whose requests are being answered; `key` is the next one. */
export type AskingResult = Extract<AskingState, { way: 'result' }>

export function stateOf({ state }: Pick<PersonsAnswer, 'state'>): AskingState | undefined {
  return stateSchema.safeParse(state).data
}

interface AskedByServer extends ElicitRequest {
  remakes?: ToolQuestion['remakes']
}

export function toToolAsks(
  server: string,
  { message, schema, url, remakes }: AskedByServer,
  state: AskingState,
): ToolAsks {
  const what = url === undefined ? { schema: schema ?? {} } : { url: new URL(url).href }
  return { asks: { server, message, ...what, remakes, state } }
}

/** An answer in the protocol's form. */
export interface ElicitAnswer {
  action: PersonsAnswer['action']
  content?: z.infer<typeof contentSchema>
  [more: string]: unknown
}

const contentSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))

/** Content is sent only with the acceptance of a form. */
export function toElicitAnswer({ action, content }: Pick<PersonsAnswer, 'action' | 'content'>): ElicitAnswer {
  const values = contentSchema.safeParse(content).data
  return action === 'accept' && values ? { action, content: values } : { action }
}
