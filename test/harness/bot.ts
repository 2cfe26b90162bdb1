import type { Model } from '../../src/agent/contracts/model.ts'
import { startBot as startRealBot, type Bot } from '../../src/bot.ts'
import { loadConfig, secretsOf, type Env } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { ALICE, GENERAL, startLocalSlack } from '../../playground/slack/slack.ts'
import type {
  AckResult,
  LocalSlack,
  LocalSlackOptions,
  StoredMessage,
  SentMessage,
  SayOptions,
  Session,
} from '../../playground/slack/slack.ts'
import type { RunTrace } from '../../src/stores/runs/run-trace.ts'
import { startWiki, type Wiki } from '../../playground/wiki/wiki.ts'
import type { WikiPage } from '../../playground/wiki/wiki-pages.ts'
import type { Ends } from './ends.ts'
import { modalOf, openHome, type ViewInHand } from './slack-hands.ts'
import { playModel, type PlayedModel, type Script } from './played-model.ts'

export interface TestBotOptions {
  /** The transport of Slack's deliveries. Default: http. */
  mode?: 'http' | 'socket'
  model?: Script
  /** Replaces the bot's model by one that calls the simulated model at this address. */
  modelAt?: (url: string) => Model
  env?: Env
  slack?: LocalSlackOptions
  /** The time without traffic after which the socket is replaced. */
  socketSilenceMs?: number
  /** The pauses between two tries to open the socket, in ms. */
  socketPause?: { base: number; max: number }
  pages?: WikiPage[]
  /** The bot's clock. */
  now?: () => Date
  /** Receives the traces of runs. Turns recording on. */
  onTrace?: (trace: RunTrace) => void
}

/** The real bot on a local Slack, a simulated model and a simulated wiki, over real HTTP. */
export interface TestBot {
  bot: Bot
  slack: LocalSlack
  model: PlayedModel
  wiki: Wiki
  /** Every log line, as on stdout. */
  logs: string[]
  mention(text: string, options?: Omit<SayOptions, 'text'>): Promise<Thread>
  dm(text: string, options?: Omit<SayOptions, 'text' | 'channel'>): Promise<Thread>
  /** Sends `/ask`. Resolves with the thread under its root. */
  ask(text: string, options?: { channel?: string; user?: string }): Promise<Thread>
  /** Resolves with the open modal of a person (default: Alice). */
  modal(user?: string): Promise<ViewInHand>
  /** Opens the app's Home. */
  openHome(user?: string): Promise<ViewInHand>
  stop(): Promise<void>
}

/** Returns all settings that `npm start` needs for these servers. */
export function envFor(
  servers: {
    slack: Pick<LocalSlack, 'apiUrl' | 'botToken' | 'appToken' | 'signingSecret'>
    model: PlayedModel
    wiki?: Wiki
  },
  mode: 'http' | 'socket' = 'http',
): Env {
  const { slack, model, wiki } = servers
  return {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_API_URL: slack.apiUrl,
    ...(mode === 'socket' ? { SLACK_APP_TOKEN: slack.appToken } : { SLACK_SIGNING_SECRET: slack.signingSecret }),
    OPENAI_API_KEY: 'sk-played-key',
    OPENAI_BASE_URL: model.url,
    OPENAI_MODEL: 'played-model',
    ...(wiki ? { WIKIPEDIA_API_URL: wiki.url } : {}),
    PORT: '0',
    HOST: '127.0.0.1',
    // The end of a run is known by its statistics.
    FOOTER: 'full',
    // The repository's skills would add lines to every prompt.
    SKILLS_DIR: 'no-skills',
  }
}

/** Time limits that a busy machine can keep. Tests on Slack's own three seconds set their own. */
const PATIENT = { ackMs: 30_000, triggerMs: 60_000 }

export async function startBot(t: Ends, options: TestBotOptions = {}): Promise<TestBot> {
  const { mode = 'http' } = options
  const slack = await startLocalSlack({ ...PATIENT, retryMs: [20, 50, 100], ...options.slack })
  t.onTestFinished(() => slack.close())
  const model = await playModel(t, options.model)
  const wiki = await startWiki(options.pages ? { pages: options.pages } : {})
  t.onTestFinished(() => wiki.close())
  const logs: string[] = []
  const config = loadConfig(
    { ...envFor({ slack, model, wiki }, mode), SHUTDOWN_MS: '2000', ...options.env },
    { serves: true },
  )
  const bot = await startRealBot(config, {
    log: createLog(config.LOG_LEVEL, { write: (line) => void logs.push(line) }, secretsOf(config)),
    ...(options.modelAt ? { model: options.modelAt(model.url) } : {}),
    ...(options.socketSilenceMs ? { socketSilenceMs: options.socketSilenceMs } : {}),
    ...(options.socketPause ? { socketPause: options.socketPause } : {}),
    ...(options.now ? { now: options.now } : {}),
    ...(options.onTrace ? { onTrace: options.onTrace } : {}),
  })
  if (mode === 'http') slack.setTarget(`http://127.0.0.1:${bot.port}/slack/events`)
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= bot.stop())
  t.onTestFinished(stop)
  await untilStoring(bot, slack, options.env)
  return { bot, slack, model, wiki, logs, stop, ...peopleOf(slack) }
}

/** Starts another bot on the same Slack, model and wiki. Slack still delivers to the first. */
export async function secondBot(t: Ends, { slack, model, wiki }: TestBot, env: Env = {}): Promise<Bot> {
  const config = loadConfig({ ...envFor({ slack, model, wiki }), SHUTDOWN_MS: '1000', ...env }, { serves: true })
  const bot = await startRealBot(config, { log: createLog('silent') })
  t.onTestFinished(() => bot.stop())
  await untilStoring(bot, slack, env)
  return bot
}

/**
 * Waits until a bot can store questions. A bot on Redis listens a moment earlier. Events in between are not acked, and
 * this Slack soon gives up.
 */
async function untilStoring({ port }: Bot, slack: LocalSlack, env: Env = {}): Promise<void> {
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  if (env.REDIS_URL) await slack.until(isReady, 'a bot that can store questions')
}

/** Returns people's actions with a bot on this Slack, wherever the bot runs. */
export function peopleOf(slack: LocalSlack): Pick<TestBot, 'mention' | 'dm' | 'ask' | 'modal' | 'openHome'> {
  return {
    modal: (user) => modalOf(slack, user),
    openHome: (user) => openHome(slack, user),
    mention: async (text, said) => new Thread(slack, await slack.mention(text, said)),
    dm: async (text, said = {}) =>
      new Thread(slack, await slack.say({ ...said, channel: dmOf(said.user ?? ALICE), text })),
    async ask(text, { channel = GENERAL, user = ALICE } = {}) {
      const done = await slack.slash(text, { channel, user })
      const isRoot = (message: StoredMessage) =>
        message.bot_id && !message.thread_ts && slack.shown(message).includes(text)
      const root = await slack.until(() => slack.messages(channel).find(isRoot), `the root message of /ask ${text}`)
      return new Thread(slack, { ts: root.ts, thread: root.ts, channel, deliveries: [done.delivery] })
    },
  }
}

function dmOf(user: string): string {
  return `D${user.slice(1)}`
}

/** A thread in which the bot was asked, as people see it. */
export class Thread {
  readonly channel: string
  readonly ts: string
  /** The last message, and its delivery. */
  said: SentMessage
  readonly #slack: LocalSlack
  #asked = 1

  constructor(slack: LocalSlack, said: SentMessage) {
    this.#slack = slack
    this.said = said
    this.channel = said.channel
    this.ts = said.thread
  }

  /** Posts a person's message in the thread. */
  async reply(text: string, options: Omit<SayOptions, 'text' | 'channel' | 'thread_ts'> = {}): Promise<SentMessage> {
    this.#asked += 1
    this.said = await this.#slack.say({ ...options, channel: this.channel, thread_ts: this.ts, text })
    return this.said
  }

  /**
   * Presses the element with this `action_id` on the bot's last message that has one. A thumb is chosen by its value.
   */
  async press(actionId: string, options: { user?: string; value?: string } = {}): Promise<AckResult> {
    const { value, ...who } = options
    const holds = (message: StoredMessage) => JSON.stringify(message.blocks ?? []).includes(`"action_id":"${actionId}"`)
    const message = await this.#slack.until(() => this.messages().findLast(holds), `a message with ${actionId}`)
    const chosen = { action_id: actionId, ...(value !== undefined && { value }) }
    return this.#slack.press({ channel: this.channel, ts: message.ts, ...who }, chosen)
  }

  /** Adds a reaction to the question, or to another message. */
  async react(name: string, options: { user?: string; ts?: string; removed?: boolean } = {}): Promise<void> {
    await this.#slack.people.react({ channel: this.channel, ts: this.said.ts, name, ...options })
  }

  /** Edits the asker's last message. */
  async edit(text: string): Promise<void> {
    await this.#slack.people.edit({ channel: this.channel, ts: this.said.ts }, text)
  }

  /** Deletes the asker's last message. */
  async delete(): Promise<void> {
    await this.#slack.people.remove({ channel: this.channel, ts: this.said.ts })
  }

  /** Presses Slack's own Stop. */
  async pressStop(user: string = ALICE): Promise<void> {
    await this.#slack.people.stopSession({ channel: this.channel, thread: this.ts, user })
  }

  /** Renames the agent's session. */
  async rename(title: string, user: string = ALICE): Promise<void> {
    await this.#slack.people.renameSession({ channel: this.channel, thread: this.ts, user }, title)
  }

  /** Uses a shortcut of the last message, or of another one. */
  shortcut(callbackId: string, options: { user?: string; ts?: string } = {}): Promise<AckResult> {
    return this.#slack.shortcut({ channel: this.channel, ts: this.said.ts, ...options }, callbackId)
  }

  /** Returns the ephemeral messages to this person in the channel. */
  ephemerals(user: string = ALICE): string[] {
    return this.#slack.ephemerals(this.channel, user)
  }

  /** Returns the agent's session of this thread. */
  session(): Session | undefined {
    return this.#slack.session(this.channel, this.ts)
  }

  /** Returns the bot's messages. */
  messages(): StoredMessage[] {
    return this.#slack.replies(this.channel, this.ts)
  }

  /** Returns the texts that people read in the bot's messages. */
  shown(): string[] {
    return this.messages().map((message) => this.#slack.shown(message))
  }

  /** Returns the messages that end a question: an answer has a footer, a failure a reference. */
  endings(): string[] {
    return this.shown().filter((text) => FOOTER.test(text) || REFERENCE.test(text))
  }

  steps(): string[] {
    return this.shown().filter((text) => STEP.test(text))
  }

  /** Waits until all questions so far have ended, and the sign of life is gone. Returns the text of the last ending. */
  async ended(): Promise<string> {
    await this.#slack.until(() => this.endings().length >= this.#asked, `${this.#asked} endings in ${this.ts}`, 60_000)
    await this.#slack.until(() => this.isAtRest(), 'the end of the sign of life')
    return this.endings().at(-1) ?? ''
  }

  /** Returns the answer to the last question, without its footer and buttons. */
  async lastAnswer(): Promise<string> {
    return (await this.ended())
      .split('\n')
      .filter((line) => !FOOTER.test(line) && !BUTTON.test(line) && !/^⚠ \d+ of \d+ figures/.test(line))
      .join('\n')
  }

  status(): string {
    return this.#slack.status(this.channel, this.ts)
  }

  isAtRest(): boolean {
    return this.status() === '' && this.#slack.reactions(this.channel, this.said.ts).length === 0
  }
}

export const FOOTER = /^(?:\d+ steps? · )?\d+\.\d s\b/m
export const BUTTON = /^(?:Good answer|Bad answer|Show work|Ask again)$/
export const REFERENCE = /Reference: ([0-9a-f]{8})/
const STEP = /^(?:💭|🔧|⚠️ The model|_Understood as:_.*\n(?:💭|🔧))/u
