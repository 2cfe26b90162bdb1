/** The stored data of a finished question, and its deletion, with the whole bot on a local Slack. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { recordOf } from '../../../src/question/archive-run.ts'
import type { RunRecord } from '../../../src/stores/archive/types.ts'
import type { AuditEntry } from '../../../src/stores/audit/types.ts'
import type { Env } from '../../../src/config.ts'
import { loadConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/base/log.ts'
import { ALICE, GENERAL, RANDOM } from '../../../playground/slack/slack.ts'
import { freshRun } from '../../../src/stores/runs/types.ts'
import { createStores } from '../../../src/question/stores/open-stores.ts'
import type { Stores } from '../../../src/question/stores/open-stores.ts'
import { envFor, startBot, type TestBot } from '../../harness/bot.ts'
import { fileEnds, type Ends } from '../../harness/ends.ts'
import { act, finish } from '../../harness/played-model.ts'
import { temporaryFolder } from '../../harness/command.ts'
import { startCluster } from '../../harness/redis-cluster.ts'
import { asking } from '../../harness/redis-fleet.ts'
import { describeWithRedis, startRedis } from '../../harness/redis.ts'
import { eventually, question } from '../../harness/stores.ts'

const TEAM = 'T0LOCAL0001'
const person = { team: TEAM, user: ALICE }
const WRITE: AuditEntry = {
  ...{ run: `${TEAM}:${GENERAL}:1.0`, step: 1, team: TEAM, channel: GENERAL, thread: '1.0', askedBy: ALICE, tool: 'x' },
  ...{ how: 'config', argumentsHash: 'ab', at: 1, outcome: 'done' },
}
const STEPS = [act('I need it.', 'calculator', '6*7'), finish('It is 42.')]

/** Opens the stores of a bot's Redis, like another process. */
async function storesOf(t: Ends, bot: TestBot, env: Env) {
  const config = loadConfig({ ...envFor(bot), ROLE: 'front', ...env })
  const stores = await createStores(config, { log: createLog('silent'), now: Date.now })
  t.onTestFinished(async () => {
    await stores.queue.stop(0)
    await stores.close()
  })
  return stores
}

/** Waits until all runs have ended, a moment after they are archived. */
function allOver({ queue }: Stores): Promise<void> {
  return eventually(async () => expect(await queue.stats()).toMatchObject({ active: 0, waiting: 0 }))
}

const ends = fileEnds()

describeWithRedis('in Redis', async () => {
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())
  const envOf = (prefix: string): Env => ({ REDIS_URL: server.url, REDIS_PREFIX: prefix })
  const start = async (t: Ends, prefix: string, options: Parameters<typeof startBot>[1] = {}) => {
    const env = { ...envOf(prefix), ...options.env }
    const bot = await startBot(t, { ...options, env })
    const stores = await storesOf(t, bot, env)
    const lastRuns = async (count: number) => {
      const last = () => stores.archive.lastOf(person, 10)
      await eventually(async () => expect(await last()).toHaveLength(count))
      return last()
    }
    return { ...bot, stores, lastRuns }
  }

  test('an answered question is archived with its steps, posts, cost and model', async (t) => {
    const bot = await start(t, 'answered', { model: STEPS })
    const thread = await bot.mention('What is six times seven?')
    await thread.ended()
    const [record] = (await bot.lastRuns(1)) as [RunRecord]
    expect(record).toMatchObject({
      question: { id: `${TEAM}:${GENERAL}:${thread.ts}`, user: ALICE, text: 'What is six times seven?' },
      steps: [{ kind: 'tool', action: { tool: 'calculator', input: '6*7' }, observation: { text: '42' } }],
      answer: { text: 'It is 42.' },
      ...{ model: 'played-model', dialect: 'text', end: 'answered', feedback: [] },
    })
    expect(record.usage).toHaveLength(2)
    expect(Object.keys(record.posts)).toEqual(expect.arrayContaining(['step-1', 'answer-1']))
    expect(thread.messages().map(({ ts }) => ts)).toContain(record.posts['answer-1'])
    expect(record.endedAt).toBeGreaterThanOrEqual(record.startedAt)
    expect(await bot.stores.archive.load(record.question.id)).toEqual(record)
  })

  test('failed and stopped questions are archived too; help is not', async (t) => {
    const bot = await start(t, 'ends', { model: [{ hang: true }, { status: 401, body: {} }] })
    const hanging = await bot.mention('Endless?')
    const id = `${TEAM}:${GENERAL}:${hanging.ts}`
    await bot.slack.until(() => bot.model.requests.length === 1, 'the first call')
    expect(await bot.stores.control.send({ thread: id, id }, { type: 'stop', by: ALICE })).toBe('sent')
    await hanging.ended()
    await (await bot.mention('Refused?')).ended()
    const help = await bot.mention('help')
    await bot.slack.until(() => help.shown().length === 1, 'the help')
    const ended = await bot.lastRuns(2)
    expect(ended.map(({ question, end }) => [question.text, end])).toEqual([
      ['Refused?', 'failed'],
      ['Endless?', 'stopped'],
    ])
  })

  test('a channel chooses its model, dialect, tools and instructions', async (t) => {
    const env = { OPENAI_CONDENSE_MODEL: 'small-model' }
    const bot = await start(t, 'chosen', { env, model: () => finish('Hello.') })
    const { channelSettings } = bot.stores
    await channelSettings.save(
      { team: TEAM, channel: GENERAL },
      { model: 'small-model', tools: ['calculator', 'gone'], instructions: 'Answer like a pirate.' },
    )
    await (await bot.mention('First?')).ended()
    const [request] = bot.model.requests
    expect(request?.body.model).toBe('small-model')
    const [system] = request!.body.messages
    expect(system).toMatchObject({
      role: 'system',
      content: expect.stringMatching(/\n\nAnswer like a pirate\.\n\nYou are "/),
    })
    expect(system?.content).toContain('one of [calculator, propose_schedule, ')
    expect(await bot.lastRuns(1)).toMatchObject([{ model: 'small-model' }])
  })

  test('a channel whose chosen tools no longer exist gets those of TOOLS, with a log line; one that chose none gets none', async (t) => {
    const bot = await start(t, 'gone', { model: () => finish('Done.') })
    await bot.stores.channelSettings.save({ team: TEAM, channel: GENERAL }, { tools: ['abacus', 'oracle'] })
    await bot.stores.channelSettings.save({ team: TEAM, channel: RANDOM }, { tools: [] })
    for (const text of ['First?', 'Second?']) await (await bot.mention(text)).ended()
    await (await bot.mention('Third?', { channel: RANDOM })).ended()
    const offered = bot.model.requests.map(({ prompt }) => prompt.includes('calculator'))
    expect(offered).toEqual([true, true, false])
    expect(bot.logs.filter((line) => line.includes('none of the tools'))).toHaveLength(1)
  })

  test('unknown names are dropped, and a dialect keeps its required tools', async (t) => {
    // A budget in dollars cannot count a model without a price.
    const model = [finish('One.'), 'Thought 1 Easy.\nAction 1: Finish[Two]']
    const PRICES_FILE = join(await temporaryFolder(t), 'prices.json')
    await writeFile(PRICES_FILE, JSON.stringify({ 'played-model': { in: 1, out: 3 } }))
    const bot = await start(t, 'dropped', { model, env: { RUN_MAX_USD: '1', PRICES_FILE } })
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    const set = (channel: string, settings: object) =>
      redis.set(`dropped:{${TEAM}:${channel}}:settings`, JSON.stringify(settings), 'PX', 60_000)
    await set(GENERAL, { model: '', dialect: 'esperanto', tools: 7, steps: 'hidden' })
    await set(RANDOM, { dialect: 'docstore', tools: ['calculator'] })
    await (await bot.mention('First?')).ended()
    await (await bot.mention('Second?', { channel: RANDOM })).ended()
    const [first, second] = bot.model.requests
    expect(first?.body.model).toBe('played-model')
    expect(first?.prompt).toContain('wikipedia')
    expect(second?.prompt).toContain('Search[')
    expect((await bot.lastRuns(2)).map(({ dialect, answer }) => [dialect, answer?.text])).toEqual([
      ['docstore', 'Two'],
      ['text', 'One.'],
    ])
  })

  test('everything stored for a question expires, and is deleted with its workspace', async (t) => {
    const bot = await start(t, 'all-gone', { model: () => finish('Hello.'), env: { LIMIT_USER_HOUR: '9' } })
    await (await bot.mention('First?')).ended()
    await (await bot.dm('Second?')).ended()
    const { archive, audit, threads, channelSettings, forgetting } = bot.stores
    const [record] = (await bot.lastRuns(2)) as [RunRecord]
    await archive.rate(record.question.id, { by: ALICE, rating: 'up', at: 1 })
    await threads.patch(`${TEAM}:${GENERAL}:1.0`, { muted: true, title: 'x' })
    await channelSettings.save({ team: TEAM, channel: GENERAL }, { steps: 'hidden' })
    await audit.note({ ...WRITE, at: Date.now() })
    await allOver(bot.stores)
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    const keys = () => redis.keys(`all-gone:{${TEAM}*`)
    const names = new Set((await keys()).map((key) => key.slice(key.indexOf('}:') + 2).split(':')[0]))
    expect([...names]).toEqual(
      expect.arrayContaining(['history', 'run', 'record', 'feedback', 'asked', 'muted', 'settings', 'limit', 'audit']),
    )
    for (const key of await keys()) expect(await redis.pttl(key), key).toBeGreaterThan(0)
    await forgetting.forgetTeam(TEAM)
    // The audit list has its own lifetime.
    expect((await keys()).filter((key) => !/:audit(?:-times)?$/.test(key))).toEqual([])
  })

  test('forgetting a direct message deletes it and the person’s runs elsewhere', async (t) => {
    const bot = await start(t, 'mine', { model: () => finish('Hello.') })
    const dm = await bot.dm('First?')
    await dm.ended()
    const mention = await bot.mention('Second?')
    await mention.ended()
    await bot.lastRuns(2)
    await allOver(bot.stores)
    await bot.stores.forgetting.forgetPerson({ ...person, channel: dm.channel })
    expect(await bot.stores.archive.lastOf(person, 10)).toEqual([])
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    const names = (await redis.keys(`mine:{${TEAM}:${dm.channel}:*`)).map((key) => key.split('}:')[1]?.split(':')[0])
    expect(names).not.toEqual(expect.arrayContaining(['history']))
    expect(names.filter((name) => name === 'run' || name === 'record')).toEqual([])
    expect(await bot.stores.history.load(`${TEAM}:${GENERAL}:${mention.ts}`)).toEqual([])
    expect(await redis.keys(`mine:{${TEAM}:${GENERAL}:*:run:*`)).toEqual([])
  })
})

describeWithRedis('in a Cluster', () => {
  test('a channel and a person are forgotten on every node', async (t) => {
    const cluster = await startCluster(t, { silentMs: 15_000 })
    const bot = await startBot(t, {
      model: () => finish('Hello.'),
      env: cluster.env,
    })
    const stores = await storesOf(t, bot, cluster.env)
    for (const text of ['One?', 'Two?', 'Three?', 'Four?']) await (await bot.mention(text)).ended()
    await eventually(async () => expect(await stores.archive.lastOf(person, 10)).toHaveLength(4))
    await allOver(stores)
    await stores.forgetting.forgetPerson({ ...person, channel: GENERAL })
    const left = await Promise.all(
      cluster.servers.map((server) => asking(server, (redis) => redis.keys(`*{${TEAM}:*}:*`))),
    )
    const names = left.flat().map((key) => key.split('}:')[1]?.split(':')[0])
    expect(names.filter((name) => ['history', 'record', 'run', 'asked'].includes(name ?? ''))).toEqual([])
  })
})

test('in memory all stores forget a team, a channel and a person', async (t) => {
  const stores = await createStores(loadConfig({}), { log: createLog('silent'), now: Date.now })
  t.onTestFinished(() => stores.queue.stop(0))
  const { history, threads, archive, audit, channelSettings, forgetting } = stores
  const places = ['T1:C1', 'T1:D1', 'T2:C1'].map((id) => ({ team: id.slice(0, 2), channel: id.slice(3) }))
  for (const { team, channel } of places) {
    const thread = `${team}:${channel}:1.0`
    await history.append(thread, { id: 'x', question: 'x', standalone: 'x', answer: 'x', user: 'U1', at: 1 })
    await threads.patch(thread, { muted: true })
    await channelSettings.save({ team, channel }, { steps: 'hidden' })
    const ending = { model: 'm', dialect: 'text', endedAt: 1, hasFailed: false }
    await archive.keep(recordOf(question('1', { team, channel }), freshRun(1), ending))
  }
  for (const team of ['T1', 'T2']) await audit.note({ ...WRITE, team, at: Date.now() })
  const kept = () =>
    Promise.all(
      places.map(async ({ team, channel }) => [
        (await history.load(`${team}:${channel}:1.0`)).length,
        Object.keys(await threads.load(`${team}:${channel}:1.0`)).length,
        (await archive.load(`${team}:${channel}:1`)) ? 1 : 0,
        Object.keys(await channelSettings.load({ team, channel })).length,
      ]),
    )
  await forgetting.forgetChannel(places[0]!)
  expect(await kept()).toEqual([
    [0, 0, 0, 1],
    [1, 1, 1, 1],
    [1, 1, 1, 1],
  ])
  await forgetting.forgetPerson({ team: 'T1', channel: 'D9', user: 'U1' })
  expect(await kept()).toEqual([
    [0, 0, 0, 1],
    [0, 1, 0, 1],
    [1, 1, 1, 1],
  ])
  await forgetting.forgetTeam('T1')
  expect(await kept()).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [1, 1, 1, 1],
  ])
  // The audit list has its own lifetime.
  expect(await audit.list({ team: 'T1' }, 9)).toHaveLength(1)
  expect(await audit.list({ team: 'T2' }, 9)).toHaveLength(1)
})
