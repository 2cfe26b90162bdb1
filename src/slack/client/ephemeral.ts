import { warnWith, type Log } from '../../base/log.ts'
import type { Content } from '../format/blocks.ts'
import { respond } from './response-url.ts'
import { NOT_UNFURLED, UNPARSED } from './send-content.ts'
import { isOfForm, SlackRefusal } from './slack-errors.ts'
import type { CallOptions, SlackWeb } from './web-api.ts'

/** An ephemeral message. Slack shows none in a thread without replies, so `thread_ts` is left out there. */
interface EphemeralMessage {
  channel: string
  user: string
  thread_ts?: string | undefined
  text?: string
}

/** Sends an ephemeral message that is not worth a retry. @throws the error of the call */
export async function tellOnce(client: SlackWeb, message: EphemeralMessage): Promise<void> {
  await postEphemeral(client, message, { effort: 'once' })
}

async function postEphemeral(client: SlackWeb, message: object, options: CallOptions): Promise<void> {
  await client.call('chat.postEphemeral', { ...message, ...UNPARSED }, options)
}

/**
 * The receiver of an ephemeral message, and its place. `replaces`: it replaces the message whose button was pressed, at
 * the response_url of the press. Slack ignores that at the response_url of a command.
 */
export interface EphemeralPlace {
  responseUrl?: string | undefined
  replaces?: boolean
  /** Nobody is waiting there, so it goes into the direct messages at once. */
  isAway?: boolean
  channel: string
  user: string
  thread_ts?: string | undefined
  signal?: AbortSignal
}

/**
 * Sends an ephemeral message: to the response_url while that works, else as an ephemeral message in the channel, else
 * as a direct message, if there is an `elsewhere` for that. `forms`: the message, and simpler ones in case Slack
 * refuses its form. @throws the error if Slack accepts none
 */
export async function sendEphemeral(
  { responseUrl, replaces = false, isAway = false, signal, channel, user, thread_ts }: EphemeralPlace,
  forms: readonly [object, ...object[]],
  client: SlackWeb,
  log: Log,
  elsewhere?: object,
): Promise<void> {
  const ephemeral = replaces ? { replace_original: true } : { response_type: 'ephemeral', replace_original: false }
  const how = { effort: 'patient', signal, asker: user } as const
  if (responseUrl && (await respond(responseUrl, { ...ephemeral, ...forms[0], ...UNPARSED }, client, log, user))) return
  for (const [i, form] of isAway ? [] : forms.entries())
    try {
      return await postEphemeral(client, { channel, user, thread_ts, ...form }, how)
    } catch (error) {
      if (i < forms.length - 1 && isOfForm(error)) continue
      if (!elsewhere || !(error instanceof SlackRefusal)) throw error
      warnWith(log, {}, 'could not reply to the asker where they asked')(error)
      break
    }
  // Slack opens a direct message if a person's id is given as the channel.
  await client.call('chat.postMessage', { channel: user, ...elsewhere, ...NOT_UNFURLED }, how)
}

/** The same for the reply to a command, a press or a form. Never rejects: a failure is only logged. */
export async function tellPerson(
  place: EphemeralPlace,
  { text, blocks }: Content,
  client: SlackWeb,
  log: Log,
  elsewhere?: object,
): Promise<void> {
  const { channel, user } = place
  const own = log.child({ channel, user })
  await sendEphemeral(place, [{ text, blocks }, { text }], client, own, elsewhere).catch(
    warnWith(own, {}, 'could not reply to a person'),
  )
}
