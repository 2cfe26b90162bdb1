/** Many schedules are due while workers are killed; then everything is down for three hours. */
import { expect, test } from 'vitest'
import { scanKeys } from '../../src/base/redis/redis-keys.ts'
import { ALICE } from '../../playground/slack/slack.ts'
import { CHANNELS, openScene, type Scene } from '../harness/chaos/scene.ts'
import { finish } from '../harness/played-model.ts'
import { eventually } from '../harness/stores.ts'

const MINUTE = 60_000
const MADE = 12
const CHANNEL = CHANNELS[0]!

/** So many minutes pass for all schedules, while no worker is there: what is stored of them moves back. */
async function pass({ client, env }: Scene, minutes: number): Promise<void> {
  const ms = minutes * MINUTE
  const prefix = env.REDIS_PREFIX ?? 'thinkaloud'
  for await (const keys of scanKeys(client, `${prefix}:{*}:schedule:*`))
    for (const key of keys) {
      const { when, due, ...schedule } = JSON.parse((await client.get(key))!)
      const earlier = { ...schedule, due: due - ms, when: { ...when, start: when.start - ms } }
      await client.set(key, JSON.stringify(earlier), 'KEEPTTL')
    }
  const index = `${prefix}:{schedules}:due`
  for (const name of await client.zrange(index, 0, '-1')) await client.zincrby(index, -ms, name)
}

const ephemerals = ({ slack }: Scene) => slack.store.channel(CHANNEL).ephemerals
const shown = (scene: Scene) => ephemerals(scene).map((one) => scene.slack.shown(one))

async function make(scene: Scene, n: number): Promise<void> {
  const { slack } = scene
  await slack.slash(`every 20 minutes what is thing ${n}?`, { channel: CHANNEL })
  const card = () => ephemerals(scene).find((one) => slack.shown(one).includes(`> what is thing ${n}?`))
  const { ts } = await slack.until(card, `the card of ${n}`)
  await slack.press({ channel: CHANNEL, ts, user: ALICE }, { action_id: 'thinkaloud_schedule_save' })
}

/** The root messages of the occurrences, by the thing that they ask about. */
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

const each = Array.from({ length: MADE }, (_, i) => i)

test('each occurrence is asked and answered once, whoever is killed; what nobody was there for is named', async (t) => {
  const scene = await openScene(t, {
    env: { SCHEDULES_PER_USER: '50', WORKER_CONCURRENCY: '3' },
    model: async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return finish('It is so.')
    },
  })
  const { slack } = scene
  const maker = await scene.start('all')
  for (const n of each) await make(scene, n)
  await eventually(() => expect(shown(scene).filter((text) => text.startsWith('Saved'))).toHaveLength(MADE))
  await maker.kill()
  // All schedules are due at once: the minute over which they are spread has passed. Two fronts, and workers that come
  // and go.
  await pass(scene, 22)
  await Promise.all([scene.start('front'), scene.start('front')])
  let worker = await scene.start('worker')
  for (const enough of [2, 5, 8]) {
    const other = scene.start('worker')
    await eventually(() => expect(runs(scene).length).toBeGreaterThanOrEqual(enough))
    await worker.kill()
    worker = await other
  }
  await eventually(() => expect(answers(scene)).toBe(MADE))
  expect(runs(scene)).toEqual(each)
  // All workers are down for three hours.
  await worker.kill()
  await pass(scene, 180 - 5)
  await scene.start('worker')
  await eventually(async () => {
    await slack.slash('schedules', { channel: CHANNEL })
    expect(shown(scene).at(-1)).toMatch(/: missed, because I was not running \(\d times\)/)
  })
  expect(answers(scene)).toBe(MADE)
  expect(runs(scene)).toEqual(each)
})
