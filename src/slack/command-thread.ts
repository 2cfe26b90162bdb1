import type { Log } from '../log.ts'
import type { Queue } from '../queue/types.ts'
import type { Question, Run } from '../run/types.ts'
import { rootContent } from './format/blocks.ts'
import type { Outbox, Post } from './outbox.ts'
import { sinceOf } from './listeners/to-question.ts'
import { SlackRefusal } from './client/slack-web.ts'

/**
 * `/ask` has no message to answer under: a root message is posted once (who asked what), and the question goes into the queue
 * again, under the thread of that message. If the bot is not a member of the channel, it joins.
 * @returns Slack's refusal of the root message; undefined if the question went in again.
 */
export async function openThread(
  question: Question,
  run: Run,
  options: { outbox: Outbox; queue: Queue; log: Log; signal: AbortSignal },
): Promise<SlackRefusal | undefined> {
  try {
    const ts = await postRoot(question, run, options)
    await options.queue.accept({ ...question, thread: ts })
    return undefined
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error
    options.log.warn({ question: question.id, code: error.code }, 'no root message can be posted here')
    return error
  }
}

async function postRoot(
  question: Question,
  run: Run,
  { outbox, signal }: { outbox: Outbox; signal: AbortSignal },
): Promise<string> {
  const claim = await run.claimPost('root')
  if (typeof claim === 'object') return claim.ts
  const { id, channel, user } = question
  const key = { run: id, step: 'root' }
  const post = {
    channel,
    content: rootContent(user, question.text),
    key,
    asker: user,
    since: sinceOf(question),
    mustArrive: true,
    signal,
    checkLease: () => run.checkLease(),
  }
  // A Redis that was restarted may have lost the record of the post.
  const mayBeThere = claim === 'unsure' || run.saved.attempts > 1
  const found = mayBeThere ? await outbox.find(post) : undefined
  const ts = found ?? (await outbox.post(post).catch((error: unknown) => joined(error, post, outbox)))
  await run.posted('root', ts)
  return ts
}

/** If the bot was not a member of the channel, joins it and posts again. @throws any other error that it was given. */
async function joined(error: unknown, post: Post, outbox: Outbox): Promise<string> {
  if (!(error instanceof SlackRefusal) || error.code !== 'not_in_channel') throw error
  await outbox.call('conversations.join', { channel: post.channel })
  return outbox.post(post)
}
