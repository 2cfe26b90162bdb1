import { readableBy, withRecord } from '../../question/may-read-answer.ts'
import { ANSWER_GONE } from '../format/messages.ts'
import type { OnButton } from '../intake/bolt-types.ts'
import { Mentions } from '../client/mentions.ts'
import { replaceMessage } from '../client/response-url.ts'
import { blocksIn } from '../format/blocks.ts'
import { answerContents } from '../format/answer-messages.ts'
import { isInDirect, pressedOn } from '../intake/button-press.ts'
import { answerView } from '../answering/share-answer.ts'
import type { Services } from '../services.ts'

/** "Keep for myself" below a private answer: removes the buttons from its last message. */
export function keepButton(services: Services): OnButton {
  const { archive, settingsFor, log, fetch } = services
  return async ({ ack, action, body, context }) => {
    await ack()
    const isElsewhere = isInDirect(body)
    const pressed = await pressedOn(action.value ?? '', { body, context, isAnywhere: isElsewhere }, services)
    if (!pressed) return
    const { id, user, installation } = pressed
    const record = await withRecord(async () => readableBy(user, await archive.load(id), { isElsewhere }))
    if (!record) return pressed.tell(ANSWER_GONE)
    const { client, directory } = installation
    const mentions = new Mentions(directory, record.question)
    const view = await answerView(record, { installation, mentions, settings: await settingsFor(record.question) })
    const last = answerContents(view).at(-1)
    const content = last && (last.file?.without ?? last)
    if (!content) return pressed.tell(ANSWER_GONE)
    const blocks = blocksIn(content, (type) => client.refusals.has(type))
    const shown = { content: { text: content.text, blocks } }
    void replaceMessage({ responseUrl: body.response_url }, shown, { client, fetch, log: log.child({ user }) })
  }
}
