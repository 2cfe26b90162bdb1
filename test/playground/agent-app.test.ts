/** An agent's sessions, streams that end, uploads, and an app that is removed. */
import { expect, onTestFinished, test } from 'vitest'
import { listen, readBody } from '../../playground/base/loopback-server.ts'
import { ALICE, BOB, BOT_USER, GENERAL, TEAM, type LocalSlackOptions } from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'
import { callSlack, slackStory, type SlackStep } from '../harness/slack-calls.ts'
import { strangers } from '../harness/slack-hands.ts'

const DM = `D${ALICE.slice(1)}`

/** Starts a Slack whose clock the test moves, with a root message, and an app that records events. */
async function played(options: LocalSlackOptions = {}) {
  const clock = { now: 1_790_000_000_000 }
  const slack = await localSlack({ now: () => clock.now, echo: false, agent: true, ackMs: 30_000, ...options })
  const came: Record<string, unknown>[] = []
  const server = await listen((request, response) => {
    void readBody(request).then((body) => {
      came.push((JSON.parse(body) as { event: Record<string, unknown> }).event)
      response.end()
    })
  })
  onTestFinished(server.close)
  slack.setTarget(server.base)
  const { ts } = await slack.say({ text: 'hello' })
  const { ts: direct } = await slack.say({ channel: DM, text: 'hello' })
  came.length = 0
  return { slack, clock, came, ts, direct, story: (steps: SlackStep[]) => slackStory(slack, steps) }
}

const setStatus = 'agents.sessions.setStatus'
const rename = 'agents.sessions.rename'

test('a plain app has no sessions, titles or prompts', async () => {
  const { slack, ts: thread_ts, story } = await played({ agent: false })
  await story([
    [setStatus, { thread_ts, status: 'processing' }, 'not_authorized'],
    [rename, { thread_ts, title: 'x' }, 'not_authorized'],
    ['assistant.threads.setTitle', { thread_ts, title: 'x' }, 'not_authorized'],
    ['assistant.threads.setSuggestedPrompts', { prompts: [{ title: 'x', message: 'y' }] }, 'not_authorized'],
    ['assistant.threads.setStatus', { thread_ts, status: 'is here' }, {}],
  ])
  expect(slack.refusals).toEqual([])
})

test('a session with invalid fields is refused', async () => {
  const { slack, ts: thread_ts, story } = await played()
  const long = 'x'.repeat(201)
  await story([
    [setStatus, { thread_ts, status: 'busy' }, 'invalid_arguments'],
    [setStatus, { status: 'active' }, 'invalid_arguments'],
    [setStatus, { thread_ts: '1.000001', status: 'active' }, 'invalid_thread_ts'],
    [setStatus, { thread_ts, status: 'active', title: long }, 'invalid_arguments'],
    [setStatus, { thread_ts, status: 'active', initiator_user_id: 'U0NOBODY001' }, 'user_not_in_channel'],
    [rename, { thread_ts, title: 'x' }, 'session_not_found'],
    [setStatus, { thread_ts, status: 'active', title: 'One' }, { title: 'One' }],
    [rename, { thread_ts, title: long }, 'invalid_arguments'],
    ['assistant.threads.setSuggestedPrompts', { prompts: [] }, 'invalid_arguments'],
  ])
  expect(slack.session(GENERAL, thread_ts)).toEqual({ status: 'active', title: 'One' })
})

test('sessions and assistants share one status: the last writer wins, and a message clears only the assistant’s', async () => {
  const { slack, clock, ts: thread_ts, story } = await played()
  const shown = () => slack.status(GENERAL, thread_ts)
  await story([
    [setStatus, { thread_ts, status: 'processing', title: 'One' }, {}],
    ['chat.postMessage', { thread_ts, text: 'a step' }, {}],
  ])
  expect(shown()).toBe('is working …')
  await story([['assistant.threads.setStatus', { thread_ts, status: 'is searching …' }, {}]])
  expect(shown()).toBe('is searching …')
  await story([['chat.postMessage', { thread_ts, text: 'another' }, {}]])
  expect(shown()).toBe('')
  await story([[setStatus, { thread_ts, status: 'processing', title: 'Two' }, { title: 'One' }]])
  clock.now += 3_599_000
  expect(shown()).toBe('is working …')
  clock.now += 2000
  expect(shown()).toBe('')
})

test('an agent’s stream opens a session, which stays until somebody ends it', async () => {
  const { slack, direct, story } = await played()
  const { ts } = await callSlack(slack, 'chat.startStream', {
    channel: DM,
    thread_ts: direct,
    task_display_mode: 'plan',
  })
  expect(slack.session(DM, direct)).toEqual({ status: 'processing' })
  const ending = { channel: DM, ts, chunks: [{ type: 'plan_update', title: 'Done' }], session_status: 'active' }
  await story([
    ['chat.stopStream', { ...ending, session_status: 'finished' }, 'invalid_arguments'],
    ['chat.stopStream', ending, { message: { streaming_state: 'completed', task_display_mode: 'plan' } }],
  ])
  expect([slack.session(DM, direct)?.status, slack.status(DM, direct)]).toEqual(['active', ''])
})

test('a task that is sent again is shown once, with its details joined', async () => {
  const { slack, direct } = await played()
  const task = (status: string, details: string) => ({ type: 'task_update', id: '1', title: status, status, details })
  const { ts } = await callSlack(slack, 'chat.startStream', { channel: DM, thread_ts: direct })
  for (const chunk of [task('in_progress', 'one, '), task('complete', 'two')])
    await callSlack(slack, 'chat.appendStream', { channel: DM, ts, chunks: [chunk] })
  const message = slack.messages(DM).find((one) => one.ts === ts)
  expect(message && slack.shown(message)).toBe('complete\none, two')
})

test('an ended stream accepts updates, an open one does not; streams to people of other workspaces are refused', async () => {
  const { slack, clock, ts: thread_ts, story } = await played()
  const to = { recipient_user_id: ALICE, recipient_team_id: TEAM }
  const { ts } = await callSlack(slack, 'chat.startStream', { thread_ts, ...to, markdown_text: 'one' })
  await story([['chat.update', { ts, text: 'x' }, 'streaming_state_conflict']])
  clock.now += 301_000
  slack.refusals.splice(0)
  await story([
    ['chat.stopStream', { ts }, 'message_not_in_streaming_state'],
    ['chat.update', { ts, text: 'x' }, { text: 'x' }],
    ['chat.startStream', { ...to, recipient_user_id: strangers.outsider(slack) }, 'user_not_found'],
    ['chat.startStream', to, {}],
  ])
  expect(slack.refusals).toEqual([])
})

test('rate limits apply to the named methods only', async () => {
  const { slack, ts: thread_ts, story } = await played({ strictRate: ['chat.startStream'] })
  const to = { recipient_user_id: ALICE, recipient_team_id: TEAM }
  const starts = Array.from({ length: 5 }, (): SlackStep => ['chat.startStream', { thread_ts, ...to }, {}])
  await story([...starts, ['chat.startStream', { thread_ts, ...to }, 'ratelimited']])
  for (let i = 0; i < 10; i++) await story([['chat.postMessage', { thread_ts, text: 'x' }, {}]])
  expect(slack.calls.filter(({ ok }) => !ok)).toHaveLength(1)
})

test('people’s actions with an agent arrive as Slack’s events', async () => {
  const { slack, came, ts: thread } = await played()
  await slack.people.renameSession({ channel: GENERAL, thread }, 'One')
  await slack.people.renameSession({ channel: GENERAL, thread, user: BOB }, 'Two')
  await slack.people.lookAt([{ type: 'slack#/types/channel_id', value: GENERAL }])
  await slack.people.stopSession({ channel: GENERAL, thread })
  const title = { type: 'agent_session_title_changed', channel: GENERAL, thread_ts: thread, team_id: TEAM }
  expect(came).toMatchObject([
    { ...title, title: 'One', user: ALICE },
    { ...title, title: 'Two', user: BOB, previous_title: 'One' },
    { type: 'app_context_changed', channel: DM, context: { entities: [{ value: GENERAL }] } },
    { type: 'agent_session_stopped', thread_ts: thread, streaming_message_ts: [] },
  ])
  expect(slack.session(GENERAL, thread)?.title).toBe('Two')
})

test('an upload takes two calls with a transfer between them, and needs files:write', async () => {
  const { slack, ts: thread_ts, story } = await played()
  const announced = await callSlack(slack, 'files.getUploadURLExternal', { filename: 'a.txt', length: 5 })
  const send = (body: string) => fetch(String(announced['upload_url']), { method: 'POST', body })
  const files = [{ id: announced['file_id'], title: 'Rest' }]
  await story([['files.completeUploadExternal', { files }, 'file_not_found']])
  expect((await send('too long')).status).toBe(400)
  expect((await send('hello')).status).toBe(200)
  await story([['files.completeUploadExternal', { files, channel_id: GENERAL, thread_ts }, { files }]])
  expect(slack.replies(GENERAL, thread_ts)).toMatchObject([{ files: [{ name: 'a.txt', title: 'Rest' }] }])
  expect(slack.files()).toMatchObject([{ content: 'hello' }])
  const narrow = await localSlack({ scopes: ['chat:write', 'users:read'] })
  const args = { filename: 'a', length: 1 }
  expect(await callSlack(narrow, 'files.getUploadURLExternal', args)).toMatchObject({ error: 'missing_scope' })
})

test('users.info tells admins, guests, strangers and bots apart; an e-mail address needs its own scope', async () => {
  const { slack, came, story } = await played({ scopes: ['users:read', 'users:read.email', 'channels:read'] })
  const stranger = strangers.outsider(slack)
  const robot = strangers.otherBot(slack)
  await story([
    ['users.info', { user: strangers.admin(slack) }, { user: { is_admin: true, is_email_confirmed: true } }],
    ['users.info', { user: strangers.guest(slack) }, { user: { is_restricted: true, is_ultra_restricted: false } }],
    ['users.info', { user: ALICE }, { user: { profile: { email: 'alice@example.com' } } }],
    ['users.info', { user: stranger }, { user: { is_stranger: true, team_id: 'T0OTHER0001' } }],
    ['conversations.members', { limit: 2 }, { members: [BOT_USER, ALICE] }],
  ])
  const narrow = await localSlack({ scopes: ['users:read'] })
  const told = await callSlack(narrow, 'users.info', { user: ALICE })
  expect(told['user']).not.toHaveProperty('profile.email')
  await slack.mention('from elsewhere', { user: stranger })
  await slack.mention('beep', { user: robot })
  const mentions = came.filter(({ type }) => type === 'app_mention')
  expect(mentions).toMatchObject([{ user_team: 'T0OTHER0001' }, { user: robot, bot_id: expect.any(String) }])
})

test('a removed app gets two events, and its token is revoked', async () => {
  const { slack, came, story } = await played()
  await slack.people.uninstall()
  expect(came.map(({ type }) => type).sort()).toEqual(['app_uninstalled', 'tokens_revoked'])
  await story([['auth.test', {}, 'account_inactive']])
  expect(slack.refusals).toEqual([])
})

test('a deleted root with replies comes as a tombstone, one without as a deletion', async () => {
  const { slack, came, ts, direct } = await played()
  await callSlack(slack, 'chat.postMessage', { thread_ts: ts, text: 'reply' })
  await slack.people.remove({ channel: GENERAL, ts })
  await slack.people.remove({ channel: DM, ts: direct })
  expect(came).toMatchObject([
    { subtype: 'message_changed', message: { subtype: 'tombstone', ts }, previous_message: { text: 'hello' } },
    { subtype: 'message_deleted', deleted_ts: direct },
  ])
})
