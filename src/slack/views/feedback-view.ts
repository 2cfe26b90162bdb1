import type { View } from '@slack/web-api'
import { FEEDBACK_COMMENT } from '../format/action-ids.ts'
import { plainTextElement } from '../format/plain-elements.ts'
import { noteModal } from './plain-blocks.ts'

/** The `block_id`s of the form's inputs, which are also their `action_id`s. */
export const COMMENT = 'comment'
export const EXPECTED = 'expected'
export const KEEP_EXPECTED = 'keep_expected'

const KEEP_HINT = 'Please write a full sentence above, at most 500 characters.'

const COMMENT_CHARS = 2000
const EXPECTED_CHARS = 1000

/**
 * Asks what was wrong after a thumbs-down. The thumb counts even if the form is closed without an answer. Slack returns
 * `metadata` with the submitted values.
 */
export function feedbackView(metadata: string, { isDirect }: { isDirect: boolean }): View {
  const keep = isDirect ? 'Remember for our direct messages' : 'Remember for this channel'

  return {
    type: 'modal',
    callback_id: FEEDBACK_COMMENT,
    private_metadata: metadata,
    title: plainTextElement('What was wrong?'),
    submit: plainTextElement('Send'),
    close: plainTextElement('Skip'),
    blocks: [
      input(COMMENT, { label: 'What was wrong with the answer?', max: COMMENT_CHARS, optional: false }),
      input(EXPECTED, { label: 'What would have been right?', max: EXPECTED_CHARS, optional: true }),
      {
        type: 'input',
        block_id: KEEP_EXPECTED,
        optional: true,
        label: plainTextElement('For the next time'),
        element: {
          type: 'checkboxes',
          action_id: KEEP_EXPECTED,
          options: [{ value: KEEP_EXPECTED, text: plainTextElement(keep), description: plainTextElement(KEEP_HINT) }],
        },
      },
    ],
  }
}

export const FEEDBACK_GONE = noteModal(
  'What was wrong?',
  'I no longer have this answer, so I cannot save your feedback.',
)

function input(id: string, { label, max, optional }: { label: string; max: number; optional: boolean }) {
  return {
    type: 'input' as const,
    block_id: id,
    optional,
    label: plainTextElement(label),
    element: { type: 'plain_text_input' as const, action_id: id, multiline: true, max_length: max },
  }
}
