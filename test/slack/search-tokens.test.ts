/** The action token of a question: where it is stored, for how long, and where it never is. */
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { sealerOf } from '../../src/base/encryption.ts'
import { ALICE, BOB, GENERAL, RANDOM, TEAM } from '../../playground/slack/slack.ts'
import { SEARCH_TOKEN_MS, createSearchTokens } from '../../src/stores/search-tokens/search-tokens.ts'
import { memoryKv } from '../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../src/stores/kv/redis-kv.ts'
import { secondBot, startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { startCollector } from '../harness/otlp-collector.ts'

const ID = `${TEAM}:${GENERAL}:1700000000.000100`
const TOKEN = '12.34.abcdef'
const log = createLog('silent')

describe('in memory', () => {
  test.for<[string, unknown, string | undefined]>([
    ['on the event', { action_token: TOKEN }, TOKEN],
    ['in what makes it an assistant’s', { assistant_thread: { action_token: TOKEN } }, TOKEN],
    ['on both', { action_token: TOKEN, assistant_thread: { action_token: 'other' } }, TOKEN],
    ['nowhere', { assistant_thread: {} }, undefined],
    ['of a wrong kind', { action_token: { toString: 1 }, assistant_thread: 7 }, undefined],
    ['longer than any', { action_token: 'x'.repeat(5_000) }, undefined],
    ['in nothing', undefined, undefined],
  ])('a token that stands %s', async ([, event, kept]) => {
    const tokens = createSearchTokens(memoryKv({ now: Date.now }), { log })
    await tokens.keep(ID, event)
    expect(await tokens.load(ID)).toBe(kept)
    expect(await tokens.load(`${ID}0`)).toBeUndefined()
  })

  test('is kept for ten minutes, or until its place is forgotten', async () => {
    let now = 1
    const tokens = createSearchTokens(memoryKv({ now: () => now }), { log })
    await tokens.keep(ID, { action_token: TOKEN })
    now += SEARCH_TOKEN_MS - 1
    expect(await tokens.load(ID)).toBe(TOKEN)
    now += 1
    expect(await tokens.load(ID)).toBeUndefined()
    await tokens.keep(ID, { action_token: TOKEN })
    await tokens.forgetChannel({ team: TEAM, channel: GENERAL })
    expect(await tokens.load(ID)).toBeUndefined()
  })
})

const ends = fileEnds()

describeWithRedis('in Redis', async () => {
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())
  const redis = new Redis(server.url)
  ends.onTestFinished(() => redis.disconnect())

  test('it has its own key, encrypted for its question, with an expiry', async () => {
    const kv = redisKv({ redis, prefix: 'sealed' })
    const tokens = createSearchTokens(kv, { log, sealer: sealerOf('k'.repeat(32)) })
    await tokens.keep(ID, { action_token: TOKEN })
    const key = `sealed:{${ID}}:action-token`
    const stored = (await redis.get(key)) ?? ''
    expect(stored).toMatch(/^v1\./)
    expect(stored).not.toContain(TOKEN)
    expect(await redis.pttl(key)).toBeLessThanOrEqual(SEARCH_TOKEN_MS)
    expect(await tokens.load(ID)).toBe(TOKEN)
    await redis.set(`sealed:{${ID}0}:action-token`, stored)
    expect(await tokens.load(`${ID}0`)).toBeUndefined()
    const other = createSearchTokens(kv, { log, sealer: sealerOf('o'.repeat(32)) })
    expect(await other.load(ID)).toBeUndefined()
    await tokens.forgetTeam(TEAM)
    expect(await redis.exists(key)).toBe(0)
  })

  test('another process than the one that accepted the question searches with it at once', async (t) => {
    const env = { REDIS_URL: server.url, REDIS_PREFIX: 'handed', SECRETS_KEY: 'k'.repeat(32) }
    const bot = await startBot(t, { env: { ...env, ROLE: 'front' }, slack: { search: 'meaning' } })
    const { slack, model } = bot
    slack.fault({ method: 'assistant.search.info', delayMs: 300 })
    await slack.say({ user: BOB, channel: RANDOM, text: 'The egret is white.' })
    model.on('egret', act('I search.', 'workspace_search', 'egret'), finish('White.'))
    const thread = await bot.mention('What colour is the egret?')
    await secondBot(t, bot, { ...env, ROLE: 'worker' })
    await thread.ended()
    expect(model.about('egret').at(-1)?.prompt).toContain('The egret is white.')
  })

  test('it is in no question, job, run, record, log, trace or prompt', async (t) => {
    const collector = await startCollector(t)
    const env = {
      ...{ REDIS_URL: server.url, REDIS_PREFIX: 'whole', SECRETS_KEY: 'k'.repeat(32), LOG_LEVEL: 'debug' },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_CAPTURE_CONTENT: 'true' },
    }
    const bot = await startBot(t, { env, slack: { search: 'meaning' } })
    const { slack, model, logs } = bot
    await slack.until(() => logs.some((line) => line.includes('workspace search is on')), 'search')
    await slack.say({ user: BOB, channel: RANDOM, text: 'The heron is grey.' })
    const seen: string[] = []
    model.decide('heron', async (_, n) => {
      seen.push(await everythingIn(redis, 'whole'))
      return n === 0 ? act('I search.', 'workspace_search', 'heron') : finish('Grey.')
    })
    const thread = await bot.mention('What colour is the heron?', { user: ALICE })
    await thread.ended()
    // The result is not stored anywhere when the run is over.
    await slack.until(
      async () => !(await everythingIn(redis, 'whole')).includes('The heron is grey.'),
      'nothing of what was found',
    )
    await slack.settle()
    seen.push(await everythingIn(redis, 'whole'))
    await bot.stop()
    const tokens = slack.calls.flatMap(({ args }) => (typeof args.action_token === 'string' ? [args.action_token] : []))
    expect(tokens).toHaveLength(1)
    // The question was searched with the token, so the token was stored.
    expect(model.about('heron').at(-1)?.prompt).toContain('The heron is grey.')
    expect(seen.some((all) => all.includes(':action-token'))).toBe(true)
    const posted = JSON.stringify(slack.calls.map(({ args: { action_token: _, ...args } }) => args))
    for (const place of [...seen, logs.join(), posted, JSON.stringify(model.requests), JSON.stringify(collector.spans)])
      expect(place).not.toContain(tokens[0])
    expect(seen.at(-1)).not.toContain('The heron is grey.')
  })
})

/** Returns all keys of a prefix with their content. */
async function everythingIn(redis: Redis, prefix: string): Promise<string> {
  const all: unknown[] = []
  for (const key of await redis.keys(`*${prefix}*`)) {
    const type = await redis.type(key)
    if (type === 'string') all.push(key, await redis.get(key))
    if (type === 'hash') all.push(key, await redis.hgetall(key))
    if (type === 'list') all.push(key, await redis.lrange(key, 0, -1))
    if (type === 'set') all.push(key, await redis.smembers(key))
    if (type === 'zset') all.push(key, await redis.zrange(key, '0', '-1'))
    if (type === 'stream') all.push(key, await redis.xrange(key, '-', '+'))
  }
  return JSON.stringify(all)
}
