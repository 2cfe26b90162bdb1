import type { ThreadContext } from '../../stores/history/types.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import { rootContent } from '../format/blocks.ts'
import type { QuestionWork } from '../question-work.ts'

type ReadMessage = (ts: string) => Promise<ThreadContext>

/**
 * Opens a question about a message in that message's thread.
 * @returns false if it cannot be asked there; the asker has then got a message (`notice`)
 */
export async function isAboutOpen(
  work: QuestionWork,
  { read, notice }: { read: ReadMessage; notice(error: unknown): Promise<void> },
): Promise<boolean> {
  try {
    await openAbout(work, read)
    return true
  } catch (error) {
    await notice(error)
    return false
  }
}

/**
 * Reads the message for the model and posts in its thread who asks what. If the bot is not a member of the channel, it
 * joins.
 * @throws SlackRefusal if it cannot join, or the message is gone; LeaseLost
 */
async function openAbout({ question, run, outbox, mentions }: QuestionWork, read: ReadMessage): Promise<void> {
  const { channel, about = '', user, text } = question
  if (run.saved.said === undefined) {
    const said = await read(about).catch(async (error: unknown) => {
      if (!(error instanceof SlackRefusal) || !NOT_IN.has(error.code)) throw error
      await outbox.call('conversations.join', { channel })
      return read(about)
    })
    const words = said.text === '' ? 'It has no text that I can read.' : said.text
    const value = {
      text: `The question is about this message:\n${words}`,
      by: ['', ...(said.text === '' ? [''] : said.by)],
      ...(said.hasFiles ? { hasFiles: true as const } : {}),
    }
    await run.save({ part: 'said', value })
  }
  await outbox.deliver('asked', rootContent(user, await mentions.withNames(text)))
}

const NOT_IN = new Set(['not_in_channel', 'channel_not_found'])
