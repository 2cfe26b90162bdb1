/** A person of a connected company may have the id of somebody here. They share nothing that is kept by a person. */
import { expect, test } from 'vitest'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import { ALWAYS, approvalBot, note, press, waitingCard } from '../harness/approvals.ts'
import { startBot } from '../harness/bot.ts'
import { answeredAlone, connect, connectingBot } from '../harness/connecting-bot.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'

const ALLOW_EXTERNAL = 'true'
/** As Slack sends the message of a person of another workspace. */
const NAMESAKE = { user: ALICE, extra: { user_team: 'T0OTHER0001', team: 'T0OTHER0001' } }

test('they do not use a login', async (t) => {
  const { bot, server, browser, ask } = await connectingBot(t, {}, { env: { ALLOW_EXTERNAL } })
  await connect(bot, ALICE, { server, browser })
  await answeredAlone(bot, await ask())
  const calls = server.calls.length
  bot.model.on('theirs', act('I look.', 'tickets__read_ticket', '{"id": "7"}'), finish('I cannot look.'))
  const thread = await bot.mention('What of theirs?', NAMESAKE)
  expect(await thread.ended()).toContain('I cannot look.')
  expect(server.calls).toHaveLength(calls)
})

test('they do not use what was always allowed in a thread', async (t) => {
  const bot = await approvalBot(t, {}, { env: { ALLOW_EXTERNAL } })
  bot.model.on('Quince', note('Quince'), finish('Noted.'))
  const thread = await bot.mention('Write down Quince')
  const card = await waitingCard(bot, thread)
  await press(bot, { ...thread, ts: card.ts }, { action: ALWAYS })
  await thread.ended()
  bot.model.condenses('Medlar', 'Write down Medlar')
  bot.model.on('Medlar', note('Medlar'), finish('Noted too.'))
  await thread.reply('and Medlar', NAMESAKE)
  await waitingCard(bot, thread)
})

describeWithRedis('limits, in memory and in Redis', () => {
  const server = suiteRedis()
  test.for([false, true])('they have limits of their own (Redis: %s)', async (isStored, t) => {
    const env = { ALLOW_EXTERNAL, LIMIT_USER_HOUR: '1', ...(isStored ? { REDIS_URL: server.url } : {}) }
    const bot = await startBot(t, { env })
    bot.model.on('', finish('Here.'))
    await (await bot.mention('one')).ended()
    await (await bot.mention('two', NAMESAKE)).ended()
    await bot.mention('three', NAMESAKE)
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length === 1, 'a refusal')
  })
})
