import { shownThought } from '../../agent/shown-thought.ts'
import { isDeepStrictEqual } from 'node:util'
import { LeaseLost, messageOf } from '../../base/errors.ts'
import { answerContents } from '../format/answer-messages.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { stepContent, STEPS_A_MESSAGE, stepsContent, type StepView } from '../format/step-message.ts'
import type { Outbox } from '../client/outbox.ts'
import type { Display, Ending, ShownStep } from './types.ts'

/** Slack counts as slow if a call takes this long. Waiting steps then share a message. Milliseconds. */
const SLOW_MS = 1_000

/**
 * `STEPS=replies`: each step is a message, posted with its action and updated with its observation (a quick tool's step
 * is posted with both); then comes the answer. Steps that pile up while Slack is slow share a message, whose key names
 * them: `step-2-5`.
 */
export class Replies implements Display {
  readonly #outbox: Outbox
  readonly #now: () => Date
  readonly #steps = new Map<number, ShownStep>()
  /** The current content of each message, by its key. */
  readonly #sentContents = new Map<string, Content>()
  /** Whether Slack was slow since the last call of `show` began. */
  #isSlow = false
  #isUnderstoodShown = false

  constructor(outbox: Outbox, now: () => Date) {
    this.#outbox = outbox
    this.#now = now
  }

  async show(steps: ShownStep[]): Promise<boolean> {
    for (const step of steps) this.#steps.set(step.n, step)
    const known = new Set(steps.flatMap(({ n }) => this.#keyOf(n) ?? []))
    const fresh = steps.map(({ n }) => n).filter((n) => this.#keyOf(n) === undefined)
    const failures: unknown[] = []
    const wasSlow = this.#isSlow
    this.#isSlow = false
    let isPosted = false
    const put = async (key: string) => {
      isPosted = (await this.#show(key).catch((error: unknown) => void failures.push(error))) || isPosted
      if (failures.at(-1) instanceof LeaseLost) throw failures.at(-1)
    }
    for (const key of known) await put(key)
    while (fresh.length > 0) await put(postKey(fresh.splice(0, wasSlow || this.#isSlow ? STEPS_A_MESSAGE : 1)))
    if (failures.length > 0) throw failures[0]
    return isPosted
  }

  async finish(ending: Ending, unfinished: ShownStep[]): Promise<void> {
    for (const [i, content] of this.#contentsOf(ending).entries())
      await this.#outbox.deliver(`${ending.key}-${i + 1}`, content)
    for (const step of unfinished) if (this.#isPosted(step.n)) await this.#complete(step)
  }

  async end(): Promise<void> {}

  #contentsOf(ending: Ending): Content[] {
    if (ending.kind === 'note') return [noteContent(ending.text, ending.again, ending.done)]
    const understood = this.#isUnderstoodShown ? undefined : ending.view.understood
    return answerContents({ ...ending.view, understood })
  }

  /** The answer is already posted, so no error here may fail the run. @throws LeaseLost */
  async #complete(step: ShownStep): Promise<void> {
    await this.show([step]).catch((error: unknown) => {
      if (error instanceof LeaseLost) throw error
      this.#outbox.log.error({ step: step.n, error: messageOf(error) }, 'a step could not be shown')
    })
  }

  /** Posts or updates a message. @returns whether there was anything new to show */
  async #show(key: string): Promise<boolean> {
    const [first, last] = rangeOf(key)
    const steps = [...this.#steps.values()].filter(({ n }) => n >= first && n <= last)
    const content = contentOf(steps.sort((a, b) => a.n - b.n))
    if (isDeepStrictEqual(content, this.#sentContents.get(key))) return false
    this.#sentContents.set(key, content)
    const from = this.#now().getTime()
    await this.#outbox.show(key, content)
    this.#isSlow ||= this.#now().getTime() - from >= SLOW_MS
    this.#isUnderstoodShown ||= steps.some(({ understood }) => understood !== undefined)
    return true
  }

  #isPosted(n: number): boolean {
    const key = this.#keyOf(n)
    return key !== undefined && this.#outbox.isPosted(key)
  }

  /** Returns the key of the message that contains the step, posted here or by an earlier process. */
  #keyOf(n: number): string | undefined {
    const { posts } = this.#outbox.run.saved
    const one = postKey([n])
    if (this.#sentContents.has(one) || posts[one] !== undefined) return one
    return [...this.#sentContents.keys(), ...Object.keys(posts)].find((key) => {
      const [first, last] = rangeOf(key)
      return n >= first && n <= last
    })
  }
}

/** `step-3`, or `step-3-5` for several steps in one message. */
function postKey(numbers: number[]): string {
  return [...new Set(['step', numbers[0], numbers.at(-1)])].join('-')
}

/** Returns the first and the last step of a message; `NaN` for another kind of key. */
function rangeOf(key: string): [first: number, last: number] {
  const [, first = NaN, last = first] = /^step-(\d+)(?:-(\d+))?$/.exec(key) ?? []
  return [Number(first), Number(last)]
}

function contentOf(steps: ShownStep[]): Content {
  const [only] = steps
  return steps.length === 1 && only ? stepContent(viewOf(only)) : stepsContent(steps.map(viewOf))
}

function viewOf({ step, understood }: ShownStep): StepView {
  const { observation } = step
  return step.kind === 'unreadable'
    ? { thought: '', unreadable: true, isAnswer: step.isAnswer, understood, observation }
    : {
        thought: shownThought(step),
        understood,
        action: step.action,
        observation,
        waits: step.waiting !== undefined && step.begun === undefined,
      }
}
