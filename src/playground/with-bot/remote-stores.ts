/** The stores of a bot that may end at any time: they are kept by another process, which hands out the work too. */
import { embeddedRun } from '../../run/memory-run.ts'
import type { Run, SavedRun } from '../../run/types.ts'
import type { Handled, Handler } from '../../queue/types.ts'
import type { Stores } from '../../stores.ts'
import type { Methods, Remote } from './remote.ts'

/** The parts that travel: their methods take and give plain JSON, functions and signals. */
const PLACES = ['forgetChannel', 'forgetUser', 'forgetTeam']
const PARTS = {
  history: ['load', 'append', 'remove', 'forget', ...PLACES],
  archive: ['keep', 'load', 'lastOf', 'rate', 'remove', ...PLACES],
  audit: ['note', 'list', 'forgetTeam'],
  threads: ['load', 'patch', 'forget', ...PLACES],
  actionTokens: ['keep', 'load', 'forgetChannel', 'forgetTeam'],
  channelSettings: ['load', 'save', 'forgetTeam'],
  saidOnce: ['isFirst', 'forgetTeam'],
  limits: ['admit', 'release', 'left', 'forgetTeam'],
  queue: ['accept', 'ready', 'stats', 'place', 'inThread', 'withdraw', ...PLACES],
  control: ['send', 'wake', 'load', 'listen'],
  forgetting: ['teams', 'forgetChannel', 'forgetPerson', 'forgetTeam'],
  mcp: ['get', 'put', 'putIfAbsent', 'remove', 'lock'],
  files: ['keep', 'load', 'list', 'remove', ...PLACES],
} as const

type Part = keyof typeof PARTS

/** A run as it travels. */
type SentRun = Pick<Run, 'saved' | 'save' | 'claimPost' | 'posted' | 'checkLease'>
type SentHandler = (question: unknown, run: SentRun, signal: AbortSignal) => Promise<Handled>

/** On the side that keeps them: their methods by name, as `history.load`. */
export function servedStores(stores: Stores): Methods {
  const names = Object.entries(PARTS).flatMap(([part, methods]) => methods.map((method) => [part, method] as const))
  return Object.fromEntries(
    names.map(([part, method]) => [
      `${part}.${method}`,
      async (...args: unknown[]) => {
        const store = part === 'files' ? await stores.files() : stores[part as Exclude<Part, 'files'>]
        const found: unknown = store && Reflect.get(store, method)
        if (typeof found !== 'function') throw new Error(`There is no ${part}.${method} here.`)
        return (await Reflect.apply(found, store, args)) as unknown
      },
    ]),
  )
}

/** On the side of the bot. `which`: the parts that are there at all, since some depend on the settings. */
export function remoteStores(remote: Remote, which: string[]): Stores {
  const part = (name: Part) =>
    Object.fromEntries(
      PARTS[name].map((method) => [method, (...args: unknown[]) => remote.call(`${name}.${method}`, ...args)]),
    )
  const parts = Object.fromEntries(Object.keys(PARTS).map((name) => [name, part(name as Part)]))
  const work = workOver(remote)
  const remoteParts = {
    ...parts,
    limits: which.includes('limits') ? parts['limits'] : undefined,
    mcp: which.includes('mcp') ? parts['mcp'] : undefined,
    queue: { ...parts['queue'], ...work },
    files: async () => parts['files'],
    durable: false,
    close: async () => {},
  }
  return remoteParts as unknown as Stores
}

/** Which of the parts that depend on the settings are there. */
export function partsThere({ limits, mcp }: Stores): string[] {
  return [...(limits ? ['limits'] : []), ...(mcp ? ['mcp'] : [])]
}

/** Takes work until it is stopped; then it waits for what is under way. */
function workOver(remote: Remote): Pick<Stores['queue'], 'start' | 'stop'> {
  const underWay = new Set<Promise<unknown>>()
  const taking =
    (handler: Handler | undefined): SentHandler =>
    async (question, sent, signal) => {
      const work = handler?.(question as Parameters<Handler>[0], heldRun(sent), signal) ?? Promise.resolve()
      underWay.add(work)
      try {
        return await work
      } finally {
        underWay.delete(work)
      }
    }
  return {
    start: async (handler, deadLetter) => void (await remote.call('work', taking(handler), taking(deadLetter))),
    stop: async () => void (await Promise.allSettled(underWay)),
  }
}

/** A run whose every change is made on the other side first, and then here. */
function heldRun(sent: SentRun): Run {
  const own = embeddedRun(sent.saved, () => true)
  return {
    saved: sent.saved,
    async save(...parts) {
      await sent.save(...parts)
      await own.save(...parts)
    },
    async claimPost(key) {
      const claimed = await sent.claimPost(key)
      await own.claimPost(key)
      return claimed
    },
    async posted(key, ts) {
      await sent.posted(key, ts)
      await own.posted(key, ts)
    },
    checkLease: () => sent.checkLease(),
  }
}

/** A run as it is handed over: its methods are called back. */
export function sentRun(run: Run): SentRun {
  const saved: SavedRun = structuredClone(run.saved)
  return {
    saved,
    save: (...parts) => run.save(...parts),
    claimPost: (key) => run.claimPost(key),
    posted: (key, ts) => run.posted(key, ts),
    checkLease: () => run.checkLease(),
  }
}

export type { SentHandler }
