import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { postsOf } from '../harness/chaos/script.ts'
import { openScene } from '../harness/chaos/scene.ts'
import { Stage } from '../harness/chaos/stage.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'

/**
 * Prepares the point before the question is asked. Returns a function that tells whether the worker must be frozen now.
 */
type Point = (stage: Stage) => () => boolean

const POINTS: [when: string, point: Point][] = [
  [
    'while the model is silent, with a status that is due again',
    (stage) => {
      stage.holdCall(2)
      return () => stage.effects('chat.postMessage', 'step-1') === 1 && stage.asked === 2
    },
  ],
  [
    'during a stream',
    (stage) => {
      stage.onCall(3, () => ({ text: ' and so'.repeat(200), chunkMs: 20 }))
      return () => (stage.scene.model.about(stage.name)[2]?.sent.length ?? 0) > 20
    },
  ],
  [
    'while it waits to repeat a post that Slack rate-limited',
    (stage) => {
      stage.fault('chat.postMessage', 'step-2', { retryAfter: 1 })
      stage.holdCall(3)
      return () => stage.refused('chat.postMessage', 'step-2') === 1 && stage.asked === 3
    },
  ],
  [
    'while it waits to repeat a post that may have been made',
    (stage) => {
      stage.fault('chat.postMessage', 'answer-1', { status: 503 })
      return () => stage.refused('chat.postMessage', 'answer-1') === 1
    },
  ],
  [
    'between a post and Slack’s response',
    (stage) => {
      stage.holdAnswer('chat.postMessage', 'answer-1')
      return () => stage.effects('chat.postMessage', 'answer-1') === 1
    },
  ],
]

test('a worker is frozen until another has answered: it posts nothing when it wakes', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  let worker = await scene.start('worker')
  for (const [when, point] of POINTS) {
    const stage = new Stage(scene)
    const isReached = point(stage)
    const thread = await scene.ask()
    await scene.slack.until(isReached, `the point ${when}`)
    worker.freeze()
    const heir = await scene.start('worker')
    await scene.slack.until(() => scene.isAtRest(), `the end of what was frozen ${when}`, 30_000)
    await wait(500)

    const before = scene.slack.calls.length
    stage.letGo()
    worker.thaw()
    // Longer than any pause after which it would continue by itself.
    await wait(2_000)
    // It may look up whether an earlier try has arrived. People do not see that.
    const said = scene.slack.calls.slice(before).filter(({ method }) => !method.startsWith('conversations.'))
    expect(said.map(({ method, args }) => ({ when, method, args }))).toEqual([])
    expect(scene.postsIn(thread)).toEqual(postsOf(...thread.names))
    expect((await worker.stop()).code).toBe(0)
    worker = heir
  }
  await expectRecovery(scene)
})
