import type { Outbox } from '../outbox.ts'
import type { SlackArgs } from '../client/slack-web.ts'

/** Slack clears a status with each message of the bot. It is set again if the work still goes on after this long. Milliseconds. */
const REFRESH_MS = 1500
const THINKING = 'is thinking …'
const REACTION = 'eyes'
/** How long the clearing is tried while Slack does not answer. Milliseconds. */
const CLEAR_MS = 15_000

/**
 * Shows within a second that the bot is at work: a status under the thread or, if Slack refuses that, a reaction on the
 * message. Both are gone at the end. The calls of one thread go out in order, so that neither appears after the end.
 */
export class Status {
  readonly #outbox: Outbox
  /** What shows, or may show, and has to be cleared. */
  readonly #shown = new Set<'status' | 'reaction'>()
  #tail: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #ended = false

  constructor(outbox: Outbox) {
    this.#outbox = outbox
    // An earlier process may have died and left its reaction on the message.
    if (outbox.run.saved.attempts > 1) this.#shown.add('reaction')
  }

  begin(): void {
    this.#enqueue(async () => {
      const status = await this.#setStatus(THINKING)
      if (status !== 'refused') this.#shown.add('status')
      if (status === 'taken') return
      await this.#outbox.run.checkLease()
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

  /** Sets nothing more, and clears nothing. Resolves when no call is under way any more. */
  async abandon(): Promise<void> {
    this.#ended = true
    clearTimeout(this.#timer)
    await this.#tail
  }

  async end(): Promise<void> {
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
    await this.#outbox.run.checkLease()
    return this.#outbox.tryOnce('assistant.threads.setStatus', this.#statusArgs(status))
  }

  /** Tried for a while, because otherwise it would stay for ever. */
  async #clear(method: string, args: SlackArgs): Promise<void> {
    const signal = AbortSignal.timeout(CLEAR_MS)
    await this.#outbox.call(method, args, { effort: 'patient', signal }).catch(() => undefined)
  }

  #statusArgs(status: string) {
    const { channel, thread } = this.#outbox.question
    return { channel_id: channel, thread_ts: thread, status }
  }

  #reaction() {
    const { channel, thread, ts } = this.#outbox.question
    return { channel, timestamp: ts ?? thread, name: REACTION }
  }
}
