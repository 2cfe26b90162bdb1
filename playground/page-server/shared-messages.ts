/** Forwards, and the sample messages of the panel "Samples". */
import { isObject, optional, required } from '../slack/args.ts'
import { forwardOf } from '../slack/forward.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import type { SayOptions } from '../slack/people.ts'
import { ALERTS_APP, SAMPLE_MESSAGES } from '../slack/sample-messages.ts'
import type { Json } from '../slack/types.ts'
import type { PagePart } from './page-part.ts'
import * as rules from './page-rules.ts'

/** The panel's entries. The page's action `sample` posts them. */
export function samplesPart(): PagePart {
  return {
    panel: 'samples',
    gets: { '/samples': () => ({ samples: SAMPLE_MESSAGES.map(({ name, title }) => ({ name, title })) }) },
  }
}

/**
 * Returns a message that forwards `of` to `channel`, or into its thread `thread_ts`. `text` is the comment, in Slack's
 * form. @throws Error if the person cannot see the one or write in the other
 */
export function forwarded(slack: LocalSlack, body: Json, { user, text }: { user: string; text: string }): SayOptions {
  const of = isObject(body['of']) ? body['of'] : {}
  const message = rules.seenMessage(slack, { channel: required(of, 'channel'), ts: required(of, 'ts') }, user)
  const from = slack.store.channel(required(of, 'channel'))
  const attachment = forwardOf(slack.store, new URL(slack.apiUrl).origin, { channel: from, message })
  const place = placeOf(slack, body, user)
  // A forwarded file is shared where it is forwarded to.
  for (const { id } of message.files ?? []) slack.store.files.get(String(id))?.channels.add(place.channel)
  return { ...place, user, text, extra: { attachments: [attachment] } }
}

/** Returns the sample that `body` names, for its place. @throws Error if there is none */
export function sampleMessage(slack: LocalSlack, body: Json, user: string): SayOptions {
  const sample = SAMPLE_MESSAGES.find(({ name }) => name === body['sample'])
  if (!sample) throw new Error('There is no such sample.')
  const place = placeOf(slack, body, user)
  if (sample.file) return { ...place, user, text: '', files: [sample.file] }
  return { ...place, text: '', extra: { ...ALERTS_APP, ...structuredClone(sample.message) } }
}

function placeOf(slack: LocalSlack, body: Json, user: string): { channel: string; thread_ts?: string } {
  const { id: channel } = rules.writableChannel(slack, required(body, 'channel'), user)
  const thread = optional(body, 'thread_ts')
  if (thread) rules.seenMessage(slack, { channel, ts: thread }, user)
  return { channel, ...(thread && { thread_ts: thread }) }
}
