import type { OnMessage } from '../intake/bolt-types.ts'
import { stopByWord } from '../intake/stop-runs.ts'
import { enqueueMessage, type SlackMessage } from '../intake/to-question.ts'
import type { Services } from '../services.ts'

/**
 * `message`: direct messages, thread replies and everything else written where the bot is. Stop words are handled first
 * (stop-runs.ts); then `questionOf` in to-question.ts decides whether the message is for the bot.
 */
export function message(services: Services): OnMessage {
  return async ({ message, body, context }) => {
    const written = message as SlackMessage
    if (await stopByWord(written, { body, context }, services)) return
    await enqueueMessage(written, { body, context }, services)
  }
}
