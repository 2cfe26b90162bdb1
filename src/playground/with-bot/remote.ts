/**
 * Calls between two processes over the channel that Node gives to a child: methods by name, and functions that are handed over and
 * called back. Values travel as structured clones.
 */
import { LeaseLost, messageOf } from '../../errors.ts'

/** Where messages go out and come in; a child process, or the own `process` in one. */
export interface Port {
  send(message: unknown): void
  onMessage(take: (message: unknown) => void): void
}

/** What is called by the other side, by its name. */
type Method = (...args: never[]) => unknown
export type Methods = Record<string, Method>

export interface Remote {
  /** Calls a method of the other side. @throws Error with its words, LeaseLost as itself, and at the end of the other side */
  call(method: string, ...args: unknown[]): Promise<unknown>
  /** The other side is gone: what is under way fails. */
  end(why: string): void
}

/** In the place of what cannot travel. */
interface Handed {
  $: 'function' | 'signal'
  id: number
  isAborted?: boolean
  reason?: Failure | undefined
}

interface Failure {
  name: string
  message: string
}

type Sent =
  | { type: 'call'; id: number; method: string | number; args: unknown[] }
  | { type: 'done'; id: number; value?: unknown; error?: Failure }
  | { type: 'abort'; id: number; reason: Failure }

export function remoteOver(port: Port, methods: Methods): Remote {
  return new Side(port, methods)
}

/** One of the two sides. */
class Side implements Remote {
  readonly #port: Port
  readonly #methods: Methods
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  readonly #functions = new Map<number, Method>()
  readonly #signals = new Map<number, AbortController>()
  #next = 1
  #gone: string | undefined

  constructor(port: Port, methods: Methods) {
    this.#port = port
    this.#methods = methods
    port.onMessage((message) => this.#take(message as Sent))
  }

  call(method: string, ...args: unknown[]): Promise<unknown> {
    return this.#call(method, args)
  }

  end(why: string) {
    this.#gone = why
    for (const { reject } of this.#waiting.values()) reject(new Error(why))
    this.#waiting.clear()
    for (const controller of this.#signals.values()) controller.abort(new LeaseLost(why))
  }

  #call(method: string | number, args: unknown[]): Promise<unknown> {
    if (this.#gone !== undefined) return Promise.reject(new Error(this.#gone))
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#send({ type: 'call', id, method, args: args.map((one) => this.#handOver(one)) })
    })
  }

  #send(sent: Sent) {
    this.#port.send(sent)
  }

  #take(sent: Sent) {
    if (sent.type === 'call') return void this.#answer(sent)
    if (sent.type === 'abort') return this.#signals.get(sent.id)?.abort(errorOf(sent.reason))
    if (sent.type !== 'done') return
    const { resolve, reject } = this.#waiting.get(sent.id) ?? {}
    this.#waiting.delete(sent.id)
    if (sent.error) reject?.(errorOf(sent.error))
    else resolve?.(this.#takeUp(sent.value))
  }

  async #answer({ id, method, args }: Extract<Sent, { type: 'call' }>): Promise<void> {
    try {
      const own = typeof method === 'number' ? this.#functions.get(method) : this.#methods[method]
      if (!own) throw new Error(`There is no ${method} here.`)
      const value: unknown = await own(...(args.map((one) => this.#takeUp(one)) as never[]))
      this.#send({ type: 'done', id, value: this.#handOver(value) })
    } catch (error) {
      this.#send({ type: 'done', id, error: failureOf(error) })
    }
  }

  /** What can travel in place of a value: functions and signals by a number. Looks one level into objects. */
  #handOver(value: unknown): unknown {
    if (typeof value === 'function') return this.#handed(value as Method)
    if (value instanceof AbortSignal) return this.#handedSignal(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const hasFunctions = Object.values(value).some((one) => typeof one === 'function' || one instanceof AbortSignal)
    if (!hasFunctions) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#handOver(inner)]))
  }

  #handed(method: Method): Handed {
    const id = this.#next++
    this.#functions.set(id, method)
    return { $: 'function', id }
  }

  #handedSignal(signal: AbortSignal): Handed {
    const id = this.#next++
    const told = () => this.#send({ type: 'abort', id, reason: failureOf(signal.reason) })
    if (!signal.aborted) signal.addEventListener('abort', told, { once: true })
    return { $: 'signal', id, isAborted: signal.aborted, reason: signal.aborted ? failureOf(signal.reason) : undefined }
  }

  #takeUp(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    if (!isHanded(value)) {
      const hasHanded = Object.values(value).some((one) => isHanded(one))
      return hasHanded ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#takeUp(one)])) : value
    }
    if (value.$ === 'function') return (...args: unknown[]) => this.#call(value.id, args)
    const controller = new AbortController()
    this.#signals.set(value.id, controller)
    if (value.isAborted) controller.abort(errorOf(value.reason))
    return controller.signal
  }
}

function isHanded(value: unknown): value is Handed {
  return typeof value === 'object' && value !== null && '$' in value && 'id' in value
}

function failureOf(error: unknown): Failure {
  return { name: error instanceof Error ? error.name : 'Error', message: messageOf(error) }
}

function errorOf(failure: Failure | undefined): Error {
  const { name = 'Error', message = '' } = failure ?? {}
  if (name === new LeaseLost('').name) return new LeaseLost(message)
  return Object.assign(new Error(message), { name })
}
