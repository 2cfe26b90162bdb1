/** One bot in many workspaces: each is answered with its own token, has its own data, and leaves alone. */
import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Json } from '../../../playground/slack/slack.ts'
import { until } from '../../../playground/base/until.ts'
import { grantSlack, linkIn } from '../../harness/connecting-bot.ts'
import { fileEnds } from '../../harness/ends.ts'
import { startManyBot } from '../../harness/many-bot.ts'
import { ALLOW_ONCE, SHOW_WORK } from '../../../src/slack/format/action-ids.ts'
import { act, finish } from '../../harness/played-model.ts'
import { botUserOf, type Home } from '../../harness/many-slacks.ts'
import { propertyRuns } from '../../harness/property-runs.ts'
import { describeWithRedis, startRedis } from '../../harness/redis.ts'
import { deferred } from '../../harness/stores.ts'

const ACME = { id: 'T0ACME00001' }
const OTHER = { id: 'T0OTHER0001' }
const ORG = { id: 'E0ORG000001' }
const uninstalled = { type: 'app_uninstalled' }
const seconds = (ms: number) => Math.floor(ms / 1000)

describe('in memory', async () => {
  const env = () => ({ CUSTOM_TOOLS_DIR: 'test/fixtures/approval-tools' })
  const bot = await startManyBot(fileEnds(), { env })
  const { slack } = bot
  let count = 0
  const channel = () => `C0PLACE${String(++count).padStart(4, '0')}`
  /** Asks in a new channel. Returns the answer's post. */
  const ask = async (home: Home & { team?: string | null }, more: { user?: string } = {}) => {
    const place = channel()
    const { status } = await slack.mention(home, 'Who?', { channel: place, ...more })
    expect(status).toBe(200)
    return bot.answered(place)
  }
  /** Checks that nothing is posted there while another workspace is answered. */
  const isIgnored = async (home: Home & { team?: string | null }) => {
    const place = channel()
    await slack.mention(home, 'Who?', { channel: place })
    await bot.install(OTHER)
    await ask(OTHER)
    return !slack.posts().some((post) => post.channel === place)
  }

  test('each is answered with its own token, and one without the app is not answered', async () => {
    expect(await isIgnored(ACME)).toBe(true)
    await bot.install(ACME)
    await bot.install(OTHER)
    expect([(await ask(ACME)).home, (await ask(OTHER)).home]).toEqual([ACME.id, OTHER.id])
  })

  test('an organisation serves each of its workspaces, and every call names the workspace', async () => {
    await bot.install(ORG)
    for (const team of ['T0ORGONE001', 'T0ORGTWO001']) {
      const { home, channel: place } = await ask({ ...ORG, team })
      expect(home).toBe(ORG.id)
      const calls = slack.calls.filter(({ args }) => args['channel'] === place)
      expect(calls.length).toBeGreaterThan(0)
      expect(calls.filter(({ args }) => args['team_id'] !== team)).toEqual([])
    }
  })

  test('a workspace’s own installation precedes its organisation’s', async () => {
    await bot.install({ id: 'T0ORGOWN001', enterprise: ORG.id })
    expect((await ask({ id: 'T0ORGOWN001', enterprise: ORG.id })).home).toBe('T0ORGOWN001')
  })

  test('/ask in a workspace of an organisation is answered with its token', async () => {
    const form = {
      ...{
        command: '/ask',
        text: 'How many?',
        team_id: 'T0ORGONE001',
        enterprise_id: ORG.id,
        is_enterprise_install: 'true',
      },
      ...{ api_app_id: 'A0MANY00001', channel_id: 'C0COMMAND01', user_id: 'W0PERSON001', trigger_id: '1.2.3' },
      response_url: `${slack.apiUrl}response`,
    }
    const body = new URLSearchParams(form).toString()
    expect((await slack.post(body, 'application/x-www-form-urlencoded')).status).toBe(200)
    expect((await bot.answered('C0COMMAND01')).home).toBe(ORG.id)
  })

  test('in a channel that two workspaces share, the side that was mentioned answers, once', async () => {
    const place = channel()
    const ts = '1900000000.000100'
    const text = `<@${botUserOf(OTHER.id)}> Who?`
    const shared = { is_ext_shared_channel: true, event_id: `EvShared${place}` }
    const mention = { user: 'U0ALICE0001', channel: place, ts, event_ts: ts, text }
    const message = { ...mention, type: 'message', channel_type: 'channel' }
    await slack.event(ACME, message, { ...shared, event_id: `EvMessageA${place}` })
    await slack.event(OTHER, message, { ...shared, event_id: `EvMessageB${place}` })
    await slack.event(OTHER, { ...mention, type: 'app_mention' }, shared)
    await slack.event(ACME, { ...mention, type: 'app_mention' }, shared)
    await bot.answered(place)
    await ask(ACME)
    expect(slack.posts().filter((post) => post.channel === place)).toEqual([
      { home: OTHER.id, channel: place, text: expect.stringContaining('Answered.') },
    ])
  })

  test('the same holds if Slack authorizes the other side, however often it is delivered', async () => {
    const place = channel()
    const ts = '1900000001.000100'
    const text = `<@${botUserOf(OTHER.id)}> Who?`
    const mention = { type: 'app_mention', user: 'U0ALICE0001', channel: place, ts, event_ts: ts, text }
    for (const n of [1, 2])
      await slack.event(ACME, mention, {
        ...{ is_ext_shared_channel: true, team_id: OTHER.id, event_id: `EvOtherSide${n}` },
      })
    expect((await bot.answered(place)).home).toBe(OTHER.id)
    await ask(ACME)
    expect(slack.posts().filter((post) => post.channel === place)).toHaveLength(1)
  })

  test('an edit that takes the mention away stops the run of the side that was mentioned', async () => {
    const place = channel()
    bot.model.on('of the loom', { hang: true })
    const ts = '1900000002.000100'
    const written = { type: 'message', user: 'U0ALICE0001', ts, text: `<@${botUserOf(OTHER.id)}> Who of the loom?` }
    const shared = { is_ext_shared_channel: true, team_id: OTHER.id }
    const where = { channel: place, event_ts: ts }
    await slack.event(ACME, { ...written, ...where, type: 'app_mention' }, { ...shared, event_id: 'EvEdit1' })
    await until(() => bot.model.about('of the loom').length === 1, 'the run')
    const edited = { ...written, text: 'Never mind.', edited: { user: 'U0ALICE0001', ts: '1900000003.000100' } }
    const edit = { type: 'message', subtype: 'message_changed', channel_type: 'channel', ...where }
    const change = { ...edit, ts: '1900000003.000100', message: edited, previous_message: written }
    await slack.event(ACME, change, { ...shared, event_id: 'EvEdit2' })
    await until(() => bot.model.about('of the loom').some(({ aborted }) => aborted), 'its end')
  })

  test('a channel’s data moves when its id changes', async () => {
    const [place, moved] = [channel(), channel()]
    const mention = (at: string, text: string) => {
      const ts = `190000001${place === at ? 0 : 1}.000100`
      const where = { channel: at, ts, event_ts: ts, thread_ts: '1900000010.000100' }
      return slack.event(OTHER, {
        ...where,
        type: 'app_mention',
        user: 'U0ALICE0001',
        text: `<@${botUserOf(OTHER.id)}> ${text}`,
      })
    }
    await mention(place, 'The first of them?')
    await bot.answered(place)
    await until(() => bot.logs.some((line) => line.includes(place) && line.includes('question answered')), 'its end')
    await slack.event(OTHER, { type: 'channel_id_changed', old_channel_id: place, new_channel_id: moved })
    await mention(moved, 'And then?')
    await bot.answered(moved)
    expect(JSON.stringify(bot.model.requests)).toMatch(/The first of them\?.*And then\?/)
  })

  const posts = (at: string) =>
    slack.calls.filter(({ method, args }) => method === 'chat.postMessage' && args['channel'] === at)
  /** Asks for a note, which needs an approval. @returns the value of the card's buttons */
  const waitsForApproval = async (home: Home & { team?: string }, place: string, more: { user?: string } = {}) => {
    const call = act('I write it down.', 'notebook', JSON.stringify({ title: place, text: 'x' }))
    bot.model.on(`write ${place}`, call, finish('Written down.'))
    await slack.mention(home, `write ${place}`, { channel: place, ...more })
    const card = await until(() => posts(place).find(({ args }) => JSON.stringify(args).includes(ALLOW_ONCE)), 'a card')
    await until(() => bot.logs.some((line) => line.includes(place) && line.includes('waits for a person')), 'its wait')
    const id = `${home.team ?? home.id}:${place}:[\\d.]+`
    return String(new RegExp(`\\d+ ${id} ${id}`).exec(JSON.stringify(card.args)))
  }
  const written = (at: string) =>
    slack.posts().filter(({ channel, text }) => channel === at && text.includes('Written down.'))

  test('in an organisation a person stays the asker, whichever workspace their press names', async () => {
    await bot.install(ORG)
    const place = channel()
    const value = await waitsForApproval({ ...ORG, team: 'T0ORGONE001' }, place, { user: 'W0PERSON001' })
    const press = (id: string) =>
      slack.press(ORG, { action: ALLOW_ONCE, value, channel: place, user: { id, team_id: 'T0ORGTWO001' } })
    await press('W0ANOTHER01')
    await slack.mention({ ...ORG, team: 'T0ORGTWO001' }, 'Who?', { channel: channel() })
    expect(written(place)).toEqual([])
    await press('W0PERSON001')
    await until(() => written(place).length > 0, 'the answer')
  })

  test('a call that waits for an approval moves with its channel, where its card is pressed and the answer posted', async () => {
    const [place, moved] = [channel(), channel()]
    const value = await waitsForApproval(OTHER, place)
    await slack.event(OTHER, { type: 'channel_id_changed', old_channel_id: place, new_channel_id: moved })
    const press = (at: string) => slack.press(OTHER, { action: ALLOW_ONCE, value, channel: at })
    await press('C0ELSEWHERE')
    expect(posts(moved)).toEqual([])
    await press(moved)
    await until(() => written(moved).length > 0, 'the answer')
    expect(written(place)).toEqual([])
  })

  test('a run in progress continues under its channel’s new id, and so does the conversation', async () => {
    const [place, moved] = [channel(), channel()]
    const ts = '1900000020.000100'
    const mention = (at: string, text: string, of: Json) => {
      const where = { channel: at, ts, event_ts: ts, user: 'U0ALICE0001', ...of }
      return slack.event(OTHER, { type: 'app_mention', ...where, text: `<@${botUserOf(OTHER.id)}> ${text}` })
    }
    const gate = deferred()
    slack.state.hold = (args) => (args['channel'] === place && 'text' in args ? gate.promise : undefined)
    await mention(place, 'Which of the two?', {})
    const isHeld = () => bot.model.requests.some(({ prompt }) => prompt.includes('Which of the two?'))
    await until(isHeld, 'the work')
    await slack.event(OTHER, { type: 'channel_id_changed', old_channel_id: place, new_channel_id: moved })
    slack.state.refuses = (_, __, args) =>
      [args['channel'], args['channel_id']].includes(place) ? 'channel_not_found' : undefined
    gate.resolve()
    expect((await bot.answered(moved)).text).toContain('Answered.')
    await until(() => bot.logs.some((line) => line.includes(place) && line.includes('question answered')), 'its end')
    await mention(moved, 'And of three?', { ts: '1900000021.000100', event_ts: '1900000021.000100', thread_ts: ts })
    await until(() => slack.posts().filter((post) => post.channel === moved).length > 1, 'another answer')
    expect(JSON.stringify(bot.model.requests)).toMatch(/Which of the two\?.*And of three\?/)
    slack.state.refuses = () => undefined
    slack.state.hold = () => undefined
  })

  test('a button works for a person of another workspace of the organisation, but not of other organisations', async () => {
    await bot.install(ORG)
    await bot.install({ id: 'E0OTHER0001' })
    const { channel: place } = await ask({ ...ORG, team: 'T0ORGONE001' })
    const ts = slack.calls.find(({ method, args }) => method === 'chat.postMessage' && args['channel'] === place)
    const press = (enterprise: string) => {
      const value = `T0ORGONE001:${place}:${String(ts?.args['thread_ts'])}`
      const user = { id: 'W0PERSON001', team_id: `T0HOME${enterprise.slice(1, 6)}` }
      return slack.press({ id: enterprise }, { action: SHOW_WORK, value, channel: place, user })
    }
    const opened = () => slack.calls.filter(({ method }) => method === 'views.open')
    expect((await press('E0OTHER0001')).status).toBe(200)
    expect((await press(ORG.id)).status).toBe(200)
    await until(() => opened().length > 0, 'a modal')
    expect(opened()).toMatchObject([{ home: ORG.id, args: { team_id: 'T0ORGONE001' } }])
  })

  test('a shortcut in an organisation asks in the channel’s workspace, whatever the presser’s workspace', async () => {
    await bot.install(ORG)
    const place = channel()
    const ts = '1900000030.000100'
    slack.state.channelFacts = () => ({ is_private: false, shared_team_ids: ['T0ORGSIX001'] })
    slack.state.messages = (at) => (at === place ? [{ ts, user: 'W0PERSON002', text: 'The cake is a lie.' }] : [])
    const presser = { id: 'W0PERSON001', team_id: 'T0ORGONE001' }
    const message = { channel: { id: place }, message_ts: ts, message: { ts, user: 'W0PERSON002', text: 'x' } }
    const shortcut = { type: 'message_action', callback_id: 'thinkaloud_ask_about', ...message }
    await slack.interact(ORG, presser, { ...shortcut, response_url: `${slack.apiUrl}response` })
    const opened = await until(
      () => slack.calls.find(({ method, args }) => method === 'views.open' && String(args['view']).includes(place)),
      'the modal',
    )
    const view = JSON.parse(String(opened.args['view'])) as Json
    const values = { question: { question: { type: 'plain_text_input', value: 'Is it true of the cake?' } } }
    const sent = { ...view, id: 'V0MODAL0001', app_installed_team_id: ORG.id, state: { values } }
    expect((await slack.interact(ORG, presser, { type: 'view_submission', view: sent })).status).toBe(200)
    const answered = () => slack.posts().find((post) => post.channel === place && post.text.includes('Answered.'))
    await until(answered, 'the answer')
    const calls = slack.calls.filter(({ args }) => args['channel'] === place && args['thread_ts'] !== undefined)
    expect(new Set(calls.map(({ args }) => args['team_id']))).toEqual(new Set(['T0ORGSIX001']))
    // Another asker continues the conversation.
    const next = { ts: '1900000031.000100', event_ts: '1900000031.000100', thread_ts: ts, channel: place }
    const text = `<@${botUserOf(ORG.id)}> And of the icing?`
    await slack.event({ ...ORG, team: 'T0ORGSIX001' }, { type: 'app_mention', user: 'W0PERSON003', text, ...next })
    const isAsked = () =>
      /true of the cake\?.*of the icing\?/s.test(bot.model.requests.map((r) => r.prompt).join('\n---\n'))
    await until(isAsked, 'the next question')
    const condensed = bot.model.requests.find(({ prompt }) => prompt.includes('of the icing?'))
    expect(condensed?.prompt).toContain('true of the cake?')
    slack.state.channelFacts = () => ({ is_private: false })
    slack.state.messages = () => []
  })

  test('a removed app no longer answers, and other workspaces are unaffected', async () => {
    await bot.install(ACME)
    expect((await slack.event(ACME, uninstalled)).status).toBe(200)
    expect(await isIgnored(ACME)).toBe(true)
    expect((await ask(OTHER)).home).toBe(OTHER.id)
  })

  test.each([
    ['app_uninstalled', uninstalled],
    ['tokens_revoked', { type: 'tokens_revoked', tokens: { bot: [botUserOf(ACME.id)] } }],
  ])('%s that is older than the installation does nothing, late or twice', async (_, event) => {
    const before = seconds(slack.clock.now)
    slack.clock.now += 5_000
    await bot.install(ACME)
    const late = () => slack.event(ACME, event, { event_time: before })
    expect([(await late()).status, (await late()).status]).toEqual([200, 200])
    expect((await ask(ACME)).home).toBe(ACME.id)
  })

  test('a revoked token of a person, or of another bot, ends nothing', async () => {
    await bot.install(ACME)
    const tokens = { oauth: ['U0ALICE0001'], bot: ['U0ANOTHER01'] }
    await slack.event(ACME, { type: 'tokens_revoked', tokens })
    expect((await ask(ACME)).home).toBe(ACME.id)
  })

  test('the two events, in any order and repeated, end it once, and a new installation works at once', async () => {
    await bot.install(ACME)
    const revoked = { type: 'tokens_revoked', tokens: { bot: [botUserOf(ACME.id)] } }
    for (const event of [revoked, uninstalled, uninstalled, revoked])
      expect((await slack.event(ACME, event)).status).toBe(200)
    slack.clock.now += 2_000
    await bot.install(ACME)
    expect((await ask(ACME)).home).toBe(ACME.id)
  })

  const ROUNDS = propertyRuns({ test: 5, chaos: 12 })

  test('with late, repeated and reordered events the last state counts, and other workspaces keep their data', async () => {
    const dice = diceOf('storm')
    const others = [
      { home: OTHER, place: channel() },
      { home: { ...ORG, team: 'T0ORGONE001' }, place: channel() },
    ]
    for (const home of [OTHER, ORG]) await bot.install(home)
    const say = async ({ home, place }: (typeof others)[number], text: string) => {
      const ts = `19000000${place.slice(-2)}.000${String(++count).padStart(3, '0')}`
      const mention = {
        type: 'app_mention',
        user: 'U0ALICE0001',
        channel: place,
        text: `<@${botUserOf(home.id)}> ${text}`,
      }
      await slack.event(home, { ...mention, ts, event_ts: ts, thread_ts: `19000000${place.slice(-2)}.000000` })
      await until(
        () => bot.logs.some((line) => line.includes(`${place}:${ts}`) && line.includes('question answered')),
        text,
      )
    }
    for (const other of others) await say(other, `What does ${other.place} know?`)
    let late: { event: Json; event_time: number }[] = []
    /** Delivers some of the events now, in parallel, and some of them twice. */
    const deliver = (most: number) => {
      const now = late.filter(() => dice() < most).flatMap((one) => (dice() < 0.3 ? [one, one] : [one]))
      late = late.filter((one) => !now.includes(one) || dice() < 0.2)
      return now.toSorted(() => dice() - 0.5).map(({ event, event_time }) => slack.event(ACME, event, { event_time }))
    }
    const revoked = { type: 'tokens_revoked', tokens: { bot: [botUserOf(ACME.id)] } }
    for (let round = 0; round < ROUNDS; round++) {
      slack.clock.now += 2_000
      await Promise.all([bot.install(ACME), ...deliver(0.4)])
      expect((await ask(ACME)).home).toBe(ACME.id)
      slack.clock.now += 2_000
      for (const event of [uninstalled, revoked]) late.push({ event, event_time: seconds(slack.clock.now) })
      await Promise.all(deliver(0.6))
    }
    slack.clock.now += 2_000
    await bot.install(ACME)
    expect((await Promise.all(deliver(1))).every(({ status }) => status === 200)).toBe(true)
    expect((await ask(ACME)).home).toBe(ACME.id)
    await slack.event(ACME, uninstalled)
    expect(await isIgnored(ACME)).toBe(true)
    for (const other of others) {
      await say(other, 'And then?')
      const prompt = JSON.stringify(
        bot.model.requests.filter((request) => JSON.stringify(request).includes(other.place)),
      )
      expect(prompt).toMatch(/And then\?/)
    }
  })

  test('a workspace that left an organisation and returned keeps its data when the old event comes late', async () => {
    await bot.install(ORG)
    const place = channel()
    const team = 'T0ORGBACK01'
    const say = async (text: string) => {
      await slack.mention({ ...ORG, team }, text, { channel: place })
      await until(() => bot.logs.filter((l) => l.includes(place) && l.includes('question answered')).length > 0, text)
    }
    const access = (what: string, more = {}) =>
      slack.event(ORG, { type: `team_access_${what}`, team_ids: [team] }, more)
    const left = seconds(slack.clock.now)
    await access('revoked')
    slack.clock.now += 5_000
    await access('granted')
    await say('Who?')
    const forgotten = () =>
      bot.logs.filter((line) => line.includes(team) && line.includes('its data was deleted')).length
    const before = forgotten()
    await access('revoked', { event_time: left })
    expect(forgotten()).toBe(before)
    await access('revoked')
    expect(forgotten()).toBe(before + 1)
  })

  test('a removal by an organisation does not affect a workspace that has installed the app itself since', async () => {
    await bot.install(ORG)
    const own = { id: 'T0ORGOWN002', enterprise: ORG.id }
    await ask({ ...ORG, team: own.id })
    await bot.install(own)
    await slack.event(ORG, uninstalled)
    expect(bot.logs.filter((line) => line.includes(own.id) && line.includes('its data was deleted'))).toEqual([])
    expect((await ask(own)).home).toBe(own.id)
  })

  test('a workspace that removes its own installation keeps its data while its organisation has the app', async () => {
    await bot.install(ORG)
    const own = { id: 'T0ORGOWN003', enterprise: ORG.id }
    await ask({ ...ORG, team: own.id })
    await bot.install(own)
    await slack.event(own, uninstalled)
    expect(bot.logs.filter((line) => line.includes(own.id) && line.includes('its data was deleted'))).toEqual([])
  })
})

/** Returns a generator of numbers from 0 to 1, repeatable by its seed. */
function diceOf(seed: string): () => number {
  let n = 0
  return () => createHash('sha256').update(`${seed} ${n++}`).digest().readUInt32BE(0) / 2 ** 32
}

describeWithRedis('in Redis', async () => {
  const ends = fileEnds()
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())
  const env = (prefix: string) => () => ({ REDIS_URL: server.url, REDIS_PREFIX: prefix })
  const redis = new Redis(server.url)
  ends.onTestFinished(() => redis.disconnect())

  const COUNT = propertyRuns({ test: 8, chaos: 20 })

  test(`in ${COUNT} workspaces with three threads each no canary is in a prompt, a post, a key, a metric or a Home of another`, async (t) => {
    const bot = await startManyBot(t, { env: () => ({ ...env('isolated')(), METRICS_PORT: '0' }) })
    const homes = Array.from({ length: COUNT }, (_, n) => ({ id: `T0TEAM${String(n).padStart(5, '0')}` }))
    for (const home of homes) await bot.install(home)
    const canary = (id: string) => `canary-of-${id.toLowerCase()}-`
    const asked = homes.flatMap((home) => [1, 2, 3].map((n) => ({ home, place: `C${home.id.slice(1)}N${n}` })))
    // The same person and the same thread, in each workspace's first channel.
    await Promise.all(
      asked.map(({ home, place }) =>
        bot.slack.mention(home, `What of ${canary(home.id)}${place}?`, { channel: place }),
      ),
    )
    await until(
      () => asked.every(({ place }) => bot.slack.posts().some(({ channel }) => channel === place)),
      'all answers',
    )
    const homesOf = (text: string) => homes.filter(({ id }) => text.includes(canary(id))).length
    const prompts = bot.model.requests.map((request) => JSON.stringify(request))
    expect(prompts.filter((prompt) => homesOf(prompt) !== 1)).toEqual([])
    expect(bot.slack.posts().filter(({ home, channel }) => !channel.includes(String(home).slice(1)))).toEqual([])
    const calls = bot.slack.calls.filter(
      ({ home, args }) =>
        JSON.stringify(args).includes('canary-of-') && !JSON.stringify(args).includes(canary(String(home))),
    )
    expect(calls).toEqual([])
    const isArchived = async () => (await redis.keys('isolated:*:asked:*')).length >= homes.length
    await until(isArchived, 'what the Homes show')
    const homeOf = (home: Home) =>
      bot.slack.calls.findLast((call) => call.method === 'views.publish' && call.home === home.id)
    await Promise.all(
      homes.map((home) => {
        const place = { user: 'U0ALICE0001', channel: `D${home.id.slice(1)}` }
        return bot.slack.event(home, { type: 'app_home_opened', ...place, tab: 'home', event_ts: '1900000000.000100' })
      }),
    )
    await until(() => homes.every((home) => homeOf(home)), 'all Homes')
    const shown = homes.map((home) => JSON.stringify(homeOf(home)?.args))
    expect(homes.filter(({ id }, i) => !shown[i]?.includes(canary(id)) || homesOf(shown[i] ?? '') !== 1)).toEqual([])
    const keys = await redis.keys('*')
    const values = await Promise.all(keys.map(async (key) => `${key} ${await textAt(redis, key)}`))
    const found = values.filter((value) => homesOf(value) > 0)
    expect(found.length).toBeGreaterThan(homes.length)
    const ownerOf = (value: string) => /\{(T0TEAM\d+)/.exec(value)?.[1] ?? ''
    expect(found.filter((value) => homesOf(value) !== 1 || !value.includes(canary(ownerOf(value))))).toEqual([])
    expect(await (await fetch(`http://127.0.0.1:${bot.bot.metricsPort}/metrics`)).text()).not.toContain('canary')
  })

  test('a removed workspace leaves no key, and no other workspace loses one', async (t) => {
    const bot = await startManyBot(t, { env: env('leaving') })
    await bot.install(ACME)
    await bot.install(ORG)
    await bot.slack.mention(ACME, 'Who?', { channel: 'C0ACME00001' })
    await bot.slack.mention({ ...ORG, team: 'T0ORGONE001' }, 'Who?', { channel: 'C0ORGONE001' })
    await bot.slack.mention({ ...ORG, team: 'T0ORGTWO001' }, 'Who?', { channel: 'C0ORGTWO001' })
    for (const place of ['C0ACME00001', 'C0ORGONE001', 'C0ORGTWO001']) await bot.answered(place)
    const keysOf = (team: string) => redis.keys(`leaving:*${team}*`)
    const records = () => redis.hkeys('leaving:{installations}:records')
    const kept = async () => (await keysOf('T0ORGTWO001')).length
    await until(async () => (await keysOf('T0ACME00001')).length > 0 && (await kept()) > 0, 'what is kept')
    await bot.slack.event(ACME, uninstalled)
    await expect.poll(() => keysOf('T0ACME00001'), { timeout: 10_000 }).toEqual([])
    expect(await records()).toEqual([ORG.id])
    await bot.slack.event(ORG, { type: 'team_access_revoked', event: { team_ids: ['T0ORGONE001'] } })
    await expect.poll(() => keysOf('T0ORGONE001'), { timeout: 10_000 }).toEqual([])
    expect(await kept()).toBeGreaterThan(0)
    await bot.slack.event(ORG, uninstalled)
    await expect.poll(() => redis.keys('leaving:*{[TE]0*'), { timeout: 10_000 }).toEqual([])
    expect([await records(), await keysOf('E0ORG000001'), await keysOf('T0ORGTWO001')]).toEqual([[], [], []])
  })

  test('an installation survives the process', async (t) => {
    const first = await startManyBot(t, { env: env('outlives') })
    await first.install(ACME)
    await first.bot.stop()
    const second = await startManyBot(t, { env: env('outlives'), slack: first.slack })
    await second.slack.mention(ACME, 'Who?', { channel: 'C0AGAIN0001' })
    expect((await second.answered('C0AGAIN0001')).home).toBe(ACME.id)
  })

  test('an unreadable record is named at the start by its team', async (t) => {
    const first = await startManyBot(t, { env: env('unopened') })
    await first.install(ACME)
    const second = await startManyBot(t, {
      env: () => ({ ...env('unopened')(), SECRETS_KEY: 'another key that is long enough too' }),
      slack: first.slack,
    })
    expect(second.logs.find((line) => line.includes('decrypts these installations'))).toContain(ACME.id)
  })
})

/** Returns the whole content of a key. */
async function textAt(redis: Redis, key: string): Promise<string> {
  const type = await redis.type(key)
  if (type === 'hash') return JSON.stringify(await redis.hgetall(key))
  if (type === 'list') return JSON.stringify(await redis.lrange(key, 0, -1))
  if (type === 'set') return JSON.stringify(await redis.smembers(key))
  if (type === 'zset') return JSON.stringify(await redis.zrange(key, '0', '-1'))
  if (type === 'stream') return JSON.stringify(await redis.xrange(key, '-', '+'))
  return String(await redis.get(key))
}

test.each([120_000, -120_000])(
  'the end of an installation is judged by Slack’s clock, even if the bot’s is %i ms ahead',
  async (aheadMs) => {
    const { slack, ...bot } = await startManyBot({ onTestFinished }, { aheadMs })
    const before = seconds(slack.clock.now)
    slack.clock.now += 30_000
    await bot.install(ACME)
    expect((await grantSlack({ slack, ...bot }, ACME)).page.status).toBe(200)
    const isConnected = async () => (await linkIn({ slack, ...bot }, ACME, { account: 'Slack' })) === ''
    const revoked = { type: 'tokens_revoked', tokens: { oauth: ['U0ALICE0001'] } }
    for (const event of [revoked, uninstalled]) await slack.event(ACME, event, { event_time: before })
    expect(await isConnected()).toBe(true)
    slack.clock.now += 10_000
    await slack.event(ACME, revoked)
    expect(await isConnected()).toBe(false)
    await slack.event(ACME, uninstalled)
    expect(bot.logs.join()).toContain('the app was removed from the workspace')
  },
)
