import { noteContent, withPrivateChoice, type AnswerView, type Content } from '../format/blocks.ts'
import { answerContents } from '../format/split-answer.ts'
import type { Outbox } from '../client/outbox.ts'
import type { Display, Ending } from './types.ts'

/** `/ask private:`: the answer with its buttons takes the place of the message that said the bot works on it. */
export class PrivateAnswer implements Display {
  readonly #outbox: Outbox

  constructor(outbox: Outbox) {
    this.#outbox = outbox
  }

  async show(): Promise<boolean> {
    return false
  }

  async finish(ending: Ending): Promise<void> {
    const { id } = this.#outbox.question
    const contents =
      ending.kind === 'note' ? [noteContent(ending.text, ending.again)] : privateContents(ending.view, id)
    for (const [i, content] of contents.entries())
      await this.#outbox.sendEphemeral(`${ending.key}-${i + 1}`, content, { replaces: i === 0 })
  }

  async end(): Promise<void> {}
}

/** Leaves out the file, which the whole channel could see. The buttons for sharing and keeping end the last message. */
function privateContents({ questionId: _, ...view }: AnswerView, id: string): Content[] {
  const contents = answerContents(view).map((content) => content.file?.without ?? content)
  return contents.map((content, i) => (i < contents.length - 1 ? content : withPrivateChoice(content, id)))
}
