/** The trace that RUN_TRACES stores of a run, through the bot's front door. */
import { expect, test } from 'vitest'
import type { RunTrace, TracedModelCall, TracedToolCall } from '../../src/stores/runs/run-trace.ts'
import { createArchive } from '../../src/stores/archive/run-archive.ts'
import { BOB, RANDOM, TEAM } from '../../playground/slack/slack.ts'
import { sealerOf, type Sealer } from '../../src/base/encryption.ts'
import { ONCE, approvalBot, notes, waitingCard } from '../harness/approvals.ts'
import { secondBot, startBot, type TestBot, type TestBotOptions } from '../harness/bot.ts'
import { commandHere } from '../harness/command.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish, INVENTED } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { steeredBot } from '../harness/steered-bot.ts'
import { deferred, keptLog } from '../harness/stores.ts'
import { redisKv } from '../../src/stores/kv/redis-kv.ts'

/** Starts a bot whose runs are recorded. Returns the last trace of each. */
async function tracedBot(t: Ends, options: TestBotOptions = {}) {
  const told: RunTrace[] = []
  const bot = await startBot(t, { ...options, onTrace: (trace) => void told.push(structuredClone(trace)) })
  return { ...bot, told, trace: (key: string) => last(told, key), over: (key: string) => over(bot, told, key) }
}

const last = (told: RunTrace[], key: string) => told.findLast(({ question }) => question.includes(key))

/** Returns the trace of a finished run. */
function over({ slack }: Pick<TestBot, 'slack'>, told: RunTrace[], key: string): Promise<RunTrace> {
  return slack.until(() => told.find(({ question, end }) => question.includes(key) && end), `the trace of ${key}`)
}

const models = ({ calls }: RunTrace) => calls.filter((call): call is TracedModelCall => call.kind === 'model')
const tools = ({ calls }: RunTrace) => calls.filter((call): call is TracedToolCall => call.kind === 'tool')

test('each call is in the trace with messages, output, parsed turn and times', async (t) => {
  const bot = await tracedBot(t)
  bot.model.on('sum', `${act('I need it.', 'calculator', '6*7')}${INVENTED}`, finish('It is 42.'))
  const thread = await bot.mention('What is the sum?')
  await thread.ended()
  const trace = await bot.over('the sum')
  expect(trace).toMatchObject({
    ...{ version: 1, dialect: 'text', model: 'played-model', end: 'answered', answer: 'It is 42.', attempts: 1 },
    thread: thread.ts,
    posts: { 'step-1': expect.any(String), 'answer-1': expect.any(String) },
  })
  const [first, second] = models(trace)
  const asked = bot.model.about('the sum')
  expect(first?.request.messages.map(({ content }) => content)).toEqual(
    asked[0]?.body.messages.map(({ content }) => content),
  )
  expect(first).toMatchObject({ for: 'step', turn: 1, usage: [{ model: 'played-model' }] })
  expect(first?.read).toEqual({
    kind: 'actions',
    thought: 'I need it.',
    actions: [{ step: 1, tool: 'calculator', input: '6*7' }],
  })
  expect(second).toMatchObject({ turn: 2, read: { kind: 'finish', answer: 'It is 42.' } })
  expect(second?.output.text).toBe(asked[1]?.sent)
  expect(tools(trace)).toEqual([
    expect.objectContaining({ step: 1, tool: 'calculator', input: { expression: '6*7' }, ok: true, shown: '42' }),
  ])
  for (const { at, ms } of trace.calls) {
    expect(at).toBeGreaterThanOrEqual(trace.startedAt)
    expect(at + (ms ?? NaN)).toBeLessThanOrEqual(trace.endedAt ?? NaN)
  }
})

test('a trace grows during its run, at the start and end of each call', async (t) => {
  const bot = await tracedBot(t)
  bot.model.on('sum', act('I need it.', 'calculator', '6*7'), finish('It is 42.'))
  await (await bot.mention('What is the sum?')).ended()
  await bot.over('the sum')
  const grown = bot.told.map(({ calls }) => calls.filter(({ ms }) => ms !== undefined).length / calls.length)
  expect(grown.slice(0, 4)).toEqual([0, 1, 1 / 2, 1])
  expect(bot.told[0]).not.toHaveProperty('end')
})

test('condensing, retries and unreadable turns are recorded', async (t) => {
  const bot = await tracedBot(t)
  bot.model.on('first', finish('One.'))
  bot.model.condenses('and then', 'What comes after the first thing?')
  bot.model.on('What comes after', { status: 500, body: {} }, 'Action: \n\n', finish('Two.'))
  const thread = await bot.mention('What is the first thing?')
  await thread.ended()
  await thread.reply('and then?')
  const trace = await bot.over('and then')
  const [condense, retried, last] = models(trace)
  expect(trace.standalone).toBe('What comes after the first thing?')
  expect(condense).toMatchObject({ for: 'condense', output: { text: 'What comes after the first thing?' } })
  expect(retried).toMatchObject({ retries: 1, read: { kind: 'unreadable', step: 1, hint: expect.any(String) } })
  expect(last?.read).toEqual({ kind: 'finish', answer: 'Two.' })
})

test('a fallback model’s calls are separate; a failed call has its reason', async (t) => {
  const bot = await tracedBot(t, { env: { OPENAI_FALLBACK_MODEL: 'second-model' } })
  bot.model.decide('who', ({ body }) =>
    body.model === 'second-model' ? finish('It was I.') : { status: 400, body: { error: { message: 'no' } } },
  )
  bot.model.decide('what', ({ body }) =>
    body.model === 'second-model' ? finish('It was I.') : { status: 503, body: { error: { message: 'down' } } },
  )
  await (await bot.mention('But what was it?')).ended()
  const [first, second] = models(await bot.over('But what'))
  expect(first).toMatchObject({ model: 'played-model', error: expect.stringContaining('503'), output: { text: '' } })
  expect(second).toMatchObject({ model: 'second-model', read: { kind: 'finish' } })
})

test('a tool’s model calls belong to its step; an unknown tool was not called', async (t) => {
  const bot = await tracedBot(t, { env: { TOOLS: 'calculator,llm_math' } })
  bot.model.on(
    'half',
    act('I ask.', 'llm_math', 'half of ten'),
    '```text\n10/2\n```',
    act('More.', 'telescope', 'x'),
    finish('Five.'),
  )
  await (await bot.mention('What is half of ten?')).ended()
  const trace = await bot.over('half of ten')
  expect(models(trace).map((call) => [call.for, call.step])).toEqual([
    ['step', undefined],
    ['tool', 1],
    ['step', undefined],
    ['step', undefined],
  ])
  expect(tools(trace)[1]).toMatchObject({ step: 2, tool: 'telescope', ok: false, notCalled: true })
  expect(tools(trace)[1]?.shown).toContain('There is no tool "telescope"')
})

test('no secret of the settings is in a trace', async (t) => {
  const bot = await tracedBot(t, { env: { GITHUB_TOKEN: 'tok-very"secret-99' } })
  bot.model.on('leak', act('tok-very"secret-99', 'calculator', 'sk-played-key+1'), finish('tok-very"secret-99 is it.'))
  await (await bot.mention('Will you leak sk-played-key?')).ended()
  const text = JSON.stringify(await bot.over('leak'))
  expect(text).toContain('***')
  expect(text).not.toMatch(/sk-played-key|secret-99/)
})

test('workspace results are removed from the trace after the run', async (t) => {
  const bot = await tracedBot(t, { slack: { search: 'meaning' } })
  await bot.slack.until(() => bot.logs.some((line) => line.includes('workspace search is')), 'search')
  await bot.slack.say({ user: BOB, channel: RANDOM, text: 'The launch codename is Zephyr.' })
  bot.model.on('codename', act('I search.', 'workspace_search', 'codename Zephyr'), finish('I know it.'))
  await (await bot.mention('What is our codename?')).ended()
  const trace = await bot.over('our codename')
  const during = bot.told.findLast(({ end }) => !end)
  expect(JSON.stringify(during)).toContain('The launch codename is Zephyr')
  expect(JSON.stringify(trace)).not.toContain('The launch codename')
  expect(JSON.stringify(trace)).toContain('(What was found is not kept.)')
  // Nothing is missing: the model's messages before and besides.
  const [first, second] = models(trace)
  const sent = (call: TracedModelCall | undefined) => call?.request.messages.map(({ content }) => content).join('\n')
  expect(sent(first)).toContain('Question: What is our codename?')
  expect(sent(second)).toContain('Question: What is our codename?')
  expect(sent(second)).toContain('Action: workspace_search')
})

test('a suspended run has one trace, with its wait', async (t) => {
  const told: RunTrace[] = []
  const bot = await approvalBot(t, {}, { onTrace: (trace) => void told.push(structuredClone(trace)) })
  notes(bot, 'Milk')
  const thread = await bot.mention('Please note Milk.')
  await waitingCard(bot, thread)
  await thread.press(ONCE)
  await thread.ended()
  const trace = await over(bot, told, 'note Milk')
  expect(trace.attempts).toBe(2)
  expect(trace.waits).toEqual([{ step: 1, from: expect.any(Number), until: expect.any(Number), for: 'approval' }])
  expect(trace.calls.map(({ kind }) => kind)).toEqual(['model', 'tool', 'model'])
})

test('additions and a stop are in the trace', async (t) => {
  const told: RunTrace[] = []
  const bot = await steeredBot(t, {}, { onTrace: (trace) => void told.push(structuredClone(trace)) })
  const added = deferred()
  bot.model.decide('stars', async (_, n) => {
    if (n === 0) return act('I look.', 'calculator', '1+1')
    await added.promise
    return n === 1 ? act('More.', 'calculator', '2+2') : { hang: true }
  })
  const thread = await bot.mention('How many stars?')
  await bot.slack.until(() => bot.model.about('stars').length === 2, 'the second thought')
  await thread.reply('Only those of our galaxy.')
  added.resolve()
  await bot.slack.until(() => bot.model.about('stars').length === 3, 'the third thought')
  await thread.reply('stop')
  const trace = await over(bot, told, 'stars')
  expect(trace.added).toEqual([expect.objectContaining({ step: 3, text: 'Only those of our galaxy.' })])
  expect(trace).toMatchObject({ end: 'stopped', stopped: 'stopped', answer: expect.any(String) })
  expect(models(trace).at(-1)?.error).toEqual(expect.any(String))
})

test('nothing is kept of a withdrawn question', async (t) => {
  const bot = await tracedBot(t)
  bot.model.on('secret plan', act('I look.', 'calculator', '1+1'), { hang: true })
  const thread = await bot.mention('What is the secret plan?')
  await bot.slack.until(() => bot.model.about('secret plan').length === 2, 'the second thought')
  await thread.delete()
  await bot.slack.until(() => bot.logs.some((line) => line.includes('taken back')), 'the withdrawal')
  expect(bot.told.filter(({ end }) => end)).toEqual([])
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()

  const archiveIn = (prefix: string, sealer?: Sealer) =>
    createArchive(redisKv({ redis: server.connect(keptLog()), prefix }), {
      ...{ log: keptLog(), prefix, sealer },
      ...{ ttlMs: 86_400_000, now: Date.now },
    })
  const traceIn = (prefix: string, id: string) => archiveIn(prefix).loadTrace(id)

  test('workspace results are in no stored trace, and not in that of a run that another process continues', async (t) => {
    const env = { REDIS_URL: server.url, REDIS_PREFIX: 'found', SHUTDOWN_MS: '300', RUN_TRACES: 'true' }
    const bot = await startBot(t, { env: { ...env, ROLE: 'front' }, slack: { search: 'meaning' } })
    const worker = await secondBot(t, bot, { ...env, ROLE: 'worker' })
    await bot.slack.say({ user: BOB, channel: RANDOM, text: 'The launch codename is Zephyr.' })
    bot.model.on('codename', act('I search.', 'workspace_search', 'codename Zephyr'), { hang: true })
    const thread = await bot.mention('What is our codename?')
    const id = `${TEAM}:${thread.channel}:${thread.ts}`
    const kept = () => traceIn('found', id)
    await bot.slack.until(() => bot.model.about('codename').length === 2, 'the second thought')
    expect(bot.model.requests.at(-1)?.prompt).toContain('The launch codename is Zephyr')
    const found = async () => ((await kept())?.calls.length ?? 0) >= 2
    await bot.slack.until(found, 'the trace so far')
    expect(JSON.stringify(await kept())).not.toContain('The launch codename')
    await worker.stop()
    bot.model.on('codename', finish('It says: The launch codename is Zephyr.'))
    await secondBot(t, bot, { ...env, ROLE: 'worker' })
    await thread.ended()
    await bot.slack.until(async () => (await kept())?.end !== undefined, 'the whole trace')
    const { calls } = (await kept())!
    expect(calls.length).toBeGreaterThan(2)
    expect(JSON.stringify(calls)).not.toContain('The launch codename')
  })

  test('a resumed run has one trace, in which the lost call is marked', async (t) => {
    const told: RunTrace[] = []
    const env = { REDIS_URL: server.url, REDIS_PREFIX: 'goes-on', SHUTDOWN_MS: '300', RUN_TRACES: 'true' }
    const bot = await startBot(t, { env: { ...env, ROLE: 'front' }, onTrace: (trace) => void told.push(trace) })
    const worker = await secondBot(t, bot, { ...env, ROLE: 'worker' })
    bot.model.on('moons', act('I count.', 'calculator', '1+1'), { hang: true })
    const thread = await bot.mention('How many moons?')
    const id = `${TEAM}:${thread.channel}:${thread.ts}`
    // The trace is stored as it grows, because a process may be killed at any moment.
    await bot.slack.until(async () => Number((await traceIn('goes-on', id))?.calls.length) >= 2, 'the trace so far')
    await bot.slack.until(() => bot.model.about('moons').length === 2, 'the second thought')
    await worker.stop()
    bot.model.on('moons', finish('Two.'))
    await secondBot(t, bot, { ...env, ROLE: 'worker' })
    await thread.ended()
    const trace = await bot.slack.until(async () => {
      const kept = await traceIn('goes-on', id)
      return kept?.end ? kept : undefined
    }, 'the whole trace')
    expect(trace.attempts).toBe(2)
    expect(trace.calls.map(({ kind }) => kind)).toEqual(['model', 'tool', 'model', 'model'])
    expect(trace.calls[2]?.error).toEqual(expect.any(String))
    expect(trace.calls[3]).toMatchObject({ read: { kind: 'finish', answer: 'Two.' } })
    expect(told).toEqual([])
    const runs = (...args: string[]) => commandHere(t, 'src/commands/runs.ts', { args, env })
    const printed = await runs('trace', id)
    expect((await printed.ended).code).toBe(0)
    expect(JSON.parse(printed.stdout())).toEqual(trace)
    const unknown = await runs('trace', 'T1:C1:1')
    expect((await unknown.ended).code).toBe(1)
    expect(unknown.stderr()).toContain('There is no trace of T1:C1:1.')
  })

  test('a trace is sealed with SECRETS_KEY, expires with its run, and is kept only if enabled', async (t) => {
    const key = 'k'.repeat(32)
    const bot = await startBot(t, {
      env: { REDIS_URL: server.url, REDIS_PREFIX: 'sealed', RUN_TRACES: 'true', SECRETS_KEY: key },
    })
    bot.model.on('sealed', finish('Yes.'))
    const thread = await bot.mention('Is it sealed?')
    await thread.ended()
    const [redis, id] = [server.rawClient(), `${TEAM}:${thread.channel}:${thread.ts}`]
    const stored = await bot.slack.until(() => redis.get(`sealed:{${id}}:trace`), 'the trace')
    expect(stored).toMatch(/^v1\./)
    expect(await redis.pttl(`sealed:{${id}}:trace`)).toBeGreaterThan(29 * 86_400_000)
    expect(await traceIn('sealed', id)).toBeUndefined()
    const sealer = sealerOf(key)
    const isWhole = async () => (await archiveIn('sealed', sealer).loadTrace(id))?.answer === 'Yes.'
    await bot.slack.until(isWhole, 'the whole trace')
    const plain = await startBot(t, { env: { REDIS_URL: server.url, REDIS_PREFIX: 'plain' } })
    plain.model.on('kept', finish('No.'))
    await (await plain.mention('Is it kept?')).ended()
    await plain.slack.until(async () => (await redis.keys('plain:*:record')).length === 1, 'the record')
    expect(await redis.keys('plain:*:trace')).toEqual([])
  })
})
