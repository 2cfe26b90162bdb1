import type { Question, Run } from '../run/types.ts'
import { SlackRefusal } from './client/slack-errors.ts'
import { rootContent } from './format/blocks.ts'
import type { Outbox } from './outbox.ts'

export interface AboutOptions {
  question: Question
  run: Run
  outbox: Outbox
  /** The question as people read it. */
  asked: string
  /** The message as the model gets it. @throws SlackRefusal */
  readMessage(): Promise<string>
}

/**
 * A question about a message, from its menu: the message is read for the model, and the thread is told who asks what. If the bot is
 * not a member of the channel, it joins. @throws SlackRefusal where it cannot, or the message is gone; LeaseLost
 */
export async function openAbout({ question, run, outbox, asked, readMessage }: AboutOptions): Promise<void> {
  if (run.saved.said === undefined) {
    const message = await readMessage().catch(async (error: unknown) => {
      if (!(error instanceof SlackRefusal) || !NOT_IN.has(error.code)) throw error
      await outbox.call('conversations.join', { channel: question.channel })
      return readMessage()
    })
    await run.save({ part: 'said', value: `The question is about this message:\n${message}` })
  }
  await outbox.deliver('asked', rootContent(question.user, asked))
}

const NOT_IN = new Set(['not_in_channel', 'channel_not_found'])
