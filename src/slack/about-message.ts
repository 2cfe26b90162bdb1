import type { Question, Run } from '../run/types.ts'
import { SlackRefusal } from './client/slack-errors.ts'
import { rootContent } from './format/blocks.ts'
import type { Outbox } from './outbox.ts'
import { readMessage, type ThreadReaderOptions } from './thread-reader.ts'

export interface AboutOptions extends ThreadReaderOptions {
  run: Run
  outbox: Outbox
}

/**
 * A question about a message, from its menu: the message is read for the model, and the thread is told who asks what. If the bot is
 * not a member of the channel, it joins. @throws SlackRefusal where it cannot, or the message is gone; LeaseLost
 */
export async function openAbout({ run, outbox, ...options }: AboutOptions): Promise<void> {
  const { question, mentions } = options
  if (run.saved.said === undefined) {
    const message = await readOnceJoined(question, { ...options, outbox })
    await run.save({ part: 'said', value: `The question is about this message:\n${message}` })
  }
  await outbox.deliver('asked', rootContent(question.user, await mentions.readable(question.text)))
}

async function readOnceJoined(
  { channel, about = '' }: Question,
  { outbox, ...options }: ThreadReaderOptions & { outbox: Outbox },
): Promise<string> {
  return readMessage(options, about).catch(async (error: unknown) => {
    if (!(error instanceof SlackRefusal) || !NOT_IN.has(error.code)) throw error
    await outbox.call('conversations.join', { channel })
    return readMessage(options, about)
  })
}

const NOT_IN = new Set(['not_in_channel', 'channel_not_found'])
