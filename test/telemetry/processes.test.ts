import { expect, test } from 'vitest'
import { startBot as startRealBot, type Bot } from '../../src/bot.ts'
import { loadConfig, type Env } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { startLocalSlack } from '../../playground/slack/slack.ts'
import { envFor, peopleOf } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { startCollector } from '../harness/otlp-collector.ts'
import { act, finish, playModel } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { scrape } from '../harness/scrape.ts'
import { eventually } from '../harness/stores.ts'

/** Starts a front and two workers on one Redis, each with its own telemetry. */
async function startFleet(t: Ends, env: Env = {}) {
  const redis = await startRedis()
  t.onTestFinished(() => redis.stop())
  const slack = await startLocalSlack({ ackMs: 30_000, retryMs: [20, 50, 100] })
  t.onTestFinished(() => slack.close())
  const collector = await startCollector(t)
  const model = await playModel(t, [act('A sum.', 'calculator', '2+3'), finish('It is 5.')])
  const shared: Env = {
    ...envFor({ slack, model }),
    REDIS_URL: redis.url,
    METRICS_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    SHUTDOWN_MS: '5000',
    ...env,
  }
  const start = async (ROLE: string): Promise<Bot> => {
    const bot = await startRealBot(loadConfig({ ...shared, ROLE }, { serves: true }), { log: createLog('silent') })
    t.onTestFinished(() => bot.stop())
    return bot
  }
  const [front, ...workers] = [await start('front'), await start('worker'), await start('worker')]
  slack.setTarget(`http://127.0.0.1:${front.port}/slack/events`)
  await slack.until(async () => (await fetch(`http://127.0.0.1:${front.port}/readyz`)).ok, 'a front that can store')
  return { slack, model, collector, front, workers, ...peopleOf(slack) }
}

describeWithRedis('a front and its workers', { concurrent: true }, () => {
  test('all report the same queue depth and age', async (t) => {
    const { model, front, workers, mention } = await startFleet(t, { WORKER_CONCURRENCY: '1' })
    model.on('long', { hang: true })
    for (const question of ['A long one?', 'Another long one?', 'A third long one?']) await mention(question)
    for (const { metricsPort } of [front, ...workers])
      await eventually(async () => {
        const seen = await scrape(metricsPort!)
        expect(seen.value('thinkaloud_queue_questions', { state: 'active' })).toBe(2)
        expect(seen.value('thinkaloud_queue_questions', { state: 'waiting' })).toBe(1)
        expect(seen.value('thinkaloud_queue_oldest_seconds')).toBeGreaterThan(0)
      })
    const waits = () =>
      Promise.all(
        workers.map(async (worker) => (await scrape(worker.metricsPort!)).value('thinkaloud_queue_wait_seconds_count')),
      )
    await eventually(async () => expect(await waits()).toEqual([1, 1]))
  })

  test('write one trace per question: the front its beginning, one worker the rest', async (t) => {
    const { collector, mention, ask } = await startFleet(t)
    await (await mention('What is 2+3?')).ended()
    await (await ask('And 2+3 again?')).ended()
    const [first, second] = await collector.until('invoke_agent thinkaloud', 2)
    for (const [agent, name] of [
      [first!, 'receive mention'],
      [second!, 'receive ask'],
    ] as const) {
      const [received] = await collector.until(name)
      expect(agent).toMatchObject({ traceId: received!.traceId, parentSpanId: received!.spanId })
      expect(agent.resource['service.instance.id']).not.toBe(received!.resource['service.instance.id'])
    }
    expect(first!.traceId).not.toBe(second!.traceId)
    await collector.until('slack chat.postMessage', 4)
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(2)
  })

  test('continue the trace after a hand-over, with one first sign', async (t) => {
    const { model, collector, workers, mention } = await startFleet(t)
    model.decide('unlucky', (_, n) => (n === 0 ? { hang: true } : finish('Here I am.')))
    const thread = await mention('Are you unlucky?')
    await eventually(() => expect(model.about('unlucky')).toHaveLength(1))
    const active = await Promise.all(
      workers.map(async (worker) => (await scrape(worker.metricsPort!)).value('thinkaloud_queue_wait_seconds_count')),
    )
    const [gone, heir] = active[0] === 1 ? workers : workers.toReversed()
    await gone!.stop()
    expect(await thread.lastAnswer()).toBe('Here I am.')
    const [first, second] = await collector.until('invoke_agent thinkaloud', 2)
    expect(second!.traceId).toBe(first!.traceId)
    expect(first).toMatchObject({ status: 2, attributes: { 'thinkaloud.attempt': 1 } })
    expect(second!.attributes).toMatchObject({ 'thinkaloud.outcome': 'answered', 'thinkaloud.attempt': 2 })
    await eventually(async () => {
      const seen = await scrape(heir!.metricsPort!)
      expect(seen.value('thinkaloud_questions_total', { outcome: 'answered' })).toBe(1)
      expect(seen.value('thinkaloud_first_sign_seconds_count')).toBe(0)
    })
  })

  test('count their own work: fronts received events, workers answers', async (t) => {
    const { front, workers, mention } = await startFleet(t)
    for (const question of ['What is 2+3?', 'And 3+2?']) await (await mention(question)).ended()
    await eventually(async () => {
      const scrapes = await Promise.all(workers.map((worker) => scrape(worker.metricsPort!)))
      const answered = scrapes.map((one) => one.value('thinkaloud_questions_total', { outcome: 'answered' }) ?? 0)
      expect(answered.reduce((sum, n) => sum + n, 0)).toBe(2)
    })
    const taken = await scrape(front.metricsPort!)
    expect(taken.value('thinkaloud_intake_total', { outcome: 'accepted' })).toBe(2)
    expect(taken.value('thinkaloud_questions_total')).toBe(0)
    expect(taken.value('thinkaloud_model_seconds_count')).toBeUndefined()
  })
})
