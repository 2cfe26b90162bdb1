import { personIn } from '../../base/place.ts'
import { recordRating } from '../../question/book-use.ts'
import { readableBy, withRecord } from '../../question/may-read-answer.ts'
import type { Feedback } from '../../stores/archive/types.ts'
import { foreignTeam, type Presser } from '../../stores/runs/audience.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import { answerView } from '../answering/share-answer.ts'
import { Mentions } from '../client/mentions.ts'
import { replaceMessage } from '../client/response-url.ts'
import { FEEDBACK, FEEDBACK_COMMENT, KEEP, SHARE } from '../format/action-ids.ts'
import { answerContents } from '../format/answer-messages.ts'
import { PRIVATE } from '../format/audience-words.ts'
import { blocksIn } from '../format/blocks.ts'
import { ANSWER_GONE } from '../format/messages.ts'
import { inBackground, isInDirect, openModal, pressedOn, typedIn, type ButtonPress } from '../presses/button-press.ts'
import { installationFor, presserOf } from '../intake/find-recipient.ts'
import { refusalOf, remember, tellOutcome, type RememberRequest } from '../intake/remember.ts'
import { openedBy, signMetadata } from '../presses/signed-metadata.ts'
import { enqueue } from '../intake/to-question.ts'
import type { Services } from '../services.ts'
import { COMMENT, EXPECTED, FEEDBACK_GONE, KEEP_EXPECTED, feedbackView } from '../views/feedback-view.ts'
import { onButton, onForm } from './listener.ts'

/** "Share with the channel" below a private answer: a worker posts it, once, however often the button is pressed. */
export const shareButton = onButton(SHARE, (services) => async ({ ack, action, body, context }) => {
  const pressed = await pressedOn(action.value ?? '', { body, context, isAnywhere: isInDirect(body) }, services)
  const own = pressed && (await ownPrivate(pressed, services))
  if (own) await enqueue(sharing(own, pressed.responseUrl, services.now()), services)
  await ack()
  if (pressed && !own) void pressed.tell(PRIVATE.gone)
})

/** Returns the private question that the button belongs to, if the presser asked it. */
async function ownPrivate({ id, ...presser }: ButtonPress, { archive }: Services): Promise<Question | undefined> {
  const record = await withRecord(async () => readableBy(presser, await archive.load(id)))
  return record && isPrivate(record.question) ? record.question : undefined
}

function sharing({ id, team, channel, user, text }: Question, responseUrl: string | undefined, now: Date): Question {
  const thread = `share-${id.slice(`${team}:${channel}:`.length)}`
  const place = { id: `${team}:${channel}:${thread}`, team, channel, thread, user }
  return { kind: 'share', ...place, text, surface: 'private', shares: id, responseUrl, at: now.getTime() }
}

/** "Keep for myself" below a private answer: removes the buttons from its last message. */
export const keepButton = onButton(KEEP, (services) => {
  const { archive, settingsFor, log } = services
  return async ({ ack, action, body, context }) => {
    await ack()
    const isElsewhere = isInDirect(body)
    const pressed = await pressedOn(action.value ?? '', { body, context, isAnywhere: isElsewhere }, services)
    if (!pressed) return
    const { id, user, installation } = pressed
    const record = await withRecord(async () => readableBy(pressed, await archive.load(id), { isElsewhere }))
    if (!record) return pressed.tell(ANSWER_GONE)
    const { client, directory } = installation
    const mentions = new Mentions(directory, record.question)
    const view = await answerView(record, { installation, mentions, settings: await settingsFor(record.question) })
    const last = answerContents(view).at(-1)
    const content = last && (last.file?.without ?? last)
    if (!content) return pressed.tell(ANSWER_GONE)
    const blocks = blocksIn(content, (type) => client.refusals.has(type))
    const shown = { content: { text: content.text, blocks } }
    void replaceMessage(pressed, shown, client, log.child({ user }))
  }
})

const THUMB = /^(up|down):(.+)$/s

/** The thumbs below an answer. The rating is stored before the ack. After a thumbs-down, a form asks what was wrong. */
export const feedback = onButton(FEEDBACK, (services) => async ({ ack, action, body, context }) => {
  const [, thumb, id = ''] = THUMB.exec(action.value ?? '') ?? []
  const pressed = await pressedOn(id, { body, context }, services)
  const rating = thumb === 'up' ? 'up' : 'down'
  const isKept = pressed && (await withRecord(() => rate(id, pressed, { rating }, services)))
  await ack()
  if (!pressed) return
  if (!isKept) return void pressed.tell(ANSWER_GONE)
  services.telemetry.onFeedback?.(rating)
  if (rating === 'up') return void pressed.tell('Thank you, noted.')
  inBackground(FEEDBACK, services, async () => {
    const isDirect = id.split(':')[1]?.startsWith('D') === true
    await openModal(pressed.installation, pressed.trigger, feedbackView(signMetadata(id, pressed), isDirect))
  })
})

/** The form after a thumbs-down. The right answer is remembered if the person wants that. */
export const feedbackForm = onForm(FEEDBACK_COMMENT, (services) => async ({ ack, view, body, context }) => {
  const { state } = view
  const id = (await openedBy(view, body, context, services))?.metadata
  const installation = id === undefined ? undefined : await installationFor(id, context, services)
  if (!installation || id === undefined) return ack({ response_action: 'update', view: FEEDBACK_GONE })
  const presser = await presserOf(body, installation, services)
  const comment = typedIn(state, COMMENT) || undefined
  const expected = typedIn(state, EXPECTED) || undefined
  const isWanted = state.values[KEEP_EXPECTED]?.[KEEP_EXPECTED]?.selected_options?.length
  const wanted = isWanted ? toKeep(id, { presser, view: view.id, text: expected }, services) : undefined
  const refusal = wanted && (await refusalOf(wanted, installation, services))
  if (refusal !== undefined) return ack({ response_action: 'errors', errors: { [EXPECTED]: refusal } })
  if (!(await rate(id, presser, { rating: 'down', comment, expected }, services)))
    return ack({ response_action: 'update', view: FEEDBACK_GONE })
  const outcome = wanted && (await remember(wanted, installation, services))
  await ack()
  if (wanted && outcome) await tellOutcome(outcome, wanted.question, { installation, services })
})

/** Returns the request to remember the right answer, in the place of the question with this id. */
function toKeep(
  id: string,
  {
    presser: { user, userTeam, homes },
    view,
    text = '',
  }: { presser: Presser; view: string; text?: string | undefined },
  services: Services,
): RememberRequest {
  const [team = '', channel = '', thread = ''] = id.split(':')
  const at = services.now().getTime()
  const place = { id, team, channel, thread, user, text: '', at }
  const from = foreignTeam({ userTeam, homes }, team)
  const question = { kind: 'asked', ...place, ...from, surface: 'shortcut' } as const
  return { question, id: `feedback-${view}`, text }
}

function raterOf(id: string, presser: Presser): string {
  const [team = ''] = id.split(':')
  return personIn({ team, user: presser.user, ...foreignTeam(presser, team) })
}

/** @returns false if the answer is not stored, or no longer */
async function rate(
  id: string,
  presser: Presser,
  given: Omit<Feedback, 'at' | 'by'>,
  services: Services,
): Promise<boolean> {
  const { archive, now, log } = services
  const isReadable = readableBy(presser, await archive.load(id)) !== undefined
  const isKept = isReadable && (await archive.rate(id, { ...given, by: raterOf(id, presser), at: now().getTime() }))
  const { rating, comment = '' } = given
  if (isKept) log.info({ question: id, rating, chars: comment.length }, 'answer rated')
  const rated = isKept ? await archive.load(id) : undefined
  if (rated) await recordRating(rated, services)
  return isKept
}
