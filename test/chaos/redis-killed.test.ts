import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { askAll } from '../harness/chaos/people.ts'
import { postsOf, delayedTurn } from '../harness/chaos/script.ts'
import { openScene } from '../harness/chaos/scene.ts'
import { Stage } from '../harness/chaos/stage.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'

test('Redis is killed twice and restarts with its file: each question is answered once, redelivered if it was not acked', async (t) => {
  const scene = await openScene(t, {
    model: delayedTurn(50, 600),
  })
  const [front] = await Promise.all([scene.start('front'), scene.start('worker'), scene.start('worker')])
  const people = askAll(scene, { threads: 24, questions: 2, startMs: 7_500, pauseMs: 1_000 })
  await wait(2_000)
  // Longer than a worker's lock.
  await scene.loseRedis(4_000, {
    async meanwhile() {
      await expect.poll(() => front.status('/readyz'), { timeout: 5_000 }).toBe(503)
      expect(await front.status('/healthz')).toBe(200)
    },
  })
  await expect.poll(() => front.status('/readyz'), { timeout: 10_000 }).toBe(200)
  await wait(1_500)
  // Redis dies again while the bots catch up.
  await scene.loseRedis(0)
  await people
  await expectRecovery(scene)
  const tries = scene.deliveries.flatMap(({ attempts }) => attempts)
  expect(tries.filter(({ status }) => status >= 500).length).toBeGreaterThan(0)
})

test('Redis restarts with older data: later posts are found in Slack and not posted again', async (t) => {
  const scene = await openScene(t)
  const [, worker] = [await scene.start('front'), await scene.start('worker')]
  const stage = new Stage(scene)
  stage.holdCall(2)
  // If the tool is as fast as the post, there is nothing to update.
  scene.ledger.hold(scene.slack.until(() => stage.effects('chat.postMessage', 'step-1') === 1, 'the first step'))
  const thread = await scene.ask()
  await scene.slack.until(() => stage.asked === 2 && stage.effects('chat.update', 'step-1') === 1, 'the second call')
  await scene.redis.remember()
  stage.letGo()
  await scene.slack.until(() => stage.effects('chat.postMessage', 'step-2') === 1, 'the second step')
  await worker.kill()
  await scene.loseRedis(0, { older: true })
  await scene.start('worker')
  await expectRecovery(scene)
  expect(scene.postsIn(thread)).toEqual(postsOf(...thread.names))
})
