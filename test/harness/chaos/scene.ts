import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { BOT_USER, startLocalSlack, TEAM } from '../../../playground/slack/slack.ts'
import type {
  Delivery,
  LocalSlack,
  LocalSlackOptions,
  StoredMessage,
  SentMessage,
} from '../../../playground/slack/slack.ts'
import { connectRedis, type RedisClient } from '../../../src/base/redis/redis.ts'
import { scanKeys } from '../../../src/base/redis/redis-keys.ts'
import { ROOT } from '../../../src/base/package-root.ts'
import { envFor } from '../bot.ts'
import type { Ends } from '../ends.ts'
import { playModel, type PlayedModel, type Script } from '../played-model.ts'
import { freePort, startRedis, type RedisServer } from '../redis.ts'
import type { RedisFleet } from '../redis-fleet.ts'
import { keptLog } from '../stores.ts'
import { startBotProcess, type BotProcess } from './bots.ts'
import { callName, nameIn, openLedger, playedTurn, questionText, wordsOf, type Ledger } from './script.ts'

export interface SceneOptions {
  env?: Record<string, string>
  slack?: LocalSlackOptions
  model?: Script
  redis?: string[]
  /** Replaces the single Redis. */
  fleet?: RedisFleet
}

/** A thread: its questions' names in the order in which they were asked. */
export interface AskedThread {
  number: number
  channel: string
  ts: string
  names: string[]
  /** The ids of the questions and of their runs. */
  ids: string[]
}

export const CHANNELS = ['C0CHAOS0001', 'C0CHAOS0002', 'C0CHAOS0003', 'C0CHAOS0004']

/** Settings for a fast take-over, so that a scenario takes seconds. The others are a real bot's. */
const FAST = { WORKER_LOCK_MS: '2000', WORKER_CONCURRENCY: '8', CUSTOM_TOOLS_DIR: 'test/chaos/tools' }

/**
 * Real bots on a real Redis with its append-only file, a local Slack, a simulated model and a ledger, over real HTTP.
 */
export class Scene {
  readonly slack: LocalSlack
  readonly model: PlayedModel
  readonly ledger: Ledger
  /** The only Redis, or the first of the fleet. */
  readonly redis: RedisServer
  /** The test's own connection. */
  readonly client: RedisClient
  readonly bots: BotProcess[] = []
  readonly threads: AskedThread[] = []
  /** The times without a Redis that accepts writes, by performance.now(). */
  readonly redisAway: { from: number; to: number }[] = []
  /** All deliveries of people's messages to the bots. */
  readonly deliveries: Delivery[] = []
  readonly #env: Record<string, string>
  readonly #ends: Ends

  constructor(
    parts: Pick<Scene, 'slack' | 'model' | 'ledger' | 'redis'>,
    options: { env: Record<string, string>; ends: Ends; fleet: RedisFleet | undefined },
  ) {
    this.slack = parts.slack
    this.model = parts.model
    this.ledger = parts.ledger
    this.redis = parts.redis
    this.#env = options.env
    this.#ends = options.ends
    this.client = connectRedis(options.fleet?.settings ?? parts.redis, { purpose: 'work', log: keptLog() })
    this.#ends.onTestFinished(() => this.client.disconnect())
    for (const id of CHANNELS) this.slack.addChannel(id)
  }

  /** Starts one bot. Slack delivers to the last one that is a front. */
  async start(role: 'front' | 'worker' | 'all', env: Record<string, string> = {}): Promise<BotProcess> {
    const port = env.PORT ?? String(await freePort())
    const bot = startBotProcess({ ...this.#env, ROLE: role, ...env, PORT: port }, this.#ends)
    this.bots.push(bot)
    await bot.ready
    if (role !== 'worker') this.slack.setTarget(`http://127.0.0.1:${bot.port}/slack/events`)
    return bot
  }

  /** The settings of another process, such as the `runs` command. */
  get env(): Record<string, string> {
    return this.#env
  }

  /** Kills Redis, and restarts it with its file after `ms`. `older`: with the file as it was when it was remembered. */
  async loseRedis(ms: number, options: { meanwhile?: () => Promise<void>; older?: boolean } = {}): Promise<void> {
    const from = performance.now()
    await this.redis.kill()
    await Promise.all([wait(ms), options.meanwhile?.()])
    await this.redis.restart(options)
    this.redisAway.push({ from, to: performance.now() })
  }

  /** Fills Redis' memory while `meanwhile` runs. */
  async fillRedis(meanwhile: () => Promise<void>): Promise<void> {
    const from = performance.now()
    await this.client.config('SET', 'maxmemory', '1mb')
    await meanwhile()
    await this.client.config('SET', 'maxmemory', '0')
    this.redisAway.push({ from, to: performance.now() })
  }

  /** Asks in a new thread. Resolves when Slack has its ack. */
  async ask(channel: string = CHANNELS[0]!): Promise<AskedThread> {
    const thread = this.#open(channel)
    const said = await this.slack.mention(questionText(thread.names[0]!), { channel })
    thread.ts = said.thread
    thread.ids.push(idOf(said))
    await this.#acked(said)
    return thread
  }

  /** Asks by `/ask`. The thread's root is the bot's message. */
  async command(channel: string = CHANNELS[0]!): Promise<AskedThread> {
    const thread = this.#open(channel)
    const text = questionText(thread.names[0]!)
    const { delivery, ok } = await this.slack.slash(text, { channel })
    if (!ok) throw new Error('The command was not acked.')
    thread.ids.push(`${TEAM}:${channel}:ask-${String(delivery.payload.trigger_id)}`)
    const isRoot = (message: StoredMessage) =>
      !message.thread_ts && message.bot_id && this.slack.shown(message).includes(text)
    const root = await this.slack.until(() => this.slack.messages(channel).find(isRoot), `the root of ${text}`)
    thread.ts = root.ts
    return thread
  }

  /** The name of the next thread's first question. */
  get nextName(): string {
    return `q${this.threads.length + 1}-1`
  }

  async #acked({ deliveries, ts }: SentMessage): Promise<void> {
    this.deliveries.push(...deliveries)
    const all = await Promise.all(deliveries.map(({ done }) => done))
    if (all.includes(false)) throw new Error(`Slack was never acked for the message ${ts}.`)
  }

  #open(channel: string): AskedThread {
    const thread = { number: this.threads.length + 1, channel, ts: '', names: [this.nextName], ids: [] }
    this.threads.push(thread)
    return thread
  }

  /** Asks a further question in the thread. It mentions the bot, so that it is not an addition. */
  async askOn(thread: AskedThread): Promise<string> {
    const name = `q${thread.number}-${thread.names.length + 1}`
    thread.names.push(name)
    const said = await this.slack.say({
      channel: thread.channel,
      thread_ts: thread.ts,
      text: `<@${BOT_USER}> ${questionText(name)}`,
    })
    thread.ids.push(idOf(said))
    await this.#acked(said)
    return name
  }

  /** Edits the thread's first question, which gets another name and id. */
  async edit(thread: AskedThread): Promise<void> {
    const { channel, ts } = thread
    const name = editedName(thread)
    const deliveries = await this.slack.people.edit({ channel, ts }, `<@${BOT_USER}> ${questionText(name)}`)
    const message = this.slack.messages(channel).find((one) => one.ts === ts)
    thread.names[0] = name
    thread.ids[0] = `${thread.ids[0]}:${message?.edited?.ts ?? ''}`
    await this.#acked({ channel, ts, thread: ts, deliveries })
  }

  /** Deletes the thread's first question. */
  async remove(thread: AskedThread): Promise<void> {
    const { channel, ts } = thread
    const deliveries = await this.slack.people.remove({ channel, ts })
    thread.names.shift()
    thread.ids.shift()
    await this.#acked({ channel, ts, thread: ts, deliveries })
  }

  /** Adds a message to the thread without a mention. Resolves when Slack has its ack. */
  async add(thread: AskedThread, text: string): Promise<void> {
    const said = await this.slack.say({ channel: thread.channel, thread_ts: thread.ts, text })
    await this.#acked(said)
  }

  /** Adds a message with the text of a question. It becomes one if the run ends before reading it. */
  async addQuestion(thread: AskedThread): Promise<void> {
    const name = `q${thread.number}-${thread.names.length + 1}`
    const said = await this.slack.say({ channel: thread.channel, thread_ts: thread.ts, text: questionText(name) })
    thread.names.push(name)
    thread.ids.push(idOf(said))
    await this.#acked(said)
  }

  /** Returns the bot's messages in a thread: their names, and whether they show the right text. */
  postsIn(thread: AskedThread): string[] {
    return this.slack.replies(thread.channel, thread.ts).map((message) => this.#labelOf(message, thread))
  }

  #labelOf(message: StoredMessage, thread: AskedThread): string {
    const { run, step } = keyOf(message)
    const shown = this.slack.shown(message)
    const name = thread.names[thread.ids.indexOf(run)] ?? `a stranger’s ${nameIn(shown)}`
    const isWhole = shown.includes(wordsOf(name, step))
    return isWhole ? `${name} ${step}` : `${name} ${step}, but: ${shown}`
  }

  /** Returns whether nothing waits and no work is in progress in Redis. */
  async isAtRest(): Promise<boolean> {
    return (await this.keys('*:inbox')).length === 0
  }

  /** Returns the keys in Redis, each once. */
  async keys(pattern: string): Promise<string[]> {
    const found = new Set<string>()
    for await (const keys of scanKeys(this.client, pattern)) for (const key of keys) found.add(key)
    return [...found]
  }

  /** Returns the completed model calls and tool uses, which cost something, with their times. */
  paid(): { name: string; at: number }[] {
    const calls = this.model.requests.filter(({ done, sent }) => done && sent !== '')
    const used = this.ledger.noted.map(({ text, at }) => ({ name: text, at }))
    return [...calls.map((call) => ({ name: callName(call), at: call.endedAt ?? 0 })), ...used]
  }

  /**
   * Writes the logs of all processes and Slack's journal into files, to investigate a failure. @returns their folder
   */
  saveOutput(): string {
    const folder = join(ROOT, 'tmp', 'chaos')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const [i, bot] of this.bots.entries()) {
      const faults = bot.interruptedAt.map((at) => `interrupted at ${at}\n`).join('')
      writeFileSync(join(folder, `${i}-${bot.role}-${bot.pid}.log`), `${faults}${bot.output()}`)
    }
    const calls = this.slack.calls.map((call) => `${new Date(call.at).toISOString()} ${JSON.stringify(call)}\n`)
    writeFileSync(join(folder, 'slack-calls.log'), calls.join(''))
    return folder
  }
}

/** Returns the name of the thread's first question after an edit. No name is a prefix of another. */
export function editedName({ number }: AskedThread): string {
  return `q${number}-9`
}

/** Redis options for an append-only file. */
export const DURABLE = ['--appendonly', 'yes']

/** Opens a scene without bots. */
export async function openScene(t: Ends, options: SceneOptions = {}): Promise<Scene> {
  const slack = await startLocalSlack({ ackMs: 3000, retryMs: RETRIES, ...options.slack })
  t.onTestFinished(() => slack.close())
  const model = await playModel(t, options.model ?? playedTurn)
  const ledger = await openLedger(t)
  const { fleet } = options
  const redis = fleet?.servers[0] ?? (await startRedis([...DURABLE, ...(options.redis ?? [])]))
  if (!fleet) t.onTestFinished(() => redis.stop())
  const own = { REDIS_URL: redis.url, ...fleet?.env, CHAOS_LEDGER: ledger.url, ...FAST, ...options.env }
  const env = Object.fromEntries(Object.entries({ ...envFor({ slack, model }), ...own }))
  return new Scene({ slack, model, ledger, redis }, { env: env as Record<string, string>, ends: t, fleet })
}

/** The pauses before retries of deliveries without an ack. Slack's own take minutes. */
const RETRIES = [100, 300, ...Array.from({ length: 40 }, () => 500)]

function idOf({ channel, ts }: SentMessage): string {
  return `${TEAM}:${channel}:${ts}`
}

/** Returns the metadata in the bot's posts. */
function keyOf({ metadata }: StoredMessage): { run: string; step: string } {
  const payload = (metadata?.event_payload ?? {}) as Partial<{ run: string; step: string }>
  return { run: payload.run ?? '', step: payload.step ?? '' }
}
