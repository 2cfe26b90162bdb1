import type { OnEvent } from '../intake/bolt-types.ts'
import { stopByWord } from '../intake/stop-runs.ts'
import { enqueueMessage, maySayStop, type ListenerOptions } from '../intake/to-question.ts'

/**
 * `app_mention`: a message in a channel names the bot. Slack also sends it as a `message`; the queue dedupes the two.
 */
export function appMention(options: ListenerOptions): OnEvent<'app_mention'> {
  return async ({ event, body, context }) => {
    if (maySayStop(event.text) && (await stopByWord(event, { body, context, isTwin: true }, options))) return
    await enqueueMessage(event, { body, context }, options)
  }
}
