import type { ModalView } from '@slack/web-api'
import { FEEDBACK_COMMENT } from '../format/action-ids.ts'
import { plainTextElement } from '../format/plain-elements.ts'
import { formModal, noteModal, textInput } from './plain-blocks.ts'

/** The `block_id`s of the form's inputs, which are also their `action_id`s. */
export const COMMENT = 'comment'
export const EXPECTED = 'expected'
export const KEEP_EXPECTED = 'keep_expected'

const KEEP_HINT = 'Please write a full sentence above, at most 500 characters.'

const COMMENT_CHARS = 2000
const EXPECTED_CHARS = 1000

/** Asks what was wrong after a thumbs-down. The thumb counts even if the form is closed without an answer. */
export function feedbackView(metadata: string, isDirect: boolean): ModalView {
  const keep = isDirect ? 'Remember for our direct messages' : 'Remember for this channel'
  const option = { value: KEEP_EXPECTED, text: plainTextElement(keep), description: plainTextElement(KEEP_HINT) }
  return formModal('What was wrong?', ['Send', 'Skip'], FEEDBACK_COMMENT, metadata, [
    textInput(COMMENT, 'What was wrong with the answer?', { max_length: COMMENT_CHARS }),
    textInput(EXPECTED, 'What would have been right?', { max_length: EXPECTED_CHARS, optional: true }),
    {
      type: 'input',
      block_id: KEEP_EXPECTED,
      optional: true,
      label: plainTextElement('For the next time'),
      element: { type: 'checkboxes', action_id: KEEP_EXPECTED, options: [option] },
    },
  ])
}

export const FEEDBACK_GONE = noteModal(
  'What was wrong?',
  'I no longer have this answer, so I cannot save your feedback.',
)
