import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { respond } from './response-url.ts'
import { NOT_UNFURLED, UNPARSED } from './send-content.ts'
import { isOfForm, SlackRefusal } from './slack-errors.ts'
import type { CallOptions, SlackWeb } from './web-api.ts'

/** An ephemeral message. Slack shows none in a thread without replies, so `thread_ts` is left out there. */
interface EphemeralMessage {
  channel: string
  user: string
  thread_ts?: string
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
interface EphemeralPlace {
  responseUrl?: string | undefined
  replaces?: boolean
  /** Nobody is waiting there, so it goes into the direct messages at once. */
  isAway?: boolean
  channel: string
  user: string
  thread_ts?: string
  signal?: AbortSignal
}

interface EphemeralOptions {
  client: SlackWeb
  fetch?: typeof globalThis.fetch | undefined
  log: Log
  /** The content for the person's direct messages, if the channel refuses the message. */
  elsewhere?: object
}

/**
 * Sends an ephemeral message: to the response_url while that works, else as an ephemeral message in the channel, else
 * as a direct message. `forms`: the message, and simpler ones in case Slack refuses its form. @throws the error if
 * Slack accepts none
 */
export async function sendEphemeral(
  { responseUrl, replaces = false, isAway = false, signal, ...place }: EphemeralPlace,
  forms: readonly [object, ...object[]],
  options: EphemeralOptions,
): Promise<void> {
  const { client, fetch = globalThis.fetch, log, elsewhere } = options
  const ephemeral = replaces ? { replace_original: true } : { response_type: 'ephemeral', replace_original: false }
  const asker = place.user
  const at = { apiUrl: client.apiUrl, fetch, log, asker }
  if (responseUrl && (await respond(responseUrl, { ...ephemeral, ...forms[0], ...UNPARSED }, at))) return
  for (const [i, form] of isAway ? [] : forms.entries())
    try {
      await postEphemeral(client, { ...place, ...form }, { effort: 'patient', signal, asker })
      return
    } catch (error) {
      if (i < forms.length - 1 && isOfForm(error)) continue
      if (!elsewhere || !(error instanceof SlackRefusal)) throw error
      log.warn({ error: messageOf(error) }, 'could not reply to the asker where they asked')
      break
    }
  // Slack opens a direct message if a person's id is given as the channel.
  const args = { channel: place.user, ...elsewhere, ...NOT_UNFURLED }
  await client.call('chat.postMessage', args, { effort: 'patient', signal, asker })
}
