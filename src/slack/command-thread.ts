import type { Queue } from '../queue/types.ts'
import { SlackRefusal } from './client/slack-errors.ts'
import { rootContent } from './format/blocks.ts'
import type { Outbox } from './outbox.ts'

/**
 * `/ask` has no message to answer under: a root message is posted once (who asked what), and the question goes into the queue
 * again, under the thread of that message. If the bot is not a member of the channel, it joins. `text`: the question with
 * names. @throws SlackRefusal when Slack refuses the root message
 */
export async function openCommandThread(
  text: string,
  { outbox, queue }: { outbox: Outbox; queue: Queue },
): Promise<void> {
  const { question } = outbox
  const content = rootContent(question.user, text)
  const thread = await outbox.deliverRoot(content).catch(async (error: unknown) => {
    if (!(error instanceof SlackRefusal) || error.code !== 'not_in_channel') throw error
    await outbox.call('conversations.join', { channel: question.channel })
    return outbox.deliverRoot(content)
  })
  await queue.accept({ ...question, text, thread })
}
