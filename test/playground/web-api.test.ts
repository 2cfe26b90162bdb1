/** The refusals of the local Slack, with Slack's own errors. The bot's tests depend on them. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ALICE, BOT_USER, GENERAL, startLocalSlack, type LocalSlack } from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'
import { callSlack, slackStory, type SlackAnswer, type SlackStep } from '../harness/slack-calls.ts'

const NOBODY = 'U0NOBODY001'
const NEVER = '1.000001'
const DEAD = 'message_not_in_streaming_state'

const call = (method: string, args: SlackAnswer = {}, local = slack) => callSlack(local, method, args)
const story = (steps: SlackStep[], local = slack) => slackStory(local, steps)

/** Starts a local Slack whose clock the test moves. */
async function timedSlack() {
  const clock = { now: 1_790_000_000_000 }
  return { clock, timed: await localSlack({ now: () => clock.now, echo: false, ackMs: 20, retryMs: [] }) }
}

const text = (chars: number) => 'x'.repeat(chars)
const plain = (words: string) => ({ type: 'plain_text', text: words })
const section = (words: string) => ({ type: 'section', text: { type: 'mrkdwn', text: words } })
const many = (count: number, one: unknown) => Array.from({ length: count }, () => one)
const markdown = { type: 'markdown', text: text(7000) }
const said = { type: 'markdown_text', text: 'a' }
const metadata = (chars: number) => ({ event_type: 'step', event_payload: { a: text(chars) } })
const modal = { type: 'modal', title: plain('Hello'), blocks: [section('hi')] }
const home = { type: 'home', blocks: [section('hi')] }
const to = { recipient_user_id: ALICE, recipient_team_id: 'T0LOCAL0001' }

// Nobody listens to deliveries, so people's messages do not wait.
const slack: LocalSlack = await startLocalSlack({ echo: false, ackMs: 10, retryMs: [] })
slack.addChannel('C0OUTSIDE01', { members: new Set([ALICE]) })
slack.addChannel('G0SECRET001', { members: new Set([ALICE]) })
slack.addChannel('G0CLOSED001')
slack.addChannel('C0ARCHIVE01', { archived: true })
const { ts: root } = await slack.say({ text: 'hello' })
const { ts: gone } = await slack.say({ text: 'soon deleted' })
await slack.people.remove({ channel: GENERAL, ts: gone })
const { ts: own } = await call('chat.postMessage', { text: 'mine' })
const { ts: reply } = await call('chat.postMessage', { text: 'reply', thread_ts: root })
const { ts: open } = await call('chat.startStream', { thread_ts: root, ...to })

afterAll(() => slack.close())
beforeEach(() => void slack.refusals.splice(0))

type Row = [method: string, what: string, error: string, args: SlackAnswer]

const row =
  (method: string) =>
  (what: string, error: string, args: SlackAnswer): Row => [method, what, error, args]
const post = row('chat.postMessage')
const update = row('chat.update')
const status = row('assistant.threads.setStatus')
const start = row('chat.startStream')
const append = row('chat.appendStream')
const chunk = (what: string, one: object, error = 'invalid_chunks') => append(what, error, { ts: open, chunks: [one] })
const publish = row('views.publish')

describe('a mistake of the bot is refused and recorded', () => {
  test.each<Row>([
    ['auth.test', 'a token that it does not know', 'invalid_auth', { token: 'xoxb-wrong' }],
    ['auth.test', 'an app’s token', 'not_allowed_token_type', { token: slack.appToken }],
    ['apps.connections.open', 'a bot’s token', 'not_allowed_token_type', {}],
    post('nothing to show', 'no_text', {}),
    post('blanks', 'no_text', { text: '  ' }),
    post('no blocks at all', 'no_text', { blocks: [] }),
    post('over 40,000 characters', 'msg_too_long', { text: text(40_001) }),
    post('over 12,000 of markdown_text', 'msg_too_long', { markdown_text: text(12_001) }),
    post('markdown_text with text', 'markdown_text_conflict', { text: 'a', markdown_text: 'b' }),
    post('over 12,000 in markdown blocks together', 'msg_blocks_too_long', { blocks: many(2, markdown) }),
    post('blocks that are no JSON', 'invalid_blocks_format', { blocks: '[{' }),
    post('blocks that are no list', 'invalid_blocks_format', { blocks: {} }),
    post('metadata without a payload', 'invalid_metadata_format', { text: 'a', metadata: { event_type: 'x' } }),
    post('metadata over 8 KB', 'metadata_too_large', { text: 'a', metadata: metadata(9000) }),
    post('101 attachments', 'too_many_attachments', { attachments: many(101, { text: 'a' }) }),
    post('a channel that never was', 'channel_not_found', { channel: 'C0NOWHERE01', text: 'a' }),
    post('a root that never was', 'thread_not_found', { thread_ts: NEVER, text: 'a' }),
    post('a reply to a reply', 'cannot_reply_to_message', { thread_ts: reply, text: 'a' }),
    update('a message that never was', 'message_not_found', { ts: NEVER, text: 'a' }),
    update('somebody else’s message', 'cant_update_message', { ts: root, text: 'a' }),
    update('over 4,000 characters', 'msg_too_long', { ts: own, text: text(4001) }),
    update('a block over its limit', 'invalid_blocks', { ts: own, blocks: [section(text(3001))] }),
    update('a message that still streams', 'streaming_state_conflict', { ts: open, text: 'a' }),
    ['chat.delete', 'somebody else’s message', 'cant_delete_message', { ts: root }],
    ['conversations.open', 'nobody', 'user_not_found', { users: NOBODY }],
    ['conversations.replies', 'a root that never was', 'thread_not_found', { ts: NEVER }],
    ['conversations.replies', 'a made-up cursor', 'invalid_cursor', { ts: root, cursor: 'x' }],
    ['conversations.replies', 'a page of none', 'invalid_limit', { ts: root, limit: 0 }],
    ['reactions.add', 'a name that is none', 'invalid_name', { timestamp: root, name: 'No Such!' }],
    status('eleven messages', 'invalid_arguments', { thread_ts: root, status: 'x', loading_messages: many(11, 'a') }),
    status('a thread that never was', 'invalid_thread_ts', { thread_ts: NEVER, status: 'x' }),
    start('no recipient', 'missing_recipient_user_id', { thread_ts: root }),
    start('no team', 'missing_recipient_team_id', { thread_ts: root, recipient_user_id: ALICE }),
    start('nobody', 'user_not_found', { thread_ts: root, ...to, recipient_user_id: NOBODY }),
    start('no thread in a direct message', 'invalid_arguments', { channel: `D${ALICE.slice(1)}` }),
    start('a thread that never was', 'invalid_thread_ts', { thread_ts: NEVER, ...to }),
    start('an unknown display', 'invalid_arguments', { thread_ts: root, ...to, task_display_mode: 'dance' }),
    append('text together with chunks', 'invalid_arguments', { ts: open, markdown_text: 'a', chunks: [said] }),
    chunk('an empty chunk', { ...said, text: '' }),
    chunk('an unknown chunk', { type: 'dance', title: 'a' }),
    chunk('a task without an id', { type: 'task_update', title: 'a', status: 'complete' }),
    chunk('a task of no known status', { type: 'task_update', id: '1', title: 'a', status: 'done' }),
    chunk('a title over 256', { type: 'plan_update', title: text(257) }),
    chunk('broken blocks in a chunk', { type: 'blocks', blocks: [{}] }, 'invalid_blocks'),
    append('somebody else’s message', 'message_not_owned_by_app', { ts: root, markdown_text: 'a' }),
    append('over 11,000 bytes in all, of which it dies', DEAD, { ts: open, markdown_text: 'ö'.repeat(5501) }),
    append('anything after its death', DEAD, { ts: open, markdown_text: 'a' }),
    ['views.open', 'a made-up trigger', 'invalid_trigger_id', { trigger_id: 'made-up', view: modal }],
    publish('a modal', 'invalid_arguments', { user_id: ALICE, view: modal }),
    publish('nobody', 'user_not_found', { user_id: NOBODY, view: home }),
    publish('101 blocks', 'invalid_blocks', { user_id: ALICE, view: { ...home, blocks: many(101, section('a')) } }),
  ])('%s refuses %s: %s', async (...[method, , error, args]) => {
    await story([[method, args, error]])
    expect(slack.refusals).toMatchObject([{ method, error }])
    expect(slack.calls.at(-1)).toMatchObject({ method, ok: false, error })
  })

  test('a call without a Bearer token is not_authed, even with a token elsewhere', async () => {
    const bare = await fetch(`${slack.apiUrl}auth.test?token=${slack.botToken}`, { method: 'POST' })
    expect(await bare.json()).toMatchObject({ ok: false, error: 'not_authed' })
    expect(slack.refusals).toHaveLength(1)
  })

  test('a missing scope, an unknown method and a missing argument are named', async () => {
    const narrow = await localSlack({ scopes: ['chat:write'] })
    const lacking = { error: 'missing_scope', needed: 'reactions:write', provided: 'chat:write' }
    expect(await call('reactions.add', { timestamp: NEVER, name: 'eyes' }, narrow)).toMatchObject(lacking)
    expect(await call('chat.dance')).toMatchObject({ error: 'unknown_method', req_method: 'chat.dance' })
    const why = { response_metadata: { messages: [expect.stringContaining('ts')] } }
    expect(await call('chat.update')).toMatchObject({ error: 'invalid_arguments', ...why })
    await call('chat.postMessage', { channel: 'C0NOWHERE01', text: 'hi' })
    expect(slack.refusals.at(-1)).toMatchObject({ why: expect.stringContaining('C0NOWHERE01') })
    expect(slack.calls.at(-1)).toMatchObject({ args: { channel: 'C0NOWHERE01', text: 'hi' } })
  })

  test.each([
    ['{', { error: 'invalid_json' }],
    ['[]', { error: 'json_not_object' }],
    [JSON.stringify({ channel: GENERAL, blocks: [section('hi')] }), { ok: true }],
  ])('the JSON %s is read as JSON', async (body, expected) => {
    const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json; charset=utf-8' }
    const response = await fetch(`${slack.apiUrl}chat.postMessage`, { method: 'POST', headers, body })
    expect(await response.json()).toMatchObject(expected)
  })
})

test.each<Row>([
  post('a channel that the bot is not in', 'not_in_channel', { channel: 'C0OUTSIDE01', text: 'a' }),
  post('a private one that it is not in', 'channel_not_found', { channel: 'G0SECRET001', text: 'a' }),
  post('an archived one', 'is_archived', { channel: 'C0ARCHIVE01', text: 'a' }),
  post('a root that was deleted meanwhile', 'thread_not_found', { thread_ts: gone, text: 'a' }),
  ['chat.postEphemeral', 'somebody outside', 'user_not_in_channel', { user: NOBODY, text: 'a' }],
  ['conversations.join', 'an archived channel', 'is_archived', { channel: 'C0ARCHIVE01' }],
  ['conversations.join', 'a private one', 'method_not_supported_for_channel_type', { channel: 'G0CLOSED001' }],
  ['conversations.info', 'one that never was', 'channel_not_found', { channel: 'C0NEVERWAS1' }],
  ['conversations.history', 'one that the bot is not in', 'not_in_channel', { channel: 'C0OUTSIDE01' }],
  ['users.info', 'nobody', 'user_not_found', { user: NOBODY }],
  ['bots.info', 'a bot that is none', 'bot_not_found', { bot: 'B0NOBODY001' }],
])('%s declines %s, which is nobody’s mistake: %s', async (...[method, , error, args]) => {
  await story([[method, args, error]])
  expect(slack.refusals).toEqual([])
})

describe('accepted calls', () => {
  test('are valid and within the limits', async () => {
    await story([
      ['auth.test', {}, { user_id: BOT_USER, bot_id: expect.any(String) }],
      ['apps.connections.open', { token: slack.appToken }, { url: expect.stringContaining('ws://') }],
      ['users.info', { user: ALICE }, { user: { id: ALICE, is_bot: false, tz: 'Europe/London' } }],
      ['views.publish', { user_id: ALICE, view: home }, {}],
      ['chat.postMessage', { text: text(40_000), metadata: metadata(7000) }, {}],
      ['chat.postEphemeral', { user: ALICE, text: 'psst' }, { message_ts: expect.any(String) }],
    ])
    expect(slack.ephemerals(GENERAL, ALICE)).toContain('psst')
    expect(slack.refusals).toEqual([])
  })

  test('a public channel is joined once, and says so', async () => {
    const channel = 'C0JOINME001'
    slack.addChannel(channel, { members: new Set([ALICE]) })
    await story([
      ['conversations.join', { channel }, {}],
      ['conversations.join', { channel }, { warning: 'already_in_channel' }],
      ['conversations.info', { channel }, { channel: { is_member: true, is_private: false } }],
    ])
    expect(slack.messages(channel)).toMatchObject([{ subtype: 'channel_join', user: BOT_USER }])
  })

  test('a person’s id opens their direct messages', async () => {
    const id = `D${ALICE.slice(1)}`
    await story([
      ['conversations.open', { users: ALICE }, { channel: { id } }],
      ['chat.postMessage', { channel: ALICE, text: 'hi' }, { channel: id }],
    ])
  })

  test('an update keeps omitted parts, and the bot’s own message can be deleted', async () => {
    const { ts } = await call('chat.postMessage', { text: 'one', blocks: [section('one')] })
    const edited = { user: BOT_USER }
    await story([
      ['chat.update', { ts, text: 'two' }, { text: 'two', message: { blocks: [section('one')], edited } }],
      ['chat.update', { ts, blocks: [section('three')] }, { text: 'two', message: { blocks: [section('three')] } }],
      ['chat.delete', { ts }, {}],
    ])
  })

  test('a deleted root with replies leaves a tombstone', async () => {
    const { ts } = await call('chat.postMessage', { text: 'root' })
    await story([
      ['chat.postMessage', { thread_ts: ts, text: 'reply' }, { message: { thread_ts: ts, parent_user_id: BOT_USER } }],
      ['chat.delete', { ts }, {}],
      ['conversations.replies', { ts }, { messages: [{ subtype: 'tombstone' }, { text: 'reply' }] }],
    ])
  })

  test('a reaction is added once and removed once', async () => {
    const eyes = { timestamp: root, name: 'eyes' }
    await story([['reactions.add', eyes, {}]])
    expect(slack.reactions(GENERAL, root)).toEqual([{ name: 'eyes', users: [BOT_USER], count: 1 }])
    await story([
      ['reactions.add', eyes, 'already_reacted'],
      ['reactions.remove', eyes, {}],
      ['reactions.remove', eyes, 'no_reaction'],
    ])
    expect(slack.reactions(GENERAL, root)).toEqual([])
  })
})

describe('reading', () => {
  test('replies come root first, in pages, with metadata only on request', async () => {
    const { ts } = await slack.say({ text: 'root' })
    const noted = { metadata: metadata(1) }
    for (const n of [1, 2, 3]) await call('chat.postMessage', { thread_ts: ts, text: `reply ${n}`, ...noted })
    const first = await call('conversations.replies', { ts, limit: 3, include_all_metadata: true })
    expect(first).toMatchObject({ has_more: true, messages: [{ text: 'root', reply_count: 3 }, noted, noted] })
    const cursor = (first['response_metadata'] as { next_cursor: string }).next_cursor
    const second = await call('conversations.replies', { ts, limit: 3, cursor })
    expect(second).toMatchObject({ has_more: false, messages: [{ text: 'reply 3' }] })
    expect((second['messages'] as object[])[0]).not.toHaveProperty('metadata')
  })

  test('history is newest first, without replies, between two times', async () => {
    const channel = 'C0HISTORY01'
    slack.addChannel(channel)
    const said = []
    for (const words of ['one', 'two', 'three']) said.push((await slack.say({ channel, text: words })).ts)
    await slack.say({ channel, text: 'reply', thread_ts: said[0] ?? '' })
    const [one, two, three] = [{ text: 'one' }, { text: 'two' }, { text: 'three' }]
    await story([
      ['conversations.history', { channel }, { messages: [three, two, one] }],
      ['conversations.history', { channel, oldest: said[1] }, { messages: [three] }],
      ['conversations.history', { channel, oldest: said[1], inclusive: true }, { messages: [three, two] }],
    ])
  })
})

describe('what expires', () => {
  test('a status stays until the bot writes, or for two minutes', async () => {
    const { clock, timed } = await timedSlack()
    const { ts: thread_ts } = await timed.say({ text: 'hello' })
    const set = (status: string) => story([['assistant.threads.setStatus', { thread_ts, status }, {}]], timed)
    await set('is thinking…')
    expect(timed.status(GENERAL, thread_ts)).toBe('is thinking…')
    await story([['chat.postMessage', { thread_ts, text: 'done' }, {}]], timed)
    expect(timed.status(GENERAL, thread_ts)).toBe('')
    await set('is back')
    clock.now += 121_000
    expect(timed.status(GENERAL, thread_ts)).toBe('')
  })

  test('a stream grows until it is stopped, and can then be updated', async () => {
    const { ts } = await call('chat.startStream', { thread_ts: root, ...to, markdown_text: 'one ' })
    await story([
      ['chat.appendStream', { ts, markdown_text: 'two ' }, {}],
      ['chat.stopStream', { ts, markdown_text: 'three' }, { message: { text: 'one two three' } }],
      ['chat.appendStream', { ts, markdown_text: 'x' }, 'message_not_in_streaming_state'],
      ['chat.update', { ts, text: 'x' }, {}],
    ])
  })

  test('a stream ends by age, and when a person stops it', async () => {
    const { clock, timed } = await timedSlack()
    const channel = `D${ALICE.slice(1)}`
    const { ts: thread } = await timed.say({ channel, text: 'hello' })
    const startStream = () => call('chat.startStream', { channel, thread_ts: thread }, timed)
    const begin = async () => ({ channel, ts: (await startStream())['ts'] })
    const old = await begin()
    clock.now += 301_000
    const x = { markdown_text: 'x' }
    await story([['chat.appendStream', { ...old, ...x }, 'message_not_in_streaming_state']], timed)
    const stopped = await begin()
    await timed.people.stopSession({ channel, thread })
    await story([['chat.appendStream', { ...stopped, ...x }, 'stopped_by_user']], timed)
  })

  test('a trigger expires after three seconds; a modal’s title has at most 24 characters', async () => {
    const { clock, timed } = await timedSlack()
    const trigger = async () => (await timed.slash('hi')).delivery.payload['trigger_id']
    const old = { trigger_id: await trigger(), view: modal }
    clock.now += 3001
    const long = { trigger_id: await trigger(), view: { ...modal, title: plain(text(25)) } }
    await story([['views.open', old, 'expired_trigger_id']], timed)
    await story([['views.open', long, 'invalid_arguments']], timed)
  })

  test('a response URL accepts five messages within half an hour', async () => {
    const { clock, timed } = await timedSlack()
    const { delivery } = await timed.slash('hi')
    const headers = { 'content-type': 'application/json' }
    const respond = async (body: object) => {
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await fetch(String(delivery.payload['response_url']), request)).status
    }
    expect(await respond({ text: 'for you' })).toBe(200)
    expect(await respond({ text: 'for all', response_type: 'in_channel' })).toBe(200)
    expect(timed.ephemerals(GENERAL, ALICE)).toContain('for you')
    expect(timed.messages(GENERAL).map((message) => message.text)).toEqual(['for all'])
    expect(await respond({})).toBe(404)
    for (const status of [200, 200, 404]) expect(await respond({ text: 'more' })).toBe(status)
    clock.now += 31 * 60_000
    expect(await respond({ text: 'too late' })).toBe(404)
    expect(timed.refusals.map((one) => one.error)).toEqual(['no_text', 'used_url', 'expired_url'])
  })
})

describe('what a person reads', () => {
  const rich = (...elements: object[]) => ({ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] })

  test('blocks instead of the text, names instead of ids, links with their address', () => {
    const words = section(`<@${ALICE}> see <https://example.org/a|this> in <#${GENERAL}> &lt;now&gt;`)
    const blocks = [words, rich({ type: 'text', text: 'a' }, { type: 'user', user_id: ALICE })]
    const shown = '@Alice see this (https://example.org/a) in #general <now>\na@Alice'
    expect(slack.shown({ text: 'only a notification', blocks })).toBe(shown)
  })

  test('pings by the bot are counted anywhere in a message', async () => {
    const pinging = await localSlack({ echo: false })
    const blocks = [rich({ type: 'broadcast', range: 'here' })]
    const words = '<!channel> &lt;!here&gt; <!subteam^S1> <@U0BOB000001>'
    await call('chat.postMessage', { text: words }, pinging)
    await call('chat.postMessage', { text: 'a', blocks }, pinging)
    expect(pinging.pings()).toEqual(['<!channel>', '<!subteam^S1>', '<@U0BOB000001>', '"type":"broadcast"'])
  })
})
