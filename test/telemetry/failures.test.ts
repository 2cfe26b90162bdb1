/** The metrics and traces of questions with failures. */
import { expect, test } from 'vitest'
import { startBot, type TestBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { startCollector, type Collector } from '../harness/otlp-collector.ts'
import { act, finish, type Script } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { scrape } from '../harness/scrape.ts'
import { eventually } from '../harness/stores.ts'

const ERROR = 2
const HANGS = { hang: true }

async function watchedBot(t: Ends, model: Script, env = {}): Promise<TestBot & { collector: Collector }> {
  const collector = await startCollector(t)
  const watched = { METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env }
  return { ...(await startBot(t, { model, env: watched })), collector }
}

test('an unreadable output is a step, not a tool call', async (t) => {
  const bot = await watchedBot(t, ['no form\nAction:', act('A sum.', 'calculator', '1+1'), finish('Two.')])
  expect(await (await bot.mention('One and one?')).lastAnswer()).toBe('Two.')
  await eventually(async () => {
    const seen = await scrape(bot.bot.metricsPort!)
    expect(seen.value('thinkaloud_questions_total')).toBe(1)
    expect(seen.values('thinkaloud_tool_seconds_count', 'tool')).toEqual(['calculator'])
  })
  await bot.stop()
  expect(bot.collector.spans.filter(({ name }) => name.startsWith('execute_tool'))).toHaveLength(1)
  expect(bot.collector.named('invoke_agent thinkaloud')[0]?.attributes['thinkaloud.steps']).toBe(2)
})

test('a model retry is recorded on its span, a Slack retry has its own', async (t) => {
  const bot = await watchedBot(t, [{ status: 503 }, finish('Yes.')])
  bot.slack.fault({ method: 'chat.postMessage', retryAfter: 1 })
  await (await bot.mention('Is it noon?')).ended()
  await bot.stop()
  const chats = bot.collector.named('chat played-model')
  expect(chats.map(({ attributes, status }) => [attributes['thinkaloud.retries'], status ?? 0])).toEqual([[1, 0]])
  const posts = bot.collector.named('slack chat.postMessage')
  expect(
    posts.map(({ attributes, status }) => [attributes['slack.attempt'], attributes['error.type'], status]),
  ).toEqual([
    [undefined, 'ratelimited', ERROR],
    [1, undefined, 0],
  ])
})

describeWithRedis('with Redis', () => {
  test('a delivery that cannot be stored is a trace with an error', async (t) => {
    const server = await startRedis()
    t.onTestFinished(() => server.stop())
    const bot = await watchedBot(t, [finish('Yes.')], { REDIS_URL: server.url })
    await server.kill()
    await bot.mention('Is it noon?')
    const [received] = await bot.collector.until('receive mention')
    expect(received).toMatchObject({ status: ERROR, attributes: { 'error.type': expect.any(String) } })
    expect(JSON.stringify(received)).not.toContain('noon')
  })

  test.for([
    ['while the model is at work', HANGS, 'LeaseLost'],
    ['while Slack makes its answer wait', finish('Yes.'), 'aborted'],
  ] as const)('a question that is handed over %s is an error of the agent’s span', async ([, turn, error], t) => {
    const server = await startRedis()
    t.onTestFinished(() => server.stop())
    const bot = await watchedBot(t, [turn], { REDIS_URL: server.url, SHUTDOWN_MS: '0' })
    bot.slack.fault({ method: 'chat.postMessage', retryAfter: 600 })
    await bot.mention('Is it noon?')
    const isHeld = () =>
      turn === HANGS
        ? bot.model.requests.length > 0
        : bot.slack.calls.some((call) => call.method === 'chat.postMessage')
    await bot.slack.until(isHeld, 'the question at work')
    await bot.stop()
    const [agent] = bot.collector.named('invoke_agent thinkaloud')
    expect(agent).toMatchObject({ status: ERROR, attributes: { 'error.type': error } })
    expect(agent?.attributes).not.toHaveProperty('thinkaloud.outcome')
  })
})
