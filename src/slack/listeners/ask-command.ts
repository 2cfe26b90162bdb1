import type { OnCommand } from '../intake/bolt-types.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import { noteContent } from '../format/blocks.ts'
import { helpText, NOT_INSTALLED, STOP_WORDS } from '../format/messages.ts'
import { forgetByCommand, isForgetCommand } from '../intake/forget-command.ts'
import { isConnectionsCommand, showConnections } from '../intake/connections-command.ts'
import { isMemoryCommand, isRememberCommand, rememberByCommand, showMemory } from '../intake/memory-command.ts'
import { tellWorkingLater } from '../intake/place-in-line.ts'
import { isSettingsCommand, openSettings } from '../intake/settings-command.ts'
import { stopRuns } from '../intake/stop-runs.ts'
import { needsNoModel } from '../../question/admission.ts'
import { enqueue, isStopWord, plainText, type MessageContext } from '../intake/to-question.ts'
import { recipientOf } from '../intake/recipient.ts'
import { isSchedulesCommand, listSchedules } from '../schedules/schedules-command.ts'
import type { Services } from '../services.ts'

/** Subcommands of `/ask`. */
const WORDS = [
  { isMeant: isForgetCommand, obey: forgetByCommand },
  { isMeant: isSettingsCommand, obey: openSettings },
  { isMeant: isSchedulesCommand, obey: listSchedules },
  { isMeant: isRememberCommand, obey: rememberByCommand },
  { isMeant: isMemoryCommand, obey: showMemory },
  { isMeant: isConnectionsCommand, obey: showConnections },
]

/**
 * `/ask`: asks a question, or shows the help, which only the asker sees. The subcommands are `forget`, `settings`,
 * `schedules`, `remember`, `memory` and `connections`.
 */
export function askCommand(services: Services): OnCommand {
  return async ({ command, ack, context }) => {
    const recipient = await recipientOf({ context }, services)
    if (!recipient) return ack({ response_type: 'ephemeral', ...noteContent(NOT_INSTALLED) })
    const { team, identity } = recipient
    const said = questionOfCommand(command, { team, botUser: identity.botUser, now: services.now() })
    const question = privateQuestion(said) ?? said
    if (needsNoModel(question))
      return ack({ response_type: 'ephemeral', ...noteContent(helpText(await services.settingsFor(question))) })
    const word = WORDS.find(({ isMeant }) => isMeant(said.text))
    const installation = word && (await services.installations.of(team))
    if (installation) {
      void word.obey({ command: question, text: said.text, trigger: command.trigger_id }, installation, services)
      return ack()
    }
    if (isStopWord(said.text)) {
      const outcome = await stopPrivate(said, services)
      return outcome === 'stopped' ? ack() : ack({ response_type: 'ephemeral', ...noteContent(STOP_WORDS.nothing) })
    }
    await enqueue(question, services)
    if (isPrivate(question)) tellWorkingLater(question, services)
    return ack()
  }
}

/** A command is in no thread, so it can stop only the person's private questions in this place. */
function stopPrivate({ team, channel, user, at }: Question, services: Services): ReturnType<typeof stopRuns> {
  return stopRuns({ team, channel, user, thread: privateThread(user), at: String(at / 1000) }, services)
}

function privateThread(user: string): string {
  return `private-${user}`
}

/**
 * Parses `/ask private: …`, whose answer only the asker sees. Each person's private questions in a channel are a
 * separate conversation. In a direct message everything is private already, so only the prefix is dropped. Returns
 * undefined if the prefix is missing.
 */
function privateQuestion(question: Question): Question | undefined {
  const text = /^private\s*:(.*)$/is.exec(question.text)?.[1]?.trim()
  if (text === undefined || question.channel.startsWith('D')) return text === undefined ? text : { ...question, text }
  return { ...question, text, thread: privateThread(question.user), surface: 'private' }
}

/** A slash command has no ts and no thread. Its trigger id replaces both until its root message is posted. */
function questionOfCommand(command: SlackCommand, delivery: MessageContext): Question {
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
