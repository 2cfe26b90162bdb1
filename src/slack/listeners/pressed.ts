import type { AllMiddlewareArgs } from '@slack/bolt'
import { messageOf } from '../../errors.ts'
import type { Installation } from '../../workspace/installations.ts'
import { respond } from '../client/response-url.ts'
import { noteContent } from '../format/blocks.ts'
import { recipientOf, type ListenerOptions } from './to-question.ts'

/** What Slack delivers of a press, as far as it is read here. */
export interface Press {
  user: { id: string; team_id?: string }
  channel?: { id: string } | undefined
  trigger_id: string
  response_url?: string
}

/** A button of ours below an answer, pressed where it belongs. */
export interface Pressed {
  /** The question's id. */
  id: string
  team: string
  user: string
  /** The presser's workspace, where that is another one. */
  userTeam?: string
  trigger: string
  installation: Installation
  /** Tells the presser alone. Never rejects. */
  tell(text: string): Promise<void>
}

/**
 * Who pressed a button of which question. A button knows its question by its value; one that turns up in another channel than
 * the question's was brought there, and whoever presses it there may not be one of those who can read the answer.
 * `isAnywhere`: the caller looks at that. @returns undefined, with a private word, for such a one; undefined where the bot is not installed
 */
export async function pressedOn(
  id: string,
  { body, context, isAnywhere = false }: { body: Press; context: AllMiddlewareArgs['context']; isAnywhere?: boolean },
  options: ListenerOptions,
): Promise<Pressed | undefined> {
  const recipient = await recipientOf({ context, isShared: true }, options)
  const installation = recipient && (await options.installations.of(recipient.team))
  if (!recipient || !installation) return undefined
  const { team } = recipient
  const tell = (text: string) => tellPresser(text, { url: body.response_url, installation, options })
  const { id: user, team_id: userTeam } = body.user
  const presser = { user, ...(userTeam && userTeam !== team ? { userTeam } : {}) }
  const place = isAnywhere ? `${team}:` : `${team}:${body.channel?.id ?? ''}:`
  if (id.startsWith(place)) return { id, team, ...presser, trigger: body.trigger_id, installation, tell }
  options.log.warn({ team, channel: body.channel?.id, user }, 'refused a button outside of its channel')
  await tell(ELSEWHERE)
  return undefined
}

export const ELSEWHERE = 'This button belongs to an answer in another channel: it works there alone.'

async function tellPresser(
  text: string,
  { url, installation, options }: { url: string | undefined; installation: Installation; options: ListenerOptions },
): Promise<void> {
  if (url === undefined) return
  const { log, fetch = globalThis.fetch } = options
  const message = { response_type: 'ephemeral', replace_original: false, parse: 'none', ...noteContent(text) }
  const warn = (fields: object, line: string) => log.warn(fields, line)
  await respond(url, message, { apiUrl: installation.client.apiUrl, fetch, log: warn })
}

/** Shows the presser something. Where Slack does not let it be shown, they are told. @throws what kept it from that */
export async function showOrTell<T>({ tell }: Pressed, show: () => Promise<T>, words = UNSHOWN): Promise<T> {
  try {
    return await show()
  } catch (error) {
    await tell(words)
    throw error
  }
}

const UNSHOWN = 'Slack did not let me show this in time. Please press the button again.'

/** What the ack does not wait for. A failure is a line in the log: nothing that people asked is lost by it. */
export function inBackground(what: string, { log }: ListenerOptions, work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    log.warn({ what, error: messageOf(error) }, 'an interaction could not be followed')
  })
}
