import { messageOf } from '../../base/errors.ts'
import { respond, UNPARSED, type Client } from './response-url.ts'
import { isOfForm, SlackRefusal } from './slack-errors.ts'

/** A short message that one person alone sees. In a thread without replies Slack shows none: `thread_ts` is left out there. */
interface ShortWord {
  channel: string
  user: string
  thread_ts?: string
  text?: string
}

/** Tells one person alone something that is not worth a second try. @throws whatever keeps Slack from taking it */
export async function tellOnce(client: Client, word: ShortWord): Promise<void> {
  await postEphemeral(client, word, { effort: 'once' })
}

async function postEphemeral(client: Client, message: object, options: Parameters<Client['call']>[2]): Promise<void> {
  await client.call('chat.postEphemeral', { ...message, ...UNPARSED }, options)
}

/**
 * Whom to tell, and where. `replaces`: at the response_url of a press, in place of the message that holds what was pressed. Slack
 * ignores it at the response_url of a command.
 */
interface EphemeralPlace {
  responseUrl?: string | undefined
  replaces?: boolean
  /** Nobody waits there for it: it goes into the direct messages at once. */
  isAway?: boolean
  channel: string
  user: string
  thread_ts?: string
  signal?: AbortSignal
}

interface EphemeralOptions {
  client: Client
  fetch?: typeof globalThis.fetch | undefined
  log(fields: object, line: string): void
  /** What goes into the person's direct messages where the channel takes nothing. */
  elsewhere?: object
}

/**
 * Tells one person alone: at the response_url while it lasts, else by an ephemeral message in the channel, else in the direct
 * messages. `forms`: the message, and simpler ones for where Slack refuses how it looks. @throws what kept Slack from taking it
 */
export async function sendEphemeral(
  { responseUrl, replaces = false, isAway = false, signal, ...place }: EphemeralPlace,
  forms: readonly [object, ...object[]],
  options: EphemeralOptions,
): Promise<void> {
  const { client, fetch = globalThis.fetch, log, elsewhere } = options
  const ephemeral = { response_type: 'ephemeral', replace_original: replaces }
  const at = { apiUrl: client.apiUrl, fetch, log }
  if (responseUrl && (await respond(responseUrl, { ...ephemeral, ...forms[0], ...UNPARSED }, at))) return
  for (const [i, form] of isAway ? [] : forms.entries())
    try {
      await postEphemeral(client, { ...place, ...form }, { effort: 'patient', signal })
      return
    } catch (error) {
      if (i < forms.length - 1 && isOfForm(error)) continue
      if (!elsewhere || !(error instanceof SlackRefusal)) throw error
      log({ error: messageOf(error) }, 'the asker could not be told where they asked')
      break
    }
  // Slack opens the direct messages of a person where they are given in place of a channel.
  const args = { channel: place.user, ...elsewhere, ...UNPARSED, unfurl_links: false, unfurl_media: false }
  await client.call('chat.postMessage', args, { effort: 'patient', signal })
}
