/**
 * Shapes of messages beside those of `../shared/data/messages`: exactly what people see of each line of
 * `test/fixtures/message-shapes.jsonl`.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { contentText, readContent, type ReadableMessage } from '../../../src/slack/content/message-content.ts'
import { read } from '../../ci/read-message.ts'

interface Shape {
  kind: string
  message: ReadableMessage
  seen: string
}

const SHAPES = readFileSync(new URL('../../fixtures/message-shapes.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Shape)
const NAMES = { U0ADA: 'Ada', U0BOB: 'Bob', C0DYES: 'dyes', S0NIGHT: 'night-shift' }
const PERSON = { user: 'U0ADA', text: '' }
const shared = (more: object) => ({ is_share: true, is_msg_unfurl: true, author_name: 'Dana', ...more })

describe('what people see', () => {
  test.each(SHAPES)('$kind', ({ message, seen }) => {
    expect(read(message, NAMES)).toBe(seen)
  })

  test.each(SHAPES.filter(({ kind }) => kind.startsWith('blocks')))(
    'the same in an attachment and in a forward: $kind',
    ({ message: { blocks }, seen }) => {
      expect(read({ bot_id: 'B1', attachments: [{ blocks }] }, NAMES)).toBe(seen)
      const message_blocks = [{ message: { blocks } }]
      const attachments = [shared({ text: 'the same', message_blocks })]
      expect(read({ ...PERSON, attachments }, NAMES)).toBe(`[forwarded from Dana]\n${seen}`)
    },
  )

  test('nothing of what Slack notes by itself', () => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'noted' } }]
    for (const subtype of ['channel_join', 'tombstone', 'channel_topic', 'bot_add', 'channel_canvas_updated'])
      expect(contentText({ ...PERSON, text: 'noted', subtype, blocks })).toBe('')
  })
})

test('the address of a forward has no entities, and a chart is a table of the message', () => {
  const from_url = 'https://a.slack.com/archives/C1/p1?thread_ts=1.2&amp;cid=C1'
  expect(readContent({ ...PERSON, attachments: [shared({ from_url })] }).forwards[0]?.url).toBe(
    'https://a.slack.com/archives/C1/p1?thread_ts=1.2&cid=C1',
  )
  const chart = { type: 'pie', segments: [{ label: 'Wool', value: 61.5 }] }
  const { tables } = readContent({ bot_id: 'B1', blocks: [{ type: 'data_visualization', title: 'Share', chart }] })
  expect(tables).toMatchObject([{ name: 'Share', rows: [['Wool', '61.5']] }])
})
