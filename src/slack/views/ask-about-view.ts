import type { ModalView } from '@slack/web-api'
import { ASK_ABOUT } from '../format/action-ids.ts'
import { formModal, textInput } from './plain-blocks.ts'

/** The `block_id` and `action_id` of the question's input. */
export const QUESTION = 'question'

/** The question about a message unless the person writes another one. */
export const DEFAULT_QUESTION = 'What does this mean?'

/** The modal of the message shortcut. */
export function askAboutView(metadata: string): ModalView {
  const hint = 'I answer in the message’s thread, where everybody can see it.'
  return formModal('Ask about this message', ['Ask', 'Cancel'], ASK_ABOUT, metadata, [
    textInput(QUESTION, 'Question', { hint, max_length: 3_000, initial_value: DEFAULT_QUESTION }),
  ])
}
