/** A question is edited or deleted while its worker is killed. */
import { expect, test } from 'vitest'
import { ALICE, type StoredMessage } from '../../playground/slack/slack.ts'
import type { BotProcess } from '../harness/chaos/bots.ts'
import { playedTurn, postsOf } from '../harness/chaos/script.ts'
import { editedName, openScene, type AskedThread, type Scene } from '../harness/chaos/scene.ts'
import { Stage } from '../harness/chaos/stage.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'
import { redisProxy, type RedisProxy } from '../harness/redis-proxy.ts'

interface Moment {
  stage: Stage
  thread: AskedThread
  bot: BotProcess
  proxy: RedisProxy
}

/** Prepares the point before the person acts. Returns a function that tells whether the worker must be killed now. */
type Point = (moment: Moment) => Promise<() => boolean> | (() => boolean)

const isRunEnding = (command: string) => command.includes('\r\n$4\r\ndone\r\n')

const TO_BOTH: [when: string, point: Point][] = [
  [
    'before the worker knows of it',
    ({ bot }) => {
      bot.freeze()
      return () => true
    },
  ],
  [
    'before the next worker starts',
    async ({ bot }) => {
      await bot.kill()
      return () => true
    },
  ],
  [
    'while the old posts are deleted',
    ({ stage: { scene, after } }) => {
      const deletions = () => scene.slack.calls.filter(({ method }) => method === 'chat.delete').length
      const before = deletions()
      scene.slack.fault({ method: 'chat.delete', hold: after })
      return () => deletions() > before
    },
  ],
  [
    'after that, and before the old run ends',
    ({ proxy }) => {
      proxy.holdWhen(isRunEnding)
      return proxy.isHeld
    },
  ],
]

const TO_AN_EDIT: typeof TO_BOTH = [
  [
    'before the edited question is stored',
    ({ thread, proxy }) => {
      proxy.holdWhen((command) => command.includes(editedName(thread)))
      return proxy.isHeld
    },
  ],
  [
    'while the edited question is worked on',
    ({ stage: { scene, after }, thread }) => {
      const name = editedName(thread)
      const late = () => after.then(() => Promise.reject(new Error('Too late.')))
      scene.model.decide(name, (request, before) => (before === 1 ? late() : playedTurn(request)))
      return () => scene.model.about(name).length === 2
    },
  ],
]

/** Asks a question and waits for its second thought. It has one step in the thread and another question behind it. */
async function askedTwice(scene: Scene): Promise<{ stage: Stage; thread: AskedThread }> {
  const stage = new Stage(scene)
  stage.holdCall(2)
  const thread = await scene.ask()
  await scene.askOn(thread)
  const isAtWork = () => stage.asked === 2 && scene.postsIn(thread).includes(`${stage.name} step-1`)
  await scene.slack.until(isAtWork, 'the second call')
  return { stage, thread }
}

/** Plays each point in turn, with its own worker. */
async function playPoints(scene: Scene, points: typeof TO_BOTH, act: (thread: AskedThread) => Promise<void>) {
  await scene.start('front')
  let worker = await startProxied(scene)
  for (const [when, point] of points) {
    const { stage, thread } = await askedTwice(scene)
    const isReached = await point({ stage, thread, ...worker })
    await act(thread)
    await scene.slack.until(isReached, `the point ${when}`)
    if (worker.bot.isAlive()) await worker.bot.kill()
    stage.letGo()
    worker = await startProxied(scene)
    await scene.slack.until(() => scene.isAtRest(), `the end of what was killed ${when}`, 30_000)
    expect(scene.postsIn(thread), when).toEqual(postsOf(...thread.names))
  }
  await expectRecovery(scene)
}

test('a question is edited while its worker is killed: the edited one is answered once, and nothing of the old one stays', async (t) => {
  const scene = await openScene(t)
  await playPoints(scene, [...TO_BOTH, ...TO_AN_EDIT], (thread) => scene.edit(thread))
  expect(mentionsOf(scene, /\bq\d+-1\b/)).toEqual([])
})

test('a question is deleted while its worker is killed: nothing of it stays, and the next one in the thread is answered', async (t) => {
  const scene = await openScene(t)
  await playPoints(scene, TO_BOTH, (thread) => scene.remove(thread))
  expect(mentionsOf(scene, /\bq\d+-1\b/)).toEqual([])
})

test('a worker is killed before it records a post, and the question is edited or deleted: the post is deleted too', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  for (const act of [(thread: AskedThread) => scene.edit(thread), (thread: AskedThread) => scene.remove(thread)]) {
    const worker = await scene.start('worker')
    const stage = new Stage(scene)
    stage.holdAnswer('chat.postMessage', 'step-1')
    stage.holdCall(2)
    const thread = await scene.ask()
    const isOut = () => stage.effects('chat.postMessage', 'step-1') === 1 && stage.asked === 2
    await scene.slack.until(isOut, 'the post')
    await worker.kill()
    await act(thread)
    stage.letGo()
    const next = await scene.start('worker')
    await scene.slack.until(() => scene.isAtRest(), 'the end', 30_000)
    expect(scene.postsIn(thread)).toEqual(postsOf(...thread.names))
    await next.stop()
  }
  await scene.start('worker')
  await expectRecovery(scene)
})

test('a question is deleted after its answer while its worker is killed: the answer is deleted too', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  const { bot, proxy } = await startProxied(scene)
  proxy.holdWhen(isRunEnding)
  const thread = await scene.ask()
  await scene.slack.until(proxy.isHeld, 'the end of the run')
  await scene.remove(thread)
  await bot.kill()
  await scene.start('worker')
  await scene.slack.until(() => scene.postsIn(thread).length === 0, 'an empty thread', 30_000)
  await expectRecovery(scene)
})

test('a question is edited after its answer while its worker is killed: the answer stays, and the asker is offered a new one', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  const { bot } = await startProxied(scene)
  const stage = new Stage(scene)
  stage.holdAnswer('chat.postMessage', 'answer-1')
  const thread = await scene.ask()
  await scene.slack.until(() => stage.effects('chat.postMessage', 'answer-1') === 1, 'the answer')
  const { names, ids } = structuredClone(thread)
  await scene.edit(thread)
  Object.assign(thread, { names, ids })
  await bot.kill()
  stage.letGo()
  await scene.start('worker')
  await scene.slack.until(() => scene.slack.ephemerals(thread.channel, ALICE).length > 0, 'the offer', 30_000)
  await expectRecovery(scene)
  expect(scene.slack.ephemerals(thread.channel, ALICE)).toHaveLength(1)
  expect(scene.model.about(editedName(thread))).toEqual([])
})

/** Returns the bot's messages with this text. */
function mentionsOf({ slack, threads }: Scene, words: RegExp): string[] {
  const shown = (message: StoredMessage) => slack.shown(message)
  return threads
    .flatMap(({ channel, ts }) => slack.replies(channel, ts))
    .map(shown)
    .filter((text) => words.test(text))
}

/** Starts a worker whose connection to Redis can be held. */
async function startProxied(scene: Scene): Promise<{ bot: BotProcess; proxy: RedisProxy }> {
  const proxy = await redisProxy(scene.redis.port)
  return { proxy, bot: await scene.start('worker', { REDIS_URL: proxy.url }) }
}
