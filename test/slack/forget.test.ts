/** The data that is deleted on request, and when the app is removed. */
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { pressAlone } from '../harness/answer-buttons.ts'
import { startBot, Thread, type TestBot } from '../harness/bot.ts'
import { FORGET_CANCEL, FORGET_DELETE } from '../../src/slack/format/action-ids.ts'
import { fileEnds } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { atSecondThought } from '../harness/steered-bot.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { sendJson, startWebServer } from '../harness/web-server.ts'

/** Returns whether the bot remembers the thread, so that the next question there is condensed with it. */
async function remembers({ model }: TestBot, thread: Thread): Promise<boolean> {
  const before = model.requests.length
  await thread.reply('<@U0THINK0001> And how?')
  await thread.ended()
  return model.requests.slice(before).some(({ kind }) => kind === 'condense')
}

const start = async (t: Parameters<typeof startBot>[0], env: Record<string, string> = {}) => {
  const bot = await startBot(t, { env })
  bot.model.condenses('', 'And how is it done?')
  bot.model.on('', finish('The secret is a heron.'))
  return bot
}

const asked = (bot: TestBot, channel: string) => answered(bot, () => bot.mention('What is the secret?', { channel }))

/** Asks, and waits until the turn is stored, a moment after the answer is posted. */
async function answered(bot: TestBot, ask: () => Promise<Thread>): Promise<Thread> {
  const count = () => bot.logs.filter((line) => line.includes('question answered')).length
  const before = count()
  const thread = await ask()
  await thread.ended()
  await bot.slack.until(() => count() > before, 'the end of the run')
  return thread
}

/** Sends `/ask forget`. Presses a button if a confirmation is asked for. Returns the texts. */
async function told(
  bot: TestBot,
  { text = 'forget', user = ALICE, channel = GENERAL, button = FORGET_DELETE } = {},
): Promise<string> {
  const before = bot.slack.ephemerals(channel, user).length
  expect((await bot.slack.slash(text, { user, channel })).ok).toBe(true)
  const said = () => bot.slack.ephemerals(channel, user)[before]
  const first = await bot.slack.until(said, 'a private word')
  if (!first.includes('Delete what I remember')) return first
  await pressAlone(bot.slack, button, { user, channel })
  return bot.slack.until(() => (said() === first ? undefined : said()), 'another word in its place')
}

describe('/ask forget', () => {
  test('in a channel is for admins: it forgets only that channel, with an ephemeral message', async (t) => {
    const bot = await start(t)
    const [here, there] = [await asked(bot, GENERAL), await asked(bot, RANDOM)]
    const posts = bot.slack.messages(GENERAL).length
    expect(await told(bot, { user: BOB })).toMatch(/Only workspace admins.*\/ask settings/)
    expect(await remembers(bot, here)).toBe(true)
    bot.slack.addUser(BOB, { is_admin: true })
    expect(await told(bot, { user: BOB, button: FORGET_CANCEL })).toBe('Cancelled: nothing was deleted.')
    expect(await remembers(bot, here)).toBe(true)
    expect(await told(bot, { user: BOB, text: 'Forget!' })).toMatch(/Done: I have forgotten.*in this channel/)
    expect(bot.slack.messages(GENERAL)).toHaveLength(posts + 4)
    expect([await remembers(bot, here), await remembers(bot, there)]).toEqual([false, true])
  })

  test('is for members, but not guests, if an admin has allowed that', async (t) => {
    const bot = await start(t)
    bot.slack.addUser(BOB, { is_admin: true })
    await bot.slack.slash('settings', { user: BOB, channel: GENERAL })
    await (await bot.modal(BOB)).submit({ who_may_forget: 'anyone' })
    bot.slack.addUser(BOB, { is_admin: false, is_restricted: true })
    const thread = await asked(bot, GENERAL)
    expect(await told(bot, { user: BOB })).toMatch(/Only full members/)
    expect(await remembers(bot, thread)).toBe(true)
    expect(await told(bot)).toMatch(/Done/)
    expect(await remembers(bot, thread)).toBe(false)
  })

  test('in a direct message is for anybody, and forgets it', async (t) => {
    const bot = await start(t)
    const thread = await answered(bot, () => bot.dm('What is the secret?'))
    const channel = await asked(bot, GENERAL)
    expect(await told(bot, { channel: thread.channel })).toMatch(/Done: I have forgotten our direct messages/)
    expect([await remembers(bot, thread), await remembers(bot, channel)]).toEqual([false, false])
  })

  test('in a direct message it leaves what somebody of another company with the same id has asked', async (t) => {
    const bot = await start(t, { ALLOW_EXTERNAL: 'true' })
    const dm = await answered(bot, () => bot.dm('What is the secret?'))
    const namesake = { user: ALICE, extra: { user_team: 'T0OTHER0001', team: 'T0OTHER0001' } }
    const theirs = await answered(bot, () => bot.mention('What is the secret?', namesake))
    const mine = await asked(bot, GENERAL)
    expect(await told(bot, { channel: dm.channel })).toMatch(/Done/)
    expect([await remembers(bot, mine), await remembers(bot, theirs)]).toEqual([false, true])
  })

  test('in a direct message forgets the person’s threads too, and nothing of others', async (t) => {
    const bot = await start(t)
    const dm = await bot.dm('What is the secret?')
    await dm.ended()
    const { thread } = await bot.slack.say({ user: ALICE, text: 'It is a bird.' })
    await bot.slack.say({ user: 'U0CAROL0001', text: 'A big one.', thread_ts: thread })
    const asked = await bot.slack.say({ user: BOB, text: `<@${BOT_USER}> Which bird?`, thread_ts: thread })
    const other = new Thread(bot.slack, asked)
    // Its turn is stored a moment after its answer is posted.
    const answered = () => bot.logs.filter((line) => line.includes('question answered')).length
    await bot.slack.until(() => answered() === 2, 'the end of both runs')
    expect(await told(bot, { channel: dm.channel })).toMatch(/what I had read of your messages in threads.*stay/s)
    await other.reply(`<@${BOT_USER}> And how?`, { user: BOB })
    await other.ended()
    const prompt = bot.model.requests.findLast(({ kind }) => kind === 'condense')?.prompt ?? ''
    expect(prompt).toMatch(/A big one\.[^]*Which bird\?/)
    expect(prompt).not.toContain('It is a bird')
  })

  test('by a person whom Slack does not identify forgets nothing', async (t) => {
    const bot = await start(t)
    const thread = await asked(bot, GENERAL)
    bot.slack.fault({ method: 'users.info', error: 'missing_scope' })
    expect(await told(bot)).toMatch(/deleted nothing.*Reference: [0-9a-f]{8}/s)
    expect(await remembers(bot, thread)).toBe(true)
  })
})

describe('tokens_revoked', () => {
  test.for([
    ['of the bot forgets the workspace', { bot: ['U0THINK0001'] }, false],
    ['of a person changes nothing', { oauth: [ALICE], bot: [] }, true],
  ] as const)('%s', async ([, tokens, isKept], t) => {
    const bot = await start(t)
    const thread = await asked(bot, GENERAL)
    await bot.slack.people.event({ type: 'tokens_revoked', tokens })?.first
    expect(await remembers(bot, thread)).toBe(isKept)
  })
})

describeWithRedis('when the app is removed', async () => {
  const ends = fileEnds()
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())

  test('no key of the workspace is left', async (t) => {
    const bot = await start(t, { REDIS_URL: server.url, LIMIT_USER_HOUR: '9', BUDGET_TEAM_DAY_TOKENS: '999999' })
    await asked(bot, GENERAL)
    await (await bot.dm('What is the secret?')).ended()
    bot.slack.addUser(BOB, { is_restricted: true })
    await bot.mention('Anybody?', { user: BOB })
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, BOB)[0], 'a refusal')
    const redis = new Redis(server.url)
    const ofTeam = async () => redis.keys('*T0LOCAL0001*')
    expect((await ofTeam()).length).toBeGreaterThan(5)
    const events = await bot.slack.people.uninstall()
    expect(await Promise.all(events.map(({ first }) => first))).toEqual(
      events.map(() => expect.objectContaining({ status: 200 })),
    )
    expect(await ofTeam()).toEqual([])
    expect(await redis.exists('{thinkaloud:bull}:turns:events')).toBe(0)
    const tags = await redis.hkeys('{thinkaloud:bull}:fair')
    expect(tags.filter((channel) => channel.includes('T0LOCAL0001'))).toEqual([])
    await redis.quit()
  })

  test('during a question, with another one waiting, no key or value of the workspace is left after ten seconds', async (t) => {
    const env = { REDIS_URL: server.url, REDIS_PREFIX: 'gone', SHUTDOWN_MS: '300' }
    const bot = await startBot(t, { env })
    await atSecondThought(bot, 'secret', () => bot.mention('What is the secret?'))
    await bot.mention('And another?', { channel: RANDOM })
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    await redis.config('SET', 'rdbcompression', 'no')
    expect(await stored(redis, 'gone', 'T0LOCAL0001')).not.toEqual([])
    await bot.slack.people.uninstall()
    await expect.poll(() => stored(redis, 'gone', 'T0LOCAL0001'), { timeout: 10_000 }).toEqual([])
  })

  test('by a whole organisation, no key of its workspaces is left', async (t) => {
    const org = { team_id: 'T0LOCAL0001', enterprise_id: 'E0ORG', is_enterprise_install: true }
    const api = await startWebServer((_, response) => sendJson(response, { ok: true, ...org, user_id: BOT_USER }))
    const bot = await startBot(t, {
      env: { REDIS_URL: server.url, REDIS_PREFIX: 'org', SLACK_API_URL: `${api.url}/api/` },
    })
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    const keys = () => redis.keys('org:{T0*')
    for (const key of ['org:{T0OTHER:C1:1.0}:title', 'org:{T0OTHER}:limit:at-once', 'org:{T0LOCAL0001:C1:1.0}:history'])
      await redis.set(key, 'x', 'PX', 60_000)
    expect(await keys()).toHaveLength(3)
    const event = bot.slack.people.event({ type: 'app_uninstalled' })!
    const authorizations = [{ enterprise_id: 'E0ORG', team_id: null, user_id: BOT_USER, is_enterprise_install: true }]
    const payload = { ...event.payload, team_id: null, authorizations }
    expect(await bot.slack.redeliver({ ...event, payload })).toMatchObject({ status: 200 })
    expect(await keys()).toEqual([])
  })
})

/** Returns the keys of a prefix whose name or value contains a word. */
async function stored(redis: Redis, prefix: string, word: string): Promise<string[]> {
  const keys = await redis.keys(`*${prefix}*`)
  const dumps = await Promise.all(
    keys.map(async (key) => `${key} ${(await redis.dumpBuffer(key))?.toString('latin1')}`),
  )
  return keys.filter((_, n) => dumps[n]?.includes(word))
}
