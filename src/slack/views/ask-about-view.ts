import type { ModalView } from '@slack/web-api'
import { ASK_ABOUT } from '../format/action-ids.ts'
import { plainTextElement } from '../format/plain-elements.ts'

/** The `block_id` and `action_id` of the question's input. */
export const QUESTION = 'question'

/** The question about a message unless the person writes another one. */
export const DEFAULT_QUESTION = 'What does this mean?'

/** The modal of the message shortcut. Slack returns `metadata` with the submitted values. At most 3,000 characters. */
export function askAboutView(metadata: string): ModalView {
  return {
    type: 'modal',
    callback_id: ASK_ABOUT,
    private_metadata: metadata,
    title: plainTextElement('Ask about this message'),
    submit: plainTextElement('Ask'),
    close: plainTextElement('Cancel'),
    blocks: [
      {
        type: 'input',
        block_id: QUESTION,
        label: plainTextElement('Question'),
        hint: plainTextElement('I answer in the message’s thread, where everybody can see it.'),
        element: {
          type: 'plain_text_input',
          action_id: QUESTION,
          multiline: true,
          max_length: 3_000,
          initial_value: DEFAULT_QUESTION,
        },
      },
    ],
  }
}
