/** Messages of an app for alerts, in the forms that such apps post, and recordings and a canvas of a person. */
import type { UploadedFile } from './files/stored-files.ts'
import type { Json } from './types.ts'

/** An entry of the panel, and what it posts: as the app with `message`, as the person with `file`. */
interface SampleMessage {
  name: string
  title: string
  message?: Json
  file?: UploadedFile
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
  { name: 'recording', title: 'Recording with a transcript', file: recording('What is 15% of 240?') },
  { name: 'recording-alone', title: 'Recording without one', file: recording() },
  { name: 'canvas', title: 'Canvas', file: canvas() },
]

/** A canvas is HTML, in the form that Slack gives to apps. */
function canvas(): UploadedFile {
  const row = (...cells: string[]) => `<tr>${cells.map((one) => `<td><p class='line'>${one}</p></td>`).join('')}</tr>`
  const steps = `<li class='checked' value='1'>Book the room<br/></li><li class=''>Send the agenda<br/></li>`
  const bytes =
    `<div class="quip-canvas-content"><h1>Release 4.2</h1><p class="line">It ships on Thursday.</p>` +
    `<h2>To do</h2><div data-section-style='7'><ul>${steps}</ul></div>` +
    `<h2>Who</h2><table>${row('Part', 'Owner')}${row('Database', 'Alice')}${row('Web shop', 'Bob')}</table></div>`
  return { name: 'Release_4.2', title: 'Release 4.2', mode: 'quip', bytes }
}

/** Slack transcribes a clip some seconds after it was sent, or never. */
function recording(transcript?: string): UploadedFile {
  const heard = transcript === undefined ? { transcriptStatus: 'none' as const } : { transcript }
  return {
    name: 'audio_message.m4a',
    ...{ mimetype: 'audio/mp4', durationMs: 4_000 },
    bytes: 'A recording of the playground: no sound.',
    ...heard,
  }
}
