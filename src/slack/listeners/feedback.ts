import { readableBy, withRecord } from '../../question/may-read-answer.ts'
import { ANSWER_GONE } from '../format/messages.ts'
import type { ViewSubmitAction } from '@slack/bolt'
import type { OnButton, OnForm } from '../intake/bolt-types.ts'
import type { Feedback } from '../../stores/archive/types.ts'
import { bookRating } from '../../question/book-use.ts'
import { FEEDBACK } from '../format/action-ids.ts'
import { COMMENT, EXPECTED, FEEDBACK_GONE, feedbackView, KEEP_EXPECTED } from '../views/feedback-view.ts'
import { inBackground, pressedOn } from '../intake/button-press.ts'
import { refusalOf, remember, tellOutcome, type RememberRequest } from '../intake/remember.ts'
import { readMetadata, signMetadata } from '../intake/signed-metadata.ts'
import { installationFor, recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

const THUMB = /^(up|down):(.+)$/s

/** The thumbs below an answer. The rating is stored before the ack. After a thumbs-down, a form asks what was wrong. */
export function feedback(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    const [, thumb, id = ''] = THUMB.exec(action.value ?? '') ?? []
    const pressed = await pressedOn(id, { body, context }, services)
    const rating = thumb === 'up' ? 'up' : 'down'
    const isKept = pressed && (await withRecord(() => rate(id, { by: pressed.user, rating }, services)))
    await ack()
    if (!pressed) return
    if (!isKept) return void pressed.tell(ANSWER_GONE)
    services.onFeedback?.(rating)
    if (rating === 'up') return void pressed.tell('Thank you, noted.')
    inBackground(FEEDBACK, services, async () => {
      const isDirect = id.split(':')[1]?.startsWith('D') === true
      const args = { trigger_id: pressed.trigger, view: feedbackView(signMetadata(id, pressed), { isDirect }) }
      await pressed.installation.client.call('views.open', args, { effort: 'once' })
    })
  }
}

/** The form after a thumbs-down. The right answer is remembered if the person wants that. */
export function feedbackForm(services: Services): OnForm {
  return async ({ ack, view, body, context }) => {
    const recipient = await recipientOf({ context, isShared: true }, services)
    const { private_metadata, state } = view
    const user = body.user.id
    const id = recipient && readMetadata(private_metadata, { ...recipient, user })
    const installation = id === undefined ? undefined : await installationFor(id, { context }, services)
    if (!installation || id === undefined) return ack({ response_action: 'update', view: FEEDBACK_GONE })
    const comment = typedIn(state.values, COMMENT)
    const expected = typedIn(state.values, EXPECTED)
    const isWanted = state.values[KEEP_EXPECTED]?.[KEEP_EXPECTED]?.selected_options?.length
    const wanted = isWanted ? toKeep(id, { user, view: view.id, text: expected }, services) : undefined
    const refusal = wanted && (await refusalOf(wanted, installation, services))
    if (refusal !== undefined) return ack({ response_action: 'errors', errors: { [EXPECTED]: refusal } })
    const words = { ...(comment ? { comment } : {}), ...(expected ? { expected } : {}) }
    if (!(await rate(id, { by: user, rating: 'down', ...words }, services)))
      return ack({ response_action: 'update', view: FEEDBACK_GONE })
    const outcome = wanted && (await remember(wanted, installation, services))
    await ack()
    if (wanted && outcome) await tellOutcome(outcome, wanted.question, { installation, services })
  }
}

/** Returns the request to remember the right answer, in the place of the question with this id. */
function toKeep(
  id: string,
  { user, view, text = '' }: { user: string; view: string; text: string | undefined },
  services: Services,
): RememberRequest {
  const [team = '', channel = '', thread = ''] = id.split(':')
  const at = services.now().getTime()
  const place = { id, team, channel, thread, user, text: '', at }
  const question = { kind: 'asked', ...place, surface: 'shortcut' } as const
  return { question, id: `feedback-${view}`, text }
}

/** @returns false if the answer is not stored, or no longer */
async function rate(id: string, feedback: Omit<Feedback, 'at'>, services: Services): Promise<boolean> {
  const { archive, now, log } = services
  const isReadable = readableBy(feedback.by, await archive.load(id)) !== undefined
  const isKept = isReadable && (await archive.rate(id, { ...feedback, at: now().getTime() }))
  const { rating, comment = '' } = feedback
  if (isKept) log.info({ question: id, rating, chars: comment.length }, 'answer rated')
  const rated = isKept ? await archive.load(id) : undefined
  if (rated) await bookRating(rated, services)
  return isKept
}

/** Returns the trimmed value of an input; undefined if nothing was typed. */
function typedIn(values: ViewSubmitAction['view']['state']['values'], name: string): string | undefined {
  return values[name]?.[name]?.value?.trim() || undefined
}
