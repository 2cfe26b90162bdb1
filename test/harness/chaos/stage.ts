import { onTestFinished } from 'vitest'
import type { Fault } from '../../../playground/slack/slack.ts'
import type { WebApiCall } from '../../../playground/slack/types.ts'
import { act, type Turn } from '../played-model.ts'
import { deferred } from '../stores.ts'
import { observationsIn, playedEnd, playedTurn } from './play.ts'
import type { Scene } from './scene.ts'

/** The scene's next question: what can be held until a worker has met its fate, and by what its point is seen. */
export class Stage {
  readonly scene: Scene
  /** The question's name. */
  readonly name: string
  /** Resolved by `letGo`: what was held may go on. */
  readonly after: Promise<void>
  readonly #letGo: () => void

  constructor(scene: Scene) {
    const { promise, resolve } = deferred()
    this.scene = scene
    this.name = scene.nextName
    this.after = promise
    this.#letGo = resolve
    onTestFinished(() => resolve())
  }

  /** Releases everything that is held, and holds nothing more. */
  letGo(): void {
    this.#letGo()
    this.scene.slack.clearFaults()
  }

  /** The model's `n`th call (from 1) about this question is answered by `turn` in place of its part. */
  onCall(n: number, turn: () => Turn | Promise<Turn>): void {
    this.scene.model.decide(this.name, (request, before) => (before + 1 === n ? turn() : playedTurn(request)))
  }

  /** The model's part is these uses of tools, one after the other, with a text each; then it answers. */
  uses(...uses: [tool: string, text: string][]): void {
    this.scene.model.decide(this.name, (request) => {
      const use = uses[observationsIn(request)]
      return use ? act(`${this.name} thinks`, use[0], JSON.stringify({ text: use[1] })) : playedEnd(this.name)
    })
  }

  /** Leaves that call unanswered, and then cuts it. */
  holdCall(n: number): void {
    this.onCall(n, () => this.after.then(() => Promise.reject(new Error('Too late.'))))
  }

  /** Leaves that call and all after it unanswered until `letGo`. */
  holdCallsFrom(n: number): void {
    let isOver = false
    void this.after.then(() => (isOver = true))
    this.scene.model.decide(this.name, (request, before) =>
      before + 1 < n || isOver ? playedTurn(request) : this.after.then(() => Promise.reject(new Error('Too late.'))),
    )
  }

  /** How often the model has been asked. While a call is held, none can end in the very moment of a kill. */
  get asked(): number {
    return this.scene.model.about(this.name).length
  }

  /** Injects a fault into a call about one post of this question. */
  fault(method: string, step: string, fault: Fault): void {
    this.scene.slack.fault({ ...fault, method, where: (args) => this.#isAbout(args, step) })
  }

  /** Lets a call about one post take effect, but not be answered. */
  holdAnswer(method: string, step: string): void {
    this.fault(method, step, { hold: this.after })
  }

  /** How often a call about this post has taken effect, and how often it was refused. */
  effects(method: string, step: string): number {
    return this.#calls(method, step).filter(({ ok }) => ok).length
  }

  refused(method: string, step: string): number {
    return this.#calls(method, step).filter(({ ok }) => !ok).length
  }

  #calls(method: string, step: string): WebApiCall[] {
    return this.scene.slack.calls.filter((call) => call.method === method && this.#isAbout(call.args, step))
  }

  /** Posts are told by their metadata, and whose they are by the names in their words. */
  #isAbout(args: WebApiCall['args'], step: string): boolean {
    return JSON.stringify(args.metadata ?? {}).includes(`"step":"${step}"`) && JSON.stringify(args).includes(this.name)
  }
}
