import type { App } from '@slack/bolt'
import { noteContent } from '../format/blocks.ts'
import { COMMAND, helpText, NOT_INSTALLED } from '../format/messages.ts'
import { forgetByCommand, isForgetCommand } from './forget-command.ts'
import { isSettingsCommand, openSettings } from './settings-command.ts'
import { enqueue, isCanned, questionOfCommand, recipientOf, type ListenerOptions } from './to-question.ts'

/** What is no question but a word to the bot. */
const WORDS = [
  { isMeant: isForgetCommand, obey: forgetByCommand },
  { isMeant: isSettingsCommand, obey: openSettings },
]

/** `/ask`: a question, or without one the help, which the asker alone sees; with `forget` it forgets, with `settings` it shows them. */
export function listenToAskCommand(app: App, options: ListenerOptions): void {
  app.command(COMMAND, async ({ command, ack, context }) => {
    const recipient = await recipientOf({ context }, options)
    if (!recipient) return ack({ response_type: 'ephemeral', ...noteContent(NOT_INSTALLED) })
    const { team, identity } = recipient
    const question = questionOfCommand(command, { team, botUser: identity.botUser, now: options.now() })
    if (isCanned(question.text))
      return ack({ response_type: 'ephemeral', ...noteContent(helpText(await options.settingsFor(question))) })
    const word = WORDS.find(({ isMeant }) => isMeant(question.text))
    const installation = word && (await options.installations.of(team))
    if (installation) {
      void word.obey({ command: question, trigger: command.trigger_id }, installation, options)
      return ack()
    }
    await enqueue(question, options)
    return ack()
  })
}
