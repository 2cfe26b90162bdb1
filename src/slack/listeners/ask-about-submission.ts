import type { OnForm } from '../intake/bolt-types.ts'
import { z } from 'zod'
import { parseJson } from '../../base/parse-json.ts'
import { QUESTION } from '../views/ask-about-view.ts'
import { readMetadata } from '../intake/signed-metadata.ts'
import { enqueue } from '../intake/to-question.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

const metadataSchema = z.object({
  team: z.string().optional(),
  channel: z.string(),
  ts: z.string(),
  thread: z.string(),
  responseUrl: z.string().optional(),
})

/** The submitted modal of "Ask about this message": the question is stored, then the modal closes. */
export function askAboutSubmission(services: Services): OnForm {
  return async ({ ack, body, view, context }) => {
    const presser = await recipientOf({ context }, services)
    const metadata = presser && readMetadata(view.private_metadata, { ...presser, user: body.user.id })
    const about = metadataSchema.safeParse(parseJson(metadata)).data
    const recipient = about && (await recipientOf({ context, id: about.team }, services))
    const text = view.state.values[QUESTION]?.[QUESTION]?.value?.trim() ?? ''
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
  }
}
