import type { Question, Run } from '../run/types.ts'
import type { Egress } from './egress.ts'
import type { SlackArgs } from './web.ts'

/** Slack drops a status at each message of the bot; one that is due again after this long says that work goes on. */
const REFRESH_MS = 1500
const REACTION = 'eyes'
/** How long a sign of life is tried to be taken back while Slack does not answer. */
const CLEAR_MS = 15_000

/**
 * Shows within a second that the bot is at it: a status under the thread, or where Slack refuses that, a reaction on the
 * message. Both are gone at the end. The calls of one thread go out in order, so that none can come back after the end.
 */
export class Status {
  readonly #egress: Egress
  readonly #checkLease: () => Promise<void>
  readonly #place: { channel: string; thread: string; message: string }
  /** What shows, or may show, and has to be taken back. */
  readonly #shown = new Set<'status' | 'reaction'>()
  #tail: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #ended = false
  #isAbandoned = false

  constructor(egress: Egress, question: Question, run: Run) {
    this.#egress = egress
    this.#checkLease = () => run.checkLease()
    // An earlier process may have died with its reaction on the message, where this one gets its status shown.
    if (run.saved.attempts > 1) this.#shown.add('reaction')
    this.#place = { channel: question.channel, thread: question.thread, message: question.ts ?? question.thread }
  }

  begin(): void {
    this.#enqueue(async () => {
      const status = await this.#setStatus('is thinking …')
      if (status !== 'refused') this.#shown.add('status')
      if (status === 'taken') return
      await this.#checkLease()
      if ((await this.#egress.sign('reactions.add', this.#reaction())) !== 'refused') this.#shown.add('reaction')
    })
  }

  /** After each message of the bot: if the work still goes on a little later, the status is put back. */
  refresh(text = 'is thinking …'): void {
    clearTimeout(this.#timer)
    if (!this.#shown.has('status') || this.#ended) return
    this.#timer = setTimeout(
      () => this.#enqueue(async () => void (this.#ended || (await this.#setStatus(text)))),
      REFRESH_MS,
    )
    this.#timer.unref()
  }

  /** Says nothing more, and takes nothing back. Resolves when nothing is on its way any more. */
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

  /** A lost lease ends the work in silence: the next claim finds it out. */
  #enqueue(work: () => Promise<void>): void {
    this.#tail = this.#tail.then(work).catch(() => undefined)
  }

  async #setStatus(status: string): ReturnType<Egress['sign']> {
    await this.#checkLease()
    return this.#egress.sign('assistant.threads.setStatus', this.#statusArgs(status))
  }

  /** Taking a sign back is worth some patience: nobody should see it for ever. */
  async #clear(method: string, args: SlackArgs): Promise<void> {
    await this.#egress.call(method, args, AbortSignal.timeout(CLEAR_MS)).catch(() => undefined)
  }

  #statusArgs(status: string) {
    return { channel_id: this.#place.channel, thread_ts: this.#place.thread, status }
  }

  #reaction() {
    return { channel: this.#place.channel, timestamp: this.#place.message, name: REACTION }
  }
}
