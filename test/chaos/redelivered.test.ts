import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { randomFor } from '../harness/chaos/seeded-random.ts'
import { askAll } from '../harness/chaos/people.ts'
import { delayedTurn } from '../harness/chaos/script.ts'
import { openScene, type Scene } from '../harness/chaos/scene.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'

const TIMES = 3

test('Slack delivers every event three more times, in any order, to two fronts: each question is answered once', async (t) => {
  const scene = await openScene(t, { model: delayedTurn(50, 400) })
  const fronts = [await scene.start('front'), await scene.start('front')]
  await Promise.all([scene.start('worker'), scene.start('worker')])
  const people = askAll(scene, { threads: 20, questions: 3, startMs: 4_000, pauseMs: 1_500 })
  const random = randomFor('deliveries')
  const isAsked = people.then(() => true)
  // While the bot works…
  while (!(await Promise.race([isAsked, wait(100, false)]))) await redeliver(scene, () => random.pick(fronts).port, 5)
  await redeliver(scene, () => random.pick(fronts).port, Infinity)
  await scene.slack.until(() => scene.isAtRest(), 'the end of all work', 60_000)
  // … and again when all is answered.
  await redeliver(scene, () => random.pick(fronts).port, Infinity)
  expect(Math.min(...scene.deliveries.map(({ attempts }) => attempts.length))).toBeGreaterThan(TIMES)
  await expectRecovery(scene)
})

/**
 * Delivers up to `most` earlier deliveries again, in any order. Two at a time, so that one may run in parallel with
 * itself.
 */
async function redeliver(scene: Scene, portOf: () => number, most: number): Promise<void> {
  const random = randomFor(`order ${scene.deliveries.length}`)
  const all = Array.from({ length: TIMES }, () => scene.deliveries).flat()
  for (const delivery of random.shuffled(all).slice(0, most)) {
    scene.slack.setTarget(`http://127.0.0.1:${portOf()}/slack/events`)
    const attempts = [scene.slack.redeliver(delivery), scene.slack.redeliver(delivery)]
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([200, 200])
  }
}
