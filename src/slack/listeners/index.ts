import type { App } from '@slack/bolt'
import { listenToTitleChanges } from './agent-session-title-changed.ts'
import { listenToAppMentions } from './app-mention.ts'
import { listenToAskCommand } from './ask-command.ts'
import type { ListenerOptions } from './to-question.ts'
import { listenToMessages } from './message.ts'

/** Everything that the bot listens to. Whatever asks it something becomes a Question and goes into the queue. */
export function registerListeners(app: App, options: ListenerOptions): void {
  for (const listen of [listenToAppMentions, listenToMessages, listenToAskCommand, listenToTitleChanges])
    listen(app, options)
}
