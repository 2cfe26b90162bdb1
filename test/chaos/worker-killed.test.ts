import { expect, onTestFinished, test } from 'vitest'
import type { Fault } from '../../src/playground/slack.ts'
import type { Call } from '../../src/playground/types.ts'
import type { BotProcess } from '../harness/chaos/bots.ts'
import { playedTurn, postsOf } from '../harness/chaos/play.ts'
import { openScene, type Scene } from '../harness/chaos/scene.ts'
import { expectAllWell } from '../harness/chaos/well.ts'
import { redisProxy, type RedisProxy } from '../harness/redis-proxy.ts'
import { deferred } from '../harness/stores.ts'
import type { Turn } from '../harness/played-model.ts'

/** A worker at work on one question, and what a test needs to kill it at its point. */
interface Victim {
  scene: Scene
  name: string
  proxy: RedisProxy
  /** Resolved after the kill: what was held until then may go on. */
  after: Promise<void>
  /** The model's `n`th call (from 0) about this question is answered by `turn` in place of its part. */
  onCall(n: number, turn: () => Turn | Promise<Turn>): void
  /** The same by silence. */
  holdCall(n: number): void
  /** A call to Slack about one post of this question takes effect, but its answer does not come. */
  holdAnswerOf(method: string, step: string): void
}

/** When to kill: sets the stage before the question is asked, and says by what it is seen that the point is reached. */
type Point = (victim: Victim) => () => unknown

const POINTS: [when: string, point: Point][] = [
  [
    'before the model has said anything',
    (victim) => {
      victim.holdCall(0)
      return () => isCalled(victim, 1)
    },
  ],
  [
    'during the stream',
    ({ onCall, scene, name }) => {
      onCall(1, () => ({ text: ' and so'.repeat(500), chunkMs: 20 }))
      return () => (scene.model.about(name)[1]?.sent.length ?? 0) > 20
    },
  ],
  [
    'while a tool runs',
    ({ scene, after, name }) => {
      scene.ledger.hold(after)
      return () => scene.ledger.asked.includes(`${name} use 1`)
    },
  ],
  [
    'after a tool, when what it returned is saved',
    (victim) => {
      victim.holdCall(1)
      return () => isCalled(victim, 2)
    },
  ],
  [
    'between a step’s post and its record',
    (victim) => {
      victim.holdAnswerOf('chat.postMessage', 'step-1')
      victim.holdCall(1)
      return () => effects(victim, 'chat.postMessage', 'step-1') === 1 && isCalled(victim, 2)
    },
  ],
  [
    'between a step’s post and its record, when the run is ahead of its posts',
    (victim) => {
      victim.holdAnswerOf('chat.postMessage', 'step-1')
      victim.holdCall(2)
      return () => effects(victim, 'chat.postMessage', 'step-1') === 1 && isCalled(victim, 3)
    },
  ],
  [
    'between the update of a step and whatever comes after',
    (victim) => {
      // A tool that is as fast as the post leaves nothing to update.
      const isShown = () => effects(victim, 'chat.postMessage', 'step-1') === 1
      victim.scene.ledger.hold(victim.scene.slack.until(isShown, 'the first step'))
      victim.holdAnswerOf('chat.update', 'step-1')
      victim.holdCall(1)
      return () => effects(victim, 'chat.update', 'step-1') === 1 && isCalled(victim, 2)
    },
  ],
  [
    'between the answer’s post and its record',
    (victim) => {
      victim.holdAnswerOf('chat.postMessage', 'answer-1')
      return () => effects(victim, 'chat.postMessage', 'answer-1') === 1
    },
  ],
  [
    'between the answer and the history',
    ({ proxy }) => {
      proxy.holdWhen((command) => command.includes(':history') && /^\*\d+\r\n\$\d+\r\neval/i.test(command))
      return proxy.isHeld
    },
  ],
  [
    'between the history and the end of the run',
    ({ proxy }) => {
      proxy.holdWhen((command) => command.includes('\r\n$4\r\ndone\r\n'))
      return proxy.isHeld
    },
  ],
]

test('a worker killed at any point leaves nothing undone and nothing done twice', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  let worker = await startProxied(scene)
  for (const [when, point] of POINTS) {
    const { victim, kill } = victimOf(scene, worker)
    const isReached = point(victim)
    const thread = await scene.ask()
    // The thread's next question waits until the first is through.
    await scene.askOn(thread)
    await scene.slack.until(isReached, `the point ${when}`)
    await kill()
    worker = await startProxied(scene)
    await scene.slack.until(() => scene.isAtRest(), `the end of what was killed ${when}`, 30_000)
    expect(scene.postsIn(thread)).toEqual(postsOf(...thread.names))
  }
  await expectAllWell(scene)
})

test('/ask: a worker killed between the root’s post and its record opens one thread', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  const { victim, kill } = victimOf(scene, await startProxied(scene))
  victim.holdAnswerOf('chat.postMessage', 'root')
  const thread = await scene.command()
  await kill()
  await startProxied(scene)
  await expectAllWell(scene)
  const roots = scene.slack.messages(thread.channel).filter(({ bot_id, thread_ts }) => bot_id && !thread_ts)
  expect(roots).toHaveLength(1)
})

interface Proxied {
  bot: BotProcess
  proxy: RedisProxy
}

async function startProxied(scene: Scene): Promise<Proxied> {
  const proxy = await redisProxy(scene.redis.port)
  return { proxy, bot: await scene.start('worker', { REDIS_URL: proxy.url }) }
}

function victimOf(scene: Scene, { bot, proxy }: Proxied): { victim: Victim; kill(): Promise<void> } {
  const name = scene.nextName
  const after = deferred()
  const onCall: Victim['onCall'] = (n, turn) =>
    scene.model.decide(name, (request, count) => (count === n ? turn() : playedTurn(request)))
  const hungUp = () => after.promise.then(() => Promise.reject(new Error('Nobody listens any more.')))
  const victim: Victim = {
    ...{ scene, name, proxy, after: after.promise, onCall },
    holdCall: (n) => onCall(n, hungUp),
    holdAnswerOf: (method, step) => scene.slack.fault({ method, where: isPost(step), hold: after.promise }),
  }
  const kill = async () => {
    await bot.kill()
    after.resolve()
    scene.slack.clearFaults()
  }
  onTestFinished(() => after.resolve())
  return { victim, kill }
}

/** Whether a call is about this post; the names of posts stand in their metadata. */
function isPost(step: string): NonNullable<Fault['where']> {
  return ({ metadata }) => JSON.stringify(metadata ?? {}).includes(`"step":"${step}"`)
}

/** Whether the model has been asked so often. While it is held, no call can end in the moment of the kill. */
function isCalled({ scene, name }: Victim, times: number): boolean {
  return scene.model.about(name).length === times
}

/** How often a call about this post has taken effect. */
function effects({ scene, name }: Victim, method: string, step: string): number {
  const isMeant = ({ args, ...call }: Call) => call.method === method && call.ok && isPost(step)(args)
  return scene.slack.calls.filter((call) => isMeant(call) && JSON.stringify(call.args).includes(name)).length
}
