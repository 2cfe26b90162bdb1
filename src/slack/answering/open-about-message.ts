import type { AboutMessage } from '../../stores/runs/types.ts'
import type { ThreadContext } from '../../stores/history/types.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import type { RunDisplay } from '../display/run-display.ts'
import { saidWithFiles } from '../files/file-intake.ts'
import { rootContent } from '../format/blocks.ts'
import type { QuestionWork } from '../question-work.ts'
import { readMessage } from '../reading/thread-reader.ts'

/**
 * Opens a question about a message: reads the message for the model, and posts in its thread who asks what. If the bot
 * is not a member of the channel, it joins.
 * @throws SlackRefusal if it cannot join, or the message is gone; LeaseLost
 */
export async function openAbout(question: AboutMessage, work: QuestionWork, display: RunDisplay): Promise<void> {
  const { run, outbox, mentions } = work
  const { channel, about, user, text } = question
  const read = async () => saidWithFiles(await readMessage(work, about), work, display)
  if (run.saved.said === undefined) {
    const said = await read().catch(async (error: unknown) => {
      if (!(error instanceof SlackRefusal) || !NOT_IN.has(error.code)) throw error
      await outbox.call('conversations.join', { channel })
      return read()
    })
    await run.save({ part: 'said', value: asContext(said) })
  }
  await outbox.deliver('asked', rootContent(user, await mentions.withNames(text)))
}

function asContext({ text, by, ...rest }: ThreadContext): ThreadContext {
  const words = text === '' ? 'It has no text that I can read.' : text
  return {
    text: `The question is about this message:\n${words}`,
    by: ['', ...(text === '' ? [''] : by)],
    ...rest,
  }
}

const NOT_IN = new Set(['not_in_channel', 'channel_not_found'])
