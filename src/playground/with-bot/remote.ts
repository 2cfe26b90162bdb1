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
  $: 'function' | 'signal' | 'end'
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
  let next = 1
  let gone: string | undefined
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  const functions = new Map<number, Method>()
  const signals = new Map<number, AbortController>()

  function call(method: string | number, args: unknown[]): Promise<unknown> {
    if (gone !== undefined) return Promise.reject(new Error(gone))
    const id = next++
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      port.send({ type: 'call', id, method, args: args.map(handOver) } satisfies Sent)
    })
  }

  /** What can travel in place of a value: functions and signals by a number. Looks one level into objects. */
  function handOver(value: unknown): unknown {
    if (typeof value === 'function') return handed('function', value as Method)
    if (value instanceof AbortSignal) return handedSignal(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const hasFunctions = Object.values(value).some((one) => typeof one === 'function' || one instanceof AbortSignal)
    if (!hasFunctions) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, handOver(inner)]))
  }

  function handed($: 'function', method: Method): Handed {
    const id = next++
    functions.set(id, method)
    return { $, id }
  }

  function handedSignal(signal: AbortSignal): Handed {
    const id = next++
    const told = () => port.send({ type: 'abort', id, reason: failureOf(signal.reason) } satisfies Sent)
    if (!signal.aborted) signal.addEventListener('abort', told, { once: true })
    return { $: 'signal', id, isAborted: signal.aborted, reason: signal.aborted ? failureOf(signal.reason) : undefined }
  }

  function takeUp(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    if (!isHanded(value)) {
      const hasHanded = Object.values(value).some((one) => isHanded(one))
      return hasHanded ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, takeUp(one)])) : value
    }
    if (value.$ === 'function') return (...args: unknown[]) => call(value.id, args)
    const controller = new AbortController()
    signals.set(value.id, controller)
    if (value.isAborted) controller.abort(errorOf(value.reason))
    return controller.signal
  }

  async function answer({ id, method, args }: Extract<Sent, { type: 'call' }>): Promise<void> {
    try {
      const own = typeof method === 'number' ? functions.get(method) : methods[method]
      if (!own) throw new Error(`There is no ${method} here.`)
      const value: unknown = await own(...(args.map(takeUp) as never[]))
      port.send({ type: 'done', id, value: handOver(value) } satisfies Sent)
    } catch (error) {
      port.send({ type: 'done', id, error: failureOf(error) } satisfies Sent)
    }
  }

  port.onMessage((message) => {
    const sent = message as Sent
    if (sent.type === 'call') return void answer(sent)
    if (sent.type === 'abort') return signals.get(sent.id)?.abort(errorOf(sent.reason))
    if (sent.type !== 'done') return
    const { resolve, reject } = waiting.get(sent.id) ?? {}
    waiting.delete(sent.id)
    if (sent.error) reject?.(errorOf(sent.error))
    else resolve?.(takeUp(sent.value))
  })

  return {
    call: (method, ...args) => call(method, args),
    end(why) {
      gone = why
      for (const { reject } of waiting.values()) reject(new Error(why))
      waiting.clear()
      for (const controller of signals.values()) controller.abort(new LeaseLost(why))
    },
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
