/** Many schedules are due while workers are killed, frozen, limited, without their Redis or down for three hours. */
import { expect, test, type TestContext } from 'vitest'
import { scanKeys } from '../../src/base/redis/redis-keys.ts'
import { ALICE } from '../../playground/slack/slack.ts'
import { CHANNELS, DURABLE, openScene, type Scene, type SceneOptions } from '../harness/chaos/scene.ts'
import { finish } from '../harness/played-model.ts'
import { killMaster } from '../harness/redis-fleet.ts'
import { startSentinels } from '../harness/redis-sentinels.ts'
import { eventually } from '../harness/stores.ts'

const MINUTE = 60_000
const CHANNEL = CHANNELS[0]!

/** Moves all schedules' stored times back by some minutes, while there is no worker. */
async function pass({ client, env }: Scene, minutes: number): Promise<void> {
  const ms = minutes * MINUTE
  const prefix = env.REDIS_PREFIX ?? 'thinkaloud'
  for await (const keys of scanKeys(client, `${prefix}:{*}:schedule:*`))
    for (const key of keys) {
      const { when, due, again, ...schedule } = JSON.parse((await client.get(key))!)
      const waits = again?.from === undefined ? {} : { again: { ...again, from: again.from - ms } }
      const earlier = { ...schedule, ...waits, due: due - ms, when: { ...when, start: when.start - ms } }
      await client.set(key, JSON.stringify(earlier), 'KEEPTTL')
    }
  const index = `${prefix}:{schedules}:due`
  for (const name of await client.zrange(index, 0, '-1')) await client.zincrby(index, -ms, name)
}

const ephemerals = ({ slack }: Scene) => slack.store.channel(CHANNEL).ephemerals
const shown = (scene: Scene) => ephemerals(scene).map((one) => scene.slack.shown(one))

async function make(scene: Scene, n: number): Promise<void> {
  const { slack } = scene
  const { ok } = await slack.slash(`every 20 minutes what is thing ${n}?`, { channel: CHANNEL })
  // Slack reports a failure, and the person sends the command again.
  if (!ok) return make(scene, n)
  const card = () => ephemerals(scene).find((one) => slack.shown(one).includes(`> what is thing ${n}?`))
  const { ts } = await slack.until(card, `the card of ${n}`).catch((error: unknown) => {
    console.error(`What the processes said is in ${scene.saveOutput()}`)
    throw error
  })
  await slack.press({ channel: CHANNEL, ts, user: ALICE }, { action_id: 'thinkaloud_schedule_save' })
}

/** Returns the root messages of the occurrences, by their subject. */
function runs({ slack }: Scene): number[] {
  const roots = slack.messages(CHANNEL).filter((one) => one.bot_id && !one.thread_ts)
  return roots
    .flatMap((one) => Number(/> what is thing (\d+)\?/.exec(slack.shown(one))?.[1] ?? NaN))
    .sort((a, b) => a - b)
}

function answers({ slack }: Scene): number {
  const texts = slack.messages(CHANNEL).filter((one) => one.thread_ts && one.bot_id)
  return texts.filter((one) => slack.shown(one).includes('It is so.')).length
}

/**
 * Opens a scene with schedules that are all due, without processes. The minute over which they are spread has passed.
 */
async function openDue(t: TestContext, made: number, { env, ...options }: SceneOptions = {}): Promise<Scene> {
  const scene = await openScene(t, {
    env: { SCHEDULES_PER_USER: '50', WORKER_CONCURRENCY: '3', ...env },
    model: async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return finish('It is so.')
    },
    ...options,
  })
  const maker = await scene.start('all')
  for (const n of numbers(made)) await make(scene, n)
  await eventually(() => expect(shown(scene).filter((text) => text.startsWith('Saved'))).toHaveLength(made))
  await maker.kill()
  await pass(scene, 22)
  return scene
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

/** Checks that each schedule was asked and answered once. */
async function expectEach(scene: Scene, made: number): Promise<void> {
  await eventually(() => expect(answers(scene)).toBe(made), 60_000)
  await scene.slack.settle(600)
  expect([runs(scene), answers(scene)]).toEqual([numbers(made), made])
}

test('workers are killed: each occurrence is asked and answered once, and those while all are down are listed as missed', async (t) => {
  const made = 12
  const scene = await openDue(t, made)
  // Two fronts. Workers start and end.
  await Promise.all([scene.start('front'), scene.start('front')])
  let worker = await scene.start('worker')
  // A run that loses three workers in a row is given up, so only two are killed.
  for (const enough of [3, 7]) {
    const other = scene.start('worker')
    await eventually(() => expect(runs(scene).length).toBeGreaterThanOrEqual(enough))
    await worker.kill()
    worker = await other
  }
  await expectEach(scene, made)
  // All workers are down for three hours.
  await worker.kill()
  await pass(scene, 180 - 5)
  await scene.start('worker')
  await eventually(async () => {
    await scene.slack.slash('schedules', { channel: CHANNEL })
    expect(shown(scene).at(-1)).toMatch(/: missed, because I was not running \(\d times\)/)
  })
  await expectEach(scene, made)
})

test('a worker is killed after each run while others wait for a limit: each occurrence is answered once', async (t) => {
  const made = 4
  const scene = await openDue(t, made, { env: { LIMIT_TEAM_RUNS: '1' } })
  await scene.start('front')
  let waited = 0
  while (answers(scene) < made) {
    const before = answers(scene)
    const worker = await scene.start('worker')
    await eventually(() => expect(answers(scene)).toBeGreaterThan(before))
    await worker.kill()
    waited += worker.output().split('a scheduled run waits').length - 1
    // They are retried after half a minute.
    await pass(scene, 1)
  }
  expect(waited).toBeGreaterThan(0)
  await scene.start('worker')
  await expectEach(scene, made)
})

test('a worker freezes and wakes later: each occurrence that it began is asked and answered once', async (t) => {
  const made = 8
  const scene = await openDue(t, made)
  await scene.start('front')
  const worker = await scene.start('worker')
  await eventually(() => expect(runs(scene).length).toBeGreaterThanOrEqual(2))
  worker.freeze()
  await scene.start('worker')
  await eventually(() => expect(answers(scene)).toBe(made), 60_000)
  worker.thaw()
  // Longer than any pause after which it would continue by itself.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  await expectEach(scene, made)
})

test('a replica of Redis takes over: each occurrence is asked and answered once', async (t) => {
  const made = 8
  const fleet = await startSentinels(t, { settings: DURABLE })
  const scene = await openDue(t, made, { fleet })
  await Promise.all([scene.start('front'), scene.start('worker'), scene.start('worker')])
  await eventually(() => expect(runs(scene).length).toBeGreaterThanOrEqual(2))
  const master = await fleet.masterOf('')
  await killMaster(master)
  await eventually(async () => expect(await fleet.masterOf('')).not.toBe(master), 60_000)
  await expectEach(scene, made)
})
