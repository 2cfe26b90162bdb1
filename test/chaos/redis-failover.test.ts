import { expect, test, type TestContext } from 'vitest'
import { bullPrefix } from '../../src/queue/thread-jobs.ts'
import type { BotProcess } from '../harness/chaos/bots.ts'
import { askAll } from '../harness/chaos/people.ts'
import { delayedTurn } from '../harness/chaos/script.ts'
import { DURABLE, openScene, type Scene } from '../harness/chaos/scene.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'
import { startCluster } from '../harness/redis-cluster.ts'
import { follows, killMaster, type RedisFleet } from '../harness/redis-fleet.ts'
import { startSentinels } from '../harness/redis-sentinels.ts'
import type { RedisServer } from '../harness/redis.ts'

/** In a Cluster, the master of this key has the whole queue and a part of the threads. */
const QUEUE_KEY = `${bullPrefix('thinkaloud')}:turns:meta`

test('a Cluster’s master is killed, its replica takes over and later hands back: each question is answered once', async (t) => {
  const cluster = await startCluster(t, { masters: 3, replicas: 1, settings: DURABLE })
  const { scene, bots } = await openOn(t, cluster)
  const people = askAll(scene, { threads: 20, questions: 2, startMs: 6_000, pauseMs: 2_000 })
  await busy(scene, 10)
  const dead = await failOver(scene, cluster, bots)
  await dead.restart()
  await follows(dead)
  await cluster.takeOver(dead)
  await people
  await expectRecovery(scene)
  expectFewWords(bots)
})

test('a master is killed and Sentinels promote its replica: each question is answered once', async (t) => {
  const sentinels = await startSentinels(t, { settings: DURABLE })
  const { scene, bots } = await openOn(t, sentinels)
  const people = askAll(scene, { threads: 16, questions: 2, startMs: 5_000, pauseMs: 2_000 })
  await busy(scene, 10)
  const dead = await failOver(scene, sentinels, bots)
  await dead.restart()
  await people
  await follows(dead)
  await expectRecovery(scene)
  expectFewWords(bots)
})

async function openOn(t: TestContext, fleet: RedisFleet): Promise<{ scene: Scene; bots: BotProcess[] }> {
  const scene = await openScene(t, { model: delayedTurn(50, 600), fleet })
  const bots = await Promise.all([scene.start('front'), scene.start('worker'), scene.start('worker')])
  return { scene, bots }
}

/** Waits until this many model calls and tool uses have ended. */
async function busy(scene: Scene, count: number): Promise<void> {
  await scene.slack.until(() => scene.paid().length >= count, `${count} calls and uses`, 30_000)
}

/** Kills the queue's master. @returns it, when another has taken over and all bots are ready again */
async function failOver(scene: Scene, fleet: RedisFleet, bots: BotProcess[]): Promise<RedisServer> {
  const from = performance.now()
  const master = await fleet.masterOf(QUEUE_KEY)
  await killMaster(master)
  const statuses = () => Promise.all(bots.map((bot) => bot.status('/readyz')))
  const unready = new Set<number>()
  const countUnready = async () => {
    for (const [n, status] of (await statuses()).entries()) if (status === 503) unready.add(n)
    return unready.size
  }
  await expect.poll(countUnready, { timeout: 10_000 }).toBe(bots.length)
  await expect.poll(statuses, { timeout: 60_000 }).toEqual(bots.map(() => 200))
  scene.redisAway.push({ from, to: performance.now() })
  expect(await fleet.masterOf(QUEUE_KEY)).not.toBe(master)
  return master
}

/** A lost connection and BullMQ's loops retry several times a second. The log must not grow at that rate. */
function expectFewWords(bots: BotProcess[]): void {
  for (const bot of bots) {
    const lost = lines(bot, 'Redis is unreachable; reconnecting')
    expect(lost.length).toBeGreaterThan(0)
    expect(lines(bot, 'Redis connection restored')).toHaveLength(lost.length)
    // The sentinels may connect a client to the dying master once more.
    for (const of of groups(lost, (line) => line.purpose)) expect(of.length).toBeLessThan(5)
    for (const of of groups(lines(bot, 'BullMQ reported an error'), (line) => line.error)) {
      for (const [n, line] of of.slice(1).entries()) expect(line.time - of[n]!.time).toBeGreaterThan(59_000)
    }
  }
}

interface LogLine {
  msg: string
  time: number
  purpose?: string
  error?: string
}

function lines(bot: BotProcess, message: string): LogLine[] {
  const own = bot
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
  return own.map((line) => JSON.parse(line) as LogLine).filter(({ msg }) => msg === message)
}

function groups(of: LogLine[], key: (line: LogLine) => string | undefined): LogLine[][] {
  return [...new Set(of.map(key))].map((one) => of.filter((line) => key(line) === one))
}
