import type { App, BlockAction, ButtonAction } from '@slack/bolt'
import { isPrivate, type Question } from '../../run/types.ts'
import { respond } from '../client/response-url.ts'
import { SHARE } from '../format/action-ids.ts'
import { noteContent } from '../format/blocks.ts'
import { PRIVATE } from '../format/messages.ts'
import { enqueue, recipientOf, type ListenerOptions } from './to-question.ts'

/** "Share with the channel" below a private answer: a worker posts it, once however often it is pressed. */
export function listenToShareButton(app: App, options: ListenerOptions): void {
  app.action<BlockAction<ButtonAction>>(SHARE, async ({ ack, action, body, context }) => {
    const recipient = await recipientOf({ context }, options)
    const record = await options.archive.load(action.value ?? '')
    const own =
      record && isPrivate(record.question) && record.question.user === body.user.id ? record.question : undefined
    const question = own && own.team === recipient?.team ? sharing(own, body.response_url, options.now()) : undefined
    if (question) await enqueue(question, options)
    await ack()
    if (!question && recipient) void tellGone(body.response_url, recipient.team, options)
  })
}

function sharing({ id, team, channel, user, text }: Question, responseUrl: string, now: Date): Question {
  const thread = `share-${id.slice(`${team}:${channel}:`.length)}`
  const place = { id: `${team}:${channel}:${thread}`, team, channel, thread, user }
  return { ...place, text, surface: 'private', shares: id, responseUrl, at: now.getTime() }
}

async function tellGone(url: string, team: string, { installations, fetch, log }: ListenerOptions): Promise<void> {
  const apiUrl = (await installations.of(team))?.client.apiUrl ?? ''
  const message = { response_type: 'ephemeral', replace_original: false, ...noteContent(PRIVATE.gone), parse: 'none' }
  const warn = (fields: object, line: string) => log.warn({ team, ...fields }, line)
  await respond(url, message, { apiUrl, fetch: fetch ?? globalThis.fetch, log: warn })
}
