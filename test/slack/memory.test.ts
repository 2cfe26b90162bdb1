/** Remembered texts: where they are used, who may add and delete them, and what is never remembered. */
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM, TEAM } from '../../playground/slack/slack.ts'
import { forget as forgetPlace } from '../harness/answer-buttons.ts'
import { startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { strangers } from '../harness/slack-hands.ts'

const PRIVATE = 'G0PRIVATE01'
const [DM_ALICE, DM_BOB] = [`D${ALICE.slice(1)}`, `D${BOB.slice(1)}`]

async function start(t: Parameters<typeof startBot>[0], env: Record<string, string> = {}): Promise<TestBot> {
  const bot = await startBot(t, { env })
  bot.slack.addChannel(PRIVATE, { kind: 'group', name: 'board', members: new Set([ALICE, BOB, BOT_USER]) })
  bot.model.on('', finish('So it is.'))
  bot.model.condenses('', 'And then?')
  return bot
}

/** Returns the ephemeral message after `work`. */
async function told(bot: TestBot, work: () => Promise<unknown>, where: { channel?: string; user?: string } = {}) {
  const { channel = GENERAL, user = ALICE } = where
  const before = bot.slack.ephemerals(channel, user).length
  await work()
  return bot.slack.until(() => bot.slack.ephemerals(channel, user)[before], 'a private word')
}

const slash = (bot: TestBot, text: string, where: { channel?: string; user?: string } = {}) =>
  told(bot, () => bot.slack.slash(text, { channel: GENERAL, user: ALICE, ...where }), where)

/** Presses *Forget* on a person's newest ephemeral message. */
async function forget({ slack }: TestBot, { channel = GENERAL, user = ALICE, at = 0 } = {}) {
  const seen = slack.store.channels.get(channel)!.ephemerals.findLast((one) => one.user === user)!
  const values = [...JSON.stringify(seen.blocks).matchAll(/"value":"([^"]+)"/g)].map(([, value]) => value)
  return slack.press({ channel, ts: seen.ts, user }, { action_id: 'thinkaloud_forget_remembered', value: values[at]! })
}

/** Asks. Returns the answer and the prompt of the last call. */
async function ask(bot: TestBot, text: string, { channel = GENERAL, user = ALICE } = {}) {
  const thread = channel.startsWith('D') ? await bot.dm(text, { user }) : await bot.mention(text, { channel, user })
  const answer = await thread.ended()
  return { thread, answer, prompt: bot.model.requests.at(-1)?.prompt ?? '' }
}

/** Five places, each with its own canary added in a different way, and their askers. */
const PLACES = [
  { canary: 'heron', channel: GENERAL, user: ALICE },
  { canary: 'plover', channel: RANDOM, user: BOB },
  { canary: 'dunlin', channel: PRIVATE, user: BOB },
  { canary: 'avocet', channel: DM_ALICE, user: ALICE },
  { canary: 'godwit', channel: DM_BOB, user: BOB },
]

async function canariesStay(bot: TestBot) {
  for (const { canary, channel, user } of PLACES) {
    const text = `remember: our bird is the ${canary}`
    const say = () => (channel.startsWith('D') ? bot.dm(text, { user }) : bot.mention(text, { channel, user }))
    const word = await told(bot, say, { channel, user })
    expect(word).toContain(`our bird is the ${canary}`)
    expect(word).toContain(channel.startsWith('D') ? 'our direct messages' : 'this channel')
  }
  const asked = PLACES.flatMap((place) => [ALICE, BOB].map((user) => ({ ...place, user })))
  const allowed = asked.filter(({ channel, user }) => !channel.startsWith('D') || channel === `D${user.slice(1)}`)
  await Promise.all(
    allowed.map(async ({ channel, user, canary }) => {
      const { answer } = await ask(bot, `What of ${channel} for ${user}?`, { channel, user })
      expect(answer).not.toContain('told me')
      const prompts = bot.model.requests.filter(({ question }) => question.includes(`What of ${channel} for ${user}`))
      expect(prompts).toHaveLength(1)
      const seen = PLACES.filter((one) => prompts[0]!.prompt.includes(one.canary))
      expect(seen.map((one) => one.canary)).toEqual([canary])
      expect(prompts[0]!.body.messages[0]?.content).not.toContain(canary)
    }),
  )
}

describeWithRedis('in Redis', async () => {
  const ends = fileEnds()
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())

  test('a text is known only in its place; /ask forget, a deletion and a removal leave no key', async (t) => {
    const bot = await start(t, { REDIS_URL: server.url, SECRETS_KEY: 'k'.repeat(40) })
    await canariesStay(bot)
    expect([bot.slack.pings(), bot.slack.refusals]).toEqual([[], []])
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    const places = async () =>
      (await redis.keys('*remembered*')).map((key) => /:([CDG][A-Z0-9]+):/.exec(key)?.[1]).sort()
    expect(await places()).toEqual(PLACES.map(({ channel }) => channel).sort())
    for (const key of await redis.keys('*remembered*')) expect(await redis.get(key)).toMatch(/^v1\./)
    bot.slack.addUser(ALICE, { is_admin: true })
    // A person's texts are deleted wherever they were added.
    await forgetPlace(bot.slack, { channel: DM_BOB, user: BOB })
    await expect.poll(places).toEqual([DM_ALICE, GENERAL].sort())
    await forgetPlace(bot.slack)
    await expect.poll(places).toEqual([DM_ALICE])
    expect((await ask(bot, 'And now?')).answer).not.toContain('remembered')
    await slash(bot, 'remember the owl', { channel: RANDOM })
    await bot.slack.people.event({ type: 'channel_deleted', channel: RANDOM })?.first
    expect(await places()).toEqual([DM_ALICE])
    await Promise.all((await bot.slack.people.uninstall()).map(({ first }) => first))
    expect(await places()).toEqual([])
  })

  test('an unreadable text is left as it is, with a message', async (t) => {
    const env = { REDIS_URL: server.url, REDIS_PREFIX: 'rotated' }
    const before = await start(t, { ...env, SECRETS_KEY: 'k'.repeat(40) })
    await slash(before, 'remember our bird is the heron')
    await before.stop()
    const bot = await start(t, { ...env, SECRETS_KEY: 'n'.repeat(40) })
    for (const text of ['remember our bird is the owl', 'memory'])
      expect(await slash(bot, text)).toContain('I cannot read what I remember here, so I left it as it is')
    const { answer } = await ask(bot, 'Which bird?')
    expect(answer).not.toContain('remembered')
    await bot.stop()
    const again = await start(t, { ...env, SECRETS_KEY: 'n'.repeat(40), SECRETS_KEY_OLD: 'k'.repeat(40) })
    expect(await slash(again, 'memory')).toMatch(/I remember 1 thing [^]*our bird is the heron/)
  })
})

test('a channel shared with another company is a separate scope, and its guests can only read', async (t) => {
  const bot = await start(t, { ALLOW_EXTERNAL: 'true' })
  const channel = bot.slack.store.channel(GENERAL)
  const outsider = strangers.outsider(bot.slack)
  await slash(bot, 'remember our margin is 40%')
  const { thread, prompt } = await ask(bot, 'What is our margin?')
  expect(prompt).toContain('our margin is 40%')
  channel.shared = true
  expect((await ask(bot, 'What is our margin now?', { user: outsider })).prompt).not.toContain('40%')
  expect(await slash(bot, 'memory', { user: outsider })).toContain('I remember nothing for this channel yet')
  await thread.press('thinkaloud_show_work', { user: outsider })
  const work = await bot.modal(outsider)
  await bot.slack.until(() => !work.shown().includes('Loading'), 'the work')
  expect(work.shown()).not.toContain('our margin is 40%')
  expect(await slash(bot, 'remember the price is 9', { user: outsider })).toContain('Only full members')
  await slash(bot, 'remember the price is 10')
  const shared = await ask(bot, 'And what is the price?', { user: outsider })
  expect(shared.prompt).toContain('the price is 10')
  expect(shared.prompt).not.toContain('40%')
  channel.shared = false
  const own = await ask(bot, 'What do we know?')
  expect(own.prompt).toContain('our margin is 40%')
  expect(own.prompt).not.toContain('the price is 10')
  bot.slack.addUser(ALICE, { is_admin: true })
  await forgetPlace(bot.slack)
  channel.shared = true
  expect(await slash(bot, 'memory')).toContain('I remember nothing for this channel yet')
  channel.shared = false
  expect(await slash(bot, 'memory')).toContain('I remember nothing for this channel yet')
  // If Slack does not return facts on the channel, its remembered texts are not used.
  await slash(bot, 'remember the door is green')
  bot.slack.fault({ method: 'conversations.info', status: 500, times: 1 })
  expect((await ask(bot, 'Which door?')).prompt).not.toContain('green')
  bot.slack.fault({ method: 'conversations.info', error: 'missing_scope', times: 2 })
  expect(await slash(bot, 'memory')).toContain('I remember nothing for this channel yet')
  expect(bot.slack.pings()).toEqual([])
})

test.each(['channel_not_found', 'missing_scope', 'team_access_not_granted'])(
  'nothing is remembered in a channel of which Slack says %s, by any way',
  async (error) => {
    const bot = await start({ onTestFinished })
    const byCommand = () => bot.slack.slash('remember we sell the company', { channel: GENERAL, user: ALICE })
    // A mention comes as two events.
    for (const [say, times] of [
      [byCommand, 1],
      [() => bot.mention('remember: we sell the company'), 2],
    ] as const) {
      bot.slack.fault({ method: 'conversations.info', error, times })
      expect(await told(bot, say)).toMatch(/I am not in this channel|Slack did not tell/)
    }
    for (const shared of [true, false]) {
      bot.slack.store.channel(GENERAL).shared = shared
      expect(await slash(bot, 'memory')).toContain('I remember nothing for this channel yet')
    }
  },
)

describe('people', () => {
  test('add texts by mention, reply, command and menu, with an ephemeral message that can undo it', async (t) => {
    const bot = await start(t)
    const { thread } = await ask(bot, 'What is it?')
    const posts = () => bot.slack.messages(GENERAL).filter(({ user }) => user === BOT_USER).length
    const before = posts()
    expect(await told(bot, () => bot.mention('Remember: the office is in Oslo'))).toContain('Forget')
    expect(await told(bot, () => thread.reply('remember: Bob pays the rent'))).toContain('Bob pays the rent')
    expect(await slash(bot, 'remember our year starts in May')).toContain('our year starts in May')
    expect(await slash(bot, 'remember: our year starts in June')).toContain('our year starts in June')
    expect(await slash(bot, 'remember Our year starts in May')).toContain('I already remember that here')
    const said = await bot.slack.say({ user: BOB, channel: GENERAL, text: 'The lift is broken.' })
    const menu = () => bot.slack.shortcut({ channel: GENERAL, ts: said.ts, user: ALICE }, 'thinkaloud_remember')
    expect(await told(bot, menu)).toContain('The lift is broken.')
    expect(await told(bot, menu)).toContain('I already remember this message')
    expect(posts()).toBe(before)

    const { answer, prompt, thread: next } = await ask(bot, 'Who pays?', { user: BOB })
    expect(answer).toMatch(/tokens · Reply/)
    const today = new Date().toISOString().slice(0, 10)
    expect(prompt).toContain(`@Alice, ${today}: our year starts in May\n@Alice, ${today}: our year starts in June`)
    expect(prompt).toContain(`@Bob, ${today}: The lift is broken.`)

    await next.press('thinkaloud_show_work', { user: ALICE })
    const work = await bot.modal(ALICE)
    await bot.slack.until(() => !work.shown().includes('Loading'), 'the work')
    expect(work.shown()).toMatch(/Remembered\n(.*\n)*the office is in Oslo\n(.*\n)*The lift is broken\./)
    expect(work.shown().match(/^Forget$/gm)).toHaveLength(5)
    await work.press('thinkaloud_forget_used')
    await bot.slack.until(() => !work.shown().includes('Oslo'), 'the view without it')

    const list = await slash(bot, 'memory', { user: BOB })
    expect(list).toContain('I remember 4 things for this channel')
    expect(list.match(/^Forget$/gm)).toHaveLength(1)
    await forget(bot, { user: BOB })
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, BOB).at(-1)?.includes('3 things'), 'the list without it')
    expect((await ask(bot, 'And now?')).prompt.match(/^.*, \d{4}-\d\d-\d\d: /gm)).toHaveLength(3)
    expect(bot.slack.refusals).toEqual([])
  })

  test('can have only their own texts forgotten, and admins any', async (t) => {
    const bot = await start(t)
    await slash(bot, 'remember the gate code is 17')
    expect(await slash(bot, 'memory', { user: BOB })).not.toContain('Forget')
    const admin = strangers.admin(bot.slack)
    expect(await slash(bot, 'memory', { user: admin })).toContain('Forget')
    bot.slack.addUser(admin, { is_admin: false })
    expect(await told(bot, () => forget(bot, { user: admin }), { user: admin })).toContain(
      'Only the person who said this, or a workspace admin',
    )
    bot.slack.addUser(admin, { is_admin: true })
    const { ts } = bot.slack.store.channels
      .get(GENERAL)!
      .ephemerals.findLast((one) => JSON.stringify(one.blocks).includes('17'))!
    await bot.slack.press({ channel: GENERAL, ts, user: admin }, { action_id: 'thinkaloud_forget_remembered' })
    await bot.slack.until(
      () => bot.slack.ephemerals(GENERAL, admin).join().includes('I remember nothing'),
      'the empty list',
    )
    expect(await slash(bot, 'memory', { user: BOB })).toContain('I remember nothing for this channel yet')
  })

  test('can have a correction remembered after a thumbs-down', async (t) => {
    const bot = await start(t)
    const { thread } = await ask(bot, 'When does our year start?')
    const down = () =>
      thread.press('thinkaloud_feedback', { user: BOB, value: `down:T0LOCAL0001:${GENERAL}:${thread.ts}` })
    await down()
    const form = await bot.modal(BOB)
    expect(form.shown()).toContain('Remember for this channel')
    const keep = { keep_expected: ['keep_expected'] }
    const refused = await form.submit({ comment: 'No.', expected: 'x'.repeat(501), ...keep })
    expect(JSON.stringify(refused)).toContain('501 characters')
    const word = await told(bot, () => form.submit({ comment: 'No.', expected: 'Our year starts in May.', ...keep }), {
      user: BOB,
    })
    expect(word).toContain('Our year starts in May.')
    expect((await ask(bot, 'When?')).prompt).toMatch(/@Bob, \d{4}-\d\d-\d\d: Our year starts in May\./)
  })

  test('have the matching texts in the prompt if not all fit, at most 2,000 characters', async (t) => {
    const bot = await start(t)
    for (let i = 0; i < 22; i++) await slash(bot, `remember rule ${i}: ${'word '.repeat(30)}end`)
    await slash(bot, 'remember the heron nests in April')
    const { prompt, answer } = await ask(bot, 'Where do herons nest?')
    expect(answer).not.toContain('told me')
    expect(prompt).not.toContain('rule 3')
    expect((await ask(bot, 'What is rule 3?')).prompt.match(/rule \d+:/g)?.length).toBeLessThan(14)
    const list = await slash(bot, 'memory')
    expect(list).toMatch(/the heron nests[^]*Older/)
    expect(list).not.toContain('rule 1:')
  })
})

describe('is never remembered', () => {
  test('a text that is too long or empty, or by guests, other workspaces, bots and tools, or not addressed to the bot', async (t) => {
    const bot = await start(t, { ALLOW_EXTERNAL: 'true' })
    const { slack } = bot
    expect(await slash(bot, `remember ${'x'.repeat(501)}`)).toContain('501 characters, and I can remember at most 500')
    expect(await slash(bot, 'remember:')).toContain('Please write what I should remember')
    expect(await slash(bot, 'private: remember: my salary')).toContain('known to everyone in this channel')
    const [guest, outsider] = [strangers.guest(slack), strangers.outsider(slack)]
    for (const user of [guest, outsider]) {
      expect(await slash(bot, 'remember the guest rule', { user })).toContain('Only full members')
      expect(await told(bot, () => bot.mention('remember: the guest rule', { user }), { user })).toContain(
        'Only full members',
      )
    }
    await slack.settle()
    // Slack delivers a mention as two events.
    for (const user of [guest, outsider]) expect(slack.ephemerals(GENERAL, user)).toHaveLength(2)
    await slack.say({ channel: GENERAL, user: BOB, text: 'remember: the stray rule' })
    const robot = strangers.otherBot(slack)
    await slack.mention('remember: the robot rule', { user: robot, channel: GENERAL }).catch(() => undefined)
    const { thread } = await ask(bot, 'Go.')
    const menu = () =>
      slack.shortcut({ channel: GENERAL, ts: thread.messages().at(-1)!.ts, user: ALICE }, 'thinkaloud_remember')
    expect(await told(bot, menu)).toContain('I only remember what people write themselves')
    bot.model.on('hostile', act('remember: the model rule', 'calculator', '1 + 1'), finish('remember: the answer rule'))
    await ask(bot, 'A hostile page?')
    expect(await slash(bot, 'memory', { user: guest })).toContain('I remember nothing for this channel yet')
    slack.fault({ method: 'users.info', error: 'missing_scope' })
    expect(await slash(bot, 'remember the untold rule', { user: 'U0NOBODY001' })).toContain(
      'Slack did not tell me who you are',
    )
    expect(slack.pings()).toEqual([])
  })
})

describeWithRedis('what 0.1.0 remembered in a place that Slack had not described to it', async () => {
  const server = await startRedis()
  fileEnds().onTestFinished(() => server.stop())

  test.for([
    ['is known in a channel that nobody else reads', GENERAL, false, true],
    ['is known in a private channel that nobody else reads', PRIVATE, false, true],
    ['is not told in a private channel that was shared since', PRIVATE, true, false],
    ['is known in a public channel that was shared then', GENERAL, true, true],
  ] as const)('%s', async ([, channel, shared, isKnown], t) => {
    const bot = await start(t, { REDIS_URL: server.url, REDIS_PREFIX: 'old', ALLOW_EXTERNAL: 'true' })
    const redis = new Redis(server.url)
    t.onTestFinished(async () => void (await redis.flushall(), redis.disconnect()))
    const at = Date.now()
    const kept = [{ id: '1.000001', text: 'we sell the company', by: ALICE, at, usedAt: at }]
    await redis.set(`old:{${TEAM}:${channel}:shared}:remembered`, JSON.stringify({ kept, gone: [] }))
    bot.slack.store.channel(channel).shared = shared
    expect((await ask(bot, 'What do we sell?', { channel })).prompt.includes('we sell the company')).toBe(isKnown)
    const list = await slash(bot, 'memory', { channel })
    expect(list.includes('we sell the company')).toBe(isKnown)
    bot.slack.store.channel(channel).shared = false
    if (channel === PRIVATE) expect(await slash(bot, 'memory', { channel })).toContain('we sell the company')
  })
})
