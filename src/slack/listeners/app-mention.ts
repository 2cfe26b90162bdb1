import type { OnEvent } from '../intake/bolt-types.ts'
import { stopByWord } from '../intake/stop-runs.ts'
import { enqueueMessage } from '../intake/to-question.ts'
import type { Services } from '../services.ts'

/** `app_mention`: a message in a channel names the bot. Slack sends it as a `message` too; the queue takes it once. */
export function appMention(services: Services): OnEvent<'app_mention'> {
  return async ({ event, body, context }) => {
    if (await stopByWord(event, { body, context, isTwin: true }, services)) return
    await enqueueMessage(event, { body, context }, services)
  }
}
