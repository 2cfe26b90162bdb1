/** Messages as Slack delivers them: alerts of an app in each form, a forward, a pasted table. */
import type { Json } from '../../playground/slack/slack.ts'

export const MONITOR = { bot_id: 'B0MONITOR01', bot_profile: { name: 'Monitor' }, subtype: 'bot_message' }
export const ORIGIN = 'https://elsewhere.slack.com/archives/C0SECRET001/p1772400000100200'

const typed = (text: string): Json => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
})
export const forward = (more: Json = {}): Json => ({
  is_share: true,
  is_msg_unfurl: true,
  author_name: 'Dana',
  channel_id: 'C0SECRET001',
  from_url: ORIGIN,
  text: 'Vat 6 bleeds at 41 degrees.',
  fallback: '[March 1st] dana: Vat 6 bleeds at 41 degrees.',
  ...more,
})
export const table: Json = {
  fallback: '[no preview available]',
  blocks: [
    {
      type: 'table',
      rows: [
        [
          { type: 'raw_text', text: 'Yarn' },
          { type: 'raw_text', text: 'Cones' },
        ],
        [
          { type: 'raw_text', text: 'Merino' },
          { type: 'raw_number', value: 1417 },
        ],
      ],
    },
  ],
}

/** An app's message in each form. */
export const ALERTS: [string, Json][] = [
  [
    'by attachments',
    { text: '', attachments: [{ title: 'CPU 97% on web-3', text: 'Threshold 90%', fallback: 'CPU' }] },
  ],
  ['by blocks', { text: '', blocks: [typed('CPU 97% on web-3'), typed('Threshold 90%')] }],
  ['by blocks in an attachment', { text: '', attachments: [{ blocks: [typed('CPU 97% on web-3: Threshold 90%')] }] }],
  [
    'by fields',
    { text: '', attachments: [{ pretext: 'CPU 97% on web-3', fields: [{ title: 'Threshold 90%', value: '' }] }] },
  ],
  ['by plain text', { text: 'CPU 97% on web-3, Threshold 90%' }],
]
