/** An organisation's app of SLACK_APPS signs what it likes: another company may be named in any field of a delivery. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../playground/base/until.ts'
import type { Json } from '../../../playground/slack/slack.ts'
import type { Ends } from '../../harness/ends.ts'
import { startManyBot } from '../../harness/many-bot.ts'
import { botUserOf, manySlacks } from '../../harness/many-slacks.ts'

const E1 = { id: 'E0FIRST0001', app: 'A0FIRST0001', team: 'T0FIRST0001' }
const T2 = { id: 'T0OTHER0001', app: 'A0OTHER0001' }
const SECRETS = { [E1.id]: 'secret-of-first', [T2.id]: 'secret-of-other' }
const by = ({ id }: { id: string }) => ({ secret: SECRETS[id] ?? '' })
const CHANNEL = 'C0THEIRS001'
const TS = '1795944100.000100'
const ALICE = 'U0ALICE0001'
let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'thinkaloud-fields-'))))
afterAll(() => rm(folder, { recursive: true }))

async function start(t: Ends) {
  const slack = await manySlacks(t)
  slack.state.teamsOf = (home) => (home === E1.id ? [E1.team] : [])
  const apps = [E1, T2].map((home) => ({
    ...{ name: home.id.toLowerCase(), botToken: slack.tokenOf(home), signingSecret: SECRETS[home.id] },
  }))
  const SLACK_APPS = join(folder, `${Math.random()}.json`)
  await writeFile(SLACK_APPS, JSON.stringify({ apps }))
  const none = { SLACK_CLIENT_ID: '', SLACK_CLIENT_SECRET: '', PUBLIC_URL: '', ALLOW_TEAMS: '' }
  const bot = await startManyBot(t, {
    slack,
    env: () => ({ ...none, SLACK_SIGNING_SECRET: '', SECRETS_KEY: '', ASK_REACTION: 'robot_face', SLACK_APPS }),
  })
  // The other company has something to lose.
  await slack.mention(T2, 'Who are we?', { channel: CHANNEL, ...by(T2) })
  await bot.answered(CHANNEL)
  await until(() => bot.logs.some((line) => line.includes('question answered')), 'its end')
  return bot
}

const text = `<@${botUserOf(E1.id)}> What is planned?`
const said = { channel: CHANNEL, user: ALICE, ts: TS, event_ts: TS }
const item = { type: 'message', channel: CHANNEL, ts: TS }
const edited = { type: 'message', user: ALICE, ts: TS, text, edited: { user: ALICE, ts: '1795944101.000100' } }

/** Events that read, ask, change or delete something. */
const EVENTS: Record<string, Json> = {
  app_mention: { ...said, text },
  message: { ...said, text, channel_type: 'channel' },
  'a direct message': {
    ...said,
    type: 'message',
    channel: 'D0ALICE0001',
    channel_type: 'im',
    text: 'What is planned?',
  },
  'a stop word': { ...said, type: 'message', channel_type: 'channel', thread_ts: TS, text: 'stop' },
  'remember: …': { ...said, type: 'app_mention', text: `<@${botUserOf(E1.id)}> remember: it is planned` },
  'an edit': {
    type: 'message',
    subtype: 'message_changed',
    channel: CHANNEL,
    message: edited,
    previous_message: { ...edited, text: 'x', edited: undefined },
    event_ts: TS,
  },
  'a deletion': {
    type: 'message',
    subtype: 'message_deleted',
    channel: CHANNEL,
    deleted_ts: TS,
    previous_message: edited,
    event_ts: TS,
  },
  'a reaction that stops': {
    type: 'reaction_added',
    reaction: 'x',
    user: ALICE,
    item,
    item_user: botUserOf(E1.id),
    event_ts: TS,
  },
  'a reaction that asks': {
    type: 'reaction_added',
    reaction: 'robot_face',
    user: ALICE,
    item,
    item_user: ALICE,
    event_ts: TS,
  },
  app_home_opened: { user: ALICE, channel: 'D0ALICE0001', tab: 'home', event_ts: TS },
  agent_session_stopped: { user: ALICE, channel: CHANNEL, thread_ts: TS, event_ts: TS },
  channel_deleted: { channel: CHANNEL, event_ts: TS },
  channel_id_changed: { old_channel_id: CHANNEL, new_channel_id: 'C0MINE00001', event_ts: TS },
  user_change: { user: { id: ALICE, team_id: T2.id, deleted: true } },
  app_uninstalled: {},
  tokens_revoked: { tokens: { bot: [botUserOf(T2.id), botUserOf(E1.id)], oauth: [ALICE] } },
  team_access_revoked: { team_ids: [T2.id] },
  team_access_granted: { team_ids: [T2.id] },
}

const unnamed = { enterprise_id: E1.id, team_id: null, is_enterprise_install: true, is_bot: true }

/** The fields that name the other company. `event`: fields inside the event. */
const FIELDS: Record<string, { envelope: Json; event?: Json }> = {
  team_id: { envelope: { team_id: T2.id, authorizations: [unnamed] } },
  context_team_id: { envelope: { context_team_id: T2.id, is_ext_shared_channel: true } },
  'team_id, in a connected channel': {
    envelope: { team_id: T2.id, is_ext_shared_channel: true, authorizations: [unnamed] },
  },
  authorizations: { envelope: { authorizations: [{ ...unnamed, team_id: T2.id }] } },
  'authorizations, as that of a workspace': {
    envelope: { authorizations: [{ ...unnamed, enterprise_id: null, team_id: T2.id, is_enterprise_install: false }] },
  },
  enterprise_id: { envelope: { enterprise_id: T2.id, authorizations: [{ ...unnamed, enterprise_id: T2.id }] } },
  'no authorizations': { envelope: { team_id: T2.id, authorizations: undefined } },
  'the event itself': {
    envelope: { is_ext_shared_channel: true },
    event: { team: T2.id, user_team: T2.id, source_team: T2.id, team_id: T2.id },
  },
  metadata: {
    envelope: { team_id: T2.id },
    event: { metadata: { event_type: 'thinkaloud', event_payload: { run: `${T2.id}:${CHANNEL}:${TS}` } } },
  },
}

test.for(Object.entries(FIELDS))('in %s, of an event', async ([, { envelope, event: inner = {} }], t) => {
  const bot = await start(t)
  const before = bot.slack.calls.length
  for (const [type, event] of Object.entries(EVENTS)) {
    const { status } = await bot.slack.event(
      { ...E1, team: null },
      { type, ...event, ...inner },
      { ...envelope, ...by(E1) },
    )
    expect([type, [200, 404].includes(status)]).toEqual([type, true])
  }
  // The other company's own question may still be cleared up.
  const isOfEvents = (args: Json) => /1795944|C0MINE|D0ALICE/.test(JSON.stringify(args))
  const calls = bot.slack.calls.slice(before)
  expect(calls.filter(({ home, args }) => home !== T2.id && args['team_id'] === T2.id)).toEqual([])
  expect(calls.filter(({ home, args }) => home === T2.id && isOfEvents(args))).toEqual([])
  expect(bot.logs.filter((line) => line.includes('its data was deleted') && line.includes(T2.id))).toEqual([])
  // The other company’s conversation is all there.
  const posts = bot.slack.posts().filter(({ channel }) => channel === CHANNEL).length
  const root = String(
    bot.slack.calls.find(({ args }) => args['channel'] === CHANNEL && args['thread_ts'])?.args['thread_ts'],
  )
  const more = { type: 'app_mention', user: ALICE, channel: CHANNEL, ts: '1900000040.000100', thread_ts: root }
  await bot.slack.event(T2, { ...more, event_ts: more.ts, text: `<@${botUserOf(T2.id)}> And then?` }, by(T2))
  await until(() => bot.slack.posts().filter(({ channel }) => channel === CHANNEL).length > posts, 'their answer')
  expect(JSON.stringify(bot.model.requests)).toMatch(/Who are we\?.*And then\?/)
})
