import { noteContent, privateChoice, type AnswerView, type Content } from '../format/blocks.ts'
import { answerContents } from '../format/split-answer.ts'
import type { Outbox } from '../client/outbox.ts'
import type { Display, Ending } from './types.ts'

/** `/ask private:`: only the answer, visible only to the asker, and then buttons for sharing or keeping it. */
export class PrivateAnswer implements Display {
  readonly #outbox: Outbox

  constructor(outbox: Outbox) {
    this.#outbox = outbox
  }

  async show(): Promise<boolean> {
    return false
  }

  async finish(ending: Ending): Promise<void> {
    const contents = ending.kind === 'note' ? [noteContent(ending.text)] : contentsOf(ending.view)
    for (const [i, content] of contents.entries()) await this.#outbox.sendEphemeral(`${ending.key}-${i + 1}`, content)
    if (ending.kind === 'answer') await this.#outbox.sendEphemeral('choice', privateChoice(this.#outbox.question.id))
  }

  async end(): Promise<void> {}
}

/** Leaves out the file, which the whole channel could see, and the buttons, which would show others something of it. */
function contentsOf({ questionId: _, ...view }: AnswerView): Content[] {
  return answerContents(view).map((content) => content.file?.without ?? content)
}
