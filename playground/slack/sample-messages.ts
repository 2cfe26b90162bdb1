/** Messages of an app for alerts, in the forms that such apps post, and recordings of a person. */
import type { UploadedFile } from './files/stored-files.ts'
import type { Json } from './types.ts'

/** An entry of the panel, and what it posts: as the app with `message`, as the person with `recording`. */
export interface SampleMessage {
  name: string
  title: string
  message?: Json
  recording?: UploadedFile
}

/** The fields of an incoming webhook's message: a name, and no user. */
export const ALERTS_APP: Json = {
  ...{ subtype: 'bot_message', bot_id: 'B0ALERTS001', username: 'Alerts', icons: { emoji: ':bell:' } },
  ...{ user: undefined, client_msg_id: undefined, blocks: undefined },
}

const field = (title: string, value: string) => ({ title, value, short: true })
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text, verbatim: false })

export const SAMPLE_MESSAGES: SampleMessage[] = [
  {
    name: 'alert',
    title: 'Alert, by attachments',
    message: {
      attachments: [
        {
          ...{ id: 1, color: 'D63232', fallback: '[Firing] CPU of web-3 above its limit' },
          ...{ title: '[Firing] CPU of web-3 above its limit', title_link: 'https://metrics.example.com/alerts/311' },
          text: 'The CPU of web-3 has been above 90 % for eleven minutes.',
          fields: [field('CPU', '97 %'), field('Limit', '90 %'), field('Region', 'eu-west')],
          ...{ footer: 'Metrics', mrkdwn_in: ['text'] },
        },
      ],
    },
  },
  {
    name: 'blocks',
    title: 'Alert, by blocks',
    message: {
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Nightly backup ended late', emoji: true } },
        { type: 'section', text: mrkdwn('The copy of *orders* ended at 05:42 instead of 04:00.') },
        { type: 'section', fields: [mrkdwn('*Duration:* 3 h 12 min'), mrkdwn('*Size:* 418 GB')] },
        { type: 'context', elements: [mrkdwn('job 7711 on db-2')] },
      ],
    },
  },
  {
    name: 'pull-request',
    title: 'Pull request',
    message: {
      attachments: [
        {
          ...{ id: 1, color: '36a64f', fallback: '[acme/shop] Pull request #418 by Bob' },
          pretext: 'Pull request opened by <https://code.example.com/bob|bob>',
          title: '<https://code.example.com/acme/shop/pull/418|#418 Retry payments that time out>',
          text: 'Retries a payment twice, with the same idempotency key.\n\n☐ measure the queue again',
          fields: [field('Reviewers', 'Alice'), field('Comments', '2')],
          ...{ footer: '<https://code.example.com/acme/shop|acme/shop>', mrkdwn_in: ['text', 'pretext'] },
        },
      ],
    },
  },
  {
    name: 'resolved',
    title: 'Resolved alert',
    message: {
      attachments: [
        {
          ...{ id: 1, color: '2eb886', fallback: '[Resolved] CPU of web-3 above its limit' },
          ...{ title: '[Resolved] CPU of web-3 above its limit', text: 'Back below 90 % after 26 minutes.' },
          fields: [field('CPU', '41 %')],
          footer: 'Metrics',
        },
      ],
    },
  },
  { name: 'recording', title: 'Recording with a transcript', recording: recording('What is 15% of 240?') },
  { name: 'recording-alone', title: 'Recording without one', recording: recording() },
]

/** Slack transcribes a clip some seconds after it was sent, or never. */
function recording(transcript?: string): UploadedFile {
  const heard = transcript === undefined ? { transcriptStatus: 'none' as const } : { transcript }
  return {
    name: 'audio_message.m4a',
    mimetype: 'audio/mp4',
    bytes: 'A recording of the playground: no sound.',
    ...heard,
  }
}
