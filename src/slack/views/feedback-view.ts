import type { View } from '@slack/web-api'
import { FEEDBACK_COMMENT } from '../format/action-ids.ts'
import { plainText } from '../format/plain-elements.ts'
import { noteModal } from './plain-blocks.ts'

/** The `block_id`s of the form's inputs, which are also their `action_id`s. */
export const COMMENT = 'comment'
export const EXPECTED = 'expected'

const COMMENT_CHARS = 2000
const EXPECTED_CHARS = 1000

/** Asks what was wrong after a thumbs-down. The thumb counts even if the form is closed without an answer. */
export function feedbackView(id: string): View {
  return {
    type: 'modal',
    callback_id: FEEDBACK_COMMENT,
    private_metadata: id,
    title: plainText('What was wrong?'),
    submit: plainText('Send'),
    close: plainText('Skip'),
    blocks: [
      input(COMMENT, { label: 'What was wrong with the answer?', most: COMMENT_CHARS, optional: false }),
      input(EXPECTED, { label: 'What would have been right? (optional)', most: EXPECTED_CHARS, optional: true }),
    ],
  }
}

export const FEEDBACK_GONE = noteModal(
  'What was wrong?',
  'I no longer have this answer, so I cannot save your feedback.',
)

function input(id: string, { label, most, optional }: { label: string; most: number; optional: boolean }) {
  return {
    type: 'input' as const,
    block_id: id,
    optional,
    label: plainText(label),
    element: { type: 'plain_text_input' as const, action_id: id, multiline: true, max_length: most },
  }
}
