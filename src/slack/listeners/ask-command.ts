import type { OnCommand } from '../intake/bolt-types.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { audienceContent, noteContent, type Content } from '../format/blocks.ts'
import { AUDIENCE, didYouMean } from '../format/audience-words.ts'
import { helpText, NOT_INSTALLED, STOP_WORDS } from '../format/messages.ts'
import { audienceValue, inPrivate, privateThread } from '../intake/asked-audience.ts'
import { forgetByCommand } from '../intake/forget-command.ts'
import { showConnections } from '../intake/connections-command.ts'
import { askedPrivacy, type AskedPrivacy } from '../intake/private-words.ts'
import { isRememberCommand, rememberByCommand, showMemory } from '../intake/remembered-command.ts'
import { resembledCommand } from '../intake/resembled-command.ts'
import { tellWorkingLater } from '../intake/tell-queue-position.ts'
import { openSettings } from '../intake/settings-command.ts'
import { isStopWord, stopRuns } from '../intake/stop-runs.ts'
import { needsNoModel } from '../../question/admission.ts'
import { plainText } from '../content/plain-text.ts'
import { enqueue, type MessageContext } from '../intake/to-question.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import { listSchedules } from '../schedules/schedules-command.ts'
import type { Services } from '../services.ts'

interface SubcommandCall {
  command: Question
  text: string
  trigger: string
}

/** Handles a subcommand. Never rejects. */
type Subcommand = (call: SubcommandCall, installation: Installation, services: Services) => Promise<void>

const SUBCOMMANDS: ReadonlyMap<string | undefined, Subcommand> = new Map<string, Subcommand>([
  ['forget', forgetByCommand],
  ['settings', openSettings],
  ['schedules', listSchedules],
  ['memory', showMemory],
  ['connections', showConnections],
])

/** The subcommand is the only word, in any case, with optional punctuation after it. `remember` has words after it. */
function subcommandOf(text: string): Subcommand | undefined {
  if (isRememberCommand(text)) return rememberByCommand
  const [, word] = /^([a-z]+)[\s\p{P}]*$/iu.exec(text) ?? []
  return SUBCOMMANDS.get(word?.toLowerCase())
}

/**
 * `/ask`: asks a question, runs a subcommand, or shows the help, which only the asker sees. A question that may have
 * been meant for the asker alone, or as a command, waits for a button.
 */
export function askCommand(services: Services): OnCommand {
  return async ({ command, ack, context }) => {
    const recipient = await recipientOf({ context }, services)
    const reply = (content: Content) => ack({ response_type: 'ephemeral', ...content })
    if (!recipient) return reply(noteContent(NOT_INSTALLED))
    const { team, installation } = recipient
    const said = questionOfCommand(command, { team, botUser: installation.identity.botUser, now: services.now() })
    const asked = askedPrivacy(said.text)
    const question = asked?.privacy === 'private' ? inPrivate({ ...said, text: asked.text }) : said
    if (needsNoModel(question)) return reply(noteContent(helpText(await services.settingsFor(question))))
    const subcommand = subcommandOf(said.text)
    if (subcommand) {
      void subcommand({ command: question, text: said.text, trigger: command.trigger_id }, installation, services)
      return ack()
    }
    if (isStopWord(said.text)) {
      const outcome = await stopPrivate(said, services)
      return outcome === 'stopped' ? ack() : reply(noteContent(STOP_WORDS.nothing))
    }
    const doubt = isPrivate(question) ? undefined : doubtAbout(said, asked)
    const value = doubt === undefined ? undefined : audienceValue(said)
    if (doubt !== undefined && value !== undefined) return reply(audienceContent(doubt, { text: said.text, value }))
    const meant = doubt === undefined ? question : inPrivate(question)
    await enqueue(meant, services)
    if (isPrivate(meant)) tellWorkingLater(meant, services)
    return ack()
  }
}

/** Returns what to ask before a question is posted, if it is not clear that everyone may see it. */
function doubtAbout({ channel, text }: Question, asked: AskedPrivacy | undefined): string | undefined {
  const command = resembledCommand(text)
  if (command !== undefined) return didYouMean(command)
  return asked?.privacy === 'unclear' && !channel.startsWith('D') ? AUDIENCE.unclear : undefined
}

/** A command is in no thread, so it can stop only the person's private questions in this place. */
function stopPrivate({ team, channel, user, at }: Question, services: Services): ReturnType<typeof stopRuns> {
  return stopRuns({ team, channel, user, thread: privateThread(user), at: String(at / 1000) }, services)
}

/** A slash command has no ts and no thread. Its trigger id replaces both until its root message is posted. */
function questionOfCommand(command: SlackCommand, delivery: MessageContext): Question {
  const thread = `ask-${command.trigger_id}`
  return {
    kind: 'asked',
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

/** The fields of a slash command that are read here. */
interface SlackCommand {
  channel_id: string
  user_id: string
  text: string
  trigger_id: string
  response_url: string
}
