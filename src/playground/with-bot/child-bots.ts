/**
 * The bot in a child process, which is replaced when the code, a prompt or a tool changes. Stores and work stay here: what runs goes on
 * in the bot that began it, what comes is the new one's.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { settledWithin } from '../../async.ts'
import type { Env } from '../../config.ts'
import type { Handler } from '../../queue/types.ts'
import type { RunTrace } from '../../run/run-trace.ts'
import { ROOT } from '../../package-root.ts'
import type { Stores } from '../../stores.ts'
import type { Recorder } from '../recording/recorder.ts'
import { remoteOver, type Remote } from './remote.ts'
import { partsThere, sentRun, servedStores, type SentHandler } from './remote-stores.ts'
import type { Tried, TryRequest } from './try-prompts.ts'

export interface ChildBotsOptions {
  settings: Env
  stores: Stores
  recorder: Pick<Recorder, 'onTool' | 'onOffered'>
  onTrace(trace: RunTrace): void
  /** Told what becomes of the bot, in sentences. */
  notice(text: string, isFault?: boolean): void
}

/** Whichever bot is the current one. */
export interface ChildBots {
  /** Starts a bot; once it is ready it takes the place of the one before. Never rejects: a fault is told, and that one stays. */
  renew(): Promise<void>
  tryPrompts(request: TryRequest): Promise<Tried>
  stop(): Promise<void>
}

/** A bot, from its start to its end. */
interface Child {
  process: ChildProcess
  remote: Remote
  /** What it does with a question; there once it takes work. */
  handler?: SentHandler
  deadLetter?: SentHandler
  isReady: boolean
  isLeaving: boolean
}

/** How long a bot may take to be ready, and one that leaves to finish its runs, in ms. */
const START_MS = 60_000
const LEAVE_MS = 600_000
/** How long work waits for a bot where there is none. */
const NONE_MS = 600_000

export async function startChildBots(options: ChildBotsOptions): Promise<ChildBots> {
  const bots = new Bots(options)
  await bots.takeWork()
  return bots
}

class Bots implements ChildBots {
  readonly #options: ChildBotsOptions
  readonly #children = new Set<Child>()
  readonly #arrived = new Set<() => void>()
  #current: Child | undefined
  #renewing = Promise.resolve()
  #isStopping = false

  constructor(options: ChildBotsOptions) {
    this.#options = options
  }

  /** Hands out the work of the queue from now on, each question to the bot that is current then. */
  takeWork(): Promise<void> {
    return this.#options.stores.queue.start(this.#work('handler'), this.#work('deadLetter'))
  }

  renew(): Promise<void> {
    this.#renewing = this.#renewing.then(() => this.#begin())
    return this.#renewing
  }

  async tryPrompts(request: TryRequest): Promise<Tried> {
    if (!this.#current) throw new Error('There is no bot: the last edit of the code is not right.')
    return (await this.#current.remote.call('tryPrompts', request)) as Tried
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#renewing
    await this.#options.stores.queue.stop(2_000)
    await Promise.all([...this.#children].map((child) => leave(child, 5_000)))
  }

  #work(which: 'handler' | 'deadLetter'): Handler {
    return async (question, run, signal) => {
      const child = this.#current ?? (await this.#nextChild())
      const handler = child[which]
      if (!handler) throw new Error('The bot has ended.')
      return handler(question, sentRun(run), signal)
    }
  }

  #nextChild(): Promise<Child> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('There is no bot.')), NONE_MS)
      timer.unref()
      this.#arrived.add(() => {
        clearTimeout(timer)
        if (this.#current) resolve(this.#current)
        else reject(new Error('There is no bot.'))
      })
    })
  }

  async #begin(): Promise<void> {
    if (this.#isStopping) return
    const on = {
      children: this.#children,
      ready: (child: Child) => this.#take(child),
      ended: (child: Child) => this.#ended(child),
    }
    const why = await startChild(this.#options, on)
    const next = this.#current
      ? 'The bot from before this edit goes on.'
      : 'The next edit that is right starts the bot.'
    if (why !== undefined && !this.#isStopping) this.#options.notice(`${why} ${next}`, true)
  }

  #take(child: Child) {
    const before = this.#current
    this.#current = child
    for (const tell of this.#arrived) tell()
    this.#arrived.clear()
    if (before) void leave(before)
    this.#options.notice(before ? 'The bot has been started anew.' : 'The bot is ready.')
  }

  /** A bot that ended by itself: its runs go on in the next one. */
  #ended(child: Child) {
    if (this.#current !== child) return
    this.#current = undefined
    if (this.#isStopping) return
    this.#options.notice('The bot ended by itself; it is started anew, and what ran goes on.', true)
    void this.renew()
  }
}

/** Lets a bot finish what it does. */
async function leave(child: Child, ms = LEAVE_MS): Promise<void> {
  if (child.process.exitCode !== null) return
  child.isLeaving = true
  const gone = new Promise<void>((resolve) => void child.process.once('exit', () => resolve()))
  const timer = setTimeout(() => void child.process.kill('SIGKILL'), ms)
  timer.unref()
  child.remote.call('stop').catch(() => undefined)
  await gone
  clearTimeout(timer)
}

/** How a child tells of itself. */
interface ChildWatch {
  children: Set<Child>
  ready(child: Child): void
  ended(child: Child): void
}

/** @returns why it could not be started */
async function startChild(options: ChildBotsOptions, on: ChildWatch): Promise<string | undefined> {
  const { own, told } = forkChild(options, on)
  if (await settledWithin(START_MS, [told])) return told
  own.kill('SIGKILL')
  return 'The bot did not start in time.'
}

/** `told`: once it is ready, or why it never will be. */
function forkChild(
  options: ChildBotsOptions,
  on: ChildWatch,
): { own: ChildProcess; told: Promise<string | undefined> } {
  const { stores, settings } = options
  const entry = join(ROOT, 'src/playground/with-bot/bot-process.ts')
  const own = fork(entry, { execArgv: ['--import', import.meta.resolve('tsx')], serialization: 'advanced', cwd: ROOT })
  const told = new Promise<string | undefined>((resolve) => {
    const port = {
      send: (message: unknown) => void (own.connected && own.send(message as object)),
      onMessage: (take: (message: unknown) => void) => void own.on('message', take),
    }
    const remote = remoteOver(port, {
      ...servedStores(stores),
      ...toolMethods(options),
      work: (handler: SentHandler, deadLetter: SentHandler) => void Object.assign(child, { handler, deadLetter }),
      ready() {
        child.isReady = true
        resolve(undefined)
        on.ready(child)
      },
    })
    const child: Child = { process: own, remote, isReady: false, isLeaving: false }
    on.children.add(child)
    own.on('message', (message: { type?: string; why?: string }) => {
      if (message.type === 'failed') resolve(message.why)
    })
    // It could not be forked, or is gone while something is written to it, which its exit tells.
    own.on('error', (error) => {
      if (own.pid === undefined) on.children.delete(child)
      resolve(`The bot does not run: ${error.message}.`)
    })
    own.on('exit', () => {
      on.children.delete(child)
      remote.end('The bot has ended.')
      resolve('The bot ended before it was ready.')
      if (child.isReady && !child.isLeaving) on.ended(child)
    })
    own.once('spawn', () => own.send({ settings, parts: partsThere(stores) }))
  })
  return { own, told }
}

/** What a bot tells of its tools and runs. */
function toolMethods({ recorder, onTrace }: ChildBotsOptions) {
  const ends = new Map<number, ReturnType<Recorder['onTool']>>()
  return {
    'tool.offered': recorder.onOffered,
    'tool.begun': (id: number, begun: Parameters<Recorder['onTool']>[0]) => void ends.set(id, recorder.onTool(begun)),
    'tool.ended': (id: number, end: Parameters<ReturnType<Recorder['onTool']>>[0]) => {
      ends.get(id)?.(end)
      ends.delete(id)
    },
    trace: onTrace,
  }
}
