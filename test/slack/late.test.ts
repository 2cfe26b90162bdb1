/** A mention that Slack delivers late. Messages that came meanwhile in its thread are looked up. */
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { BOB, BOT_USER, GENERAL, RANDOM, type SayOptions } from '../../playground/slack/slack.ts'
import { findRuns } from '../../src/stores/runs/list-runs.ts'
import { startBot, Thread, type TestBot, type TestBotOptions } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { eventually } from '../harness/stores.ts'

function startImpatient(t: Ends, env: TestBotOptions['env'] = {}): Promise<TestBot> {
  return startBot(t, { slack: { retryMs: [] }, model: [finish('Answered.')], env })
}

/** Mentions the bot while it is unreachable, runs `meanwhile`, and delivers the mention again. */
async function late(
  { bot, slack }: TestBot,
  said: Partial<SayOptions>,
  meanwhile: (thread_ts: string) => Promise<unknown>,
): Promise<Thread> {
  slack.setTarget('http://127.0.0.1:9/')
  const mention = await slack.mention('Can you hear me?', said)
  slack.setTarget(`http://127.0.0.1:${bot.port}/slack/events`)
  await meanwhile(mention.thread)
  for (const delivery of mention.deliveries) expect((await slack.redeliver(delivery)).status).toBe(200)
  return new Thread(slack, mention)
}

/** Returns the questions that the model was asked, when nothing is in progress. */
async function asked({ slack, model }: TestBot, thread: Thread): Promise<string[]> {
  await thread.ended()
  await slack.settle(200)
  expect(slack.refusals).toEqual([])
  return model.requests.filter(({ kind }) => kind === 'turn').map(({ question }) => question.trim())
}

describe.concurrent('messages before a late mention', () => {
  test('an edited reply counts with its current text', async (t) => {
    const bot = await startImpatient(t)
    bot.model.condenses('And you?', 'And who are you?')
    const thread = await late(bot, {}, async (thread_ts) => {
      const reply = await bot.slack.say({ thread_ts, text: 'An you?', user: BOB })
      await bot.slack.people.edit({ channel: GENERAL, ts: reply.ts }, 'And you?')
    })
    await bot.slack.until(() => thread.endings().length === 2, 'both answers')
    expect(await asked(bot, thread)).toEqual(['Can you hear me?', 'And who are you?'])
  })

  test('a reply that names a channel reaches the model with its name', async (t) => {
    const bot = await startImpatient(t)
    bot.model.condenses('what of', 'What of #random?')
    const thread = await late(bot, {}, (thread_ts) => bot.slack.say({ thread_ts, text: `what of <#${RANDOM}>?` }))
    await bot.slack.until(() => thread.endings().length === 2, 'both answers')
    await asked(bot, thread)
    expect(bot.model.requests.find(({ kind }) => kind === 'condense')?.question).toContain('what of #random?')
  })

  test('a request to remember is carried out, and is no question', async (t) => {
    const bot = await startImpatient(t)
    const thread = await late(bot, {}, (thread_ts) =>
      bot.slack.say({ thread_ts, text: 'remember: the owl is ours', user: BOB }),
    )
    const isTold = () => bot.slack.ephemerals(GENERAL, BOB).some((one) => one.includes('Remembered for this channel'))
    await bot.slack.until(isTold, 'that it is kept')
    expect(await asked(bot, thread)).toEqual(['Can you hear me?'])
  })

  test('bots, joins and files without words ask nothing', async (t) => {
    const bot = await startImpatient(t)
    const thread = await late(bot, {}, async (thread_ts) => {
      await bot.slack.say({ thread_ts, text: 'beep', extra: { bot_id: 'B0OTHER0001' } })
      await bot.slack.say({ thread_ts, text: 'has joined', subtype: 'channel_join' })
      for (const text of ['mute', 'stop']) await bot.slack.say({ thread_ts, text })
      await bot.slack.say({ thread_ts, text: '', subtype: 'file_share', files: [{ id: 'F1', name: 'x.png' }] })
    })
    expect(await asked(bot, thread)).toEqual(['Can you hear me?'])
  })

  test('messages of people before they mentioned the bot are not questions', async (t) => {
    const bot = await startImpatient(t)
    const { ts } = await bot.slack.say({ text: 'Lunch, anybody?' })
    await bot.slack.say({ text: 'Me!', user: BOB, thread_ts: ts })
    const thread = await late(bot, { thread_ts: ts }, async () => {})
    expect(await asked(bot, thread)).toEqual(['Can you hear me?'])
  })

  test('a reply with a mention is delivered by itself, and answered once', async (t) => {
    const bot = await startImpatient(t)
    const thread = await late(bot, {}, (thread_ts) => bot.slack.say({ thread_ts, text: `<@${BOT_USER}> still there?` }))
    await bot.slack.until(() => thread.endings().length === 2, 'both answers')
    expect(await asked(bot, thread)).toHaveLength(2)
  })

  test('with FOLLOW_UPS=mention a reply without a mention is no question', async (t) => {
    const bot = await startImpatient(t, { FOLLOW_UPS: 'mention' })
    const thread = await late(bot, {}, (thread_ts) => bot.slack.say({ thread_ts, text: 'And you?', user: BOB }))
    expect(await asked(bot, thread)).toEqual(['Can you hear me?'])
  })
})

describeWithRedis('if Slack refuses the look-up', async () => {
  const ends = fileEnds()
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())

  test('the mention is answered, and the log says what may be missing', async () => {
    const bot = await startImpatient(ends, { REDIS_URL: server.url })
    bot.slack.fault({ method: 'conversations.replies', error: 'missing_scope', times: 99 })
    const thread = await late(bot, {}, (thread_ts) => bot.slack.say({ thread_ts, text: 'And you?', user: BOB }))
    expect(await asked(bot, thread)).toEqual(['Can you hear me?'])
    const redis = new Redis(server.url)
    ends.onTestFinished(() => redis.disconnect())
    const runs = () => findRuns({ redis, prefix: 'thinkaloud' }, `T0LOCAL0001:${GENERAL}:${thread.ts}`)
    await eventually(async () => expect(await runs()).toMatchObject([{ state: 'done', saved: { attempts: 1 } }]))
    expect(bot.logs.filter((line) => line.includes('could not look up replies from before'))).toHaveLength(1)
  })
})
