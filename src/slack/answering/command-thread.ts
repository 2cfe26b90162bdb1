import type { Queue } from '../../queue/types.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import type { Content } from '../format/blocks.ts'
import type { Question } from '../../stores/runs/types.ts'
import type { Outbox } from '../client/outbox.ts'

/**
 * Opens a thread for a question of `/ask` or of a schedule, which has no message to answer under. Posts a root message
 * once (who asked what), and enqueues the question again under its thread.
 * @throws SlackRefusal if Slack refuses the root message
 */
export async function openCommandThread(
  question: Question,
  root: Content,
  outbox: Outbox,
  queue: Queue,
): Promise<void> {
  const thread = await openThread(root, outbox)
  await queue.accept({ ...question, thread })
}

/**
 * Posts the root message of a thread, once. If the bot is not a member of the channel, it joins.
 * @returns its ts
 * @throws SlackRefusal, LeaseLost
 */
export async function openThread(content: Content, outbox: Outbox): Promise<string> {
  return outbox.deliverRoot(content).catch(async (error: unknown) => {
    if (!(error instanceof SlackRefusal) || error.code !== 'not_in_channel') throw error
    await outbox.call('conversations.join', { channel: outbox.question.channel })
    return outbox.deliverRoot(content)
  })
}
