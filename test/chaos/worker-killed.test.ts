import { expect, test } from 'vitest'
import type { BotProcess } from '../harness/chaos/bots.ts'
import { playedTurn, postsOf } from '../harness/chaos/script.ts'
import { openScene, type Scene } from '../harness/chaos/scene.ts'
import { Stage } from '../harness/chaos/stage.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'
import { redisProxy, type RedisProxy } from '../harness/redis-proxy.ts'

/**
 * Prepares the point before the question is asked. Returns a function that tells whether the worker must be killed now.
 */
type Point = (stage: Stage, proxy: RedisProxy) => () => boolean

const POINTS: [when: string, point: Point][] = [
  [
    'before the model’s first word',
    (stage) => {
      stage.holdCall(1)
      return () => stage.asked === 1
    },
  ],
  [
    'during the stream',
    (stage) => {
      stage.onCall(2, () => ({ text: ' and so'.repeat(500), chunkMs: 20 }))
      return () => (stage.scene.model.about(stage.name)[1]?.sent.length ?? 0) > 20
    },
  ],
  [
    'while a tool runs',
    (stage) => {
      stage.scene.ledger.hold(stage.after)
      return () => stage.scene.ledger.asked.includes(`${stage.name} use 1`)
    },
  ],
  [
    'after a tool’s result is saved',
    (stage) => {
      stage.holdCall(2)
      return () => stage.asked === 2
    },
  ],
  [
    'between a step’s post and its record',
    (stage) => {
      stage.holdAnswer('chat.postMessage', 'step-1')
      stage.holdCall(2)
      return () => stage.effects('chat.postMessage', 'step-1') === 1 && stage.asked === 2
    },
  ],
  [
    'between a step’s post and its record, when the run is ahead of its posts',
    (stage) => {
      stage.holdAnswer('chat.postMessage', 'step-1')
      stage.holdCall(3)
      return () => stage.effects('chat.postMessage', 'step-1') === 1 && stage.asked === 3
    },
  ],
  [
    'after a step is updated',
    (stage) => {
      // If the tool is as fast as the post, there is nothing to update.
      const isShown = () => stage.effects('chat.postMessage', 'step-1') === 1
      stage.scene.ledger.hold(stage.scene.slack.until(isShown, 'the first step'))
      stage.holdAnswer('chat.update', 'step-1')
      stage.holdCall(2)
      return () => stage.effects('chat.update', 'step-1') === 1 && stage.asked === 2
    },
  ],
  [
    'between the answer’s post and its record',
    (stage) => {
      stage.holdAnswer('chat.postMessage', 'answer-1')
      return () => stage.effects('chat.postMessage', 'answer-1') === 1
    },
  ],
  [
    'between the answer and the history',
    (_, proxy) => {
      proxy.holdWhen((command) => command.includes(':history') && /^\*\d+\r\n\$\d+\r\neval/i.test(command))
      return proxy.isHeld
    },
  ],
  [
    'between the history and the end of the run',
    (_, proxy) => {
      proxy.holdWhen((command) => command.includes('\r\n$4\r\ndone\r\n'))
      return proxy.isHeld
    },
  ],
]

test('a worker is killed at any point: each question is answered once, and each step is posted once', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  let worker = await startProxied(scene)
  for (const [when, point] of POINTS) {
    const stage = new Stage(scene)
    const isReached = point(stage, worker.proxy)
    const thread = await scene.ask()
    // The thread's next question waits until the first one is answered.
    await scene.askOn(thread)
    await scene.slack.until(isReached, `the point ${when}`)
    await worker.bot.kill()
    stage.letGo()
    worker = await startProxied(scene)
    await scene.slack.until(() => scene.isAtRest(), `the end of what was killed ${when}`, 30_000)
    expect(scene.postsIn(thread)).toEqual(postsOf(...thread.names))
  }
  await expectRecovery(scene)
})

test('a worker is killed before it ends a run with an unread addition: the addition is answered once', async (t) => {
  const scene = await openScene(t, { env: { AGENT_MAX_STEPS: '2' } })
  await scene.start('front')
  const { bot, proxy } = await startProxied(scene)
  const stage = new Stage(scene)
  // The turn after the last step does not read additions.
  scene.model.decide(stage.name, async (request, before) => {
    if (before === 2) await stage.after
    return playedTurn(request)
  })
  const thread = await scene.ask()
  await scene.slack.until(() => stage.asked === 3, 'the last call')
  await scene.addQuestion(thread)
  proxy.holdWhen((command) => command.includes('\r\n$4\r\ndone\r\n'))
  stage.letGo()
  await scene.slack.until(proxy.isHeld, 'the end of the run')
  await bot.kill()
  await scene.start('worker', { AGENT_MAX_STEPS: '2' })
  await expectRecovery(scene)
})

test('/ask: a worker is killed between the root’s post and its record: one thread is opened', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  const worker = await scene.start('worker')
  const stage = new Stage(scene)
  stage.holdAnswer('chat.postMessage', 'root')
  const thread = await scene.command()
  await worker.kill()
  stage.letGo()
  await scene.start('worker')
  await expectRecovery(scene)
  const roots = scene.slack.messages(thread.channel).filter(({ bot_id, thread_ts }) => bot_id && !thread_ts)
  expect(roots).toHaveLength(1)
})

test('a worker is killed after it reported a failure: the question is not tried again', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  const { bot, proxy } = await startProxied(scene)
  const stage = new Stage(scene)
  stage.onCall(1, () => ({ status: 401 }))
  proxy.holdWhen((command) => command.includes('\r\n$4\r\ndone\r\n'))
  const thread = await scene.ask()
  await scene.slack.until(proxy.isHeld, 'the end of the run')
  await bot.kill()
  await scene.start('worker')
  const told = /^q1-1 failed-1, but: [^]*Reference: /
  await expectRecovery(scene, { posts: new Map([[thread, [told]]]) })
  expect(stage.asked).toBe(1)
})

/** Starts a worker whose connection to Redis can be held. */
async function startProxied(scene: Scene): Promise<{ bot: BotProcess; proxy: RedisProxy }> {
  const proxy = await redisProxy(scene.redis.port)
  return { proxy, bot: await scene.start('worker', { REDIS_URL: proxy.url }) }
}
