/**
 * A call that changes something waits for a person. The effect of a press, in memory, and with Redis and several
 * processes.
 */
import type { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER } from '../../playground/slack/slack.ts'
import { forget } from '../harness/answer-buttons.ts'
import { ALWAYS, approvalBot, cards, DENY, note, notes, ONCE, press, waitingCard } from '../harness/approvals.ts'
import { secondBot } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis, suiteRedis } from '../harness/redis.ts'
import type { Way } from '../harness/steered-bot.ts'

function presses(way: () => Way): void {
  test('Once: the shown call is made once, and the card says who allowed it and when', async (t) => {
    const bot = await approvalBot(t, way())
    notes(bot, 'Groceries')
    const thread = await bot.mention('Write down Groceries')
    const card = await waitingCard(bot, thread)
    expect(bot.slack.shown(card)).toContain('{\n  "text": "Buy milk.",\n  "title": "Groceries"\n}')
    expect(thread.shown().join('\n')).toContain('⏳ waiting for a person')
    expect((await press(bot, { ...thread, ts: card.ts }, { action: ONCE })).ok).toBe(true)
    expect(await thread.lastAnswer()).toMatch(/It said: Noted Groceries \(9 characters\), written \d+ times\./)
    await bot.slack.until(() => cards(thread)[0]?.startsWith('✅'), 'the decided card')
    const [shown, ...others] = cards(thread)
    expect(shown).toMatch(/^✅ \*Allowed once\* by @Alice \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\): notebook\n\{/)
    expect(thread.shown().at(-1)).toContain('Changed: Groceries (Notebook), allowed by Alice')
    expect([others, JSON.stringify(card.blocks)]).toEqual([[], expect.not.stringContaining('button')])
    expect([thread.ephemerals(), bot.slack.refusals]).toEqual([[], []])
  })
}

describe('a press in memory', () => {
  presses(() => ({}))

  test('Always: the tool asks no more in this thread for the person who allowed it, but elsewhere it does', async (t) => {
    const bot = await approvalBot(t, {})
    notes(bot, 'First', note('Second'))
    const thread = await bot.mention('Write down First')
    const card = await waitingCard(bot, thread)
    await press(bot, { ...thread, ts: card.ts }, { action: ALWAYS })
    expect(await thread.lastAnswer()).toContain('Noted Second')
    await expect
      .poll(() => cards(thread))
      .toEqual([expect.stringContaining('✅ *Always allowed in this thread* by @Alice')])
    notes(bot, 'Third')
    bot.model.condenses('Third', 'Write down Third')
    await thread.reply('And write down Third')
    expect(await thread.lastAnswer()).toContain('Noted Third')
    notes(bot, 'Fourth')
    bot.model.condenses('Fourth', 'Write down Fourth')
    await thread.reply('Mine too: write down Fourth', { user: BOB })
    await waitingCard(bot, thread)
    notes(bot, 'Fifth')
    await waitingCard(bot, await bot.mention('Elsewhere, write down Fifth'))
  })

  test('Deny: nothing is done, and the model reads the reason', async (t) => {
    const bot = await approvalBot(t, {})
    notes(bot, 'Denied')
    const thread = await bot.mention('Write down Denied')
    const card = await waitingCard(bot, thread)
    await press(bot, { ...thread, ts: card.ts }, { action: DENY, reason: ' Ask Bob <!here> first. ' })
    expect(await thread.lastAnswer()).toContain('notebook was not run: a person denied it.')
    expect(thread.shown().at(-1)).toContain('Not done: Denied (Notebook) (denied by Alice)')
    expect(bot.model.about('Denied').at(-1)?.prompt).toContain('The reason given: Ask Bob <!here> first.')
    await expect.poll(() => cards(thread)[0]).toMatch(/^⛔ \*Denied\* by @Alice .*\nReason: Ask Bob <!here> first\.$/s)
    expect([bot.slack.pings().filter((ping) => ping !== `<@${ALICE}>`), bot.slack.refusals]).toEqual([[], []])
  })

  test('an answer that claims a write that was not made is contradicted', async (t) => {
    const bot = await approvalBot(t, {})
    bot.model.on('Claimed', finish('I have noted Claimed.'))
    const thread = await bot.mention('Write down Claimed')
    expect(await thread.lastAnswer()).toContain('I have noted Claimed.')
    expect(thread.shown().at(-1)).toContain('Nothing was changed.')
  })

  test('other questions in the thread do not affect a waiting one', async (t) => {
    const bot = await approvalBot(t, {})
    notes(bot, 'Patient')
    const thread = await bot.mention('Write down Patient')
    const card = await waitingCard(bot, thread)
    await bot.slack.settle()
    bot.model.condenses('Other', 'An Other thing?')
    bot.model.on('Other', finish('Something else.'))
    await thread.reply('Other thing?')
    await bot.slack.until(() => thread.shown().some((text) => text.startsWith('Something else.')), 'the other answer')
    await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
    expect(await thread.lastAnswer()).toContain('Noted Patient')
    expect(bot.model.about('Patient').map(({ kind }) => kind)).toEqual(['turn', 'turn'])
    expect(bot.model.about('Patient').at(-1)?.prompt).not.toContain('Something else.')
    expect(thread.shown().join('\n')).not.toMatch(/Understood as:_ (?!An Other)/)
  })

  test('two presses of a person are one decision', async (t) => {
    const bot = await approvalBot(t, {})
    notes(bot, 'Twice')
    const thread = await bot.mention('Write down Twice')
    const card = { ...thread, ts: (await waitingCard(bot, thread)).ts }
    await Promise.all([press(bot, card, { action: ONCE }), press(bot, card, { action: ONCE })])
    expect(await thread.lastAnswer()).toMatch(/written \d times/)
    await bot.slack.until(() => thread.ephemerals().length > 0, 'a word')
    expect(thread.ephemerals()).toEqual(['You already decided this: allowed.'])
  })
})

describeWithRedis('a press over Redis', () => {
  const server = suiteRedis()
  presses(() => ({ redisUrl: server.url }))

  test('an edited question’s card is replaced by a new one; a deleted question’s card is deleted', async (t) => {
    const bot = await approvalBot(t, { redisUrl: server.url })
    notes(bot, 'Edited', note('Edited', 'Other.'))
    const thread = await bot.mention('Write down Edited')
    const before = await waitingCard(bot, thread)
    await thread.edit(`<@${BOT_USER}> Write down Edited again`)
    const next = () => thread.messages().find((one) => one.ts !== before.ts && bot.slack.shown(one).startsWith('🔐'))
    const card = await bot.slack.until(next, 'the new card')
    expect(thread.messages().some(({ ts }) => ts === before.ts)).toBe(false)
    await thread.delete()
    await bot.slack.until(() => !thread.messages().some(({ ts }) => ts === card.ts), 'the card to go')
  })

  test('a thread’s grants are deleted with its channel’s data, and a waiting card is not', async (t) => {
    const bot = await approvalBot(t, { redisUrl: server.url })
    bot.slack.addUser(ALICE, { is_admin: true })
    notes(bot, 'Granted')
    const thread = await bot.mention('Write down Granted')
    await press(bot, { ...thread, ts: (await waitingCard(bot, thread)).ts }, { action: ALWAYS })
    await thread.ended()
    notes(bot, 'Waiting')
    const other = await bot.mention('Write down Waiting')
    const card = await waitingCard(bot, other)
    await bot.slack.settle()
    await forget(bot.slack)
    await bot.slack.until(
      () => thread.ephemerals().some((word) => /forgotten/i.test(word)),
      'a word that it is forgotten',
    )
    notes(bot, 'Again')
    await bot.slack.mention('Write down Again', { thread_ts: thread.ts })
    await waitingCard(bot, thread)
    await press(bot, { ...other, ts: card.ts }, { action: ONCE })
    expect(await other.lastAnswer()).toContain('Noted Waiting')
  })

  test('of two people who press at once one decides, and the other gets a message', async (t) => {
    const bot = await approvalBot(t, { redisUrl: server.url }, { env: { APPROVERS: BOB } })
    notes(bot, 'Race')
    const thread = await bot.mention('Write down Race')
    const card = { ...thread, ts: (await waitingCard(bot, thread)).ts }
    await Promise.all([press(bot, card, { action: ONCE }), press(bot, card, { action: DENY, user: BOB })])
    await thread.ended()
    await bot.slack.until(() => /^[✅⛔]/u.test(cards(thread)[0] ?? ''), 'the decided card')
    const isAllowed = cards(thread)[0]!.startsWith('✅')
    await bot.slack.until(() => bot.slack.ephemerals(thread.channel, isAllowed ? BOB : ALICE).length > 0, 'a word')
    const words = [ALICE, BOB].map((user) => bot.slack.ephemerals(thread.channel, user))
    const word = isAllowed ? '@Alice already decided this: allowed.' : '@Bob already decided this: denied.'
    expect(words).toEqual(isAllowed ? [[], [word]] : [[word], []])
    await press(bot, card, { action: ONCE }).catch(() => undefined)
    expect(cards(thread)).toHaveLength(1)
  })

  test('a stopped question’s card cannot be pressed, and a press of its copy says why', async (t) => {
    const bot = await approvalBot(t, { redisUrl: server.url })
    notes(bot, 'Stopped')
    const thread = await bot.mention('Write down Stopped')
    const card = structuredClone(await waitingCard(bot, thread))
    await bot.slack.say({ channel: thread.channel, thread_ts: thread.ts, text: 'stop' })
    await thread.ended()
    await bot.slack.until(
      () => cards(thread)[0]?.startsWith('⏹ *Not done*: notebook. The question ended'),
      'the end of the card',
    )
    const shown = thread.messages().find(({ ts }) => ts === card.ts)!
    Object.assign(shown, { blocks: card.blocks })
    await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
    await bot.slack.until(() => thread.ephemerals().length > 0, 'a word')
    expect(thread.ephemerals()[0]).toMatch(/^(?:The question has ended|This request is closed)/)
    await bot.slack.until(() => cards(thread)[0]?.startsWith('⏹'), 'the true form')
    expect(bot.model.about('Stopped').at(-1)?.prompt).not.toContain('Noted')
  })

  test('counts after a restart of the worker, and at another front', async (t) => {
    const bot = await approvalBot(t, { redisUrl: server.url })
    notes(bot, 'Restarted')
    const thread = await bot.mention('Write down Restarted')
    const card = { ...thread, ts: (await waitingCard(bot, thread)).ts }
    await bot.slack.settle()
    await bot.worker?.stop()
    const shared = { REDIS_URL: server.url, REDIS_PREFIX: bot.prefix, CUSTOM_TOOLS_DIR: 'test/fixtures/approval-tools' }
    const front = await secondBot(t, bot, { ...shared, ROLE: 'front' })
    await bot.stop()
    bot.slack.setTarget(`http://127.0.0.1:${front.port}/slack/events`)
    expect((await press(bot, card, { action: ONCE })).ok).toBe(true)
    await bot.slack.until(() => cards(thread)[0]?.startsWith('✅'), 'the decided card, with no worker')
    await bot.startWorker()
    expect(await thread.lastAnswer()).toMatch(/Noted Restarted .* written 1 times/)
  })

  test('hours later: the wait is not counted as work', async (t) => {
    const bot = await approvalBot(t, { redisUrl: server.url })
    notes(bot, 'Hours')
    const thread = await bot.mention('Write down Hours')
    const card = { ...thread, ts: (await waitingCard(bot, thread)).ts }
    await bot.slack.settle()
    const redis = server.rawClient()
    const [run = ''] = (await redis.keys(`${bot.prefix}:*:run:*`)).filter((key) => key.includes(thread.ts))
    const earlier = (at: string) => String(Number(at) - 5 * 3_600_000)
    await redis.hset(run, 'startedAt', earlier((await redis.hget(run, 'startedAt')) ?? ''))
    const step = (await redis.hget(run, 'step:1')) ?? ''
    await redis.hset(run, 'step:1', step.replace(/(?<="since":)\d+/, earlier))
    await press(bot, card, { action: ONCE })
    await thread.ended()
    expect(thread.shown().at(-1)).toMatch(/1 step · \d{1,2}\.\d s · /)
    await thread.press('thinkaloud_show_work')
    const modal = await bot.modal()
    await bot.slack.until(
      () => /1 step · \d{1,2}\.\d s of work · .*waited 5 h for people/.test(modal.shown()),
      'the work',
    )
  })

  test('that comes too late says so, and the run continues without it', async (t) => {
    const bot = await approvalBot(t, { redisUrl: server.url })
    notes(bot, 'Late')
    const thread = await bot.mention('Write down Late')
    const card = { ...thread, ts: (await waitingCard(bot, thread)).ts }
    await bot.slack.settle()
    await passTime(server.rawClient(), bot.prefix)
    await press(bot, card, { action: ONCE })
    expect(await thread.lastAnswer()).toContain('notebook was not run: nobody approved it in time.')
    await bot.slack.until(() => thread.ephemerals().length > 0, 'a word')
    expect(thread.ephemerals()).toEqual(['This expired before anybody decided, so it was not done.'])
    await expect.poll(() => cards(thread)[0]).toMatch(/^⌛ \*Not done\*: notebook\. Nobody decided in time\./)
  })

  test('that nobody makes: the card shows that it expired', async (t) => {
    const bot = await approvalBot(t, { redisUrl: server.url })
    notes(bot, 'Ignored')
    const thread = await bot.mention('Write down Ignored')
    await waitingCard(bot, thread)
    await bot.slack.settle()
    await passTime(server.rawClient(), bot.prefix)
    await bot.startWorker()
    expect(await thread.ended()).toContain('nobody approved it in time')
    await expect.poll(() => cards(thread)[0]).toMatch(/^⌛ \*Not done\*/)
  })

  test('on a deleted run’s card says that it is over', async (t) => {
    const bot = await approvalBot(t, { redisUrl: server.url })
    notes(bot, 'Forgotten')
    const thread = await bot.mention('Write down Forgotten')
    const card = { ...thread, ts: (await waitingCard(bot, thread)).ts }
    await bot.slack.settle()
    const redis = server.rawClient()
    for (const key of await redis.keys(`${bot.prefix}:*`)) await redis.unlink(key)
    await press(bot, card, { action: ONCE })
    await bot.slack.until(() => thread.ephemerals().length > 0, 'a word')
    expect(thread.ephemerals()[0]).toMatch(/^This request is closed/)
    await bot.slack.until(() => cards(thread)[0]?.startsWith('⏹ This request is closed'), 'the true form')
  })

  test('without Redis gets a message, and counts when Redis is back', async (t) => {
    const own = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
    t.onTestFinished(() => own.stop())
    const bot = await approvalBot(t, { redisUrl: own.url })
    notes(bot, 'Away')
    const thread = await bot.mention('Write down Away')
    const card = { ...thread, ts: (await waitingCard(bot, thread)).ts }
    await bot.slack.settle()
    await own.kill()
    expect((await press(bot, card, { action: ONCE })).ok).toBe(false)
    await bot.slack.until(() => thread.ephemerals().length > 0, 'a word')
    expect(thread.ephemerals()[0]).toMatch(/^My storage is unavailable\. Please press again in a moment\.$/)
    await own.restart()
    await bot.slack.until(async () => (await press(bot, card, { action: ONCE })).ok, 'a press that is kept')
    expect(await thread.lastAnswer()).toMatch(/Noted Away .* written 1 times/)
  })
})

/** Moves the start of every wait back by a month, and lets the next process sweep at once. */
async function passTime(redis: Redis, prefix: string): Promise<void> {
  for (const key of await redis.keys(`${prefix}:*`)) {
    const step = key.endsWith(':parked') ? null : await redis.hget(key, 'step:1').catch(() => null)
    if (step) await redis.hset(key, 'step:1', step.replace(/"since":(\d)/, '"since":-$1'))
    if (key.endsWith(':parked')) for (const id of await redis.zrange(key, '0', '-1')) await redis.zadd(key, '1', id)
  }
  await redis.del(`${prefix}:sweep`)
}
