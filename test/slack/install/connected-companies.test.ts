/** An app of a whole organisation gets presses and events of connected companies. They are no colleagues there. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../playground/base/until.ts'
import type { Json } from '../../../playground/slack/slack.ts'
import { ALLOW_ALWAYS, ALLOW_ONCE, DENY, SHOW_ARGUMENTS, STOP } from '../../../src/slack/format/action-ids.ts'
import { botUserOf } from '../../harness/many-slacks.ts'
import {
  ALICE,
  BOB,
  ORG,
  OTHER,
  SECOND,
  startOrganisation as start,
  WAYS,
  type OrganisationBot,
  type Way,
} from '../../harness/organisation.ts'
import { act, finish } from '../../harness/played-model.ts'

let count = 0

describe.for(Object.keys(WAYS) as Way[])('an organisation with %s', (way) => {
  test.for([
    ['the asker’s id', [ALICE, 'T0STRANGE01'], {}],
    ['the asker’s id, where people of connected companies may ask', [ALICE, 'T0STRANGE01'], { ALLOW_EXTERNAL: 'true' }],
    ['an approver’s id', [BOB, 'T0STRANGE01'], { APPROVERS: BOB }],
    ['an approver’s id, of an organisation', [BOB, OTHER.team], { APPROVERS: BOB }],
    ['an own id', ['U0STRANGER1', 'T0STRANGE01'], {}],
  ] as const)('a person of another company with %s decides about no call', async ([, who, env]) => {
    const bot = await start({ onTestFinished }, way, env)
    const channel = `C0CALL${String(++count).padStart(5, '0')}`
    const value = await bot.waits(channel)
    for (const action of [ALLOW_ONCE, ALLOW_ALWAYS, DENY, SHOW_ARGUMENTS, STOP]) {
      const stopped = action === STOP ? (value.split(' ').at(-1) ?? '') : value
      expect((await bot.press(action, stopped, channel, who)).status).toBe(200)
    }
    const decided = () => bot.logs.filter((line) => line.includes('a person decided about a call'))
    expect([bot.written(channel), decided()]).toEqual([0, []])
    await bot.press(ALLOW_ONCE, value, channel, 'APPROVERS' in env ? [BOB, SECOND] : [ALICE, SECOND])
    await until(() => bot.written(channel) === 1, 'the answer')
    expect(decided()).toHaveLength(1)
  })

  test.for([
    [
      'a person of another company with the asker’s id',
      { user: ALICE, user_team: 'T0STRANGE01', team: 'T0STRANGE01' },
      2,
    ],
    ['one of another organisation', { user: ALICE, user_team: OTHER.team, team: OTHER.team }, 2],
    ['the asker, from another workspace of the organisation', { user: ALICE, user_team: SECOND, team: SECOND }, 1],
  ] as const)(
    '%s uses what was always allowed in a thread only if it was they who were asked',
    async ([, who, cards]) => {
      const bot = await start({ onTestFinished }, way, { ALLOW_EXTERNAL: 'true' })
      const channel = `C0CALL${String(++count).padStart(5, '0')}`
      const value = await bot.waits(channel)
      await bot.press(ALLOW_ALWAYS, value, channel, [ALICE, ORG.team])
      await until(() => bot.written(channel) === 1, 'the answer')
      const again = act('I write again.', 'notebook', JSON.stringify({ title: `${channel} again`, text: 'x' }))
      bot.model.on('and once more', again, finish('Written once more.'))
      const ts = `190000${channel.slice(-4)}.000100`
      const place = { channel, ts, event_ts: ts, thread_ts: value.split(':').at(-1) }
      const message = { type: 'app_mention', ...who, ...place, text: `<@${botUserOf(ORG.id)}> and once more` }
      await bot.slack.event(ORG, message, { ...bot.by, is_ext_shared_channel: true })
      const asked = () =>
        bot.slack.calls.filter(
          ({ method, args }) =>
            method === 'chat.postMessage' && args['channel'] === channel && JSON.stringify(args).includes(ALLOW_ONCE),
        ).length
      const ended = () => bot.slack.posts().filter((post) => post.text.includes('Written once more.')).length
      await until(() => asked() + ended() === 2, 'an outcome')
      expect(asked()).toBe(cards)
    },
  )

  test('a person of another company asks nothing as one of ours, whatever the envelope names', async (t) => {
    const bot = await start(t, way)
    const unnamed = [{ enterprise_id: ORG.id, team_id: null, is_enterprise_install: true, is_bot: true }]
    const shared = { is_ext_shared_channel: true, user: 'U0STRANGER1' }
    bot.slack.state.channelFacts = () => ({
      ...{ is_private: false, is_ext_shared: true, context_team_id: undefined },
      ...{ shared_team_ids: ['T0STRANGE01', ORG.team], internal_team_ids: [ORG.team] },
    })
    for (const team_id of ['T0STRANGE01', OTHER.team])
      for (const more of [{}, { context_team_id: 'T0STRANGE01' }, { enterprise_id: OTHER.id }]) {
        const envelope = { ...shared, ...more, team_id, authorizations: unnamed }
        await bot.mention('What is secret?', { ...envelope, channel: 'C0SHARED001', event_id: `Ev${++count}` })
      }
    await bot.mention('Ready?', { channel: 'C0READY0001', user: ALICE })
    await bot.answered('C0READY0001')
    expect(bot.model.about('secret')).toEqual([])
    expect(bot.logs.filter((line) => line.includes('"T0STRANGE01:') || line.includes(`"${OTHER.team}:`))).toEqual([])
    // A colleague is heard in the same channel, in the workspace of the organisation.
    await bot.mention('What is known?', {
      ...{ is_ext_shared_channel: true, user: ALICE, channel: 'C0SHARED002' },
      ...{ team_id: 'T0STRANGE01', authorizations: unnamed },
    })
    await bot.answered('C0SHARED002')
    const calls = bot.slack.calls.filter(({ args }) => args['channel'] === 'C0SHARED002' && 'text' in args)
    expect(new Set(calls.map(({ args }) => args['team_id']))).toEqual(new Set([ORG.team]))
  })
})

/** A channel that is shared with another company, in which the bot runs for a person of that company. */
const SHARED = 'C0SHARED001'
const STRANGER = { type: 'app_mention', user: 'U0STRANGER1', user_team: 'T0STRANGE01', team: 'T0STRANGE01' }
const ASKED_AT = '1800000100.000100'

/** A person of another company asks in a shared channel. */
function strangerAsks({ slack, by }: OrganisationBot, text: string, envelope: Json = {}) {
  const place = { channel: SHARED, ts: ASKED_AT, event_ts: ASKED_AT }
  const message = { ...STRANGER, ...place, text: `<@${botUserOf(ORG.id)}> ${text}` }
  return slack.event(ORG, message, { ...by, is_ext_shared_channel: true, ...envelope })
}

describe.for(Object.keys(WAYS) as Way[])('an organisation with %s, and its connected companies', (way) => {
  test('a press that names the workspace of a company without an organisation is not one of ours', async (t) => {
    const bot = await start(t, way)
    const channel = 'C0CALL00901'
    const value = await bot.waits(channel)
    for (const team of [
      { id: 'T0STRANGE01', domain: 'x' },
      { id: 'T0STRANGE01', enterprise_id: OTHER.id },
    ]) {
      const pressed = {
        ...{ type: 'block_actions', team, channel: { id: channel }, container: { type: 'message', message_ts: '1.1' } },
        ...{ response_url: `${bot.slack.apiUrl}response`, secret: bot.by.secret },
        actions: [{ type: 'button', action_id: ALLOW_ONCE, block_id: 'b', value, action_ts: '1900000002.000100' }],
      }
      expect((await bot.slack.interact({ id: ORG.id }, { id: ALICE, team_id: 'T0STRANGE01' }, pressed)).status).toBe(
        200,
      )
      expect((await bot.press(ALLOW_ONCE, value, channel, [ALICE, 'T0STRANGE01'])).status).toBe(200)
    }
    expect(bot.logs.filter((line) => line.includes('a person decided about a call'))).toEqual([])
    await bot.press(ALLOW_ONCE, value, channel, [ALICE, SECOND])
    await until(() => bot.written(channel) === 1, 'the answer')
  })

  test.for([
    ['the organisation’s workspace', ORG.team],
    ['their own', 'T0STRANGE01'],
  ])('an asker of another company stops their question by a reaction whose envelope names %s', async ([, team_id]) => {
    const bot = await start({ onTestFinished }, way, { ALLOW_EXTERNAL: 'true' })
    bot.model.on('wait for it', act('I write it down.', 'notebook', JSON.stringify({ title: 'x', text: 'x' })))
    await strangerAsks(bot, 'wait for it')
    await until(() => bot.logs.some((line) => line.includes('waits for a person')), 'a wait')
    const item = { type: 'message', channel: SHARED, ts: ASKED_AT }
    const reaction = { type: 'reaction_added', reaction: 'x', user: 'U0STRANGER1', event_ts: '1900000200.000100', item }
    await bot.slack.event(ORG, reaction, { ...bot.by, is_ext_shared_channel: true, team_id })
    await until(() => bot.logs.some((line) => line.includes('"stopped"')), 'the stop')
  })
})

/** Slack waits three seconds for an ack. Part of them is for the network. Milliseconds. */
const ACK_MS = 2_000

test.for([
  ['a decision', ALLOW_ONCE],
  ['a look at the input', SHOW_ARGUMENTS],
  ['a reaction of whom Slack does not tell', 'reaction'],
] as const)('%s is acked in time while Slack is slow to tell who and where it is', async ([, action]) => {
  const bot = await start({ onTestFinished }, 'an app of its own')
  const channel = `C0CALL${String(++count).padStart(5, '0')}`
  const value = await bot.waits(channel)
  let release = () => {}
  const slow = new Promise<void>((resolve) => (release = resolve))
  onTestFinished(() => release())
  const isLookUp = (args: Json) => Object.keys(args).every((key) => ['user', 'channel', 'team_id'].includes(key))
  bot.slack.state.holdAnswer = (args) => (isLookUp(args) ? slow : undefined)
  const asked = value.split(' ').at(-1) ?? ''
  const item = { type: 'message', channel, ts: asked.split(':').at(-1) }
  const reaction = { type: 'reaction_added', reaction: 'x', user: BOB, event_ts: '1900000200.000100', item }
  const shared = { is_ext_shared_channel: true, team_id: 'T0STRANGE01' }
  const from = Date.now()
  const { status } =
    action === 'reaction'
      ? await bot.slack.event(ORG, reaction, { ...shared, ...bot.by })
      : await bot.press(action, value, channel, [BOB, SECOND])
  expect([status, Date.now() - from < ACK_MS]).toEqual([200, true])
})

const MESSAGE = { ts: '1900000030.000100', user: ALICE, text: 'x' }

/** Deliveries of an organisation that name a workspace of another one, which has installed the app too. */
const NAMES_OTHERS: [string, (bot: OrganisationBot) => Promise<unknown>][] = [
  [
    'a press',
    ({ press }) =>
      press('thinkaloud_show_work', `${ORG.team}:C0SHARED001:1900000001.000100`, 'C0SHARED001', [
        'U0STRANGER1',
        OTHER.team,
      ]),
  ],
  [
    'a press without a place',
    ({ press }) => press('thinkaloud_connect', 'Slack', 'C0SHARED001', ['U0STRANGER1', OTHER.team]),
  ],
  [
    'a form',
    ({ slack }) =>
      slack.interact(
        { id: ORG.id },
        { id: 'U0STRANGER1', team_id: OTHER.team },
        {
          type: 'view_submission',
          view: {
            id: 'V1',
            type: 'modal',
            callback_id: 'thinkaloud_ask_about',
            private_metadata: 'x.{}',
            state: { values: {} },
          },
        },
      ),
  ],
  [
    'a shortcut in a channel shared with it',
    async ({ slack }) => {
      slack.state.channelFacts = () => ({
        ...{ is_private: false, is_ext_shared: true, context_team_id: undefined },
        shared_team_ids: [OTHER.team, ORG.team],
      })
      const shortcut = { type: 'message_action', callback_id: 'thinkaloud_ask_about', message: MESSAGE }
      const place = { channel: { id: 'C0SHARED001' }, message_ts: MESSAGE.ts, response_url: `${slack.apiUrl}response` }
      await slack.interact({ id: ORG.id }, { id: ALICE, team_id: SECOND }, { ...shortcut, ...place })
    },
  ],
  [
    'an event in a channel shared with it',
    ({ mention }) =>
      mention('What is secret?', {
        ...{ channel: 'C0SHARED001', user: 'U0STRANGER1', is_ext_shared_channel: true, team_id: OTHER.team },
        authorizations: [{ enterprise_id: ORG.id, team_id: null, is_enterprise_install: true, is_bot: true }],
      }),
  ],
  [
    'a reaction in a channel shared with it',
    ({ slack }) =>
      slack.event(
        { id: ORG.id },
        {
          ...{ type: 'reaction_added', reaction: 'x', user: 'U0STRANGER1', event_ts: '1900000031.000100' },
          item: { type: 'message', channel: 'C0SHARED001', ts: MESSAGE.ts },
        },
        { is_ext_shared_channel: true, team_id: OTHER.team },
      ),
  ],
]

describe('an organisation with a distributed app does not take over a workspace of another one', () => {
  test.for(NAMES_OTHERS)('by %s', async ([, deliver]) => {
    const bot = await start({ onTestFinished }, 'a distributed app')
    await bot.install({ id: OTHER.id })
    await deliver(bot)
    const own = { id: OTHER.id, team: OTHER.team }
    bot.slack.state.channelFacts = () => ({ is_private: false })
    bot.slack.state.person = () => ({ team_id: OTHER.team, enterprise_user: undefined })
    await bot.slack.mention(own, 'Who?', { channel: 'C0THEIRS001' })
    expect((await bot.answered('C0THEIRS001')).home).toBe(OTHER.id)
    await bot.slack.event({ id: ORG.id }, { type: 'app_uninstalled' })
    await bot.slack.mention(own, 'Who again?', { channel: 'C0THEIRS002' })
    expect((await bot.answered('C0THEIRS002')).home).toBe(OTHER.id)
    expect(bot.logs.filter((l) => l.includes('its data was deleted') && l.includes(OTHER.team))).toEqual([])
  })
})

/** `team_access_revoked` as Slack's pages show it: on the envelope, nested, and authorized as that of a workspace. */
const REVOKED: [string, Json, Json][] = [
  ['as an event of the organisation', { team_ids: [SECOND] }, {}],
  ['nested', { event: { type: 'team_access_revoked', team_ids: [SECOND] } }, {}],
  [
    'nested, and authorized for a workspace',
    { team_id: null, enterprise_id: ORG.id, event: { type: 'team_access_revoked', team_ids: [SECOND] } },
    {
      team_id: ORG.team,
      authorizations: [{ enterprise_id: ORG.id, team_id: ORG.team, is_bot: false, is_enterprise_install: false }],
    },
  ],
]

test.for(REVOKED)(
  'a workspace from which an organisation removes the app is forgotten, alone: %s',
  async ([, more, envelope]) => {
    const bot = await start({ onTestFinished }, 'a distributed app')
    await bot.install({ id: OTHER.id })
    for (const home of [ORG, { ...ORG, team: SECOND }, OTHER]) {
      bot.slack.state.person = () => ({})
      await bot.slack.mention(home, 'Who?', { channel: `C${home.team}` })
      await bot.answered(`C${home.team}`)
    }
    const event = { type: 'team_access_revoked', ...more }
    await bot.slack.event({ id: ORG.id }, event, envelope)
    const deleted = () => bot.logs.filter((line) => line.includes('its data was deleted'))
    await until(() => deleted().length > 0, 'the deletion')
    expect(deleted()).toEqual([expect.stringContaining(SECOND)])
  },
)
