/** Runs the bot in a separate process, which is replaced when the code, a prompt or a tool changes. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from '../../src/base/package-root.ts'
import type { Env } from '../../src/config.ts'
import type { ChosenModel } from '../../src/question/agent/agent-parts.ts'
import { until } from '../base/until.ts'
import type { BotReport } from './bot-process.ts'
import { crashSentence, sourceArgs } from './child-process.ts'
import type { BotParts } from './run-bot.ts'

export interface ChildBotsOptions extends BotParts {
  /** Receives a sentence about each start, replacement and failure of the bot. */
  notice(text: string, isFault?: boolean): void
  /** Returns the arguments with which Node runs a source file. */
  nodeArgs?: (file: string) => string[]
  /** Calls `act` once, after `ms`. */
  after?: (ms: number, act: () => void) => void
}

interface ChildBot {
  process: ChildProcess
  /** Resolves with its port. */
  ready: Promise<number>
  /** Resolves when the process has ended, or could not be started. */
  ended: Promise<unknown>
  /** Resolves after `ended`, with the reason. */
  fault: Promise<string>
  /** Set once it was ready. */
  port?: number
}

const START_MS = 60_000
/** How long a bot may take to finish or hand over its runs: when it is replaced, and when everything ends. */
const LEAVE_MS = 60_000
const STOP_MS = 5_000

/** The current bot, whichever process it is. */
export class ChildBots {
  readonly #options: ChildBotsOptions
  readonly #running = new Set<ChildBot>()
  /** The bot that takes work, and one that is being started to replace it. */
  #current: ChildBot | undefined
  #starting: ChildBot | undefined
  #isStopping = false

  constructor(options: ChildBotsOptions) {
    this.#options = options
  }

  /** Starts a bot. Resolves once it has replaced the previous one, or a notice has said why not. Never rejects. */
  async renew(): Promise<void> {
    if (this.#isStopping) return
    if (this.#starting) void leave(this.#starting, LEAVE_MS)
    const bot = startBot(this.#options)
    this.#starting = bot
    this.#running.add(bot)
    void bot.ended.then(() => this.#onEnd(bot))
    const { after = (ms, act) => void setTimeout(act, ms).unref() } = this.#options
    const late = new Promise<string>((resolve) => after(START_MS, () => resolve('The bot did not start in time.')))
    const outcome = await Promise.race([bot.ready, bot.fault, late])
    // A later edit has started another one.
    if (this.#starting !== bot) return
    this.#starting = undefined
    if (typeof outcome === 'number') return this.#replaceBy(bot, outcome)
    bot.process.kill('SIGKILL')
    const next = this.#current ? 'from before this edit keeps running' : 'starts after your next edit that works'
    this.#options.notice(`${outcome} The bot ${next}.`, true)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#starting = undefined
    const all = [...this.#running]
    for (const bot of all) void leave(bot, STOP_MS)
    await Promise.all(all.map(({ ended }) => ended))
  }

  async #replaceBy(bot: ChildBot, port: number): Promise<void> {
    const before = this.#current
    bot.port = port
    this.#current = bot
    this.#options.onPort?.(port)
    if (!before) return this.#options.notice('The bot is ready.')
    await leave(before, LEAVE_MS)
    const lost = this.#inRedis ? '' : ' Without Redis, it has forgotten every conversation.'
    this.#options.notice(`The bot has restarted.${lost}`, lost !== '')
  }

  #onEnd(bot: ChildBot) {
    this.#running.delete(bot)
    if (this.#current !== bot) return
    this.#current = undefined
    if (this.#isStopping) return
    const rest = this.#inRedis ? 'running questions continue' : 'without Redis, running questions are lost'
    this.#options.notice(`The bot ended by itself. It is restarting; ${rest}.`, true)
    if (!this.#starting) void this.renew()
  }

  get #inRedis(): boolean {
    return this.#options.settings['REDIS_URL'] !== undefined
  }
}

function startBot(options: ChildBotsOptions): ChildBot {
  const { recorder, onTrace, nodeArgs = sourceArgs } = options
  const args = nodeArgs('playground/bot/bot-process.ts')
  const env = { ...options.settings, ...chosenSettings(options.chosenModel?.()) }
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
  let stderr = ''
  child.stderr?.on('data', (text: Buffer) => {
    process.stderr.write(text)
    stderr = (stderr + text.toString()).slice(-20_000)
  })
  const ready = new Promise<number>((resolve) => {
    child.on('message', ({ port, trace, tool, offered }: BotReport) => {
      if (trace) onTrace(trace)
      if (tool) recorder.onTool(tool)
      if (offered) recorder.onOffered(offered)
      if (port) resolve(port)
    })
  })
  const ended = once(child, 'exit').catch(() => undefined)
  const closed = once(child, 'close').catch(() => undefined)
  return { process: child, ready, ended, fault: closed.then(() => crashSentence(stderr)) }
}

/** The settings of a chosen model. A bot in another process is not asked: it starts with them. */
function chosenSettings(chosen: ChosenModel | undefined): Env {
  if (!chosen) return {}
  const { name, dialect, window } = chosen
  return { OPENAI_MODEL: name, AGENT_DIALECT: dialect, ...(window && { OPENAI_CONTEXT_TOKENS: String(window) }) }
}

/** Ends a bot once it has finished its work, after `ms` at the latest. Resolves once it takes no more work. */
async function leave({ process: child, port }: ChildBot, ms: number): Promise<void> {
  if (!child.killed) child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), ms).unref()
  const ready = () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
  if (port !== undefined) await until(async () => !(await ready())?.ok, 'a bot that takes no more work', 2 * ms)
}
