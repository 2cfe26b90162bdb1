import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startBot as startRealBot } from '../../src/bot.ts'
import { loadConfig, type Env } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { GENERAL } from '../../playground/slack/slack.ts'
import { envFor, startBot, type TestBot, type TestBotOptions } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish, type Script } from '../harness/played-model.ts'
import { scrape, type Scrape } from '../harness/scrape.ts'
import { eventually } from '../harness/stores.ts'

interface MeteredBot extends TestBot {
  scrape(): Promise<Scrape>
  /**
   * Scrapes until the sum of a metric's samples with these labels is `value`. A question is counted when its worker is
   * done.
   */
  until(name: string, labels: Record<string, string>, value: number): Promise<Scrape>
}

async function meteredBot(t: Ends, model: Script, options: Omit<TestBotOptions, 'model'> = {}): Promise<MeteredBot> {
  const bot = await startBot(t, { ...options, model, env: { METRICS_PORT: '0', ...options.env } })
  const read = () => scrape(bot.bot.metricsPort!)
  const until: MeteredBot['until'] = async (name, labels, value) => {
    await eventually(async () => expect((await read()).value(name, labels)).toBe(value))
    return read()
  }
  return { ...bot, scrape: read, until }
}

function answered(bot: MeteredBot, outcome: string): Promise<Scrape> {
  return bot.until('thinkaloud_questions_total', { outcome }, 1)
}

test('an answered question is counted, with its steps and the seconds to the first sign and to the answer', async (t) => {
  const bot = await meteredBot(t, [act('A sum.', 'calculator', '2+3'), finish('It is 5.')])
  await (await bot.mention('What is 2+3?')).ended()
  const seen = await answered(bot, 'answered')
  expect(seen.value('thinkaloud_questions_total')).toBe(1)
  expect(seen.value('thinkaloud_question_steps_count')).toBe(1)
  expect(seen.value('thinkaloud_question_steps_sum')).toBe(1)
  expect(seen.value('thinkaloud_first_sign_seconds_count')).toBe(1)
  expect(seen.value('thinkaloud_queue_wait_seconds_count')).toBe(1)
  expect(seen.value('thinkaloud_answer_seconds_count', { outcome: 'answered' })).toBe(1)
  const first = seen.value('thinkaloud_first_sign_seconds_sum') ?? NaN
  expect(first).toBeGreaterThan(0)
  expect(seen.value('thinkaloud_answer_seconds_sum')).toBeGreaterThanOrEqual(first)
})

test('a mention that arrives as two events counts once, and other threads do not count', async (t) => {
  const bot = await meteredBot(t, [finish('Yes.')])
  const stranger = await bot.slack.say({ text: 'Lunch, anybody?' })
  await bot.slack.say({ text: 'Me!', thread_ts: stranger.ts })
  await (await bot.mention('Is it noon?')).ended()
  const seen = await answered(bot, 'answered')
  expect(seen.value('thinkaloud_intake_total', { surface: 'mention', outcome: 'accepted' })).toBe(1)
  expect(seen.value('thinkaloud_intake_total', { surface: 'mention', outcome: 'duplicate' })).toBe(1)
  expect(seen.value('thinkaloud_intake_total', { surface: 'thread', outcome: 'unknown_thread' })).toBe(1)
  expect(seen.value('thinkaloud_questions_total')).toBe(1)
})

test('model calls have their seconds, tokens and dollars', async (t) => {
  const prices = await pricesFile(t, { 'played-model': { in: 1, out: 10, cached: 0.5 } })
  const usage = { prompt_tokens: 1000, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 400 } }
  const bot = await meteredBot(t, [{ text: finish('Done.'), usage }], { env: { PRICES_FILE: prices } })
  await (await bot.mention('Go.')).ended()
  const seen = await answered(bot, 'answered')
  expect(seen.value('thinkaloud_model_seconds_count', { model: 'played-model', outcome: 'ok' })).toBe(1)
  expect(seen.value('thinkaloud_tokens_total', { model: 'played-model', direction: 'input' })).toBe(1000)
  expect(seen.value('thinkaloud_tokens_total', { model: 'played-model', direction: 'output' })).toBe(20)
  expect(seen.value('thinkaloud_cached_tokens_total', { model: 'played-model' })).toBe(400)
  expect(seen.value('thinkaloud_cost_usd_total', { model: 'played-model' })).toBeCloseTo(0.0006 + 0.0002 + 0.0002, 10)
})

test('implausible usage affects neither the answer nor the counts', async (t) => {
  const nonsense = [
    { prompt_tokens: -5, completion_tokens: 'many' },
    { prompt_tokens: 7, completion_tokens: 1 },
  ]
  const turns = [act('A sum.', 'calculator', '2+3'), finish('It is 5.')]
  const bot = await meteredBot(
    t,
    turns.map((text, i) => ({ text, usage: nonsense[i]! })),
  )
  expect(await (await bot.mention('What is 2+3?')).lastAnswer()).toBe('It is 5.')
  const seen = await answered(bot, 'answered')
  // The usage of the first call is our estimate.
  const counted = (direction: string) => Number(seen.value('thinkaloud_tokens_total', { direction }))
  expect(counted('input')).toBeGreaterThan(7 + 100)
  expect(counted('input')).toBeLessThan(7 + 3_000)
  expect(counted('output')).toBeGreaterThan(1 + 5)
  expect(counted('output')).toBeLessThan(1 + 50)
})

test('tools have their known names; anything else is one unknown tool', async (t) => {
  const turns = Array.from({ length: 5 }, (_, i) => act('Try.', `made_up_${i}{evil="1"}`, 'x'))
  const bot = await meteredBot(t, [
    ...turns,
    act('Sum.', 'calculator', '1/'),
    act('Sum.', 'calculator', '1+1'),
    finish('2'),
  ])
  await (await bot.mention('Try them all.')).ended()
  const seen = await answered(bot, 'answered')
  expect(seen.values('thinkaloud_tool_seconds_count', 'tool').sort()).toEqual(['calculator', 'unknown'])
  expect(seen.value('thinkaloud_tool_seconds_count', { tool: 'unknown', outcome: 'failed' })).toBe(5)
  expect(seen.value('thinkaloud_tool_seconds_count', { tool: 'calculator', outcome: 'failed' })).toBe(1)
  expect(seen.value('thinkaloud_tool_seconds_count', { tool: 'calculator', outcome: 'ok' })).toBe(1)
})

test('an answer at the step limit, an ordinary answer and none are distinguished', async (t) => {
  const bot = await meteredBot(t, [], { env: { AGENT_MAX_STEPS: '1' } })
  bot.model.on('best guess', act('Sum.', 'calculator', '1+1'), finish('Two, I think.'))
  bot.model.on('no idea', act('Sum.', 'calculator', '1+1'), act('Again.', 'calculator', '1+2'))
  await (await bot.mention('Your best guess?')).ended()
  await answered(bot, 'stopped')
  await (await bot.mention('You have no idea, have you?')).ended()
  const seen = await answered(bot, 'gave_up')
  expect(seen.value('thinkaloud_questions_total')).toBe(2)
})

test('a rejected key fails the question, with the response’s status', async (t) => {
  const bot = await meteredBot(t, [{ status: 401 }])
  await (await bot.mention('Anybody there?')).ended()
  const seen = await answered(bot, 'failed')
  expect(seen.value('thinkaloud_model_failures_total', { model: 'played-model', error: '401' })).toBe(1)
  expect(seen.value('thinkaloud_model_seconds_count', { model: 'played-model', outcome: 'failed' })).toBe(1)
  expect(seen.value('thinkaloud_answer_seconds_count', { outcome: 'failed' })).toBe(1)
})

test('a call that succeeds on the second try is one call and one retry', async (t) => {
  const bot = await meteredBot(t, [{ status: 503 }, finish('Here I am.')])
  await (await bot.mention('Anybody there?')).ended()
  const seen = await answered(bot, 'answered')
  expect(seen.value('thinkaloud_retries_total', { of: 'model' })).toBe(1)
  expect(seen.value('thinkaloud_model_seconds_count')).toBe(1)
  expect(seen.value('thinkaloud_model_failures_total')).toBeUndefined()
})

test('a first model’s failures count even if the second answers', async (t) => {
  const play: Script = ({ body }) => (body.model === 'spare' ? finish('I stand in.') : { status: 500 })
  const bot = await meteredBot(t, play, { env: { OPENAI_FALLBACK_MODEL: 'spare' } })
  await (await bot.mention('Anybody there?')).ended()
  const seen = await answered(bot, 'answered')
  expect(seen.value('thinkaloud_model_failures_total', { model: 'played-model', error: '500' })).toBe(1)
  expect(seen.value('thinkaloud_model_seconds_count', { model: 'spare', outcome: 'ok' })).toBe(1)
  expect(seen.values('thinkaloud_breaker_open', 'model').sort()).toEqual(['played-model', 'spare'])
  expect(seen.value('thinkaloud_breaker_open')).toBe(0)
})

test('Slack calls are counted by method and result, with retries', async (t) => {
  const bot = await meteredBot(t, [finish('Yes.')])
  bot.slack.fault({ method: 'chat.postMessage', retryAfter: 1, times: 1 })
  await (await bot.mention('Is it noon?')).ended()
  const seen = await answered(bot, 'answered')
  expect(seen.value('thinkaloud_slack_calls_total', { method: 'chat.postMessage', result: 'ratelimited' })).toBe(1)
  expect(seen.value('thinkaloud_slack_calls_total', { method: 'chat.postMessage', result: 'ok' })).toBe(1)
  expect(seen.value('thinkaloud_slack_calls_total', { method: 'auth.test', result: 'ok' })).toBe(1)
  expect(seen.value('thinkaloud_slack_call_seconds_count', { method: 'chat.postMessage' })).toBe(2)
  expect(seen.value('thinkaloud_retries_total', { of: 'slack' })).toBe(1)
})

test('an answer that Slack refuses is undelivered', async (t) => {
  const bot = await meteredBot(t, [finish('Yes.')])
  bot.slack.fault({ method: 'chat.postMessage', error: 'is_archived' })
  await bot.mention('Is it noon?')
  const seen = await answered(bot, 'undelivered')
  expect(seen.value('thinkaloud_slack_calls_total', { method: 'chat.postMessage', result: 'is_archived' })).toBe(1)
})

test('/ask is one question with one first sign, although it has two jobs', async (t) => {
  const bot = await meteredBot(t, [finish('Yes.')])
  await (await bot.ask('Is it noon?')).ended()
  const seen = await answered(bot, 'answered')
  expect(seen.value('thinkaloud_intake_total', { surface: 'ask', outcome: 'accepted' })).toBe(1)
  expect(seen.value('thinkaloud_questions_total')).toBe(1)
  expect(seen.value('thinkaloud_first_sign_seconds_count')).toBe(1)
  expect(seen.value('thinkaloud_queue_wait_seconds_count')).toBe(1)
})

test('a question over a limit is refused, not answered', async (t) => {
  const bot = await meteredBot(t, [finish('Yes.')], { env: { LIMIT_USER_HOUR: '1' } })
  await (await bot.mention('Is it noon?')).ended()
  await bot.mention('And now?')
  const seen = await bot.until('thinkaloud_refusals_total', { limit: 'userHour' }, 1)
  expect(seen.value('thinkaloud_questions_total')).toBe(1)
})

test('queue depth and process metrics are read at each scrape', async (t) => {
  const bot = await meteredBot(t, [{ hang: true }], { env: { WORKER_CONCURRENCY: '1' } })
  await bot.mention('One?')
  await bot.until('thinkaloud_queue_questions', { state: 'active' }, 1)
  await bot.mention('Two?')
  const seen = await bot.until('thinkaloud_queue_questions', { state: 'waiting' }, 1)
  expect(seen.value('thinkaloud_queue_oldest_seconds')).toBeGreaterThan(0)
  expect(seen.value('process_cpu_seconds_total')).toBeGreaterThan(0)
  expect(seen.value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
})

test('METRICS_PORT has its own server with the health pages; Slack’s port shows no metrics', async (t) => {
  const bot = await meteredBot(t, [])
  const get = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  const metrics = await get(bot.bot.metricsPort!, '/metrics')
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  expect((await get(bot.bot.metricsPort!, '/healthz')).status).toBe(200)
  expect((await get(bot.bot.metricsPort!, '/readyz')).status).toBe(200)
  expect((await get(bot.bot.port, '/metrics')).status).toBe(404)
  expect((await get(bot.bot.metricsPort!, '/slack/events')).status).toBe(404)
  await bot.stop()
  await expect(get(bot.bot.metricsPort!, '/healthz')).rejects.toThrow()
})

test('without METRICS_PORT there is no such server', async (t) => {
  const bot = await startBot(t)
  expect(bot.bot.metricsPort).toBeUndefined()
  expect((await fetch(`http://127.0.0.1:${bot.bot.port}/metrics`)).status).toBe(404)
})

test('a METRICS_PORT that is taken ends the start with its name', async (t) => {
  const bot = await startBot(t)
  const env: Env = { ...envFor(bot), METRICS_PORT: String(bot.bot.port) }
  const start = startRealBot(loadConfig(env, { serves: true }), { log: createLog('silent') })
  await expect(start).rejects.toThrow(/^Port \d+ is in use\. Set METRICS_PORT to a free one\.$/)
})

test('labels do not identify channels', async (t) => {
  const bot = await meteredBot(t, [act('A sum.', 'calculator', '2+3'), finish('It is 5.')])
  const thread = await bot.mention('What is 2+3?')
  await thread.ended()
  const seen = await answered(bot, 'answered')
  const labels = seen.samples.flatMap((sample) => Object.values(sample.labels)).join(' ')
  for (const id of [GENERAL, thread.ts, 'T0LOCAL0001', '2+3']) expect(labels).not.toContain(id)
})

async function pricesFile(t: Ends, prices: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thinkaloud-prices-'))
  t.onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'prices.json'), JSON.stringify(prices))
  return join(folder, 'prices.json')
}
