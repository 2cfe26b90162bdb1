import type { AllMiddlewareArgs, BlockAction, ButtonAction } from '@slack/bolt'
import { messageOf } from '../../errors.ts'
import { formOf } from '../../run/question-form.ts'
import { isPrivate } from '../../run/types.ts'
import { whisper } from '../client/response-url.ts'
import {
  QUESTION_CHOOSE,
  QUESTION_DECLINE,
  QUESTION_DONE,
  QUESTION_LINK,
  QUESTION_OPEN,
  QUESTION_PAGE,
} from '../format/action-ids.ts'
import { choicesOf } from '../format/question-card.ts'
import { checkForm } from '../../run/filled-form.ts'
import { callRef, callValue } from '../format/saved-call.ts'
import { questionView } from '../views/question-view.ts'
import { pageContent } from '../views/question-page.ts'
import { answerQuestion, endCard, findQuestion, isAsker, QUESTION_WORDS, type AskedQuestion } from './asked-question.ts'
import { inBackground, pressedOn, type Pressed } from './pressed.ts'
import type { ListenerOptions } from './to-question.ts'

interface Press {
  action: ButtonAction
  body: BlockAction<ButtonAction>
  context: AllMiddlewareArgs['context']
  ack: () => Promise<void>
}

interface Found {
  found: AskedQuestion
  pressed: Pressed
  responseUrl: string | undefined
}

/** A button on the card, or below the address of a page. No press stays without a word or an effect. */
export async function pressOnQuestion({ action, body, context, ack }: Press, options: ListenerOptions): Promise<void> {
  const ref = callRef(action.value ?? '')
  // What Slack did not take in the channel went to the asker's direct messages.
  const isAnywhere = body.channel?.id.startsWith('D') === true
  const isLink = action.action_id === QUESTION_LINK
  const pressed = isLink || !ref ? undefined : await pressedOn(ref.id, { body, context, isAnywhere }, options)
  if (!ref || !pressed) return ack()
  const after = await press(action.action_id, { ref, pressed, responseUrl: body.response_url }, options).catch(
    (error: unknown) => {
      options.log.warn(
        { question: ref.id, error: messageOf(error) },
        'an answer to a tool’s question could not be kept',
      )
      return () => pressed.tell(QUESTION_WORDS.failed)
    },
  )
  await ack()
  inBackground(action.action_id, options, after)
}

/** What the press does before Slack is told that it has come. @returns what it shows after that */
async function press(
  id: string,
  { ref, ...given }: Omit<Found, 'found'> & { ref: AskedQuestion['ref'] },
  options: ListenerOptions,
): Promise<() => Promise<void>> {
  const { pressed } = given
  const found = await findQuestion(ref, options)
  if (!found) return () => pressed.tell(QUESTION_WORDS.gone)
  if (!isAsker(pressed, found)) return () => pressed.tell(QUESTION_WORDS.notYours)
  const here = { ...given, found }
  if (found.end) return () => tellEnd({ ...here, end: found.end ?? 'over' }, id, options)
  if (id === QUESTION_OPEN) return () => openForm(here)
  if (id === QUESTION_PAGE) return () => showPage(here, options)
  const answer = answerBy(id, found)
  if (!answer) return () => pressed.tell(QUESTION_WORDS.over)
  const outcome = await answerQuestion(found, { by: pressed.user, ...answer }, options)
  if (outcome === 'woken') return () => showEnd({ ...here, end: answer.action }, id, options)
  return () => tellEnd({ ...here, end: outcome }, id, options)
}

type Answer = { action: 'accept' | 'decline'; content?: Record<string, unknown> }

function answerBy(id: string, { asked }: AskedQuestion): Answer | undefined {
  if (id === QUESTION_DECLINE) return { action: 'decline' }
  if (id === QUESTION_DONE && asked.url !== undefined) return { action: 'accept' }
  const form = formOf(asked.schema)
  if (!id.startsWith(QUESTION_CHOOSE) || asked.url !== undefined || 'why' in form) return undefined
  const choice = choicesOf(form.fields)[Number(id.slice(QUESTION_CHOOSE.length))]
  const checked = choice && checkForm(form.fields, () => choice.answer)
  return checked && 'content' in checked ? { action: 'accept', content: checked.content } : undefined
}

async function openForm({ found, pressed, responseUrl }: Found): Promise<void> {
  const metadata = JSON.stringify({ value: callValue(found.question, found.ref.key), responseUrl })
  const args = { trigger_id: pressed.trigger, view: questionView(found.asked, metadata) }
  try {
    await pressed.installation.client.call('views.open', args, { effort: 'once' })
  } catch (error) {
    await pressed.tell('Slack did not let me show the form. Please press the button again.')
    throw error
  }
}

/** The address, to the asker alone. It is never fetched here. */
async function showPage({ found, pressed, responseUrl }: Found, { log, fetch }: ListenerOptions): Promise<void> {
  const { channel, thread, ts, user } = found.question
  const place = { channel, user, ...(ts !== undefined && thread !== ts ? { thread_ts: thread } : {}) }
  const content = pageContent(found.asked, callValue(found.question, found.ref.key))
  const warn = (fields: object, line: string) => log.warn({ question: found.question.id, ...fields }, line)
  await whisper({ ...place, responseUrl }, [{ ...content, replace_original: false }], {
    client: pressed.installation.client,
    fetch,
    log: warn,
  })
}

type Ended = Found & { end: NonNullable<AskedQuestion['end']> }

/** The card of a private question, and what shows a page, are replaced where they were pressed. */
async function showEnd(
  { found, pressed, responseUrl, end }: Ended,
  id: string,
  options: ListenerOptions,
): Promise<void> {
  const isOnCard = id !== QUESTION_DONE || isPrivate(found.question)
  const { installation } = pressed
  await endCard(found, { end, responseUrl: isOnCard ? responseUrl : undefined, installation }, options)
  if (!isOnCard) await pressed.tell('Thank you. I go on.')
}

async function tellEnd(ended: Ended, id: string, options: ListenerOptions): Promise<void> {
  await ended.pressed.tell(QUESTION_WORDS[ended.end])
  if (id !== QUESTION_DONE) await showEnd(ended, id, options)
}
