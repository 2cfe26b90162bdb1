import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { askAll } from '../harness/chaos/people.ts'
import { delayedTurn } from '../harness/chaos/script.ts'
import { openScene } from '../harness/chaos/scene.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'

test('Redis is full for a while: no unstored question is acked, and each is answered once', async (t) => {
  const scene = await openScene(t, { model: delayedTurn(50, 600) })
  const [front] = await Promise.all([scene.start('front'), scene.start('worker'), scene.start('worker')])
  const people = askAll(scene, { threads: 20, questions: 2, startMs: 8_000, pauseMs: 1_500 })
  await wait(2_000)
  await scene.fillRedis(async () => {
    await expect.poll(() => front.status('/readyz'), { timeout: 5_000 }).toBe(503)
    expect(await front.status('/healthz')).toBe(200)
    // Longer than a worker's lock.
    await wait(3_000)
  })
  await expect.poll(() => front.status('/readyz'), { timeout: 10_000 }).toBe(200)
  await people
  const tries = scene.deliveries.flatMap(({ attempts }) => attempts)
  expect(tries.filter(({ status }) => status >= 500).length).toBeGreaterThan(0)
  await expectRecovery(scene)
})
