import type { OnCommand } from '../intake/bolt-types.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import { noteContent } from '../format/blocks.ts'
import { helpText, NOT_INSTALLED, PRIVATE, STOP_WORDS } from '../format/messages.ts'
import { forgetByCommand, isForgetCommand } from '../intake/forget-command.ts'
import { isSettingsCommand, openSettings } from '../intake/settings-command.ts'
import { stopRuns } from '../intake/stop-runs.ts'
import {
  enqueue,
  needsNoModel,
  isStopWord,
  plainText,
  recipientOf,
  type Delivery,
  type ListenerOptions,
} from '../intake/to-question.ts'

/** Subcommands of `/ask`. */
const WORDS = [
  { isMeant: isForgetCommand, obey: forgetByCommand },
  { isMeant: isSettingsCommand, obey: openSettings },
]

/**
 * `/ask`: enqueues a question. Without text it shows help to the asker alone. The subcommands are `forget`, `settings`
 * and the stop words.
 */
export function askCommand(options: ListenerOptions): OnCommand {
  return async ({ command, ack, context }) => {
    const recipient = await recipientOf({ context }, options)
    if (!recipient) return ack({ response_type: 'ephemeral', ...noteContent(NOT_INSTALLED) })
    const { team, identity } = recipient
    const said = questionOfCommand(command, { team, botUser: identity.botUser, now: options.now() })
    const question = privateQuestion(said) ?? said
    if (needsNoModel(question))
      return ack({ response_type: 'ephemeral', ...noteContent(helpText(await options.settingsFor(question))) })
    const word = WORDS.find(({ isMeant }) => isMeant(said.text))
    const installation = word && (await options.installations.of(team))
    if (installation) {
      void word.obey({ command: question, trigger: command.trigger_id }, installation, options)
      return ack()
    }
    if (isStopWord(said.text)) {
      const outcome = await stopPrivate(said, options)
      return outcome === 'stopped' ? ack() : ack({ response_type: 'ephemeral', ...noteContent(STOP_WORDS.nothing) })
    }
    await enqueue(question, options)
    return isPrivate(question) ? ack({ response_type: 'ephemeral', ...noteContent(PRIVATE.working) }) : ack()
  }
}

/** Stops the asker's private questions in this channel. A command has no thread, so it cannot stop anything else. */
function stopPrivate({ team, channel, user, at }: Question, options: ListenerOptions): ReturnType<typeof stopRuns> {
  return stopRuns({ team, channel, user, thread: privateThread(user), at: String(at / 1000) }, options)
}

function privateThread(user: string): string {
  return `private-${user}`
}

/**
 * Parses `/ask private: …`, which only the asker sees the answer to. Each person's private questions in a channel are a
 * separate conversation. In a direct message everything is private already, so only the prefix is dropped. Returns
 * undefined if the prefix is missing.
 */
function privateQuestion(question: Question): Question | undefined {
  const text = /^private\s*:(.*)$/is.exec(question.text)?.[1]?.trim()
  if (text === undefined || question.channel.startsWith('D')) return text === undefined ? text : { ...question, text }
  return { ...question, text, thread: privateThread(question.user), surface: 'private' }
}

/** A slash command has no ts and no thread. Its trigger id stands in for both until its root message is posted. */
function questionOfCommand(command: SlackCommand, delivery: Delivery): Question {
  const thread = `ask-${command.trigger_id}`
  return {
    id: `${delivery.team}:${command.channel_id}:${thread}`,
    team: delivery.team,
    channel: command.channel_id,
    thread,
    user: command.user_id,
    text: plainText(command.text, delivery.botUser),
    surface: 'ask',
    responseUrl: command.response_url,
    at: delivery.now.getTime(),
  }
}

export interface SlackCommand {
  channel_id: string
  user_id: string
  text: string
  trigger_id: string
  response_url: string
}
