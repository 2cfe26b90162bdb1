import type { App } from '@slack/bolt'
import { listenToAppMentions } from './app-mention.ts'
import { listenToAskCommand } from './ask-command.ts'
import { listenToAskEdited } from './ask-edited.ts'
import type { ListenerOptions } from './to-question.ts'
import { listenToMessageChanges } from './message-changed.ts'
import { listenToMessageDeletions } from './message-deleted.ts'
import { listenToMessages } from './message.ts'

/** Everything that the bot listens to. Whatever asks it something becomes a Question and goes into the queue. */
export function registerListeners(app: App, options: ListenerOptions): void {
  const messages = [listenToAppMentions, listenToMessages, listenToMessageChanges, listenToMessageDeletions]
  for (const listen of [...messages, listenToAskCommand, listenToAskEdited]) listen(app, options)
}
