import { onTestFinished } from 'vitest'
import type { Fault } from '../../../playground/slack/slack.ts'
import type { WebApiCall } from '../../../playground/slack/types.ts'
import { act, type Turn } from '../played-model.ts'
import { deferred } from '../stores.ts'
import { observationsIn, finalTurn, playedTurn } from './script.ts'
import type { Scene } from './scene.ts'

/** Controls the scene's next question: holds its calls until `letGo`, and identifies its posts and calls. */
export class Stage {
  readonly scene: Scene
  /** The question's name. */
  readonly name: string
  /** Resolved by `letGo`: held calls continue. */
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

  /** Releases all held calls, and holds no more. */
  letGo(): void {
    this.#letGo()
    this.scene.slack.clearFaults()
  }

  /** Replaces the answer to the model's `n`th call (from 1) about this question. */
  onCall(n: number, turn: () => Turn | Promise<Turn>): void {
    this.scene.model.decide(this.name, (request, before) => (before + 1 === n ? turn() : playedTurn(request)))
  }

  /** Makes the model use these tools, one after the other, with a text each, and then answer. */
  uses(...uses: [tool: string, text: string][]): void {
    this.scene.model.decide(this.name, (request) => {
      const use = uses[observationsIn(request)]
      return use ? act(`${this.name} thinks`, use[0], JSON.stringify({ text: use[1] })) : finalTurn(this.name)
    })
  }

  /** Leaves a call unanswered, and then cuts it. */
  holdCall(n: number): void {
    this.onCall(n, () => this.after.then(() => Promise.reject(new Error('Too late.'))))
  }

  /** Leaves this call and all later ones unanswered until `letGo`. */
  holdCallsFrom(n: number): void {
    let isOver = false
    void this.after.then(() => (isOver = true))
    this.scene.model.decide(this.name, (request, before) =>
      before + 1 < n || isOver ? playedTurn(request) : this.after.then(() => Promise.reject(new Error('Too late.'))),
    )
  }

  /** The number of model calls so far. While a call is held, none can end at the moment of a kill. */
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

  /** Returns how often a call about this post took effect, and how often it was refused. */
  effects(method: string, step: string): number {
    return this.#calls(method, step).filter(({ ok }) => ok).length
  }

  refused(method: string, step: string): number {
    return this.#calls(method, step).filter(({ ok }) => !ok).length
  }

  #calls(method: string, step: string): WebApiCall[] {
    return this.scene.slack.calls.filter((call) => call.method === method && this.#isAbout(call.args, step))
  }

  /** Posts are identified by their metadata, and their questions by the names in the text. */
  #isAbout(args: WebApiCall['args'], step: string): boolean {
    return JSON.stringify(args.metadata ?? {}).includes(`"step":"${step}"`) && JSON.stringify(args).includes(this.name)
  }
}
