import type { SlashCommand } from '@slack/bolt'
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { warnWith } from '../../base/log.ts'
import { parseJson } from '../../base/parse-json.ts'
import { needsNoModel } from '../../question/usage-admission.ts'
import { conversationOf, isPrivate, type Question } from '../../stores/runs/types.ts'
import { tellPerson } from '../client/ephemeral.ts'
import { plainText } from '../content/plain-text.ts'
import { ASK_ABOUT, ASK_ALONE, ASK_HERE } from '../format/action-ids.ts'
import { AUDIENCE, didYouMean } from '../format/audience-words.ts'
import { audienceContent, noteContent, type Content } from '../format/blocks.ts'
import { FORGET } from '../format/forget-words.ts'
import { CONNECTIONS, MEMORY, NOT_INSTALLED, SETTINGS_WORDS, STOP_WORDS, helpText } from '../format/messages.ts'
import { SCHEDULES } from '../format/schedule-words.ts'
import { questionValue, inPrivate, privateThread, readAudienceValue } from '../intake/asked-audience.ts'
import { openModal, pressedOn, typedIn } from '../presses/button-press.ts'
import { connectionsOf } from '../subcommands/connections-command.ts'
import { recipientIn, recipientOf } from '../intake/find-recipient.ts'
import { forgetByCommand } from '../forgetting/forget-command.ts'
import { askedPrivacy, type AskedPrivacy } from '../intake/private-words.ts'
import { isRememberCommand, rememberByCommand, showMemory } from '../subcommands/remembered-command.ts'
import { resembledCommand } from '../subcommands/resembled-command.ts'
import { openSettings } from '../subcommands/settings-command.ts'
import { openedBy, signMetadata } from '../presses/signed-metadata.ts'
import { isStopWord, stopRuns } from '../intake/stop-runs.ts'
import { tellWorkingLater } from '../intake/tell-queue-position.ts'
import { enqueue, type MessageContext } from '../intake/to-question.ts'
import { scheduleListFor } from '../schedules/schedules-command.ts'
import type { Services, WorkspaceServices } from '../services.ts'
import { connectionsContent } from '../views/connection-blocks.ts'
import { QUESTION, askAboutView } from '../views/ask-about-view.ts'
import { onButton, onCommand, onForm, onShortcut } from './listener.ts'

interface SubcommandCall {
  command: Question
  text: string
  /** The audience that the text asks for. */
  asked: AskedPrivacy | undefined
  trigger: string
}

interface Subcommand {
  /** Returns what only the asker sees; undefined if it has shown something. */
  run(call: SubcommandCall, there: WorkspaceServices): Promise<Content | undefined>
  /** The sentence for the asker if it throws. */
  failed: string
}

const REMEMBER: Subcommand = { run: rememberByCommand, failed: MEMORY.failed }

const SUBCOMMANDS = new Map<string, Subcommand>([
  ['forget', { run: forgetByCommand, failed: FORGET.failed }],
  ['settings', { run: openSettings, failed: SETTINGS_WORDS.failed }],
  ['schedules', { run: ({ command }, there) => scheduleListFor(command, there), failed: SCHEDULES.failed }],
  ['memory', { run: showMemory, failed: MEMORY.failed }],
  [
    'connections',
    {
      run: async ({ command }, { services }) => connectionsContent(await connectionsOf(command, services)),
      failed: CONNECTIONS.failed,
    },
  ],
])

/** Never rejects. */
async function runSubcommand({ run, failed }: Subcommand, call: SubcommandCall, there: WorkspaceServices) {
  const { command } = call
  const { client } = there.installation
  const log = there.services.log.child({ question: command.id })
  const content = await run(call, there).catch((error: unknown) => {
    log.warn({ error: messageOf(error) }, 'a subcommand failed')
    return noteContent(failed)
  })
  if (content) await tellPerson(command, content, client, log)
}

/** The subcommand is the only word, in any case, with optional punctuation after it. `remember` has words after it. */
function subcommandOf(text: string, asked: AskedPrivacy | undefined): Subcommand | undefined {
  if (isRememberCommand(asked?.text ?? text)) return REMEMBER
  const [, word] = /^([a-z]+)[\s\p{P}]*$/iu.exec(text) ?? []
  return SUBCOMMANDS.get(word?.toLowerCase() ?? '')
}

/**
 * `/ask`: asks a question, runs a subcommand, or shows the help, which only the asker sees. A question that may have
 * been meant for the asker alone, or as a command, waits for a button.
 */
export const askCommand = onCommand((services) => async ({ command, ack, context }) => {
  const recipient = await recipientOf({ context }, services)
  const reply = (content: Content) => ack({ response_type: 'ephemeral', ...content })
  if (!recipient) return reply(noteContent(NOT_INSTALLED))
  const { team, installation } = recipient
  const said = questionOfCommand(command, { team, botUser: installation.identity.botUser, now: services.now() })
  const asked = askedPrivacy(said.text)
  const question = asked?.privacy === 'private' ? inPrivate({ ...said, text: asked.text }) : said
  if (needsNoModel(question)) return reply(noteContent(helpText(await services.settingsFor(question))))
  const subcommand = subcommandOf(said.text, asked)
  if (subcommand) {
    const call = { command: question, text: said.text, asked, trigger: command.trigger_id }
    void runSubcommand(subcommand, call, { installation, services })
    return ack()
  }
  if (isStopWord(said.text)) {
    const outcome = await stopPrivate(said, services)
    return outcome === 'stopped' ? ack() : reply(noteContent(STOP_WORDS.nothing))
  }
  const doubt = isPrivate(question) ? undefined : doubtAbout(said, asked)
  const value = doubt === undefined ? undefined : questionValue(said)
  if (doubt !== undefined && value !== undefined) return reply(audienceContent(doubt, { text: said.text, value }))
  const meant = doubt === undefined ? question : inPrivate(question)
  await enqueue(meant, services)
  if (isPrivate(meant)) tellWorkingLater(meant, services)
  return ack()
})

/** Returns what to ask before a question is posted, if it is not clear that everyone may see it. */
function doubtAbout({ channel, text }: Question, asked: AskedPrivacy | undefined): string | undefined {
  const command = resembledCommand(text)
  if (command !== undefined) return didYouMean(command)
  return asked?.privacy === 'unclear' && !channel.startsWith('D') ? AUDIENCE.unclear : undefined
}

/** A command is in no thread, so it can stop only the person's private questions in this place. */
function stopPrivate(question: Question, services: Services): ReturnType<typeof stopRuns> {
  const { team, channel, user, at } = question
  return stopRuns({ team, channel, user, thread: privateThread(question), at: String(at / 1000) }, services)
}

/** A slash command has no ts and no thread. Its trigger id replaces both until its root message is posted. */
function questionOfCommand(command: SlashCommand, delivery: MessageContext): Question {
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

/**
 * *Only me* and *Everyone here*, on the card about a question of `/ask` or of a message. Both ask the question with its
 * id, so only the first press counts.
 */
export const askAudience = onButton([ASK_ALONE, ASK_HERE], (services) => async ({ ack, action, body, context }) => {
  const asked = readAudienceValue(action.value)
  const pressed = asked && (await pressedOn(asked.id, { body, context }, services))
  if (!asked || !pressed?.channel) return ack()
  const { team, channel, user, userTeam } = pressed
  const isMessage = asked.ts !== undefined
  const surface = !isMessage ? 'ask' : asked.thread === asked.ts ? 'mention' : 'thread'
  const whole: Question = {
    kind: 'asked',
    ...asked,
    user,
    ...(userTeam ? { userTeam } : {}),
    team,
    channel,
    surface,
    // The card does not hold the files of a message.
    ...(isMessage ? { mayHaveFiles: true as const } : {}),
    responseUrl: body.response_url,
    at: services.now().getTime(),
  }
  const alone = inPrivate(whole)
  const [question, other] = action.action_id === ASK_ALONE ? [alone, whole] : [whole, alone]
  const isAsked = await services.control.load({ thread: conversationOf(other), id: other.id })
  if (isAsked) return ack()
  await enqueue(question, services)
  await ack()
  // A private answer takes the card's place.
  if (isPrivate(question)) tellWorkingLater(question, services)
  else void pressed.replace(noteContent(isMessage ? AUDIENCE.everyoneHere : AUDIENCE.everyone))
})

/** "Ask about this message", in a message's menu: opens a modal with the question. */
export const askAboutShortcut = onShortcut(ASK_ABOUT, (services) => async ({ ack, shortcut, context }) => {
  await ack()
  const recipient = await recipientIn(shortcut.channel.id, context, services)
  if (!recipient) return
  const { team, installation } = recipient
  const { channel, message_ts: ts, message, trigger_id, response_url: responseUrl } = shortcut
  const metadata = { team, channel: channel.id, ts, thread: message.thread_ts ?? ts, responseUrl }
  const view = askAboutView(signMetadata(JSON.stringify(metadata), { user: shortcut.user.id, installation }))
  const warn = warnWith(services.log, { channel: channel.id }, 'the modal could not be opened')
  await openModal(installation, trigger_id, view).catch(warn)
})

const metadataSchema = z.object({
  team: z.string().optional(),
  channel: z.string(),
  ts: z.string(),
  thread: z.string(),
  responseUrl: z.string().optional(),
})

/** The submitted modal of "Ask about this message": the question is stored, then the modal closes. */
export const askAboutSubmission = onForm(ASK_ABOUT, (services) => async ({ ack, body, view, context }) => {
  const opened = await openedBy(view, body, context, services)
  const about = metadataSchema.safeParse(parseJson(opened?.metadata)).data
  const recipient = about && (await recipientOf({ context, id: about.team }, services))
  const text = typedIn(view.state, QUESTION)
  if (!recipient || !about) return ack()
  if (text === '') return ack({ response_action: 'errors', errors: { [QUESTION]: 'Please write a question.' } })
  const { channel, ts, thread, responseUrl } = about
  const place = { id: `${recipient.team}:${channel}:about-${view.id}`, team: recipient.team, channel, thread }
  const asked = {
    kind: 'about',
    user: body.user.id,
    text,
    surface: 'shortcut',
    about: ts,
    at: services.now().getTime(),
  } as const
  await enqueue({ ...place, ...asked, ...(responseUrl ? { responseUrl } : {}) }, services)
  return ack()
})
