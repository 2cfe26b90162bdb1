import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { diceFor } from '../harness/chaos/dice.ts'
import { callName, playedTurn } from '../harness/chaos/play.ts'
import { CHANNELS, openScene, type Scene } from '../harness/chaos/scene.ts'
import { expectAllWell } from '../harness/chaos/well.ts'

const THREADS = 24

test('Redis dies twice and comes back with its file: what was acked is answered, what was not is delivered again', async (t) => {
  const scene = await openScene(t, {
    model: async (request) => {
      await wait(diceFor(callName(request)).between(50, 600))
      return playedTurn(request)
    },
  })
  const [front] = await Promise.all([scene.start('front'), scene.start('worker'), scene.start('worker')])
  const asking = askAll(scene)
  await wait(2_000)
  // Longer than the workers' locks live.
  await scene.loseRedis(4_000, async () => {
    await expect.poll(() => statusOf(front.port, '/readyz'), { timeout: 5_000 }).toBe(503)
    expect(await statusOf(front.port, '/healthz')).toBe(200)
  })
  await expect.poll(() => statusOf(front.port, '/readyz'), { timeout: 10_000 }).toBe(200)
  await wait(1_500)
  // And once more for a moment, in the midst of what is being caught up.
  await scene.loseRedis(0)
  await asking
  await expectAllWell(scene)
  const tries = scene.deliveries.flatMap(({ attempts }) => attempts)
  expect(tries.filter(({ status }) => status >= 500).length).toBeGreaterThan(0)
})

/** A question every half second or so, a follow-up behind each. */
async function askAll(scene: Scene): Promise<void> {
  const lane = async (n: number) => {
    const dice = diceFor(`thread ${n}`)
    await wait(n * 300)
    const thread = await scene.ask(dice.pick(CHANNELS))
    await wait(dice.between(0, 1_000))
    await scene.askOn(thread)
  }
  await Promise.all(Array.from({ length: THREADS }, (_, n) => lane(n)))
}

async function statusOf(port: number, path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).status
}
