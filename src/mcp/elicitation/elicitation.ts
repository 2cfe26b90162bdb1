import { setTimeout as sleep } from 'node:timers/promises'
import { isInputRequiredResult, UrlElicitationRequiredError } from '@modelcontextprotocol/client'
import type { CallToolRequest, CallToolResult, Client, InputRequiredResult, Tool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { PersonsAnswer, ToolAsks } from '../../agent/contracts/tool.ts'
import { ToolError } from '../../base/errors.ts'
import { toElicitAnswer, toToolAsks, stateOf, type AskingResult, type ElicitAnswer } from './elicitation-answer.ts'
import { parseElicitation, refusalReason } from './elicitation-request.ts'
import { PendingCalls, type AskerAnswers } from './pending-calls.ts'
import type { McpServerConfig } from '../types.ts'

/** The capabilities that servers are offered. No sampling and no roots: the SDK refuses what is not offered. */
export const CAPABILITIES = { elicitation: { form: {}, url: {} } }

/** How often one call may ask, and how often it may be repeated. */
const MAX_ROUNDS = 10
/** The pause before a call that a server wants repeated without asking anything. Milliseconds. */
const PAUSE_MS = 250
/** The maximum size of a request, which is saved with the run. Characters. */
const MAX_STATE_CHARS = 100_000

type CallParams = CallToolRequest['params']
interface SdkOptions extends NonNullable<Parameters<Client['callTool']>[1]> {
  signal: AbortSignal
}

/** A server's result is kept apart from questions, so that no field of a result can pass for a question. */
export type CallOutcome = { result: CallToolResult } | ToolAsks
/** The additional parameters of a repeated call. */
interface RetryParams {
  inputResponses?: Record<string, ElicitAnswer>
  requestState?: string
}

interface SentParams extends CallParams, RetryParams {}

/**
 * Handles every request of a server to a person during a call on one connection. The protocol has three mechanisms.
 * Since 2026-07-28 the result of a call contains the requests (`input_required`), and the call is repeated with the
 * answers. Before that, the server sends a request while the call is open (`elicitation/create`), or rejects the call
 * until a page has been visited.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr and …/2025-11-25/client/elicitation
 */
export class Elicitation {
  readonly #client: Client
  readonly #config: McpServerConfig
  readonly #pending: PendingCalls

  /** Called before the client connects. */
  constructor(client: Client, config: McpServerConfig) {
    this.#client = client
    this.#config = config
    this.#pending = new PendingCalls(config)
    client.setRequestHandler('elicitation/create', ({ params }) => this.#pending.answer(parseElicitation(params)))
  }

  /**
   * Calls a tool, with the asker's answers so far. Without `toolDefinition`, the SDK would list the tools to check the
   * result.
   * @returns the result, or the question that the call asks now
   * @throws what the SDK throws, and ToolError if the server asks too much, or something that cannot be asked
   */
  async callTool(params: CallParams, options: SdkOptions, given: AskerAnswers): Promise<CallOutcome> {
    const { name } = this.#config
    const last = given.answers.at(-1)
    const state = last && stateOf(last)
    if (given.answers.length > MAX_ROUNDS) throw new ToolError(`${name} has asked too often in one call.`)
    if (state?.way === 'refusal' && last?.action !== 'accept')
      throw new ToolError(`${name} did nothing: it needs a visit to a page first, and the asker declined.`)
    if (state?.way !== 'result') return this.#callUntilDone({ params, options, given, round: 1 })
    const nextParams = this.#retryParams(state, given)
    return 'asks' in nextParams
      ? nextParams
      : this.#callUntilDone({ params, options, given, again: nextParams, round: state.round + 1 })
  }

  /** Repeats the call until its result is complete, or it asks a person. */
  async #callUntilDone(call: {
    params: CallParams
    options: SdkOptions
    given: AskerAnswers
    again?: RetryParams
    round: number
  }): Promise<CallOutcome> {
    const { params, options, given, again, round } = call
    const sent = await this.#send({ ...params, ...again }, options, given)
    if ('asks' in sent) return sent
    const { result } = sent
    if (!isInputRequiredResult(result)) return { result }
    if (round >= MAX_ROUNDS) throw new ToolError(`${this.#config.name} has asked too often in one call.`)
    const asking = this.#readRequests(result, round)
    const next = this.#retryParams(asking, { ...given, answers: [] })
    if ('asks' in next) return next
    if (Object.keys(asking.requests).length === 0) await sleep(PAUSE_MS, undefined, { signal: options.signal })
    return this.#callUntilDone({ ...call, again: next, round: round + 1 })
  }

  /** Makes one request. The server's own requests in the meantime are answered, or end the call. */
  async #send(params: SentParams, { toolDefinition, ...options }: SdkOptions, given: AskerAnswers) {
    // Without the output schema, the SDK would reject a result that asks for input.
    const tool = toolDefinition ? { toolDefinition: withoutOutput(toolDefinition) } : {}
    const send = async (signal: AbortSignal): Promise<{ result: CallToolResult | InputRequiredResult }> => ({
      result: await this.#client.callTool(params, { ...options, ...tool, signal, allowInputRequired: true }),
    })
    try {
      return await this.#pending.run(given, options.signal, send)
    } catch (error) {
      if (error instanceof UrlElicitationRequiredError) return this.#askToVisit(error, given.answers)
      throw error
    }
  }

  #readRequests({ inputRequests: requests = {}, requestState }: InputRequiredResult, round: number): AskingResult {
    const state = requestState === undefined ? {} : { requestState }
    const asking: AskingResult = { way: 'result', round, key: '', requests: { ...requests }, ...state }
    const isTooMuch = Object.keys(requests).length > MAX_ROUNDS || JSON.stringify(asking).length > MAX_STATE_CHARS
    if (isTooMuch) throw new ToolError(`${this.#config.name} asks for too much at once.`)
    return asking
  }

  /** Returns all answers to a result, in the form that the call takes, or the next request without an answer. */
  #retryParams(asking: AskingResult, { answers, notes }: AskerAnswers): ToolAsks | RetryParams {
    const { name } = this.#config
    const responses: [string, ElicitAnswer][] = []
    for (const [key, value] of Object.entries(asking.requests)) {
      const request = requestSchema.safeParse(value).data
      if (!request)
        throw new ToolError(`${name} asks for something that this bot does not support: ${methodOf(value)}.`)
      const elicited = parseElicitation(request.params)
      const why = refusalReason(elicited, this.#config)
      if (why !== undefined)
        notes.push(`${name} asked the person a question, which was declined automatically: ${why}.`)
      const answer = why === undefined ? answers.find((one) => isAnswerTo(one, { ...asking, key })) : DECLINED
      if (!answer) return toToolAsks(name, elicited, { ...asking, key })
      responses.push([key, toElicitAnswer(answer)])
    }
    const state = asking.requestState === undefined ? {} : { requestState: asking.requestState }
    return { ...(responses.length > 0 ? { inputResponses: Object.fromEntries(responses) } : {}), ...state }
  }

  /**
   * The server refuses the call until pages have been visited. They are shown one after the other, and again while the
   * server still refuses.
   */
  #askToVisit(error: UrlElicitationRequiredError, answers: readonly PersonsAnswer[]): ToolAsks {
    const { name } = this.#config
    const pages = error.elicitations.map((one) => parseElicitation({ ...one, mode: 'url' }))
    const visited = answers.filter((one) => stateOf(one)?.way === 'refusal').length
    const page = pages[visited % Math.max(1, pages.length)]
    const why = page ? refusalReason(page, this.#config) : 'it does not say which'
    if (page && why === undefined) return toToolAsks(name, page, { way: 'refusal' })
    throw new ToolError(`${name} needs a visit to a page first, which was not shown: ${why}.`)
  }
}

function withoutOutput({ outputSchema: _, ...tool }: Tool): Tool {
  return tool
}

const requestSchema = z.object({ method: z.literal('elicitation/create'), params: z.unknown().optional() })

const DECLINED: Pick<PersonsAnswer, 'action' | 'content'> = { action: 'decline' }

function isAnswerTo(answer: PersonsAnswer, { round, key }: AskingResult): boolean {
  const to = stateOf(answer)
  return to?.way === 'result' && to.round === round && to.key === key
}

function methodOf(value: unknown): string {
  const method = z.object({ method: z.string() }).safeParse(value).data?.method ?? 'an unknown method'
  return JSON.stringify(method.slice(0, 80))
}
