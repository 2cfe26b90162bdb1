/** The stores of a bot that may end at any time: they are kept by another process, which hands out the work too. */
import { embeddedRun } from '../../run/memory-run.ts'
import type { Run, SavedRun } from '../../run/types.ts'
import type { Handled, Handler } from '../../queue/types.ts'
import type { FileStore } from '../../files/file-store.ts'
import type { Stores } from '../../stores.ts'
import type { Methods, Remote } from './remote.ts'

/** What the bot calls of each part; the compiler misses none. `start` and `stop` of the queue are the bot's own, `close` and `rated` the parent's. */
type Called<T> = { [M in Exclude<keyof T, 'start' | 'stop' | 'close' | 'rated'>]: true }
type Kept = Omit<Stores, 'files' | 'durable' | 'close'> & { files: FileStore }

const FORGETS = { forgetChannel: true, forgetUser: true, forgetTeam: true } as const

/** The parts that travel: their methods take and give plain JSON, functions and signals. */
const PARTS: { [P in keyof Kept]-?: Called<NonNullable<Kept[P]>> } = {
  history: { load: true, append: true, remove: true, forget: true, ...FORGETS },
  archive: {
    ...{ keep: true, load: true, lastOf: true, rate: true, remove: true },
    keepTrace: true,
    loadTrace: true,
    ...FORGETS,
  },
  audit: { note: true, list: true, forgetTeam: true },
  threads: { load: true, patch: true, forget: true, ...FORGETS },
  actionTokens: { keep: true, load: true, forgetChannel: true, forgetTeam: true },
  channelSettings: { load: true, save: true, forgetTeam: true },
  saidOnce: { isFirst: true, forgetTeam: true },
  limits: { admit: true, release: true, left: true, forgetTeam: true },
  queue: { ...{ accept: true, ready: true, stats: true, place: true, inThread: true, withdraw: true }, ...FORGETS },
  control: { send: true, wake: true, load: true, listen: true },
  forgetting: { teams: true, forgetChannel: true, forgetPerson: true, forgetTeam: true },
  mcp: { get: true, put: true, putIfAbsent: true, remove: true, lock: true },
  files: { keep: true, load: true, list: true, remove: true, ...FORGETS },
}

type Part = keyof typeof PARTS

/** A run as it travels. */
type SentRun = Pick<Run, 'saved' | 'save' | 'claimPost' | 'posted' | 'checkLease'>
export type SentHandler = (question: unknown, run: SentRun, signal: AbortSignal) => Promise<Handled>

/** On the side that keeps them: their methods by name, as `history.load`. */
export function servedStores(stores: Stores): Methods {
  const names = Object.entries(PARTS).flatMap(([part, methods]) =>
    Object.keys(methods).map((method) => [part, method] as const),
  )
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
      Object.keys(PARTS[name]).map((method) => [
        method,
        (...args: unknown[]) => remote.call(`${name}.${method}`, ...args),
      ]),
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
