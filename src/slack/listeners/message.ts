import type { OnMessage } from '../intake/bolt-types.ts'
import { stopByWord } from '../intake/stop-runs.ts'
import { enqueueMessage, maySayStop, type SlackMessage } from '../intake/to-question.ts'
import type { Services } from '../services.ts'

/**
 * `message`: direct messages, replies in threads, and whatever else is written where the bot is. Which of them are for the bot
 * is decided in to-question.ts (`questionOf`); a word that stops is heard before that (stop-runs.ts).
 */
export function message(services: Services): OnMessage {
  return async ({ message, body, context }) => {
    const written = message as SlackMessage
    if (maySayStop(written.text) && (await stopByWord(written, { body, context }, services))) return
    await enqueueMessage(written, { body, context }, services)
  }
}
