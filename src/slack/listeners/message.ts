import type { App } from '@slack/bolt'
import { enqueueMessage, type ListenerOptions, type SlackMessage } from './to-question.ts'

/** `message`: direct messages, replies in threads, and whatever else is written where the bot is. */
export function listenToMessages(app: App, options: ListenerOptions): void {
  app.message(async ({ message, body, context }) => {
    await enqueueMessage(message as SlackMessage, { body, context }, options)
  })
}
