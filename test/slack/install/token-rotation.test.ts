/** Rotating tokens: each is valid for twelve hours, a refresh token works once, and acks do not wait for a refresh. */
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { until } from '../../../playground/base/until.ts'
import type { Ends } from '../../harness/ends.ts'
import { startManyBot, type ManyBot } from '../../harness/many-bot.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'

const ACME = { id: 'T0ACME00001' }
const HOUR_MS = 3_600_000
/** The age at which a token may first be refreshed: 2 h before its end, less a spread of up to 20 min. */
const EARLY_MS = 12 * HOUR_MS - 2 * HOUR_MS - 20 * 60_000

let count = 0
async function ask(bot: ManyBot) {
  const channel = `C0PLACE${String(++count).padStart(4, '0')}`
  expect((await bot.slack.mention(ACME, 'Who?', { channel })).status).toBe(200)
  await bot.answered(channel)
  return bot.slack.calls.findLast(({ method, args }) => method === 'chat.postMessage' && args['channel'] === channel)
    ?.token
}

async function installed(t: Ends): Promise<ManyBot> {
  const bot = await startManyBot(t, { rotates: true })
  await bot.install(ACME)
  return bot
}

const refreshed = (bot: ManyBot, times: number) => until(() => bot.slack.state.refreshes >= times, `refresh ${times}`)
const told = (bot: ManyBot) => bot.slack.posts().filter(({ text }) => text.includes('/slack/install'))

test('a token is refreshed about two hours before its end, not earlier', async (t) => {
  const bot = await installed(t)
  const first = await ask(bot)
  bot.slack.clock.now += EARLY_MS - 60_000
  expect([await ask(bot), bot.slack.state.refreshes]).toEqual([first, 0])
  bot.slack.clock.now += 20 * 60_000 + 120_000
  await ask(bot)
  await refreshed(bot, 1)
  expect(await ask(bot)).not.toBe(first)
  expect(bot.slack.state.refreshes).toBe(1)
})

test('an expired token is replaced before it is used', async (t) => {
  const bot = await installed(t)
  const first = await ask(bot)
  bot.slack.clock.now += 13 * HOUR_MS
  expect(await ask(bot)).not.toBe(first)
  const after = bot.slack.calls.slice(bot.slack.calls.findIndex(({ args }) => args['grant_type'] === 'refresh_token'))
  expect(after.filter(({ token }) => token === first)).toEqual([])
})

test('a token that Slack ends early is replaced once, and the call is made again', async (t) => {
  const bot = await installed(t)
  const first = await ask(bot)
  for (const known of bot.slack.tokens.values()) known.until = 0
  expect(await ask(bot)).not.toBe(first)
  expect(bot.slack.state.refreshes).toBe(1)
})

test('a refused refresh notifies the installer once, with the address, while the old token works', async (t) => {
  const bot = await installed(t)
  bot.slack.state.spendRefreshTokens()
  bot.slack.clock.now += 11 * HOUR_MS
  await ask(bot)
  await until(() => told(bot).length > 0, 'a word to the installer')
  bot.slack.clock.now += 10 * 60_000
  await ask(bot)
  await ask(bot)
  expect(told(bot)).toEqual([
    { home: ACME.id, channel: 'U0INSTALLER', text: expect.stringContaining('https://bot.example.com/slack/install') },
  ])
  await bot.install(ACME)
  bot.slack.clock.now += 11 * HOUR_MS
  await ask(bot)
  await until(() => bot.slack.state.refreshes >= 3, 'a refresh of the new installation')
  expect(told(bot)).toHaveLength(1)
})

test.for([
  ['<!channel> & Sons', 'channel &amp; Sons'],
  ['<https://evil.example/login|Sign in>', 'https evil.example login Sign in'],
  ['<@U0BOSS00001>', 'U0BOSS00001'],
  ['A\nB: *install me* at\u2028 https://evil.example', 'A B install me at https evil.example'],
  ['', 'this workspace'],
])('the name of a workspace is a name in the note to its installer: %j', async ([name, shown], t) => {
  const bot = await startManyBot(t, { rotates: true })
  await bot.install({ ...ACME, name })
  bot.slack.state.spendRefreshTokens()
  bot.slack.clock.now += 11 * HOUR_MS
  await ask(bot)
  const [note] = await until(() => (told(bot).length > 0 ? told(bot) : undefined), 'a word to the installer')
  expect(note?.text).toContain(`lose my access to ${shown}: Slack no longer renews it.`)
  expect(JSON.stringify(bot.slack.calls.filter(({ args }) => args['channel'] === 'U0INSTALLER'))).not.toMatch(/<[!@h]/)
})

test('an admin is notified if the installer cannot be reached', async (t) => {
  const bot = await installed(t)
  bot.slack.state.spendRefreshTokens()
  bot.slack.state.refuses = (method, _home, args) =>
    method === 'chat.postMessage' && args['channel'] === 'U0INSTALLER' ? 'channel_not_found' : undefined
  bot.slack.clock.now += 11 * HOUR_MS
  await ask(bot)
  await until(() => told(bot).some(({ channel }) => channel === 'U0ADMIN0001'), 'a word to an admin')
})

test('in an organisation an admin of one of its workspaces is notified', async (t) => {
  const bot = await startManyBot(t, { rotates: true })
  const org = { id: 'E0ORG000001', team: 'T0ORGONE001' }
  await bot.install({ id: org.id })
  bot.slack.state.spendRefreshTokens()
  bot.slack.state.refuses = (method, _home, args) =>
    method === 'chat.postMessage' && args['channel'] === 'U0INSTALLER' ? 'channel_not_found' : undefined
  await bot.slack.mention(org, 'Who?', { channel: 'C0ORG000001' })
  await bot.answered('C0ORG000001')
  bot.slack.clock.now += 11 * HOUR_MS
  await bot.slack.mention(org, 'Who?', { channel: 'C0ORG000002' })
  await until(() => told(bot).some(({ channel }) => channel === 'U0ADMIN0001'), 'a word to an admin')
})

test('a refusal of the operator’s secret is logged, notifies no installer, and the old token stays in use', async (t) => {
  const bot = await installed(t)
  bot.slack.state.refuses = (method) => (method === 'oauth.v2.access' ? 'bad_client_secret' : undefined)
  bot.slack.clock.now += 11 * HOUR_MS
  await ask(bot)
  await until(() => bot.logs.some((line) => line.includes('could not be refreshed')), 'a line in the log')
  expect(told(bot)).toEqual([])
})

test('a workspace that is moving into an organisation is waited for, without a notice', async (t) => {
  const bot = await installed(t)
  let left = 2
  bot.slack.state.refuses = (method) => (method === 'oauth.v2.access' && left-- > 0 ? 'org_login_required' : undefined)
  bot.slack.clock.now += 11 * HOUR_MS
  await ask(bot)
  await refreshed(bot, 1)
  expect(told(bot)).toEqual([])
})

test('a new installation during a refresh wins', async (t) => {
  const bot = await installed(t)
  bot.slack.clock.now += 11 * HOUR_MS
  let [release, isHeld] = [() => {}, false]
  bot.slack.state.hold = (args) =>
    args['grant_type'] === 'refresh_token'
      ? new Promise((resolve) => {
          isHeld = true
          release = resolve
        })
      : undefined
  await ask(bot)
  await until(() => isHeld, 'a refresh that is under way')
  await bot.install(ACME)
  const installs = [...bot.slack.tokens.keys()].at(-1)
  release()
  await until(() => bot.logs.some((line) => line.includes('installed again while')), 'a line in the log')
  expect(await ask(bot)).toBe(installs)
})

describeWithRedis('over processes', () => {
  const server = suiteRedis()

  // test/chaos/rotations.test.ts sends two hundred to real processes.
  test('forty events at once in four processes refresh once, and each ack comes at once', async (t) => {
    const env = () => ({ REDIS_URL: server.url, REDIS_PREFIX: 'rotation' })
    const first = await startManyBot(t, { rotates: true, env })
    await first.install(ACME)
    const others = await Promise.all([1, 2, 3].map(() => startManyBot(t, { slack: first.slack, env })))
    first.slack.clock.now += 10 * HOUR_MS + 60_000
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    first.slack.state.hold = (args) => (args['grant_type'] === 'refresh_token' ? held : undefined)
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        first.slack.setTarget([first, ...others][n % 4]!.url)
        const channel = `C0MANY${String(n % 10).padStart(4, '0')}`
        return (await first.slack.mention(ACME, `Question ${n}?`, { channel })).status
      }),
    )
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    release()
    await until(() => new Set(first.slack.posts().map(({ channel }) => channel)).size >= 10, 'answers everywhere')
    await refreshed(first, 1)
    expect(first.slack.state.refreshes).toBe(1)
  })

  test('the installer is notified once, even if that outlives the lock of the refresh', async (t) => {
    const env = () => ({ REDIS_URL: server.url, REDIS_PREFIX: 'telling' })
    const first = await startManyBot(t, { rotates: true, env })
    await first.install(ACME)
    const other = await startManyBot(t, { slack: first.slack, env })
    first.slack.state.spendRefreshTokens()
    let release = () => {}
    let isHeld = false
    const held = new Promise<void>((resolve) => (release = resolve))
    first.slack.state.hold = (args) => (args['channel'] === 'U0INSTALLER' ? ((isHeld = true), held) : undefined)
    first.slack.setTarget(first.url)
    first.slack.clock.now += 11 * HOUR_MS
    await ask(first)
    await until(() => isHeld, 'a telling that is under way')
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    for (const lock of await redis.keys(`telling:*lock:refresh:${ACME.id}`)) await redis.unlink(lock)
    first.slack.setTarget(other.url)
    await ask(other)
    release()
    await until(() => told(first).length > 0, 'a word to the installer')
    await ask(other)
    expect(told(first)).toHaveLength(1)
  })
})
