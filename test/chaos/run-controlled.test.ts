import { expect, onTestFinished, test } from 'vitest'
import { redisQueue } from '../../src/queue/redis-queue.ts'
import type { RunControl, RunRef } from '../../src/stores/runs/run-control.ts'
import { TEAM } from '../../playground/slack/slack.ts'
import { observationsIn, playedTurn } from '../harness/chaos/script.ts'
import { isSuspended, pressCard } from '../harness/chaos/pressing.ts'
import { openScene, type AskedThread, type Scene } from '../harness/chaos/scene.ts'
import { Stage } from '../harness/chaos/stage.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'
import { act } from '../harness/played-model.ts'
import { eventually, keptLog } from '../harness/stores.ts'

const STOP = { type: 'stop', by: 'U0CHAOS0002' } as const

/** Returns a control of the runs in another process. */
async function controlOf({ redis, env }: Scene): Promise<RunControl> {
  const prefix = env.REDIS_PREFIX ?? 'thinkaloud'
  const queue = redisQueue({ now: Date.now, redis: { url: redis.url }, log: keptLog(), prefix, role: 'front' })
  onTestFinished(() => queue.stop(0))
  await eventually(async () => expect(await queue.ready()).toBe(true))
  return queue.control
}

function runOf(thread: AskedThread): RunRef {
  return { thread: `${TEAM}:${thread.channel}:${thread.ts}`, id: thread.ids[0]! }
}

/** Makes the first tool use need a person's approval. */
function askFirst(stage: Stage): void {
  stage.scene.model.decide(stage.name, (request) =>
    observationsIn(request) === 0
      ? act(`${stage.name} thinks`, 'guarded_ledger', `${stage.name} use 1`)
      : playedTurn(request),
  )
}

/** The posts of a question whose first tool use is allowed. */
const POSTS = ['q1-1 step-1', 'q1-1 approval-1', 'q1-1 step-2', 'q1-1 answer-1']

const STOPPED = /^q\d+-1 answer-1, but: [^]*asked to stop/

test('a worker is killed while a stop is requested: the next one ends the run without another model call', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  const worker = await scene.start('worker')
  const control = await controlOf(scene)
  const stage = new Stage(scene)
  stage.holdCallsFrom(2)
  const thread = await scene.ask()
  await scene.slack.until(() => stage.asked === 2, 'the second call')
  worker.freeze()
  expect(await control.send(runOf(thread), STOP)).toBe('sent')
  await worker.kill()
  await scene.start('worker')
  await expectRecovery(scene, { posts: new Map([[thread, ['q1-1 step-1', STOPPED]]]) })
  expect(stage.asked).toBe(2)
})

test('a stop ends a running question at once, and a waiting question without a model call', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  await scene.start('worker')
  const control = await controlOf(scene)
  const stage = new Stage(scene)
  stage.holdCallsFrom(1)
  const thread = await scene.ask()
  await scene.askOn(thread)
  await scene.slack.until(() => stage.asked === 1, 'the first call')
  expect(await control.send({ ...runOf(thread), id: thread.ids[1]! }, STOP)).toBe('sent')
  expect(await control.send(runOf(thread), STOP)).toBe('sent')
  await expectRecovery(scene, {
    posts: new Map([[thread, [/^q1-1 answer-1, but: [^]*asked to stop/, /^q1-2 answer-1, but: [^]*asked to stop/]]]),
  })
  expect(scene.model.requests).toHaveLength(1)
  expect(await control.send(runOf(thread), STOP)).toBe('not_running')
})

test('somebody writes stop while the worker is killed: the run is stopped once, and no reaction or status stays', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  const worker = await scene.start('worker')
  const stage = new Stage(scene)
  stage.holdCallsFrom(2)
  const thread = await scene.ask()
  await scene.slack.until(() => stage.asked === 2, 'the second call')
  await Promise.all([scene.add(thread, 'stop'), worker.kill()])
  await scene.start('worker')
  await expectRecovery(scene, { posts: new Map([[thread, ['q1-1 step-1', STOPPED]]]) })
  expect(stage.asked).toBe(2)
})

test('the asker adds something while the worker is killed: the next one reads it once', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  const worker = await scene.start('worker')
  const stage = new Stage(scene)
  stage.holdCall(2)
  const thread = await scene.ask()
  await scene.slack.until(() => stage.asked === 2, 'the second call')
  await Promise.all([scene.add(thread, 'I meant the newer ledger.'), worker.kill()])
  stage.letGo()
  await scene.start('worker')
  // The addition is the run's second step. It has no post.
  const posts = ['q1-1 step-1', /^q1-1 step-3, but: [^]*noted: q1-1 use 2$/, 'q1-1 answer-1']
  await expectRecovery(scene, { posts: new Map([[thread, posts]]) })
  const last = scene.model.about(stage.name).at(-1)?.prompt ?? ''
  expect(last.split('I meant the newer ledger.')).toHaveLength(2)
})

test('all processes and Redis restart while a run waits for approval: other questions are answered, and the tool runs once', async (t) => {
  const scene = await openScene(t)
  const front = await scene.start('front')
  const worker = await scene.start('worker', { WORKER_CONCURRENCY: '1' })
  const stage = new Stage(scene)
  askFirst(stage)
  const thread = await scene.ask()
  await isSuspended(scene, thread)
  const other = await scene.ask()
  await eventually(() => expect(scene.postsIn(other)).toContain(`${other.names[0]} answer-1`), 60_000)
  await worker.kill()
  await front.kill()
  await scene.loseRedis(200)
  expect(scene.ledger.noted.filter(({ text }) => text.includes(stage.name))).toEqual([])
  await scene.start('front')
  await scene.start('worker')
  await pressCard(scene, thread)
  await expectRecovery(scene, { posts: new Map([[thread, POSTS]]) })
  expect(scene.ledger.noted.filter(({ text }) => text === `${stage.name} use 1`)).toHaveLength(1)
})

test('a worker is killed right after it resumed an approved run: another one continues it', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  const worker = await scene.start('worker')
  const stage = new Stage(scene)
  askFirst(stage)
  const thread = await scene.ask()
  await isSuspended(scene, thread)
  scene.ledger.hold(stage.after)
  await pressCard(scene, thread)
  await scene.slack.until(() => scene.ledger.asked.includes(`${stage.name} use 1`), 'the tool')
  await worker.kill()
  stage.letGo()
  await scene.start('worker')
  await expectRecovery(scene, { posts: new Map([[thread, POSTS]]) })
})
