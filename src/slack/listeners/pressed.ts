import type { AllMiddlewareArgs } from '@slack/bolt'
import type { RunRecord } from '../../archive/types.ts'
import { sleep } from '../../backoff.ts'
import { messageOf } from '../../errors.ts'
import { isPrivate } from '../../run/types.ts'
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

/** What is said where the record of an answer is not kept any more. */
export const GONE =
  'This answer is not kept any more: it was forgotten, or its time is over. Please ask in your own words.'

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

/** The record, if this person may see anything of it: what somebody asked in private is theirs alone. */
export function readableBy(user: string, record: RunRecord | undefined): RunRecord | undefined {
  return record && isPrivate(record.question) && record.question.user !== user ? undefined : record
}

/** How long after an answer its record may still be missing, in ms. Slack waits three seconds for an ack. */
const RECORD_MS = 1_000

/** What is done with the record of an answer. An answer stands in Slack a little before its record is kept: it is tried twice. */
export async function withRecord<T>(work: () => Promise<T>): Promise<T> {
  const done = await work()
  if (done) return done
  await sleep(RECORD_MS)
  return work()
}

/** What the ack does not wait for. A failure is a line in the log: nothing that people asked is lost by it. */
export function inBackground(what: string, { log }: ListenerOptions, work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    log.warn({ what, error: messageOf(error) }, 'an interaction could not be followed')
  })
}
