import { setTimeout as sleep } from 'node:timers/promises'
import type { PersonsAnswer, ToolAsks } from '../../agent/contracts/tool.ts'
import { toElicitAnswer, toToolAsks, stateOf, type ElicitAnswer } from './elicitation-answer.ts'
import { requestKey, refusalReason, type ElicitRequest } from './elicitation-request.ts'
import type { McpServerConfig } from '../types.ts'

/** How long a request of the server may still arrive after its call has ended. Milliseconds. */
const DRAIN_MS = 500

/** The asker's answers so far, and whether the call may be repeated without a further effect. */
export interface AskerAnswers {
  answers: readonly PersonsAnswer[]
  isRepeatable: boolean
  /** Collects sentences for the model: requests of the server that nobody was asked. */
  notes: string[]
}

interface ElicitingCall extends AskerAnswers {
  stop: AbortController
  /** Answers that this attempt has not used yet. */
  unused: PersonsAnswer[]
  asks?: ToolAsks
  isAlone: boolean
  /** A request came that could belong to this call or to another one. */
  mustBeAlone: boolean
}

/**
 * The open calls on a connection of the older protocol, in which a request from the server does not say which call it
 * belongs to. A request that arrives during several calls is ambiguous: the repeatable ones among them are then
 * retried, each alone. A call that carries answers also runs alone, so that its answers cannot reach another call's
 * question.
 */
export class PendingCalls {
  readonly #config: McpServerConfig
  readonly #calls = new Set<ElicitingCall>()
  #waitingAlone = 0
  #waiters: (() => void)[] = []

  constructor(config: McpServerConfig) {
    this.#config = config
  }

  /** Makes a call. `work` is aborted once the call asks something. @returns the result of the call, or its question */
  async run<T>(
    asker: AskerAnswers,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | ToolAsks> {
    for (let isAlone = asker.answers.some(isToRequest); ; isAlone = true) {
      const call = await this.#begin(asker, { isAlone, signal })
      try {
        const done = await work(AbortSignal.any([signal, call.stop.signal]))
        if (!call.asks && !call.mustBeAlone) return done
      } catch (error) {
        if (!call.stop.signal.aborted || signal.aborted) throw error
      } finally {
        this.#calls.delete(call)
        this.#notifyWaiters()
      }
      if (call.asks) return call.asks
      // A late request for this call arrives during this pause, while no call is open, and so reaches no other call.
      await sleep(DRAIN_MS, undefined, { signal })
    }
  }

  /** Returns the answer to a server's request. */
  answer(elicited: ElicitRequest): ElicitAnswer {
    const { name } = this.#config
    const [call, ...others] = this.#calls
    if (!call) return { action: 'cancel' }
    const why = refusalReason(elicited, this.#config)
    if (why !== undefined)
      return this.#decline(`${name} asked the person a question, which was declined automatically: ${why}.`)
    if (others.length > 0)
      return this.#cancelAmbiguous(`${name} asked the person a question during several calls at once.`)
    const key = requestKey(elicited)
    const at = call.unused.findIndex((answer) => isAnswerTo(answer, key))
    const [answer] = at < 0 ? [] : call.unused.splice(at, 1)
    if (answer) return toElicitAnswer(answer)
    // If a repeated call has a further effect, the asker decides by answering.
    const remakes = call.isRepeatable ? {} : { remakes: true as const }
    call.asks = toToolAsks(name, { ...elicited, ...remakes }, { way: 'request', request: key })
    call.stop.abort()
    return { action: 'cancel' }
  }

  #decline(note: string): ElicitAnswer {
    for (const { notes } of this.#calls) notes.push(note)
    return { action: 'decline' }
  }

  /** The request cannot be assigned to a call. */
  #cancelAmbiguous(note: string): ElicitAnswer {
    for (const call of this.#calls) {
      call.mustBeAlone = call.isRepeatable
      if (call.isRepeatable) call.stop.abort()
      else call.notes.push(`${note} The question was declined.`)
    }
    return { action: 'cancel' }
  }

  async #begin(
    given: AskerAnswers,
    { isAlone, signal }: { isAlone: boolean; signal: AbortSignal },
  ): Promise<ElicitingCall> {
    const mustWait = () =>
      isAlone ? this.#calls.size > 0 : this.#waitingAlone > 0 || [...this.#calls].some((call) => call.isAlone)
    if (isAlone) this.#waitingAlone += 1
    try {
      while (mustWait()) await this.#nextChange(signal)
    } finally {
      if (isAlone) this.#waitingAlone -= 1
    }
    const unused = given.answers.filter(isToRequest)
    const call = { ...given, unused, isAlone, mustBeAlone: false, stop: new AbortController() }
    this.#calls.add(call)
    return call
  }

  /** Resolves when a call has ended. @throws the signal's reason */
  async #nextChange(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    signal.throwIfAborted()
  }

  #notifyWaiters(): void {
    const waiting = this.#waiters
    this.#waiters = []
    for (const resume of waiting) resume()
  }
}

function isToRequest(answer: PersonsAnswer): boolean {
  return stateOf(answer)?.way === 'request'
}

function isAnswerTo(answer: PersonsAnswer, request: string): boolean {
  const to = stateOf(answer)
  return to?.way === 'request' && to.request === request
}
