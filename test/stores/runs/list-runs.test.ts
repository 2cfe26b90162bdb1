import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { redisQueue } from '../../../src/queue/redis-queue.ts'
import type { Handler } from '../../../src/queue/types.ts'
import { connectRedis } from '../../../src/base/redis/redis.ts'
import { findRuns } from '../../../src/stores/runs/list-runs.ts'
import { threadKeys } from '../../../src/stores/runs/thread-keys.ts'
import { conversationOf } from '../../../src/stores/runs/types.ts'
import { commandHere, startCommand } from '../../harness/command.ts'
import { describeWithRedis, freePort, suiteRedis } from '../../harness/redis.ts'
import { deferred, eventually, keptLog, question, toolStep } from '../../harness/stores.ts'

const t = { onTestFinished }
const RUNS = 'src/commands/runs.ts'
const env = (url: string) => ({ REDIS_URL: url, REDIS_PREFIX: 'ops', HISTORY_TTL_DAYS: '90' })

/** Runs the command in this process. */
const runs = (url: string, ...args: string[]) => commandHere(t, RUNS, { args, env: env(url) }).ended

/** A person's input for a tool. */
const TYPED = { state: null, action: 'accept' as const, content: { note: 'hunter2' } }

describeWithRedis('npm run runs', () => {
  const server = suiteRedis()

  const open = async () => {
    const log = keptLog()
    const queue = redisQueue({
      now: Date.now,
      redis: { url: server.url },
      log,
      prefix: 'ops',
      backoffMs: 5,
      graceMs: 50,
      maxFailures: 2,
      lockMs: 60_000,
      acceptMs: 60_000,
    })
    onTestFinished(() => queue.stop(0))
    await eventually(async () => expect(await queue.ready()).toBe(true))
    return queue
  }

  const stateOf = async (id: string) => {
    const redis = connectRedis({ url: server.url }, { purpose: 'work', log: keptLog() })
    try {
      return (await findRuns({ redis, prefix: 'ops' }, id)).map(({ state }) => state)
    } finally {
      redis.disconnect()
    }
  }

  test('lists dead-lettered runs, shows them in full, and retries them in their thread', async () => {
    const queue = await open()
    const seen: string[] = []
    const [givenUp, over] = [deferred(), deferred()]
    let isMended = false
    const handler: Handler = async ({ ts }, run) => {
      seen.push(`${ts} ${run.saved.steps.length} ${run.saved.retries}`)
      await run.save({ part: 'step', n: 1, value: toolStep(1, { thought: 'a thought', answers: [TYPED] }) })
      if (ts === 'bad' && !isMended) throw new Error('the model\nis away')
      if (isMended) over.resolve()
    }
    await queue.start(handler, async () => givenUp.resolve())
    await queue.accept(question('good', { text: 'a good question' }))
    await queue.accept(question('bad', { text: 'a bad question' }))
    await givenUp.promise

    await eventually(async () => expect(await stateOf('T1:C1:bad')).toEqual(['dead-lettered']))
    const [listed, all, shown] = await Promise.all([
      startCommand(t, RUNS, { args: ['list'], env: env(server.url) }).ended,
      runs(server.url, 'list', '--all'),
      runs(server.url, 'show', 'T1:C1:bad'),
    ])
    expect(listed.stdout).toMatch(
      /^T1:C1:bad {2}dead-lettered \(given up\) .* 1 steps {2}3 attempts .* 2 failures {2}"the model\\nis away"\n1 run\n$/,
    )
    expect(listed.stdout).not.toContain('question')
    expect(shown.stdout).not.toContain('hunter2')
    expect(all.stdout).toContain('T1:C1:good  done')
    expect(JSON.parse(shown.stdout)).toMatchObject({
      question: { text: 'a bad question' },
      state: 'dead-lettered',
      saved: { steps: [{ thought: 'a thought' }] },
    })

    isMended = true
    expect(await runs(server.url, 'retry', 'T1:C1:bad')).toMatchObject({ code: 0 })
    await over.promise
    // With its steps, and counted as retried by an operator: if it fails again, the thread is told again.
    expect(seen).toEqual(['good 0 0', 'bad 0 0', 'bad 1 0', 'bad 1 1'])
    await eventually(async () => expect(await stateOf('T1:C1:bad')).toEqual(['done']))
  }, 240_000)

  test('a retried run is kept for HISTORY_TTL_DAYS', async () => {
    const queue = await open()
    const givenUp = deferred()
    await queue.start(
      () => Promise.reject(new Error('the model is away')),
      async () => givenUp.resolve(),
    )
    await queue.accept(question('kept'))
    await givenUp.promise
    await eventually(async () => expect(await stateOf('T1:C1:kept')).toEqual(['dead-lettered']))
    await queue.stop(0)
    expect(await runs(server.url, 'retry', 'T1:C1:kept')).toMatchObject({ code: 0 })
    const redis = new Redis(server.url)
    const { thread, inbox } = threadKeys('ops', conversationOf(question('kept')))
    const days = (await Promise.all([thread, inbox].map((key) => redis.pttl(key)))).map((ms) => ms / 86_400_000)
    await redis.flushall()
    await redis.quit()
    expect(Math.min(...days)).toBeGreaterThan(89)
  }, 240_000)

  test('reports an unknown run, and retries only dead-lettered ones', async () => {
    const queue = await open()
    await queue.accept(question('waits'))
    const [shown, retried] = await Promise.all([
      runs(server.url, 'show', 'T1:C1:*'),
      runs(server.url, 'retry', 'T1:C1:waits'),
    ])
    expect(shown).toMatchObject({ code: 1, stdout: '' })
    expect(retried).toMatchObject({ code: 1 })
    expect(retried.stderr).toMatch(/is not dead-lettered but \w+, so there is nothing to retry/)
    const redis = new Redis(server.url)
    await redis.flushall()
    await redis.quit()
  }, 240_000)

  test('prints its usage and what is missing', async () => {
    const [bare, homeless, nobody] = await Promise.all([
      runs(server.url),
      runs('', 'list'),
      runs(`redis://127.0.0.1:${await freePort()}`, 'list'),
    ])
    expect(bare.stderr).toContain('retry ID')
    expect(homeless.stderr).toContain('REDIS_URL is missing')
    expect(nobody).toMatchObject({ code: 1 })
    expect(nobody.stderr).toMatch(/Cannot connect to Redis at .* \(REDIS_URL\): no answer within 5 s/)
  }, 240_000)
})
