import type { AllMiddlewareArgs, ViewOutput } from '@slack/bolt'
import type { View } from '@slack/web-api'
import { z } from 'zod'
import { messageOf } from '../../errors.ts'
import { formOf } from '../../run/question-form.ts'
import { callRef } from '../format/saved-call.ts'
import { noteModal } from '../views/plain-blocks.ts'
import { readQuestionInput } from '../views/question-input.ts'
import { fieldId } from '../views/question-view.ts'
import { answerQuestion, endCard, findQuestion, isAsker, QUESTION_WORDS } from './asked-question.ts'
import { inBackground } from './pressed.ts'
import { recipientOf, type ListenerOptions } from './to-question.ts'

const metadataSchema = z.object({ value: z.string(), responseUrl: z.string().optional() })

type Reply =
  undefined | { response_action: 'errors'; errors: Record<string, string> } | { response_action: 'update'; view: View }

interface Submission {
  view: ViewOutput
  user: string
  context: AllMiddlewareArgs['context']
  ack: (reply?: Exclude<Reply, undefined>) => Promise<void>
}

/** The form is sent: what is wrong stands at its inputs; else the run is woken with it, and the modal closes. */
export async function submitAnswer({ ack, ...sent }: Submission, options: ListenerOptions): Promise<void> {
  const reply = await answerWith(sent, options).catch((error: unknown): Reply => {
    options.log.warn(
      { view: sent.view.id, error: messageOf(error) },
      'an answer to a tool’s question could not be kept',
    )
    return { response_action: 'errors', errors: { [fieldId(0)]: QUESTION_WORDS.failed } }
  })
  await ack(reply)
}

async function answerWith({ view, user, context }: Omit<Submission, 'ack'>, options: ListenerOptions): Promise<Reply> {
  const recipient = await recipientOf({ context, isShared: true }, options)
  const installation = recipient && (await options.installations.of(recipient.team))
  const { value, responseUrl } = metadataSchema.parse(JSON.parse(view.private_metadata))
  const ref = callRef(value)
  const found =
    ref && installation && ref.id.startsWith(`${recipient.team}:`) ? await findQuestion(ref, options) : undefined
  if (!found || !installation) return note(QUESTION_WORDS.gone)
  const { question, asked } = found
  // The modal opened before the asker alone, and Slack says who sends it.
  if (!isAsker({ user, userTeam: question.userTeam }, found)) return note(QUESTION_WORDS.notYours)
  if (found.end) return note(QUESTION_WORDS[found.end])
  const form = formOf(asked.schema)
  const read = readQuestionInput(view.state.values, 'fields' in form ? form.fields : [])
  if ('errors' in read) return { response_action: 'errors', errors: read.errors }
  const outcome = await answerQuestion(found, { by: user, action: 'accept', content: read.content }, options)
  const end = outcome === 'woken' ? 'accept' : outcome
  inBackground('question form', options, () => endCard(found, { end, responseUrl, installation }, options))
  return outcome === 'woken' ? undefined : note(QUESTION_WORDS[outcome])
}

function note(words: string): Reply {
  return { response_action: 'update', view: noteModal('Your answer', words) }
}
