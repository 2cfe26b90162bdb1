import { changesOf, withDoneBefore } from '../../question/changes-before.ts'
import { editedQuestionId } from '../../question/take-back.ts'
import type { OnButton } from '../intake/bolt-types.ts'
import type { RunRecord } from '../../stores/archive/types.ts'
import type { Question } from '../../stores/runs/types.ts'
import { respond } from '../client/response-url.ts'
import { readMessages } from '../client/thread-messages.ts'
import { readContent } from '../content/message-content.ts'
import { isSamePerson } from '../intake/asked-tool-question.ts'
import { askedWords } from '../intake/asked-words.ts'
import { enqueue } from '../intake/to-question.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'
import { editTsOf } from '../intake/edited-or-deleted.ts'

/** Time limit for finding the message, in ms. Slack waits three seconds for the ack. */
const PATIENCE_MS = 2_500

/** The button "Ask again" under an edited question: asks it with the new text. Only for the asker. */
export function askEdited(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    const recipient = await recipientOf({ context, id: action.value }, services)
    const record = await services.archive.load(action.value ?? '')
    const presser = { user: body.user.id, userTeam: body.user.team_id, isColleague: context.isEnterpriseInstall }
    const isAskers = record && recipient?.team === record.question.team && isSamePerson(presser, record.question)
    const again = isAskers ? await asItReadsNow(record.question, services) : undefined
    if (again && record) await enqueue(await withChangesOf(record, again, services), services)
    await ack()
    if (again) void withdrawButton(body.response_url, again.team, services)
  }
}

async function withChangesOf(record: RunRecord, again: Question, services: Services): Promise<Question> {
  const { tools } = await services.settingsFor(again)
  const isForAsker = record.question.forAsker === true
  return withDoneBefore(again, await changesOf(record, { tools }), { isForAsker })
}

/** Undefined if the message is gone, or was never edited. @throws the error of the Slack call */
async function asItReadsNow(question: Question, services: Services): Promise<Question | undefined> {
  const installation = await services.installations.of(question.team)
  const { team, channel, thread, ts, user, surface } = question
  if (!installation || ts === undefined) return undefined
  const { client, identity } = installation
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for await (const message of readMessages(client, { channel, thread, since: ts, until: ts, signal })) {
    const editTs = message.ts === ts ? editTsOf(message.edited) : undefined
    if (!editTs) continue
    const id = editedQuestionId(`${team}:${channel}:${ts}`, editTs)
    const words = askedWords(readContent(message, identity.botUser))
    const when = { at: services.now().getTime(), firstAt: question.firstAt ?? question.at }
    return { kind: 'asked', id, team, channel, thread, user, ts, surface, ...words, ...when }
  }
  return undefined
}

/** Removes the button, which works once. */
async function withdrawButton(url: string, team: string, { installations, fetch, log }: Services): Promise<void> {
  const apiUrl = (await installations.of(team))?.client.apiUrl ?? ''
  await respond(url, { delete_original: true }, { apiUrl, fetch: fetch ?? globalThis.fetch, log })
}
