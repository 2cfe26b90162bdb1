import type { ModalView, PlainTextElement } from '@slack/web-api'
import { ASK_ABOUT } from '../format/action-ids.ts'

/** The `block_id` and `action_id` of what is asked. */
export const QUESTION = 'question'

/** The modal of the message shortcut. `metadata` comes back with what is filled in; at most 3,000 characters. */
export function askAboutView(metadata: string): ModalView {
  return {
    type: 'modal',
    callback_id: ASK_ABOUT,
    private_metadata: metadata,
    title: plain('Ask about this message'),
    submit: plain('Ask'),
    close: plain('Cancel'),
    blocks: [
      {
        type: 'input',
        block_id: QUESTION,
        label: plain('Question'),
        hint: plain('The answer comes in the thread of the message, where everybody sees it.'),
        element: {
          type: 'plain_text_input',
          action_id: QUESTION,
          multiline: true,
          max_length: 3_000,
          initial_value: 'What does this mean?',
        },
      },
    ],
  }
}

function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: false }
}
