import { isForAsker } from '../../agent/run-progress.ts'
import { toolTitle } from '../../agent/tool-title.ts'
import type { Run } from '../../stores/runs/types.ts'
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
    const { question, run } = this.#outbox
    const contents =
      ending.kind === 'note'
        ? [noteContent(ending.text, ending.again)]
        : privateContents(ending.view, { id: question.id, rests: restsOn(run) })
    for (const [i, content] of contents.entries())
      await this.#outbox.sendEphemeral(`${ending.key}-${i + 1}`, content, { replaces: i === 0 })
  }

  async end(): Promise<void> {}
}

/** Leaves out the file, which the whole channel could see. The buttons for sharing and keeping end the last message. */
function privateContents(
  { questionId: _, ...view }: AnswerView,
  { id, rests }: { id: string; rests: string[] },
): Content[] {
  const contents = answerContents(view).map((content) => content.file?.without ?? content)
  return contents.map((content, i) => (i < contents.length - 1 ? content : withPrivateChoice(content, id, rests)))
}

/** The tools that have found what only the asker may see, in people's words. */
function restsOn({ saved }: Pick<Run, 'saved'>): string[] {
  const names = saved.steps.flatMap((step) => (step.kind === 'tool' && isForAsker(step) ? [step.action.tool] : []))
  return [...new Set(names)].map((name) => toolTitle({ name }))
}
