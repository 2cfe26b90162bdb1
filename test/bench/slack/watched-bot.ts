/** One built bot with one way to show its work, on a Redis, with a local Slack that answers at once and is watched. */
import { BOT_USER, startLocalSlack, type LocalSlack } from '../../../playground/slack/slack.ts'
import type { WebApiCall, Change } from '../../../playground/slack/types.ts'
import { freePort, start } from '../load/measured-process.ts'
import { answeredInTime, envFor } from '../load/servers.ts'
import { questionFor, startPacedModel, wordsAround, type Pace } from './paced-model.ts'

/** The times at which people see the parts of one answer, in ms, and its calls. */
export interface WatchedAnswer {
  /** From the mention to the first visible sign of the bot. */
  signMs: number
  /** From the first word of the model's answer to the first visible word, and the same for the last word. */
  firstWordMs: number
  lastWordMs: number
  /** The calls after the model's last word, up to the one that shows the whole answer. */
  callsAfter: number
  /** Returns the question's calls so far, without those that set a status. */
  calls(): WebApiCall[]
  statusCalls(): WebApiCall[]
}

export interface WatchedBot {
  ask(pace: Pace): Promise<WatchedAnswer>
  /** Sets the time that Slack takes for a call, in milliseconds. */
  slowSlack(ms: number): void
  /** Resolves when Slack has not been called for two seconds. */
  settle(): Promise<void>
  stop(): Promise<void>
}

const STATUS = /^(?:agents\.sessions\.|assistant\.threads\.|reactions\.)/

/** Streams are in direct messages of an agent; the other ways are in channels. */
export async function startWatchedBot(way: string, redisUrl: string): Promise<WatchedBot> {
  const isDirect = way === 'stream'
  const slack = await startLocalSlack({ agent: isDirect })
  const watched = new Map<string, Watched>()
  const model = await startPacedModel((name, word) => watched.get(name)?.hear(word))
  const port = String(await freePort())
  const tokens = { SLACK_BOT_TOKEN: slack.botToken, SLACK_SIGNING_SECRET: slack.signingSecret }
  const own = { STEPS: way, REDIS_URL: redisUrl, REDIS_PREFIX: way, AGENT_MAX_STEPS: '20', WORKER_CONCURRENCY: '50' }
  const bot = await start(['node', 'dist/src/main.js'], { ...envFor(slack, model), ...tokens, ...own, PORT: port })
  slack.setTarget(`http://127.0.0.1:${port}/slack/events`)
  return {
    ask(pace) {
      const name = `Q${watched.size + 1}`
      const place = placeOf(slack, watched.size + 1, isDirect)
      const answer = new Watched(slack, name, place.channel)
      watched.set(name, answer)
      const text = questionFor(name, pace)
      void (isDirect ? slack.say({ ...place, text }) : slack.mention(text, place))
      return answeredInTime(answer.whole, text)
    },
    slowSlack(ms) {
      if (ms > 0) slack.fault({ delayMs: ms, times: Infinity })
    },
    settle: () => slack.settle(2_000),
    async stop() {
      await bot.stop()
      await slack.close()
      model.close()
    },
  }
}

/** Each question has its own channel, or its own person. */
function placeOf(slack: LocalSlack, n: number, isDirect: boolean): { channel: string; user?: string } {
  const number = String(n).padStart(5, '0')
  if (!isDirect) return { channel: slack.addChannel(`C0BENCH${number}`).id }
  const user = slack.addUser(`U0BENCH${number}`).id
  return { user, channel: slack.store.directChannel(user).id }
}

/** Watches a channel in which one question is asked. */
class Watched {
  readonly whole: Promise<WatchedAnswer>
  readonly #slack: LocalSlack
  readonly #channel: string
  readonly #words: { first: string; last: string }
  readonly #askedAt = performance.now()
  /**
   * The time at which the first and last word were sent or seen, by performance.now(), and the number of calls until
   * then.
   */
  readonly #sent = new Map<'first' | 'last', { at: number; calls: number }>()
  #signAt: number | undefined
  #firstSeenAt: number | undefined

  constructor(slack: LocalSlack, name: string, channel: string) {
    this.#slack = slack
    this.#channel = channel
    this.#words = wordsAround(name)
    this.whole = new Promise((resolve) => {
      const end = slack.store.watch((change) => {
        if (!('channel' in change) || change.channel !== channel) return
        const answer = this.#see(change)
        if (!answer) return
        end()
        resolve(answer)
      })
    })
  }

  hear(word: 'first' | 'last'): void {
    this.#sent.set(word, { at: performance.now(), calls: this.#calls().length })
  }

  /** The call that made the change is not counted yet. */
  #see(change: Change): WatchedAnswer | undefined {
    if (!isOfBot(change)) return undefined
    const now = performance.now()
    this.#signAt ??= now
    const shown = this.#slack.messages(this.#channel).filter(({ user }) => user === BOT_USER)
    const text = shown.map((message) => this.#slack.shown(message)).join('\n')
    if (text.includes(this.#words.first)) this.#firstSeenAt ??= now
    const [first, last] = [this.#sent.get('first'), this.#sent.get('last')]
    if (!text.includes(this.#words.last) || !first || !last) return undefined
    return {
      signMs: this.#signAt - this.#askedAt,
      firstWordMs: (this.#firstSeenAt ?? now) - first.at,
      lastWordMs: now - last.at,
      callsAfter: this.#calls().length + 1 - last.calls,
      calls: () => this.#calls(),
      statusCalls: () => this.#ofChannel().filter(({ method }) => STATUS.test(method)),
    }
  }

  #calls(): WebApiCall[] {
    return this.#ofChannel().filter(({ method }) => !STATUS.test(method))
  }

  #ofChannel(): WebApiCall[] {
    return this.#slack.calls.filter(({ args }) => (args['channel'] ?? args['channel_id']) === this.#channel)
  }
}

/** Returns whether a change is a message, a reaction or a status of the bot. */
function isOfBot(change: Change): boolean {
  if (change.type === 'status') return change.text !== ''
  if (change.type !== 'message') return false
  const { user, reactions = [] } = change.message
  return user === BOT_USER || reactions.some(({ users }) => users.includes(BOT_USER))
}
