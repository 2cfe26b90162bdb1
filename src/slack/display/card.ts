import { stepsForAll, workMs } from '../../agent/run-progress.ts'
import { LeaseLost, messageOf } from '../../base/errors.ts'
import { foldedCard, isWaiting, workingCard } from '../format/work-card.ts'
import type { Outbox } from '../client/outbox.ts'
import type { Display, Ending, ShownStep } from './types.ts'

export const CARD = 'card'
/** How long the last update of a card is retried after the run. Milliseconds. */
const FOLD_MS = 15_000
/** Minimum time between two updates. Milliseconds. */
const UPDATE_MS = 1_000
/** A timer may fire this much too early. Milliseconds. */
const EARLY_MS = 50

/**
 * `STEPS=card`: one message under the question, posted at the start, with a task for each step. It is updated at most
 * once a second and only for every second step, and the next update shows what one leaves out. So a run of N steps
 * takes at most N/2 + 4 calls: the card, its updates, the answer, and collapsing the card.
 */
export class Card implements Display {
  readonly everyMs = UPDATE_MS
  readonly #outbox: Outbox
  readonly #now: () => Date
  readonly #answer: Pick<Display, 'finish'>
  readonly #steps = new Map<number, ShownStep>()
  #updates = 0
  #updatedAt = -Infinity
  #isClosed = false

  /** `answer` shows the ending of the run. */
  constructor(outbox: Outbox, now: () => Date, answer: Pick<Display, 'finish'>) {
    this.#outbox = outbox
    this.#now = now
    this.#answer = answer
  }

  async show(steps: ShownStep[]): Promise<boolean> {
    for (const step of steps) this.#steps.set(step.n, step)
    if (this.#isClosed) return false
    const isNew = !this.#outbox.isPosted(CARD)
    if (isNew) await this.#outbox.show(CARD, this.#working())
    else if (steps.length > 0 && this.#mayUpdate()) await this.#update()
    if (isNew) this.#updatedAt = this.#nowMs()
    // Only a new message clears Slack's status, not an update.
    return isNew
  }

  /** Posts the answer first, so that it does not wait until the card is collapsed. */
  async finish(ending: Ending, unfinished: ShownStep[]): Promise<void> {
    for (const step of unfinished) this.#steps.set(step.n, step)
    await this.#answer.finish(ending, [])
    await this.#close(ending.kind === 'note')
  }

  /** Collapses the card, unless the run waits for a person: it continues with its card. */
  async end(): Promise<void> {
    await this.#close(true).catch(() => undefined)
  }

  #mayUpdate(): boolean {
    const allowed = Math.floor(this.#steps.size / 2) + 1
    return this.#updates < allowed && this.#nowMs() - this.#updatedAt >= UPDATE_MS - EARLY_MS
  }

  /** Tries only once, because the next update shows more. */
  async #update(): Promise<void> {
    this.#updates += 1
    await this.#outbox.show(CARD, this.#working(), { effort: 'once' }).catch(this.#onError)
    this.#updatedAt = this.#nowMs()
  }

  /** The answer is already posted, so no error here may fail the run. @throws LeaseLost */
  async #close(hasFailed: boolean): Promise<void> {
    if (this.#isClosed || this.#outbox.run.saved.posts[CARD] === undefined) return
    this.#isClosed = true
    try {
      const signal = AbortSignal.any([this.#outbox.signal, AbortSignal.timeout(FOLD_MS)])
      this.#addUnshown()
      const ms = workMs(this.#outbox.run.saved, this.#nowMs())
      const steps = this.#allSteps()
      const last = steps.some(isWaiting) ? this.#working() : foldedCard(steps, { ms, hasFailed })
      await this.#outbox.show(CARD, last, { signal })
    } catch (error) {
      this.#onError(error)
    }
  }

  /** Adds the saved steps that were not shown in this process, as far as everybody may see them. */
  #addUnshown(): void {
    for (const [i, step] of stepsForAll(this.#outbox.run.saved.steps).entries())
      if (step.kind !== 'message' && !this.#steps.has(i + 1)) this.#steps.set(i + 1, { n: i + 1, step })
  }

  #working() {
    return workingCard(this.#allSteps(), this.#outbox.question.id)
  }

  #allSteps(): ShownStep[] {
    return [...this.#steps.values()].sort((a, b) => a.n - b.n)
  }

  readonly #onError = (error: unknown): void => {
    if (error instanceof LeaseLost) throw error
    this.#outbox.log.info({ error: messageOf(error) }, 'Slack rejected an update of the card')
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}
