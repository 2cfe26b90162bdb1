import type { Question, Run } from '../../run/types.ts'
import type { Outbox } from '../outbox.ts'
import type { SlackArgs } from '../client/slack-web.ts'

/** Slack clears a status with each message of the bot. It is set again if the work still goes on after this long. */
const REFRESH_MS = 1500
const THINKING = 'is thinking …'
const REACTION = 'eyes'
/** How long we try to take a sign of life back while Slack does not answer. */
const CLEAR_MS = 15_000

/**
 * Shows within a second that the bot is at work: a status under the thread or, if Slack refuses that, a reaction on the
 * message. Both are gone at the end. The calls of one thread go out in order, so that no sign appears after the end.
 */
export class Status {
  readonly #outbox: Outbox
  readonly #checkLease: () => Promise<void>
  readonly #place: { channel: string; thread: string; message: string }
  /** What shows, or may show, and has to be taken back. */
  readonly #shown = new Set<'status' | 'reaction'>()
  #tail: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #ended = false
  #isAbandoned = false

  constructor(outbox: Outbox, question: Question, run: Run) {
    this.#outbox = outbox
    this.#checkLease = () => run.checkLease()
    // An earlier process may have died and left its reaction on the message.
    if (run.saved.attempts > 1) this.#shown.add('reaction')
    this.#place = { channel: question.channel, thread: question.thread, message: question.ts ?? question.thread }
  }

  begin(): void {
    this.#enqueue(async () => {
      const status = await this.#setStatus(THINKING)
      if (status !== 'refused') this.#shown.add('status')
      if (status === 'taken') return
      await this.#checkLease()
      if ((await this.#outbox.tryOnce('reactions.add', this.#reaction())) !== 'refused') this.#shown.add('reaction')
    })
  }

  /** To be called after each message of the bot: sets the status again if the work still goes on a little later. */
  refresh(): void {
    clearTimeout(this.#timer)
    if (!this.#shown.has('status') || this.#ended) return
    this.#timer = setTimeout(
      () => this.#enqueue(async () => void (this.#ended || (await this.#setStatus(THINKING)))),
      REFRESH_MS,
    )
    this.#timer.unref()
  }

  /** Shows nothing more, and takes nothing back. Resolves when no call is under way any more. */
  async abandon(): Promise<void> {
    this.#ended = this.#isAbandoned = true
    clearTimeout(this.#timer)
    await this.#tail
  }

  async end(): Promise<void> {
    if (this.#isAbandoned) return
    this.#ended = true
    clearTimeout(this.#timer)
    this.#enqueue(async () => {
      if (this.#shown.has('status')) await this.#clear('assistant.threads.setStatus', this.#statusArgs(''))
      if (this.#shown.has('reaction')) await this.#clear('reactions.remove', this.#reaction())
      this.#shown.clear()
    })
    await this.#tail
  }

  /** Errors are dropped, a lost lease too: the next claim of a post meets it again. */
  #enqueue(work: () => Promise<void>): void {
    this.#tail = this.#tail.then(work).catch(() => undefined)
  }

  async #setStatus(status: string): ReturnType<Outbox['tryOnce']> {
    await this.#checkLease()
    return this.#outbox.tryOnce('assistant.threads.setStatus', this.#statusArgs(status))
  }

  /** Tried for a while, because otherwise the sign would stay for ever. */
  async #clear(method: string, args: SlackArgs): Promise<void> {
    await this.#outbox.call(method, args, AbortSignal.timeout(CLEAR_MS)).catch(() => undefined)
  }

  #statusArgs(status: string) {
    return { channel_id: this.#place.channel, thread_ts: this.#place.thread, status }
  }

  #reaction() {
    return { channel: this.#place.channel, timestamp: this.#place.message, name: REACTION }
  }
}
