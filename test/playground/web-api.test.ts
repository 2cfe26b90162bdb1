import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ALICE, BOT_USER, GENERAL, startLocalSlack, type LocalSlack } from '../../src/playground/slack.ts'
import { localSlack } from '../harness/local-slack.ts'

type Answer = Record<string, unknown>

/** Calls as @slack/web-api does: a form, structured arguments as JSON inside it. */
async function call(slack: LocalSlack, method: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const { token = slack.botToken, ...rest } = args
  const form = new URLSearchParams()
  for (const [key, value] of Object.entries(rest))
    form.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value))
  const response = await fetch(slack.apiUrl + method, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${String(token)}` },
  })
  return (await response.json()) as Answer
}

const text = (chars: number) => 'x'.repeat(chars)
const plain = (words: string) => ({ type: 'plain_text', text: words })
const mrkdwn = (words: string) => ({ type: 'mrkdwn', text: words })
const section = (words: string) => ({ type: 'section', text: mrkdwn(words) })
const button = (extra = {}) => ({ type: 'button', action_id: 'a', text: plain('Go'), ...extra })

let slack: LocalSlack
beforeAll(async () => {
  // Nobody listens here: what people say is not waited for.
  slack = await startLocalSlack({ echo: false, ackMs: 10, retryMs: [] })
})
afterAll(() => slack.close())
beforeEach(() => void slack.refusals.splice(0))

describe('tokens', () => {
  test('a call needs a Bearer token that is known and of the right kind', async () => {
    const bare = await fetch(`${slack.apiUrl}auth.test?token=${slack.botToken}`, { method: 'POST' })
    expect(await bare.json()).toMatchObject({ ok: false, error: 'not_authed' })
    expect(await call(slack, 'auth.test', { token: 'xoxb-wrong' })).toMatchObject({ error: 'invalid_auth' })
    expect(await call(slack, 'apps.connections.open')).toMatchObject({ error: 'not_allowed_token_type' })
    expect(await call(slack, 'auth.test', { token: slack.appToken })).toMatchObject({ error: 'not_allowed_token_type' })
    expect(await call(slack, 'apps.connections.open', { token: slack.appToken })).toMatchObject({
      ok: true,
      url: expect.stringContaining('ws://'),
    })
    expect(await call(slack, 'auth.test')).toMatchObject({ ok: true, user_id: BOT_USER, bot_id: expect.any(String) })
    expect(slack.refusals).toHaveLength(4)
  })

  test('a scope that the token lacks is named', async () => {
    const narrow = await localSlack({ scopes: ['chat:write'] })
    const { ts } = await call(narrow, 'chat.postMessage', { channel: GENERAL, text: 'hi' })
    const refused = await call(narrow, 'reactions.add', { channel: GENERAL, timestamp: ts, name: 'eyes' })
    expect(refused).toMatchObject({ error: 'missing_scope', needed: 'reactions:write', provided: 'chat:write' })
  })
})

describe('the form of a call', () => {
  test('JSON and forms are read alike', async () => {
    const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json; charset=utf-8' }
    const json = (body: string) =>
      fetch(`${slack.apiUrl}chat.postMessage`, { method: 'POST', headers, body }).then((r) => r.json())
    expect(await json(JSON.stringify({ channel: GENERAL, blocks: [section('hi')] }))).toMatchObject({ ok: true })
    expect(await call(slack, 'chat.postMessage', { channel: GENERAL, blocks: [section('hi')] })).toMatchObject({
      ok: true,
    })
    expect(await json('{')).toMatchObject({ error: 'invalid_json' })
    expect(await json('[]')).toMatchObject({ error: 'json_not_object' })
    expect(await call(slack, 'chat.postMessage', { channel: GENERAL, blocks: '[{' })).toMatchObject({
      error: 'invalid_blocks_format',
    })
  })

  test('a method that does not exist is unknown_method', async () => {
    expect(await call(slack, 'chat.dance')).toMatchObject({ error: 'unknown_method', req_method: 'chat.dance' })
  })

  test('a missing argument is named', async () => {
    const answer = await call(slack, 'chat.update', { channel: GENERAL })
    expect(answer).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: { messages: [expect.stringContaining('ts')] },
    })
  })

  test('every call is written down', async () => {
    const before = slack.calls.length
    await call(slack, 'chat.postMessage', { channel: 'C0NOWHERE01', text: 'hi' })
    expect(slack.calls[before]).toMatchObject({
      method: 'chat.postMessage',
      args: { text: 'hi' },
      ok: false,
      error: 'channel_not_found',
    })
    expect(slack.refusals).toEqual([
      { method: 'chat.postMessage', error: 'channel_not_found', why: expect.stringContaining('C0NOWHERE01') },
    ])
  })
})

describe('where the bot may write', () => {
  test('not in a channel that it is not in, not in an archived one; neither is its mistake', async () => {
    slack.addChannel('C0OUTSIDE01', { members: new Set([ALICE]) })
    slack.addChannel('G0SECRET001', { members: new Set([ALICE]) })
    slack.addChannel('C0ARCHIVE01', { archived: true })
    expect(await call(slack, 'chat.postMessage', { channel: 'C0OUTSIDE01', text: 'hi' })).toMatchObject({
      error: 'not_in_channel',
    })
    expect(await call(slack, 'chat.postMessage', { channel: 'G0SECRET001', text: 'hi' })).toMatchObject({
      error: 'channel_not_found',
    })
    expect(await call(slack, 'chat.postMessage', { channel: 'C0ARCHIVE01', text: 'hi' })).toMatchObject({
      error: 'is_archived',
    })
    expect(await call(slack, 'conversations.join', { channel: 'C0ARCHIVE01' })).toMatchObject({ error: 'is_archived' })
    expect(slack.refusals).toEqual([])
  })

  test('it may join a public channel, and no private one', async () => {
    slack.addChannel('C0JOINME001', { members: new Set([ALICE]) })
    expect(await call(slack, 'conversations.join', { channel: 'C0JOINME001' })).toMatchObject({ ok: true })
    expect(await call(slack, 'conversations.join', { channel: 'C0JOINME001' })).toMatchObject({
      ok: true,
      warning: 'already_in_channel',
    })
    expect(await call(slack, 'conversations.info', { channel: 'C0JOINME001' })).toMatchObject({
      channel: { is_member: true, is_private: false },
    })
    expect(slack.messages('C0JOINME001')).toMatchObject([{ subtype: 'channel_join', user: BOT_USER }])
    slack.addChannel('G0CLOSED001')
    expect(await call(slack, 'conversations.join', { channel: 'G0CLOSED001' })).toMatchObject({
      error: 'method_not_supported_for_channel_type',
    })
  })

  test("a person's id opens their direct messages", async () => {
    const { channel } = await call(slack, 'conversations.open', { users: ALICE })
    expect(await call(slack, 'chat.postMessage', { channel: ALICE, text: 'hi' })).toMatchObject({
      ok: true,
      channel: (channel as { id: string }).id,
    })
    expect(await call(slack, 'conversations.open', { users: 'U0NOBODY001' })).toMatchObject({ error: 'user_not_found' })
  })
})

describe('what a message may show', () => {
  const post = (args: Record<string, unknown>) => call(slack, 'chat.postMessage', { channel: GENERAL, ...args })

  test.each([
    ['nothing', {}, 'no_text'],
    ['blanks', { text: '  ' }, 'no_text'],
    ['no blocks at all', { blocks: [] }, 'no_text'],
    ['over 40,000 characters', { text: text(40_001) }, 'msg_too_long'],
    ['over 12,000 of markdown_text', { markdown_text: text(12_001) }, 'msg_too_long'],
    ['markdown_text with text', { text: 'a', markdown_text: 'b' }, 'markdown_text_conflict'],
    [
      'markdown blocks over 12,000 together',
      {
        blocks: [
          { type: 'markdown', text: text(7000) },
          { type: 'markdown', text: text(7000) },
        ],
      },
      'msg_blocks_too_long',
    ],
    ['metadata without a payload', { text: 'a', metadata: { event_type: 'x' } }, 'invalid_metadata_format'],
    [
      'metadata over 8 KB',
      { text: 'a', metadata: { event_type: 'x', event_payload: { a: text(9000) } } },
      'metadata_too_large',
    ],
    ['101 attachments', { attachments: Array.from({ length: 101 }, () => ({ text: 'a' })) }, 'too_many_attachments'],
  ])('not %s', async (_, args, error) => {
    expect(await post(args)).toMatchObject({ ok: false, error })
    expect(slack.refusals).toHaveLength(1)
  })

  test.each([
    ['51 blocks', Array.from({ length: 51 }, () => ({ type: 'divider' }))],
    ['a block without a type', [{}]],
    ['an unknown block', [{ type: 'marquee' }]],
    [
      'two blocks with one block_id',
      [
        { ...section('a'), block_id: 'x' },
        { ...section('b'), block_id: 'x' },
      ],
    ],
    ['an empty section', [{ type: 'section' }]],
    ['a section with an empty text', [section('')]],
    ['a section over 3,000', [section(text(3001))]],
    ['eleven fields', [{ type: 'section', fields: Array.from({ length: 11 }, () => mrkdwn('a')) }]],
    ['a field over 2,000', [{ type: 'section', fields: [mrkdwn(text(2001))] }]],
    ['a header in mrkdwn', [{ type: 'header', text: mrkdwn('a') }]],
    ['a header over 150', [{ type: 'header', text: plain(text(151)) }]],
    ['eleven context elements', [{ type: 'context', elements: Array.from({ length: 11 }, () => mrkdwn('a')) }]],
    ['an empty context', [{ type: 'context', elements: [] }]],
    ['an empty markdown block', [{ type: 'markdown', text: '' }]],
    ['26 buttons', [{ type: 'actions', elements: Array.from({ length: 26 }, () => button()) }]],
    ['a button text over 75', [{ type: 'actions', elements: [button({ text: plain(text(76)) })] }]],
    ['a button value over 2,000', [{ type: 'actions', elements: [button({ value: text(2001) })] }]],
    ['an action_id over 255', [{ type: 'actions', elements: [button({ action_id: text(256) })] }]],
    ['a button in mrkdwn', [{ type: 'actions', elements: [button({ text: mrkdwn('a') })] }]],
    ['a loud style', [{ type: 'actions', elements: [button({ style: 'loud' })] }]],
    [
      'a menu without options',
      [{ type: 'actions', elements: [{ type: 'static_select', action_id: 'a', options: [] }] }],
    ],
    ['emoji on mrkdwn', [{ type: 'section', text: { ...mrkdwn('a'), emoji: true } }]],
    [
      'half of the feedback buttons',
      [
        {
          type: 'context_actions',
          elements: [{ type: 'feedback_buttons', positive_button: { text: plain('a'), value: 'b' } }],
        },
      ],
    ],
    ['an image without words', [{ type: 'image', image_url: 'https://example.org/a.png' }]],
    ['an image from nowhere', [{ type: 'image', image_url: 'a.png', alt_text: 'a' }]],
    [
      'an empty text in rich text',
      [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '' }] }] }],
    ],
    [
      'a mention in preformatted text',
      [
        {
          type: 'rich_text',
          elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'user', user_id: ALICE }] }],
        },
      ],
    ],
    [
      'a list of texts',
      [
        {
          type: 'rich_text',
          elements: [{ type: 'rich_text_list', style: 'bullet', elements: [{ type: 'text', text: 'a' }] }],
        },
      ],
    ],
    [
      'an unknown style',
      [
        {
          type: 'rich_text',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'a', style: { loud: true } }] }],
        },
      ],
    ],
    [
      'two tables',
      [
        { type: 'table', rows: [[{ type: 'raw_text', text: 'a' }]] },
        { type: 'table', rows: [[{ type: 'raw_text', text: 'a' }]] },
      ],
    ],
    ['a task without a status', [{ type: 'task_card', task_id: '1', title: 'a' }]],
  ])('not %s: invalid_blocks', async (_, blocks) => {
    expect(await post({ blocks })).toMatchObject({
      error: 'invalid_blocks',
      response_metadata: { messages: [expect.any(String)] },
    })
  })

  test('everything that is allowed is taken, at its limits', async () => {
    const blocks = [
      { ...section(text(3000)), accessory: button({ style: 'primary', value: text(2000) }) },
      { type: 'section', fields: [mrkdwn(text(2000)), plain('b')] },
      { type: 'header', text: { ...plain(text(150)), emoji: true } },
      {
        type: 'context',
        elements: [mrkdwn('a'), { type: 'image', image_url: 'https://example.org/a.png', alt_text: 'a' }],
      },
      { type: 'divider' },
      { type: 'markdown', text: text(12_000) },
      {
        type: 'actions',
        elements: [button(), { type: 'overflow', action_id: 'o', options: [{ text: plain('a'), value: 'b' }] }],
      },
      {
        type: 'context_actions',
        elements: [
          {
            type: 'feedback_buttons',
            action_id: 'f',
            positive_button: { text: plain('a'), value: 'b' },
            negative_button: { text: plain('a'), value: 'b' },
          },
        ],
      },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'a', style: { bold: true } },
              { type: 'user', user_id: ALICE },
              { type: 'link', url: 'https://example.org' },
            ],
          },
          {
            type: 'rich_text_list',
            style: 'ordered',
            elements: [{ type: 'rich_text_section', elements: [{ type: 'emoji', name: 'eyes' }] }],
          },
        ],
      },
      {
        type: 'table',
        rows: [
          [
            { type: 'raw_text', text: 'a' },
            { type: 'rich_text', elements: [] },
          ],
        ],
      },
      { type: 'plan', title: 'p', tasks: [{ type: 'task_card', task_id: '1', title: 'a', status: 'complete' }] },
    ]
    expect(await post({ text: text(40_000), blocks, metadata: { event_type: 'x', event_payload: {} } })).toMatchObject({
      ok: true,
    })
    expect(slack.refusals).toEqual([])
  })
})

describe('threads and updates', () => {
  const root = async () => (await slack.say({ text: 'hello' })).ts

  test('a reply needs a root that is there, and is no reply itself', async () => {
    const thread_ts = await root()
    const reply = await call(slack, 'chat.postMessage', { channel: GENERAL, thread_ts, text: 'hi' })
    expect(reply).toMatchObject({ ok: true, message: { thread_ts, parent_user_id: ALICE } })
    expect(
      await call(slack, 'chat.postMessage', { channel: GENERAL, thread_ts: '1.000001', text: 'hi' }),
    ).toMatchObject({ error: 'thread_not_found' })
    expect(
      await call(slack, 'chat.postMessage', { channel: GENERAL, thread_ts: reply['ts'], text: 'hi' }),
    ).toMatchObject({ error: 'cannot_reply_to_message' })
  })

  test('a message that was deleted meanwhile is nobody’s mistake; one that never was is', async () => {
    const ts = await root()
    await slack.people.remove({ channel: GENERAL, ts })
    expect(await call(slack, 'chat.postMessage', { channel: GENERAL, thread_ts: ts, text: 'hi' })).toMatchObject({
      error: 'thread_not_found',
    })
    expect(slack.refusals).toEqual([])
    expect(await call(slack, 'chat.update', { channel: GENERAL, ts: '1.000001', text: 'hi' })).toMatchObject({
      error: 'message_not_found',
    })
    expect(slack.refusals).toHaveLength(1)
  })

  test('an update changes the bot’s own message, up to 4,000 characters, and keeps what it leaves out', async () => {
    const { ts } = await call(slack, 'chat.postMessage', { channel: GENERAL, text: 'one', blocks: [section('one')] })
    const update = (args: Record<string, unknown>) => call(slack, 'chat.update', { channel: GENERAL, ts, ...args })
    expect(await update({ text: 'two' })).toMatchObject({
      ok: true,
      text: 'two',
      message: { blocks: [section('one')], edited: { user: BOT_USER } },
    })
    expect(await update({ blocks: [section('three')] })).toMatchObject({
      ok: true,
      text: 'two',
      message: { blocks: [section('three')] },
    })
    expect(await update({ text: text(4001) })).toMatchObject({ error: 'msg_too_long' })
    expect(await update({ blocks: [section(text(3001))] })).toMatchObject({ error: 'invalid_blocks' })
    expect(await call(slack, 'chat.update', { channel: GENERAL, ts: await root(), text: 'x' })).toMatchObject({
      error: 'cant_update_message',
    })
    expect(await call(slack, 'chat.delete', { channel: GENERAL, ts: await root() })).toMatchObject({
      error: 'cant_delete_message',
    })
    expect(await call(slack, 'chat.delete', { channel: GENERAL, ts })).toMatchObject({ ok: true })
  })

  test('a deleted root with replies leaves a tombstone', async () => {
    const { ts } = await call(slack, 'chat.postMessage', { channel: GENERAL, text: 'root' })
    await call(slack, 'chat.postMessage', { channel: GENERAL, thread_ts: ts, text: 'reply' })
    await call(slack, 'chat.delete', { channel: GENERAL, ts })
    const { messages } = await call(slack, 'conversations.replies', { channel: GENERAL, ts })
    expect(messages).toMatchObject([{ subtype: 'tombstone' }, { text: 'reply' }])
  })

  test('a whisper needs somebody who is in the channel, and is seen by them alone', async () => {
    const whisper = (user: string) => call(slack, 'chat.postEphemeral', { channel: GENERAL, user, text: 'psst' })
    expect(await whisper('U0NOBODY001')).toMatchObject({ error: 'user_not_in_channel' })
    expect(await whisper(ALICE)).toMatchObject({ ok: true, message_ts: expect.any(String) })
    expect(slack.whispers(GENERAL, ALICE)).toContain('psst')
  })
})

describe('reading', () => {
  test('replies come root first, in pages, with metadata only where it is asked for', async () => {
    const { ts } = await slack.say({ text: 'root' })
    const metadata = { event_type: 'step', event_payload: { n: 1 } }
    for (const n of [1, 2, 3])
      await call(slack, 'chat.postMessage', { channel: GENERAL, thread_ts: ts, text: `reply ${n}`, metadata })
    const first = await call(slack, 'conversations.replies', {
      channel: GENERAL,
      ts,
      limit: 3,
      include_all_metadata: true,
    })
    expect(first).toMatchObject({
      has_more: true,
      messages: [{ text: 'root', reply_count: 3 }, { metadata }, { metadata }],
    })
    const cursor = (first['response_metadata'] as { next_cursor: string }).next_cursor
    const second = await call(slack, 'conversations.replies', { channel: GENERAL, ts, limit: 3, cursor })
    expect(second).toMatchObject({ has_more: false, messages: [{ text: 'reply 3' }] })
    expect((second['messages'] as object[])[0]).not.toHaveProperty('metadata')
    expect(await call(slack, 'conversations.replies', { channel: GENERAL, ts: '1.000001' })).toMatchObject({
      error: 'thread_not_found',
    })
    expect(await call(slack, 'conversations.replies', { channel: GENERAL, ts, cursor: 'x' })).toMatchObject({
      error: 'invalid_cursor',
    })
    expect(await call(slack, 'conversations.replies', { channel: GENERAL, ts, limit: 0 })).toMatchObject({
      error: 'invalid_limit',
    })
  })

  test('history is newest first, without replies, between two times', async () => {
    slack.addChannel('C0HISTORY01')
    const said = []
    for (const words of ['one', 'two', 'three']) said.push(await slack.say({ channel: 'C0HISTORY01', text: words }))
    await slack.say({ channel: 'C0HISTORY01', text: 'reply', thread_ts: said[0]?.ts ?? '' })
    const history = (args = {}) => call(slack, 'conversations.history', { channel: 'C0HISTORY01', ...args })
    expect(((await history())['messages'] as { text: string }[]).map((m) => m.text)).toEqual(['three', 'two', 'one'])
    expect(await history({ oldest: said[1]?.ts })).toMatchObject({ messages: [{ text: 'three' }] })
    expect(await history({ oldest: said[1]?.ts, inclusive: true })).toMatchObject({
      messages: [{ text: 'three' }, { text: 'two' }],
    })
  })

  test('people and bots are known or not found', async () => {
    expect(await call(slack, 'users.info', { user: ALICE })).toMatchObject({
      user: { id: ALICE, is_bot: false, tz: 'Europe/London' },
    })
    expect(await call(slack, 'users.info', { user: 'U0NOBODY001' })).toMatchObject({ error: 'user_not_found' })
    expect(await call(slack, 'bots.info', { bot: 'B0NOBODY001' })).toMatchObject({ error: 'bot_not_found' })
  })

  test('to ask about a channel that never was is no mistake: somebody may have written its id', async () => {
    const before = slack.refusals.length
    const asked = await call(slack, 'conversations.info', { channel: 'C0NEVERWAS1' })
    expect(asked).toMatchObject({ ok: false, error: 'channel_not_found' })
    expect(slack.refusals).toHaveLength(before)
  })
})

describe('signs of life', () => {
  test('a reaction is added once and removed once', async () => {
    const { ts } = await slack.say({ text: 'hello' })
    const react = (method: string, name: string) =>
      call(slack, `reactions.${method}`, { channel: GENERAL, timestamp: ts, name })
    expect(await react('add', 'eyes')).toMatchObject({ ok: true })
    expect(slack.reactions(GENERAL, ts)).toEqual([{ name: 'eyes', users: [BOT_USER], count: 1 }])
    expect(await react('add', 'eyes')).toMatchObject({ error: 'already_reacted' })
    expect(await react('add', 'No Such!')).toMatchObject({ error: 'invalid_name' })
    expect(await react('remove', 'eyes')).toMatchObject({ ok: true })
    expect(await react('remove', 'eyes')).toMatchObject({ error: 'no_reaction' })
    expect(slack.reactions(GENERAL, ts)).toEqual([])
  })

  test('a status stands until it is cleared, the bot writes, or two minutes are over', async () => {
    let clock = 1_790_000_000_000
    const timed = await localSlack({ now: () => clock, echo: false, ackMs: 10, retryMs: [] })
    const { ts } = await timed.say({ text: 'hello' })
    const set = (status: string, more = {}) =>
      call(timed, 'assistant.threads.setStatus', { channel_id: GENERAL, thread_ts: ts, status, ...more })
    await set('is thinking…')
    expect(timed.status(GENERAL, ts)).toBe('is thinking…')
    await call(timed, 'chat.postMessage', { channel: GENERAL, thread_ts: ts, text: 'done' })
    expect(timed.status(GENERAL, ts)).toBe('')
    await set('is back')
    clock += 121_000
    expect(timed.status(GENERAL, ts)).toBe('')
    expect(await set('x', { loading_messages: Array.from({ length: 11 }, () => 'a') })).toMatchObject({
      error: 'invalid_arguments',
    })
    expect(await set('x', { thread_ts: '1.000001' })).toMatchObject({ error: 'invalid_thread_ts' })
  })
})

describe('streams', () => {
  const recipient = { recipient_user_id: ALICE, recipient_team_id: 'T0LOCAL0001' }

  test('a stream in a channel needs its thread and its recipient', async () => {
    const { ts } = await slack.say({ text: 'hello' })
    const start = (args: Record<string, unknown>) => call(slack, 'chat.startStream', { channel: GENERAL, ...args })
    expect(await start({ thread_ts: ts })).toMatchObject({ error: 'missing_recipient_user_id' })
    expect(await start({ thread_ts: ts, recipient_user_id: ALICE })).toMatchObject({
      error: 'missing_recipient_team_id',
    })
    expect(await start({ thread_ts: ts, ...recipient, recipient_user_id: 'U0NOBODY001' })).toMatchObject({
      error: 'user_not_found',
    })
    expect(await start({ ...recipient })).toMatchObject({ error: 'invalid_arguments' })
    expect(await start({ thread_ts: '1.000001', ...recipient })).toMatchObject({ error: 'invalid_thread_ts' })
    expect(await start({ thread_ts: ts, ...recipient, task_display_mode: 'dance' })).toMatchObject({
      error: 'invalid_arguments',
    })
  })

  test('it grows by text and chunks, cannot be updated meanwhile, and ends', async () => {
    const { ts: thread_ts } = await slack.say({ text: 'hello' })
    const { ts } = await call(slack, 'chat.startStream', {
      channel: GENERAL,
      thread_ts,
      ...recipient,
      markdown_text: 'one ',
    })
    const stream = (method: string, args: Record<string, unknown> = {}) =>
      call(slack, `chat.${method}Stream`, { channel: GENERAL, ts, ...args })
    expect(await stream('append', { markdown_text: 'two ' })).toMatchObject({ ok: true })
    expect(
      await stream('append', { chunks: [{ type: 'task_update', id: '1', title: 'look', status: 'in_progress' }] }),
    ).toMatchObject({ ok: true })
    expect(await call(slack, 'chat.update', { channel: GENERAL, ts, text: 'x' })).toMatchObject({
      error: 'streaming_state_conflict',
    })
    expect(await stream('stop', { markdown_text: 'three', blocks: [section('end')] })).toMatchObject({
      ok: true,
      message: { text: 'one two three' },
    })
    expect(await stream('append', { markdown_text: 'x' })).toMatchObject({ error: 'message_not_in_streaming_state' })
    expect(await call(slack, 'chat.update', { channel: GENERAL, ts, text: 'x' })).toMatchObject({ ok: true })
  })

  test.each([
    [
      'text together with chunks',
      { markdown_text: 'a', chunks: [{ type: 'markdown_text', text: 'b' }] },
      'invalid_arguments',
    ],
    ['an empty chunk', { chunks: [{ type: 'markdown_text', text: '' }] }, 'invalid_chunks'],
    ['an unknown chunk', { chunks: [{ type: 'dance', title: 'a' }] }, 'invalid_chunks'],
    ['a task without an id', { chunks: [{ type: 'task_update', title: 'a', status: 'complete' }] }, 'invalid_chunks'],
    [
      'a task of no known status',
      { chunks: [{ type: 'task_update', id: '1', title: 'a', status: 'done' }] },
      'invalid_chunks',
    ],
    ['a title over 256', { chunks: [{ type: 'plan_update', title: text(257) }] }, 'invalid_chunks'],
    ['over 11,000 bytes in all', { markdown_text: 'ö'.repeat(5501) }, 'msg_too_long'],
    ['broken blocks in a chunk', { chunks: [{ type: 'blocks', blocks: [{}] }] }, 'invalid_blocks'],
  ])('it takes no %s', async (_, args, error) => {
    const { ts: thread_ts } = await slack.say({ text: 'hello' })
    const { ts } = await call(slack, 'chat.startStream', { channel: GENERAL, thread_ts, ...recipient })
    expect(await call(slack, 'chat.appendStream', { channel: GENERAL, ts, ...args })).toMatchObject({ error })
  })

  test('it dies of age, and of a person who stops it', async () => {
    let clock = 1_790_000_000_000
    const timed = await localSlack({ now: () => clock, echo: false, ackMs: 20, retryMs: [] })
    const { ts: thread_ts } = await timed.say({ channel: `D${ALICE.slice(1)}`, text: 'hello' })
    const start = () => call(timed, 'chat.startStream', { channel: `D${ALICE.slice(1)}`, thread_ts })
    const append = (ts: unknown) =>
      call(timed, 'chat.appendStream', { channel: `D${ALICE.slice(1)}`, ts, markdown_text: 'x' })
    const old = await start()
    clock += 301_000
    expect(await append(old['ts'])).toMatchObject({ error: 'message_not_in_streaming_state' })
    const stopped = await start()
    await timed.people.stopStreams({ channel: `D${ALICE.slice(1)}`, thread: thread_ts })
    expect(await append(stopped['ts'])).toMatchObject({ error: 'stopped_by_user' })
  })
})

describe('views and response URLs', () => {
  const view = { type: 'modal', title: plain('Hello'), blocks: [section('hi')] }

  test('a modal needs a fresh trigger and a form within its limits', async () => {
    expect(await call(slack, 'views.open', { trigger_id: 'made-up', view })).toMatchObject({
      error: 'invalid_trigger_id',
    })
    expect(await call(slack, 'views.publish', { user_id: ALICE, view })).toMatchObject({ error: 'invalid_arguments' })
    expect(
      await call(slack, 'views.publish', { user_id: 'U0NOBODY001', view: { ...view, type: 'home' } }),
    ).toMatchObject({ error: 'user_not_found' })
    expect(
      await call(slack, 'views.publish', { user_id: ALICE, view: { type: 'home', blocks: [section('hi')] } }),
    ).toMatchObject({ ok: true })
    const many = { type: 'home', blocks: Array.from({ length: 101 }, () => ({ type: 'divider' })) }
    expect(await call(slack, 'views.publish', { user_id: ALICE, view: many })).toMatchObject({
      error: 'invalid_blocks',
    })
  })

  test('a trigger is old after three seconds', async () => {
    let clock = 1_790_000_000_000
    const timed = await localSlack({ now: () => clock, ackMs: 20 })
    const { delivery } = await timed.slash('hi')
    clock += 3001
    const trigger_id = delivery.payload['trigger_id']
    expect(await call(timed, 'views.open', { trigger_id, view })).toMatchObject({ error: 'expired_trigger_id' })
    const fresh = (await timed.slash('hi')).delivery.payload['trigger_id']
    const long = { ...view, title: plain(text(25)) }
    expect(await call(timed, 'views.open', { trigger_id: fresh, view: long })).toMatchObject({
      error: 'invalid_arguments',
    })
  })

  test('a response URL takes five messages within half an hour', async () => {
    let clock = 1_790_000_000_000
    const timed = await localSlack({ now: () => clock, ackMs: 20, echo: false })
    const { delivery } = await timed.slash('hi')
    const respond = (body: object) =>
      fetch(String(delivery.payload['response_url']), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((r) => r.status)
    expect(await respond({ text: 'for you' })).toBe(200)
    expect(await respond({ text: 'for all', response_type: 'in_channel' })).toBe(200)
    expect(timed.whispers(GENERAL, ALICE)).toContain('for you')
    expect(timed.messages(GENERAL).map((message) => message.text)).toEqual(['for all'])
    expect(await respond({})).toBe(404)
    expect(timed.refusals).toMatchObject([{ method: 'response_url', error: 'no_text' }])
    for (let i = 0; i < 2; i++) expect(await respond({ text: 'more' })).toBe(200)
    expect(await respond({ text: 'too much' })).toBe(404)
    clock += 31 * 60_000
    expect(await respond({ text: 'too late' })).toBe(404)
    expect(timed.refusals.map((one) => one.error)).toEqual(['no_text', 'used_url', 'expired_url'])
  })
})

describe('rates and faults', () => {
  const raw = (local: LocalSlack, channel = GENERAL) =>
    fetch(`${local.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${local.botToken}` },
      body: new URLSearchParams({ channel, text: 'hi' }),
    })

  test('a channel takes a burst, then about a post a second; other channels are not held up', async () => {
    let clock = 1_790_000_000_000
    const strict = await localSlack({ now: () => clock, strictRate: true, echo: false })
    const statuses = []
    for (let i = 0; i < 7; i++) statuses.push((await raw(strict)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    const limited = await raw(strict)
    expect(limited.headers.get('retry-after')).toBe('1')
    expect(await limited.json()).toEqual({ ok: false, error: 'ratelimited' })
    expect((await raw(strict, 'C0RANDOM001')).status).toBe(200)
    clock += 1000
    expect((await raw(strict)).status).toBe(200)
    expect(strict.messages(GENERAL)).toHaveLength(6)
  })

  test('a fault meets the calls it names, as often as it says', async () => {
    const faulty = await localSlack({ echo: false })
    faulty.fault({ method: 'chat.*', retryAfter: 2 })
    faulty.fault({ method: 'chat.postMessage', channel: 'C0RANDOM001', error: 'is_archived', times: 2 })
    faulty.fault({ method: 'users.info', status: 503 })
    const first = await raw(faulty)
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '2'])
    expect((await raw(faulty)).status).toBe(200)
    expect(await (await raw(faulty, 'C0RANDOM001')).json()).toEqual({ ok: false, error: 'is_archived' })
    expect((await fetch(`${faulty.apiUrl}users.info`)).status).toBe(503)
    faulty.clearFaults()
    expect(await (await raw(faulty, 'C0RANDOM001')).json()).toMatchObject({ ok: true })
  })

  test('a connection can be cut before the post took effect, or after', async () => {
    const faulty = await localSlack({ echo: false })
    faulty.fault({ dropBefore: true })
    await expect(raw(faulty)).rejects.toThrow()
    expect(faulty.messages(GENERAL)).toHaveLength(0)
    faulty.fault({ dropAfter: true, delayMs: 5 })
    await expect(raw(faulty)).rejects.toThrow()
    expect(faulty.messages(GENERAL)).toHaveLength(1)
  })

  test('an answer can be held although the call took effect, and a fault can choose its calls', async () => {
    const faulty = await localSlack({ echo: false })
    let letGo = () => {}
    const hold = new Promise<void>((resolve) => (letGo = resolve))
    faulty.fault({ hold, where: ({ channel }) => channel === GENERAL })
    let isAnswered = false
    const held = raw(faulty).then((response) => ((isAnswered = true), response.status))
    expect((await raw(faulty, 'C0RANDOM001')).status).toBe(200)
    await faulty.until(() => faulty.messages(GENERAL).length === 1, 'the effect')
    expect(isAnswered).toBe(false)
    letGo()
    expect(await held).toBe(200)
  })

  test('a likely fault is repeatable by its seed', async () => {
    const run = async () => {
      const faulty = await localSlack({ echo: false })
      faulty.fault({ probability: 0.5, seed: 7, status: 500 })
      const statuses = []
      for (let i = 0; i < 12; i++) statuses.push((await raw(faulty)).status)
      return statuses
    }
    const first = await run()
    expect(await run()).toEqual(first)
    expect(new Set(first)).toEqual(new Set([200, 500]))
  })
})

describe('what a person reads', () => {
  test('blocks in place of the text, names in place of ids, links with their address', () => {
    const message = {
      text: 'only a notification',
      blocks: [
        section(`<@${ALICE}> see <https://example.org/a|this> in <#${GENERAL}> &lt;now&gt;`),
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: 'a' },
                { type: 'user', user_id: ALICE },
              ],
            },
          ],
        },
      ],
    }
    expect(slack.shown(message)).toBe('@Alice see this (https://example.org/a) in #general <now>\na@Alice')
    expect(slack.shown({ text: 'plain' })).toBe('plain')
  })

  test('pings by the bot are counted, wherever they hide', async () => {
    const pinging = await localSlack({ echo: false })
    await call(pinging, 'chat.postMessage', {
      channel: GENERAL,
      text: '<!channel> &lt;!here&gt; <!subteam^S1> <@U0BOB000001>',
    })
    await call(pinging, 'chat.postMessage', {
      channel: GENERAL,
      text: 'a',
      blocks: [
        {
          type: 'rich_text',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'broadcast', range: 'here' }] }],
        },
      ],
    })
    expect(pinging.pings()).toEqual(['<!channel>', '<!subteam^S1>', '<@U0BOB000001>', '"type":"broadcast"'])
  })
})
