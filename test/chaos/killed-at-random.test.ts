import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'vitest'
import { randomFor } from '../harness/chaos/seeded-random.ts'
import { askAll } from '../harness/chaos/people.ts'
import { delayedTurn } from '../harness/chaos/script.ts'
import { openScene, type Scene } from '../harness/chaos/scene.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'

const WORKERS = 3
const KILLS = 8

test('workers and the front are killed at random: each of 200 questions in 40 threads is answered once', async (t) => {
  const scene = await openScene(t, {
    model: delayedTurn(20, 250),
  })
  await Promise.all([scene.start('front'), ...Array.from({ length: WORKERS }, () => scene.start('worker'))])
  const people = askAll(scene, { threads: 40, questions: 5, startMs: 8_000, pauseMs: 5_000 })
  await Promise.all([people, killSome(scene)])
  await expectRecovery(scene)
}, 180_000)

/** Kills a worker, starts another, and repeats. Kills the front once, in the middle. */
async function killSome(scene: Scene): Promise<void> {
  const random = randomFor('kills')
  for (let n = 0; n < KILLS; n++) {
    await wait(random.between(1_000, 3_000))
    const role = n === KILLS / 2 ? 'front' : 'worker'
    const alive = scene.bots.filter((bot) => bot.role === role && bot.isAlive())
    await random.pick(alive).kill()
    await scene.start(role)
  }
}
