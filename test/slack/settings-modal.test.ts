/** `/ask settings`: people of a channel change its settings. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { secondBot, startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { strangers } from '../harness/slack-hands.ts'

async function settings(bot: TestBot, { user = ALICE, channel = GENERAL } = {}) {
  expect((await bot.slack.slash('settings', { user, channel })).ok).toBe(true)
  return bot.modal(user)
}

/** Returns the next ephemeral message after `what`. */
async function toldAfter(bot: TestBot, what: () => Promise<unknown>, user = ALICE): Promise<string> {
  const before = bot.slack.ephemerals(GENERAL, user).length
  await what()
  return bot.slack.until(() => bot.slack.ephemerals(GENERAL, user)[before], 'a private word')
}

const ask = async (bot: TestBot, channel = GENERAL) => {
  bot.model.on('', act('Add.', 'calculator', '1+1'), finish('2'))
  const thread = await bot.mention('One and one?', { channel })
  await thread.ended()
  return thread
}

describe('the settings of a channel', () => {
  test('show the defaults, and apply from the next question on, only there', async (t) => {
    const bot = await startBot(t)
    const form = await settings(bot)
    expect(form.shown()).toMatch(
      /Settings of this channel[^]*Default \(Each step as a reply in the thread\)[^]*played-model/,
    )
    expect(JSON.stringify(form.view())).toContain('"Default (all)"')
    const word = await toldAfter(bot, () =>
      form.submit({ steps: 'hidden', tools: ['calculator'], instructions: 'Answer like a pirate.' }),
    )
    expect(word).toBe('Saved: steps, tools, extra instructions. This applies here from the next question.')
    expect(form.isOpen()).toBe(false)
    expect((await ask(bot)).steps()).toEqual([])
    expect((await ask(bot, RANDOM)).steps()).toHaveLength(1)
    const [here, there] = [bot.model.requests[0]!.prompt, bot.model.requests.at(-1)!.prompt]
    expect([here, there].map((prompt) => /pirate/.test(prompt))).toEqual([true, false])
    expect([here, there].map((prompt) => /wikipedia/.test(prompt))).toEqual([false, true])
  })

  test('are filled in when they are reopened, and can be undone', async (t) => {
    const bot = await startBot(t)
    await (await settings(bot)).submit({ steps: 'hidden', who_may_stop: 'anyone', instructions: 'Be brief.' })
    const again = await settings(bot, { user: BOB })
    const view = JSON.stringify(again.view())
    expect(view).toContain('"initial_value":"Be brief."')
    expect(view).toMatch(/"initial_option":\{"value":"hidden"/)
    const word = await toldAfter(bot, () => again.submit({ steps: 'default', instructions: '' }), BOB)
    expect(word).toMatch(/^Saved: (?=.*steps)(?=.*extra instructions)(?!.*stop me)/)
    expect((await ask(bot)).steps()).toHaveLength(1)
    const line = bot.logs
      .map((one) => JSON.parse(one))
      .findLast(({ msg }) => msg === 'the settings of a place are changed')
    expect(line).toMatchObject({
      user: BOB,
      channel: GENERAL,
      changed: expect.arrayContaining(['steps', 'instructions']),
    })
    expect(JSON.stringify(bot.logs)).not.toContain('Be brief')
  })

  test('say if nothing changed', async (t) => {
    const bot = await startBot(t)
    const form = await settings(bot)
    expect(await toldAfter(bot, () => form.submit())).toBe('You changed nothing.')
  })

  test('can require a mention for follow-ups', async (t) => {
    const bot = await startBot(t)
    await (await settings(bot)).submit({ follow_ups: 'mention' })
    const thread = await ask(bot)
    await thread.reply('And again?')
    await bot.slack.settle()
    expect(thread.endings()).toHaveLength(1)
  })

  test('of a direct message apply only there', async (t) => {
    const bot = await startBot(t)
    const channel = `D${ALICE.slice(1)}`
    const form = await settings(bot, { channel })
    expect(form.shown()).not.toMatch(/Follow-ups|Who may/)
    await form.submit({ steps: 'hidden' })
    bot.model.on('', act('Add.', 'calculator', '1+1'), finish('2'))
    const thread = await bot.dm('One and one?')
    await thread.ended()
    expect(thread.steps()).toEqual([])
  })
})

describe('a model', () => {
  test('can be any that the endpoint knows', async (t) => {
    const bot = await startBot(t)
    await (await settings(bot)).submit({ model: 'other-model' })
    expect(await (await ask(bot)).ended()).toContain('other-model')
    expect(bot.model.requests.at(-1)!.body.model).toBe('other-model')
  })

  test('that is unknown is reported at the next question', async (t) => {
    const bot = await startBot(t)
    await (await settings(bot)).submit({ model: 'no-such' })
    bot.model.on('', { status: 404, body: { error: { code: 'model_not_found', message: 'no' } } })
    const thread = await bot.mention('Anybody?')
    expect(await thread.ended()).toMatch(/My endpoint has no model "no-such".*\/ask settings/)
  })

  test('without a price cannot be chosen with a budget in dollars', async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'prices-'))
    t.onTestFinished(() => rm(dir, { recursive: true }))
    const PRICES_FILE = join(dir, 'prices.json')
    await writeFile(PRICES_FILE, JSON.stringify({ 'played-model': { in: 1, out: 1 } }))
    const bot = await startBot(t, { env: { BUDGET_TEAM_DAY_USD: '5', PRICES_FILE } })
    const form = await settings(bot)
    const { errors } = await form.submit({ model: 'gpt-expensive' })
    expect(errors).toEqual({ model: expect.stringMatching(/has no price.*played-model/) })
    expect(form.isOpen()).toBe(true)
    expect(await form.submit({ model: '' })).not.toHaveProperty('errors')
  })
})

describe('who may', () => {
  test('are all members, but not guests and people of other workspaces', async (t) => {
    const bot = await startBot(t)
    for (const user of [strangers.guest(bot.slack), strangers.outsider(bot.slack)])
      expect(await toldAfter(bot, () => bot.slack.slash('settings', { user }), user)).toMatch(/Only full members/)
    expect((await settings(bot, { user: BOB })).isOpen()).toBe(true)
  })

  test('with SETTINGS_BY=admins are admins, also at the time of saving', async (t) => {
    const bot = await startBot(t, { env: { SETTINGS_BY: 'admins' } })
    const admin = strangers.admin(bot.slack)
    expect(await toldAfter(bot, () => bot.slack.slash('settings'))).toMatch(/Only workspace admins.*SETTINGS_BY/)
    const form = await settings(bot, { user: admin })
    bot.slack.store.users.get(admin)!.is_admin = false
    expect((await form.submit({ steps: 'hidden' })).errors).toEqual({
      steps: expect.stringMatching(/Only workspace admins/),
    })
    bot.slack.store.users.get(admin)!.is_admin = true
    expect(await form.submit({ steps: 'hidden' })).not.toHaveProperty('errors')
  })

  test('are not people who have left the channel meanwhile', async (t) => {
    const bot = await startBot(t)
    const form = await settings(bot, { user: BOB })
    bot.slack.store.channel(GENERAL).members.delete(BOB)
    expect((await form.submit({ steps: 'hidden' })).errors).toEqual({ steps: expect.stringMatching(/not a member/) })
  })

  test('forget the channel can be changed only by people who may forget it', async (t) => {
    const bot = await startBot(t)
    expect((await settings(bot)).shown()).not.toContain('delete what I remember')
    const admin = strangers.admin(bot.slack)
    const form = await settings(bot, { user: admin })
    expect(form.shown()).toContain('delete what I remember')
    bot.slack.store.users.get(admin)!.is_admin = false
    await form.submit({ who_may_forget: 'anyone', steps: 'hidden' })
    expect(await toldAfter(bot, () => bot.slack.slash('forget', { user: BOB }), BOB)).toMatch(/Only workspace admins/)
  })
})

describeWithRedis('with Redis', async () => {
  const ends = fileEnds()
  const { url, stop } = await startRedis()
  ends.onTestFinished(stop)

  test('settings apply in every process within seconds', async (t) => {
    const bot = await startBot(t, { env: { REDIS_URL: url, ROLE: 'front' } })
    await secondBot(t, bot, { REDIS_URL: url, ROLE: 'worker' })
    expect((await ask(bot)).steps()).toHaveLength(1)
    await (await settings(bot)).submit({ steps: 'hidden' })
    await expect.poll(async () => (await ask(bot)).steps().length, { timeout: 60_000, interval: 1000 }).toBe(0)
  })
})
