/** Runs the bot in a separate process, which is replaced when the code, a prompt or a tool changes. */
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../../src/base/package-root.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { FromBot, ToBot } from './bot-process.ts'
import type { BotParts } from './run-bot.ts'
import type { Tried, TryRequest } from './try-prompts.ts'

export interface ChildBotsOptions extends BotParts {
  /** Receives a sentence about each start, replacement and failure of the bot. */
  notice(text: string, isFault?: boolean): void
  /** The file of the bot's process, if it is not the source. */
  entry?: string
  /** Calls `act` once, after `ms`. */
  after?: (ms: number, act: () => void) => void
}

/** The current bot, whichever process it is. */
export interface ChildBots {
  /** Starts a bot. Resolves once it has replaced the previous one, or a notice has said why not. Never rejects. */
  renew(): Promise<void>
  /** Tries a prompt. @throws Error while there is no bot, or if it ends before it has answered */
  tryPrompts(request: TryRequest): Promise<Tried>
  stop(): Promise<void>
}

const ENTRY = join(ROOT, 'playground/bot/bot-process.ts')
const START_MS = 60_000
/**
 * How long a bot may take to finish or hand over its runs: when it is replaced, and at the end of the playground.
 * Milliseconds.
 */
const LEAVE_MS = 60_000
const STOP_MS = 5_000

export function createChildBots(options: ChildBotsOptions): ChildBots {
  return new Bots(options)
}

class Bots implements ChildBots {
  readonly #options: ChildBotsOptions
  readonly #running = new Set<ChildProcess>()
  readonly #after: (ms: number, act: () => void) => void
  /** The bot that takes work, and one that is being started to replace it. */
  #current: ChildProcess | undefined
  #starting: ChildProcess | undefined
  #isStopping = false
  #tries = 0

  constructor(options: ChildBotsOptions) {
    this.#options = options
    this.#after = options.after ?? ((ms, act) => void setTimeout(act, ms).unref())
  }

  renew(): Promise<void> {
    if (this.#isStopping) return Promise.resolve()
    if (this.#starting) void leave(this.#starting, LEAVE_MS)
    const { entry = ENTRY } = this.#options
    const execArgv = entry.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []
    const bot = fork(entry, { execArgv, serialization: 'advanced', cwd: ROOT })
    this.#starting = bot
    this.#running.add(bot)
    takeReports(bot, this.#options)
    return new Promise((resolve) => {
      const failed = (why: string) => {
        if (this.#starting === bot) this.#fail(bot, why)
        resolve()
      }
      bot.on('message', (message: FromBot) => {
        if (message.type === 'ready') resolve(this.#replaceBy(bot, message.port))
        if (message.type === 'failed') failed(message.why)
      })
      // Also emitted where a message cannot be sent, since the process is gone.
      bot.on('error', (error) => {
        if (bot.pid === undefined) this.#running.delete(bot)
        failed(`The bot does not run: ${error.message}.`)
      })
      bot.on('exit', () => {
        this.#running.delete(bot)
        failed('The bot ended before it was ready.')
        if (this.#current === bot) this.#restart()
      })
      this.#after(START_MS, () => failed('The bot did not start in time.'))
      send(bot, { type: 'start', settings: this.#options.settings })
    })
  }

  tryPrompts(request: TryRequest): Promise<Tried> {
    const [bot, id] = [this.#current, ++this.#tries]
    if (!bot) return Promise.reject(new Error('The bot is not running: your last edit does not start.'))
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error('The bot has ended.'))
      const take = (message: FromBot) => {
        if (message.type !== 'tried' || message.id !== id) return
        bot.off('message', take).off('exit', ended)
        if (message.tried) resolve(message.tried)
        else reject(new Error(message.error))
      }
      bot.on('message', take).once('exit', ended)
      send(bot, { type: 'try', id, request })
    })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    const all = [...this.#running]
    const gone = all.map((bot) => new Promise((resolve) => void bot.once('exit', resolve)))
    for (const bot of all) void leave(bot, STOP_MS)
    await Promise.all(gone)
  }

  async #replaceBy(bot: ChildProcess, port: number): Promise<void> {
    // This bot was itself replaced while it was starting.
    if (this.#starting !== bot) return
    const before = this.#current
    this.#current = bot
    this.#starting = undefined
    this.#options.onPort?.(port)
    if (!before) return this.#options.notice('The bot is ready.')
    await leave(before, LEAVE_MS)
    if (this.#inRedis) this.#options.notice('The bot has restarted.')
    else this.#options.notice('The bot has restarted. Without Redis, it has forgotten every conversation.', true)
  }

  #fail(bot: ChildProcess, why: string) {
    this.#starting = undefined
    bot.kill('SIGKILL')
    const next = this.#current
      ? 'The bot from before this edit keeps running.'
      : 'The bot starts after your next edit that works.'
    if (!this.#isStopping) this.#options.notice(`${why} ${next}`, true)
  }

  /** Called after the current bot has ended by itself. */
  #restart() {
    this.#current = undefined
    if (this.#isStopping) return
    const rest = this.#inRedis ? 'and what ran goes on' : 'and without Redis what ran is lost'
    this.#options.notice(`The bot ended by itself; it restarts, ${rest}.`, true)
    if (!this.#starting) void this.renew()
  }

  get #inRedis(): boolean {
    return this.#options.settings['REDIS_URL'] !== undefined
  }
}

/** Ends a bot once it has finished its work, after `ms` at the latest. Resolves once it takes no more work. */
function leave(bot: ChildProcess, ms: number): Promise<void> {
  setTimeout(() => bot.kill('SIGKILL'), ms).unref()
  return new Promise((resolve) => {
    bot.on('message', ({ type }: FromBot) => {
      if (type === 'leaving') resolve()
    })
    bot.once('exit', () => resolve())
    send(bot, { type: 'leave' })
  })
}

function send(bot: ChildProcess, message: ToBot) {
  if (bot.connected) bot.send(message)
}

/** Passes on a bot's reports of its runs and tools. */
function takeReports(bot: ChildProcess, { recorder, onTrace }: ChildBotsOptions) {
  const ends = new Map<number, ReturnType<Recorder['onTool']>>()
  bot.on('message', (message: FromBot) => {
    if (message.type === 'trace') onTrace(message.trace)
    if (message.type === 'toolOffered') recorder.onOffered(message.tool)
    if (message.type === 'toolBegun') ends.set(message.id, recorder.onTool(message.begun))
    if (message.type === 'toolEnded') ends.get(message.id)?.(message.end)
  })
}
