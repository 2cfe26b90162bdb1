import type { App } from '@slack/bolt'
import { noteContent } from '../format/blocks.ts'
import { COMMAND, helpText, NOT_INSTALLED, STOP_WORDS } from '../format/messages.ts'
import { forgetByCommand, isForgetCommand } from './forget-command.ts'
import { isStopWord } from './stop-runs.ts'
import { enqueue, isCanned, questionOfCommand, recipientOf, type ListenerOptions } from './to-question.ts'

/** `/ask`: a question, or without one the help, which the asker alone sees; with `forget` it forgets. */
export function listenToAskCommand(app: App, options: ListenerOptions): void {
  app.command(COMMAND, async ({ command, ack, context }) => {
    const recipient = await recipientOf({ context }, options)
    if (!recipient) return ack({ response_type: 'ephemeral', ...noteContent(NOT_INSTALLED) })
    const { team, identity } = recipient
    const question = questionOfCommand(command, { team, botUser: identity.botUser, now: options.now() })
    if (isCanned(question.text))
      return ack({ response_type: 'ephemeral', ...noteContent(helpText(await options.settingsFor(question))) })
    const installation = isForgetCommand(question.text) ? await options.installations.of(team) : undefined
    if (installation) {
      void forgetByCommand(question, installation, options)
      return ack()
    }
    // A command stands in no thread.
    if (isStopWord(question.text)) return ack({ response_type: 'ephemeral', ...noteContent(STOP_WORDS.nothing) })
    await enqueue(question, options)
    return ack()
  })
}
