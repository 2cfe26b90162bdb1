import type { KnownBlock } from '@slack/web-api'
import { noteContent, privateChoice, type Content } from '../format/blocks.ts'
import { answerContents } from '../format/split-answer.ts'
import type { Outbox } from '../outbox.ts'
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
    const contents = ending.kind === 'note' ? [noteContent(ending.text)] : answerContents(ending.view).map(unpressable)
    for (const [i, content] of contents.entries()) await this.#outbox.whisper(`${ending.key}-${i + 1}`, content)
    if (ending.kind === 'answer') await this.#outbox.whisper('choice', privateChoice(this.#outbox.question.id))
  }

  async end(): Promise<void> {}
}

/** What is pressed below other answers would let others see of this one. */
function unpressable({ text, blocks }: Content): Content {
  return {
    text,
    blocks: blocks.filter((block: KnownBlock) => block.type !== 'actions' && block.type !== 'context_actions'),
  }
}
