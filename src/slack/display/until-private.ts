import { hiddenStep, isForAsker, isRunning, stepsForAll } from '../../agent/run-progress.ts'
import { LeaseLost, messageOf } from '../../base/errors.ts'
import type { Outbox } from '../client/outbox.ts'
import { FOR_ASKER } from '../format/audience-words.ts'
import { PrivateAnswer } from './private-answer.ts'
import type { Display, Ending, ShownStep } from './types.ts'

/**
 * Shows a run to everybody until it has found what only the asker may see. A neutral line then ends the run in the
 * thread, and the rest goes to the asker alone.
 */
export class UntilForAsker implements Display {
  readonly everyMs?: number
  readonly showAnswer?: NonNullable<Display['showAnswer']>
  readonly #everyone: Display
  readonly #asker: PrivateAnswer
  readonly #outbox: Outbox
  readonly #steps = new Map<number, ShownStep>()
  #isOver = false

  constructor(everyone: Display, outbox: Outbox) {
    this.#everyone = everyone
    this.#asker = new PrivateAnswer(outbox)
    this.#outbox = outbox
    if (everyone.everyMs !== undefined) this.everyMs = everyone.everyMs
    if (everyone.showAnswer)
      this.showAnswer = (text, view) => (outbox.isForAsker ? undefined : everyone.showAnswer?.(text, view))
  }

  async show(steps: ShownStep[]): Promise<boolean> {
    for (const step of steps) this.#steps.set(step.n, step)
    if (!this.#outbox.isForAsker) return this.#everyone.show(steps)
    await this.#leaveEveryone()
    return false
  }

  async finish(ending: Ending, unfinished: ShownStep[]): Promise<void> {
    for (const step of unfinished) this.#steps.set(step.n, step)
    if (!this.#outbox.isForAsker) return this.#everyone.finish(ending, unfinished)
    await this.#leaveEveryone()
    await this.#asker.finish(ending)
  }

  end(): Promise<void> {
    return this.#everyone.end()
  }

  async leave(): Promise<void> {
    await this.#everyone.leave?.()
  }

  /**
   * Also posts steps that were too quick to be shown before. The answer must reach the asker, even where Slack takes
   * none of this. @throws LeaseLost
   */
  async #leaveEveryone(): Promise<void> {
    if (this.#isOver || this.#outbox.isPosted('aside-1')) return
    this.#isOver = true
    const unfinished = this.#stepsForAll()
    // A display that is updated at intervals shows them with its end.
    if (this.everyMs === undefined) await this.#everyone.show(unfinished).catch(this.#onError)
    await this.#everyone.finish({ kind: 'note', key: 'aside', text: FOR_ASKER }, unfinished).catch(this.#onError)
  }

  readonly #onError = (error: unknown): void => {
    if (error instanceof LeaseLost) throw error
    this.#outbox.log.warn({ error: messageOf(error) }, 'a run could not leave its thread')
  }

  /** A step that ran in parallel with a private one is not shown either. */
  #stepsForAll(): ShownStep[] {
    const count = stepsForAll(this.#outbox.run.saved.steps).length
    return [...this.#steps.values()]
      .filter(({ n }) => n <= count)
      .map((shown) => ({
        ...shown,
        step: isForAsker(shown.step) || isRunning(shown.step) ? hiddenStep(shown.step) : shown.step,
      }))
  }
}
