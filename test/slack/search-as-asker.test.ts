/** Search with the asker's own grant: where it is used, and who sees the results. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../playground/base/until.ts'
import type { Json } from '../../playground/slack/slack.ts'
import { grantSlack, linkIn } from '../harness/connecting-bot.ts'
import type { Ends } from '../harness/ends.ts'
import { startManyBot } from '../harness/many-bot.ts'
import { manySlacks, type Home } from '../harness/many-slacks.ts'
import { act, finish } from '../harness/played-model.ts'
import { DISCONNECT } from '../../src/slack/format/action-ids.ts'
import { FOR_ASKER } from '../../src/slack/format/audience-words.ts'
import { eventually } from '../harness/stores.ts'

const ACME = { id: 'T0ACME00001' }
const ALICE = 'U0ALICE0001'
const CANARY = 'the merger is called Narwhal'
const DM = 'D0ALICE0001'
const FIND = {
  ...{ author_user_id: 'U0BOB000001', channel_name: 'deals', message_ts: '1700000001.000100' },
  ...{ channel_id: 'G0SECRET001', permalink: 'https://acme.slack.com/archives/G0SECRET001/p1700000001000100' },
}

/**
 * Starts a bot in a workspace or an organisation, with a function to grant search. `team`: the workspace of the
 * question.
 */
async function startSearching(
  t: Ends,
  { home, team = home.id, rotates = false }: { home: Home; team?: string; rotates?: boolean },
) {
  const slack = await manySlacks(t, { rotates })
  slack.state.finds = () => []
  const bot = await startManyBot(t, { slack, env: () => ({ TOOLS: 'workspace_search', STEPS: 'replies' }) })
  await bot.install(home)
  if (home.id.startsWith('E')) {
    await slack.mention({ ...home, team }, 'Hello.')
    await bot.answered('C0GENERAL01')
  }
  const person = bot.browser()
  const grant = async (user: string) => {
    const { asked, page } = await grantSlack(bot, { ...home, team }, { person, as: user })
    expect(asked.searchParams.get('user_scope')).toBe(
      'search:read.public,search:read.private,search:read.im,search:read.mpim,search:read.files,search:read.users',
    )
    expect(asked.searchParams.has('scope')).toBe(false)
    return page
  }
  return { slack, bot, grant }
}

test('results with the asker’s rights are shown only to them, and grants do not affect the installation', async (t) => {
  const { slack, bot, grant } = await startSearching(t, { home: ACME })
  slack.state.finds = (args, home) => {
    const isTheirs = home.startsWith(ALICE) && String(args['channel_types']).includes('private_channel')
    if (args['query'] === 'lunch') return [{ ...FIND, channel_id: 'C0GENERAL01', content: 'Lunch is at noon.' }]
    return isTheirs ? [{ ...FIND, content: CANARY }] : []
  }
  slack.state.channelFacts = (channel) => ({ is_private: channel.startsWith('G') })
  const other = await grant('U0MALLORY01')
  expect(other.status).toBe(400)
  expect(await other.text()).toContain('signed in to Slack as somebody else')
  expect((await grant(ALICE)).status).toBe(200)

  const search = [act('I search.', 'workspace_search', 'merger'), finish('Here.')]
  bot.model.on('in the channel', ...search)
  await slack.mention(ACME, 'What merger, in the channel?')
  // Others read in the channel, so only the asker sees the answer.
  const alone = () => slack.calls.filter(({ method }) => method === 'chat.postEphemeral')
  await eventually(() => expect(JSON.stringify(alone())).toContain('Here.'))
  expect(slack.posts().map(({ text }) => text)).toEqual([expect.stringContaining('I search.'), FOR_ASKER])
  // Results from the same channel may be shown to everybody who reads there.
  bot.model.on('lunch, here', act('I search.', 'workspace_search', 'lunch'), finish('At noon.'))
  await slack.mention(ACME, 'When is lunch, here?')
  await eventually(() => expect(slack.posts().some(({ text }) => text.includes('At noon.'))).toBe(true))
  expect(JSON.stringify(alone())).not.toContain('At noon.')
  bot.model.on('for me', ...search)
  const ts = '1900000001.000100'
  const message: Json = {
    type: 'message',
    channel_type: 'im',
    user: ALICE,
    channel: DM,
    ts,
    event_ts: ts,
    text: 'What merger, for me?',
  }
  await slack.event(ACME, message)
  await eventually(() => expect(slack.posts().filter(({ channel }) => channel === DM).length).toBeGreaterThan(0))
  await eventually(() => expect(JSON.stringify(bot.model.about('for me'))).toContain(CANARY))
  expect(JSON.stringify(slack.posts().filter(({ channel }) => channel !== DM))).not.toContain(CANARY)
  expect(bot.logs.join('\n')).not.toContain('Narwhal')
  expect(slack.posts().every(({ home }) => home === ACME.id)).toBe(true)

  const revoked = { type: 'tokens_revoked', tokens: { oauth: [ALICE] } }
  await slack.event(ACME, revoked, { event_time: Math.floor(slack.clock.now / 1000) - 60 })
  bot.model.on('after a late event', ...search)
  await slack.mention(ACME, 'What merger, after a late event?')
  await eventually(() => expect(JSON.stringify(bot.model.about('after a late event').at(-1) ?? '')).toContain(CANARY))
  await slack.event(ACME, revoked)
  bot.model.on('once more', ...search)
  await slack.mention(ACME, 'What merger, once more?')
  await eventually(() =>
    expect(JSON.stringify(bot.model.about('once more').at(-1) ?? '')).toContain('no permission to search'),
  )
})

/**
 * The state of a channel when its result is checked again, and whether everybody in the question's channel may see it.
 */
const CHANGES: [what: string, facts: (channel: string) => Json, isForAll: boolean][] = [
  ['public', () => ({ is_private: false }), true],
  ['just made private', (channel) => ({ is_private: channel !== 'C0GENERAL01' }), false],
  ['public again', () => ({ is_private: false }), true],
  [
    'read by guests of another company',
    (channel) => ({ is_private: false, is_ext_shared: channel === 'C0GENERAL01' }),
    false,
  ],
  ['about to be shared', (channel) => ({ is_private: false, is_pending_ext_shared: channel === 'C0GENERAL01' }), false],
  ['shared in the organisation', (channel) => ({ is_private: false, is_org_shared: channel === 'C0GENERAL01' }), false],
  ['of another workspace', (channel) => ({ is_private: false, ...teams(channel, ['T0OTHER0001']) }), false],
  ['of this workspace too', (channel) => ({ is_private: false, ...teams(channel, ['T0OTHER0001', ACME.id]) }), true],
]

const teams = (channel: string, shared_team_ids: string[]) => (channel === 'C0GENERAL01' ? {} : { shared_team_ids })

test.each([
  ['a workspace', { home: ACME }],
  ['an organisation', { home: { id: 'E0ACME00001' }, team: ACME.id }],
])(
  'in %s a find in another channel is for all where all can see it now, as Slack tells each time',
  async (_, place) => {
    const { slack, bot, grant } = await startSearching({ onTestFinished }, place)
    slack.state.finds = () => [{ ...FIND, channel_id: 'C0PLANS0001', content: CANARY }]
    expect((await grant(ALICE)).status).toBe(200)
    const where = { ...place.home, team: ACME.id }
    const ask = async (what: string, isForAll: boolean) => {
      bot.model.on(what, act('I search.', 'workspace_search', 'merger'), finish(`It was ${what}.`))
      await slack.mention(where, `What merger, when ${what}?`)
      const shown = () =>
        slack.calls.find(({ args }) => String(args['text']).includes(`It was ${what}.`) && 'channel' in args)?.method
      await eventually(() =>
        expect([what, shown()]).toEqual([what, isForAll ? 'chat.postMessage' : 'chat.postEphemeral']),
      )
    }
    for (const [what, facts, isForAll] of CHANGES) {
      slack.state.channelFacts = facts
      await ask(what, isForAll)
    }
    slack.state.channelFacts = () => ({ is_private: false, context_team_id: undefined })
    await ask('of no workspace that Slack names', place.home.id === ACME.id)
    for (const code of ['missing_scope', 'channel_not_found', 'ratelimited']) {
      slack.state.refuses = (method) => (method === 'conversations.info' ? code : undefined)
      await ask(code, false)
    }
    const prompt = (what: string) => JSON.stringify(bot.model.about(what).at(-1) ?? '')
    expect(prompt('of this workspace too')).toContain(CANARY)
    // An organisation's event names no workspace.
    await slack.event(place.home, { type: 'user_change', user: { id: ALICE, deleted: true } })
    bot.model.on('deactivated', act('I search.', 'workspace_search', 'merger'), finish('Nothing.'))
    await slack.mention(where, 'What merger, when deactivated?')
    await eventually(() => expect(prompt('deactivated')).toContain('no permission to search'))
  },
)

test('a login to another organisation is not the asker’s, even with the same id', async (t) => {
  const home = { id: 'E0ACME00001' }
  const { slack, bot } = await startSearching(t, { home, team: ACME.id })
  const agree = slack.agree
  slack.agree = (given) => agree({ ...given, id: 'E0OTHER0001' })
  const { page } = await grantSlack(bot, { ...home, team: ACME.id })
  expect(page.status).toBe(400)
  expect(await page.text()).toContain('to another workspace')
  expect([...slack.tokens.values()].filter(({ home }) => home.user)).toEqual([])
})

test('a removal revokes all grants, however long it takes', async (t) => {
  const { slack, bot } = await startSearching(t, { home: ACME })
  const people = Array.from({ length: 25 }, (_, i) => `U0PERSON${String(i).padStart(3, '0')}`)
  for (const user of people) expect((await grantSlack(bot, ACME, { user })).page.status).toBe(200)
  const granted = () => [...slack.tokens.values()].filter(({ home }) => home.user).length
  expect(granted()).toBe(people.length)
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  // A revocation has no arguments.
  slack.state.hold = (args) => (Object.keys(args).length === 0 ? held : undefined)
  // Acked when all is deleted, although nothing is revoked yet.
  expect((await slack.event(ACME, { type: 'app_uninstalled' })).status).toBe(200)
  release()
  await eventually(() => expect(granted()).toBe(0))
})

describe('a grant whose tokens rotate', () => {
  const HOUR_MS = 3_600_000
  const start = async () => {
    const started = await startSearching({ onTestFinished }, { home: ACME, rotates: true })
    const { bot, slack, grant } = started
    slack.state.finds = () => [{ ...FIND, content: CANARY }]
    expect((await grant(ALICE)).status).toBe(200)
    let count = 0
    /** Alice searches. Returns the observation and the token of the search. */
    const search = async () => {
      const text = `Search ${++count}?`
      bot.model.on(text, act('I search.', 'workspace_search', 'merger'), finish('Here.'))
      await slack.mention(ACME, text, { channel: `C0PLACE000${count}` })
      const told = await until(() => bot.model.about(text)[1], `an answer to ${text}`)
      const { token } = slack.calls.findLast(({ method }) => method === 'assistant.search.context') ?? {}
      return { prompt: JSON.stringify(told.body), token }
    }
    const tokens = () => [...slack.tokens].flatMap(([token, { home }]) => (home.user === ALICE ? [token] : []))
    const isConnected = async () => (await linkIn(bot, ACME, { account: 'Slack' })) === ''
    return { ...started, search, tokens, isConnected }
  }

  test('is renewed before its token expires, and uses the old one while Slack refuses', async () => {
    const { slack, search, isConnected } = await start()
    const first = await search()
    slack.clock.now += 11 * HOUR_MS
    expect((await search()).token).toBe(first.token)
    slack.clock.now += HOUR_MS - 20 * 60_000
    const second = await search()
    expect([second.prompt, second.token]).toEqual([
      expect.stringContaining(CANARY),
      expect.not.stringMatching(first.token ?? ''),
    ])
    slack.clock.now += 12 * HOUR_MS - 20 * 60_000
    slack.state.spendRefreshTokens(ALICE)
    expect((await search()).token).toBe(second.token)
    expect(await isConnected()).toBe(true)
    slack.clock.now += HOUR_MS
    expect((await search()).prompt).toContain('no permission to search')
    expect(await isConnected()).toBe(false)
  })

  test.each(['disconnected', 'revoked in Slack'])(
    'does not come back where it is %s while it is renewed',
    async (how) => {
      const { slack, search, tokens, isConnected } = await start()
      const [first] = tokens()
      slack.clock.now += 11 * HOUR_MS + 40 * 60_000
      let release = () => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      slack.state.holdAnswer = (args) => (args['grant_type'] === 'refresh_token' ? held : undefined)
      const searching = search()
      await until(() => tokens().length > 1, 'a renewal that is under way')
      const ended =
        how === 'disconnected'
          ? slack.press(ACME, { action: DISCONNECT, value: 'Slack', channel: DM })
          : slack.event(ACME, { type: 'tokens_revoked', tokens: { oauth: [ALICE] } })
      release()
      await Promise.all([ended, searching])
      await eventually(async () => expect(await isConnected()).toBe(false))
      // The earlier token expires by itself.
      if (how === 'disconnected') await eventually(() => expect(tokens()).toEqual([first]))
      expect((await search()).prompt).toContain('no permission to search')
    },
  )
})
