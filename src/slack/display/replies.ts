import { isDeepStrictEqual } from 'node:util'
import { LeaseLost, messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { noteContent, stepContent, type Content } from '../format/blocks.ts'
import { answerContents } from '../format/split-answer.ts'
import type { Outbox } from '../outbox.ts'
import type { Display, Ending, ShownStep } from './types.ts'

/** `STEPS=replies`: each step is a message, posted with its action and completed when its observation is there; then comes the answer. */
export class Replies implements Display {
  readonly #outbox: Outbox
  readonly #log: Log
  /** What each step's message shows at this moment, by the step's number. */
  readonly #shown = new Map<number, Content>()
  #isUnderstoodShown = false

  constructor({ outbox, log }: { outbox: Outbox; log: Log }) {
    this.#outbox = outbox
    this.#log = log
  }

  async show(step: ShownStep): Promise<boolean> {
    const content = contentOf(step)
    if (isDeepStrictEqual(content, this.#shown.get(step.n))) return false
    this.#shown.set(step.n, content)
    await this.#outbox.show(`step-${step.n}`, content)
    this.#isUnderstoodShown ||= step.understood !== undefined
    return true
  }

  async finish(ending: Ending): Promise<void> {
    for (const [i, content] of this.#contentsOf(ending).entries())
      await this.#outbox.deliver(`${ending.key}-${i + 1}`, content)
    for (const step of ending.unfinished) if (this.#outbox.run.saved.posts[`step-${step.n}`]) await this.#complete(step)
  }

  async end(): Promise<void> {}

  #contentsOf(ending: Ending): Content[] {
    if (ending.kind === 'note') return [noteContent(ending.text)]
    const understood = this.#isUnderstoodShown ? undefined : ending.view.understood
    return answerContents({ ...ending.view, understood })
  }

  /** The answer is out by now, so that nothing here may fail the run. */
  async #complete(step: ShownStep): Promise<void> {
    await this.show(step).catch((error: unknown) => {
      if (error instanceof LeaseLost) throw error
      const fields = { question: this.#outbox.question.id, step: step.n, error: messageOf(error) }
      this.#log.error(fields, 'a step could not be shown')
    })
  }
}

/** If the thread lags behind the agent, several changes of a step become one message. */
function contentOf({ step, understood }: ShownStep): Content {
  const { observation } = step
  return step.kind === 'unreadable'
    ? stepContent({ thought: '', unreadable: true, understood, observation })
    : stepContent({ thought: step.thought, understood, action: step.action, observation })
}
