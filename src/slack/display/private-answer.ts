import { isForAsker } from '../../agent/run-progress.ts'
import { actionTitle } from '../../agent/tool-title.ts'
import type { Run } from '../../stores/runs/types.ts'
import { noteContent, withPrivateChoice, type AnswerView, type Content } from '../format/blocks.ts'
import { PRIVATE } from '../format/audience-words.ts'
import { answerContents } from '../format/answer-messages.ts'
import type { Outbox } from '../client/outbox.ts'
import type { Display, Ending } from './types.ts'

/**
 * `/ask private:`: one ephemeral message with its buttons. After a press (Ask again, Try now) it takes the place of the
 * message that was pressed. At the response_url of a command Slack ignores `replace_original` (slackapi/bolt-js#2287):
 * there it is a new message.
 */
export class PrivateAnswer implements Display {
  readonly #outbox: Outbox

  constructor(outbox: Outbox) {
    this.#outbox = outbox
  }

  /** Shows at once that the question is asked again, instead of the button. */
  async show(): Promise<boolean> {
    if (!this.#outbox.question.isRepeat) return false
    await this.#outbox.sendEphemeral('working', noteContent(PRIVATE.working), { replaces: true })
    return true
  }

  async finish(ending: Ending): Promise<void> {
    const { question, run } = this.#outbox
    const contents =
      ending.kind === 'note'
        ? [noteContent(ending.text, ending.again, ending.done)]
        : privateContents(ending.view, question.id, privateToolsOf(run))
    for (const [i, content] of contents.entries())
      await this.#outbox.sendEphemeral(`${ending.key}-${i + 1}`, content, { replaces: i === 0 })
  }

  async end(): Promise<void> {}
}

/**
 * Leaves out who asked again, and the file, which the whole channel could see. The buttons for sharing and keeping end
 * the last message.
 */
function privateContents(
  { questionId: _, againBy: __, ...view }: AnswerView,
  id: string,
  privateTools: string[],
): Content[] {
  const contents = answerContents(view).map((content) => content.file?.without ?? content)
  return contents.map((content, i) =>
    i < contents.length - 1 ? content : withPrivateChoice(content, id, privateTools),
  )
}

/** The titles of the tools that have found what only the asker may see. */
function privateToolsOf({ saved }: Pick<Run, 'saved'>): string[] {
  const titles = saved.steps.flatMap((step) =>
    step.kind === 'tool' && isForAsker(step) ? [actionTitle(step.action)] : [],
  )
  return [...new Set(titles)]
}
