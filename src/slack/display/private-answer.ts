import { noteContent, privateChoice, type AnswerView, type Content } from '../format/blocks.ts'
import { answerContents } from '../format/split-answer.ts'
import type { Outbox } from '../client/outbox.ts'
import type { Display, Ending } from './types.ts'

/** `/ask private:`: the answer alone, for the asker alone, and then what the asker may do with it. */
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

/** Without a file, which would be the channel's, and without the buttons, which would let others see something of it. */
function contentsOf({ questionId: _, ...view }: AnswerView): Content[] {
  return answerContents(view).map((content) => content.file?.without ?? content)
}
