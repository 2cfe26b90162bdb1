import type { App, BlockAction, ButtonAction, ViewSubmitAction } from '@slack/bolt'
import { QUESTION_FORM, QUESTION_PRESSES } from '../format/action-ids.ts'
import type { ListenerOptions } from './to-question.ts'

/** The card of what a tool asks its asker, and the modal that it opens. What they do is loaded when one is first pressed. */
export function listenToToolQuestions(app: App, options: ListenerOptions): void {
  app.action<BlockAction<ButtonAction>>(QUESTION_PRESSES, async ({ ack, action, body, context }) => {
    const { pressOnQuestion } = await import('./question-presses.ts')
    await pressOnQuestion({ action, body, context, ack }, options)
  })
  app.view<ViewSubmitAction>(QUESTION_FORM, async ({ ack, view, body, context }) => {
    const { submitAnswer } = await import('./question-form-submission.ts')
    await submitAnswer({ view, user: body.user.id, context, ack }, options)
  })
}
