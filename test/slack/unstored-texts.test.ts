/** What is stored of requests that get no answer from a model: no text, and only a few drafts. */
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { ALICE, BOB, GENERAL } from '../../playground/slack/slack.ts'
import { startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { ephemerals, told } from '../harness/schedules.ts'

const SAVE = 'thinkaloud_schedule_save'
const LONG = 'what is new and what is old? '.repeat(1_300)

describeWithRedis('in Redis', async () => {
  const server = await startRedis()
  fileEnds().onTestFinished(() => server.stop())

  async function start(t: Ends, prefix: string, env: Record<string, string>) {
    const bot = await startBot(t, { env: { REDIS_URL: server.url, REDIS_PREFIX: prefix, ...env } })
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    /** The keys that contain a word, in any of Redis' types. */
    const keysWith = async (word: string) => {
      const keys = await redis.keys(`${prefix}*`)
      const values = await Promise.all(keys.map(async (key) => String(await everythingIn(redis, key))))
      return keys.filter((_, i) => values[i]?.includes(word))
    }
    return { bot, keysWith, size: async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]) }
  }

  test('the text of a refused question is gone once it is refused', async (t) => {
    const { bot, keysWith } = await start(t, 'refused', { LIMIT_USER_HOUR: '1', ALLOW_USERS: ALICE })
    bot.model.on('', finish('Here you are.'))
    await (await bot.mention('What is the apricot?')).ended()
    expect(await keysWith('apricot')).not.toEqual([])
    const thread = await bot.mention('What is the banana?')
    await told(bot, /1 question an hour/)
    await bot.mention('What is the cherry?', { user: BOB })
    await told(bot, /cannot take questions from you/, { user: BOB })
    await bot.mention('schedule every fortnight or so the damson?')
    await told(bot, /For example/)
    await bot.slack.until(async () => {
      const left = await Promise.all(['banana', 'cherry', 'damson'].map((word) => keysWith(word)))
      return left.flat().length === 0
    }, 'that no text is left')
    // The same delivery is still recognised.
    const answers = bot.slack.ephemerals(GENERAL, ALICE).length
    for (const delivery of thread.said.deliveries) await bot.slack.redeliver(delivery)
    await bot.slack.settle(300)
    expect(bot.slack.ephemerals(GENERAL, ALICE)).toHaveLength(answers)
  })

  test('requests for schedules are counted, and leave a few short drafts', async (t) => {
    const { bot, keysWith, size } = await start(t, 'drafts', { LIMIT_USER_HOUR: '2' })
    const before = await size()
    for (let n = 1; n <= 3; n++) await bot.mention(`every day at ${n} ${LONG}`)
    await bot.slack.until(
      () => bot.slack.ephemerals(GENERAL, ALICE).filter((text) => /at most 4,000/.test(text)).length === 3,
      'why they are not saved',
    )
    expect(await keysWith('what is old')).toEqual([])
    expect((await size()) - before).toBeLessThan(300_000)
    for (let n = 1; n <= 25; n++) await bot.mention(`every day at 9 what is fig number ${n}?`)
    await bot.slack.until(() => ephemerals(bot).length === 28, 'an answer to each')
    const cards = ephemerals(bot).filter((one) => JSON.stringify(one.blocks).includes(SAVE))
    expect(cards).toHaveLength(17)
    expect(await told(bot, /without the model/)).toMatch(
      /20 requests without the model \(help, new schedules\) an hour for one person.* in \d minutes/,
    )
    await bot.slack.until(async () => (await keysWith('fig number')).length === 5, 'five drafts')
    await pressSave(bot, cards[0]!.ts)
    await told(bot, /no longer exists/)
    await pressSave(bot, cards.at(-1)!.ts)
    await told(bot, /^Saved/)
    // Questions have a limit of their own, and other people theirs.
    bot.model.on('', finish('Here you are.'))
    await (await bot.mention('What is the apricot?')).ended()
    await bot.mention('help', { user: BOB })
    await bot.slack.until(() => bot.slack.messages(GENERAL).length > 30, 'the help')
  })
})

const pressSave = (bot: TestBot, ts: string) =>
  bot.slack.press({ channel: GENERAL, ts, user: ALICE }, { action_id: SAVE })

async function everythingIn(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key)
  if (type === 'string') return redis.get(key)
  if (type === 'hash') return JSON.stringify(await redis.hgetall(key))
  if (type === 'list') return redis.lrange(key, '0', '-1')
  if (type === 'zset') return redis.zrange(key, '0', '-1')
  if (type === 'set') return redis.smembers(key)
  return JSON.stringify(await redis.xrange(key, '-', '+'))
}
