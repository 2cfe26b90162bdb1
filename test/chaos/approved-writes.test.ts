/**
 * Workers are killed around MCP calls that change something. Each call takes effect at most once, and its outcome is
 * reported.
 */
import { expect, test } from 'vitest'
import type { BotProcess } from '../harness/chaos/bots.ts'
import { openCard, pressCard } from '../harness/chaos/pressing.ts'
import type { Scene } from '../harness/chaos/scene.ts'
import { Stage } from '../harness/chaos/stage.ts'
import { ALLOWED, expectEnding, expectEndings, openOffice, writePosts, type Ending } from '../harness/chaos/writes.ts'
import { redisProxy, type RedisProxy } from '../harness/redis-proxy.ts'

/** Starts a worker whose connection to Redis can be held. */
async function startProxied(scene: Scene): Promise<{ bot: BotProcess; proxy: RedisProxy }> {
  const proxy = await redisProxy(scene.redis.port)
  return { proxy, bot: await scene.start('worker', { REDIS_URL: proxy.url }) }
}

/** A point around a call that a person must allow. `isPressed`: the press comes before the worker is killed. */
interface Point {
  when: string
  isPressed: boolean
  /** Prepares the point. Returns a function that tells whether the worker must be killed now. */
  isReached(stage: Stage, proxy: RedisProxy): () => boolean
  outcome: 'done' | 'unknown'
}

const POINTS: Point[] = [
  {
    when: 'between the card and its record',
    isPressed: false,
    isReached(stage) {
      stage.holdAnswer('chat.postMessage', 'approval-1')
      return () => stage.effects('chat.postMessage', 'approval-1') === 1
    },
    outcome: 'done',
  },
  {
    when: 'between the press and the call',
    isPressed: true,
    isReached({ name }, proxy) {
      proxy.holdWhen((command) => command.includes('"begun":') && command.includes(`${name} use 1`))
      return proxy.isHeld
    },
    outcome: 'done',
  },
  {
    when: 'between the call and its checkpoint',
    isPressed: true,
    isReached({ name }, proxy) {
      proxy.holdWhen((command) => command.includes(`noted: ${name} use 1`))
      return proxy.isHeld
    },
    outcome: 'unknown',
  },
]

test('a worker is killed before or after a call that a person allowed: the call is made once', async (t) => {
  const { scene, server } = await openOffice(t)
  await scene.start('front')
  let worker = await startProxied(scene)
  const endings: Ending[] = []
  for (const { when, isPressed, isReached, outcome } of POINTS) {
    const stage = new Stage(scene)
    stage.uses(['shelf__keep', `${stage.name} use 1`])
    const isThere = isReached(stage, worker.proxy)
    const thread = await scene.ask()
    if (isPressed) await pressCard(scene, thread)
    await scene.slack.until(isThere, `the point ${when}`)
    await worker.bot.kill()
    stage.letGo()
    if (!isPressed) await pressCard(scene, thread)
    worker = await startProxied(scene)
    const posts = writePosts(stage.name, { isKnown: outcome === 'done' })
    endings.push({ thread, posts, audit: [{ step: 1, tool: 'shelf__keep', server: 'shelf', outcome, ...ALLOWED }] })
    await expectEnding(scene, endings.at(-1)!)
  }
  await expectEndings(scene, endings)
  expect(server.written).toEqual(['q1-1 use 1', 'q2-1 use 1', 'q3-1 use 1'])
})

/** For each tool, the posts and the audit entry if the worker is killed during its call. */
const CALLED = {
  shelf__keep: {
    posts: (name: string) => writePosts(name, { isKnown: false }),
    audit: { outcome: 'unknown', ...ALLOWED },
  },
  shelf__stamp: {
    posts: (name: string) => writePosts(name, { isKnown: false }).filter((post) => post !== `${name} approval-1`),
    audit: { outcome: 'unknown', how: 'config' },
  },
  vault__put: { posts: (name: string) => writePosts(name), audit: { outcome: 'done', ...ALLOWED } },
} as const

test('a worker is killed during its calls: only calls that are safe to repeat are made again', async (t) => {
  const { scene, server } = await openOffice(t)
  await scene.start('front')
  const worker = await scene.start('worker')
  const stages: Stage[] = []
  const endings: Ending[] = []
  for (const at of ['before', 'after'] as const)
    for (const tool of ['shelf__keep', 'shelf__stamp', 'vault__put'] as const) {
      const stage = new Stage(scene)
      stages.push(stage)
      stage.uses([tool, `${stage.name} use 1`])
      server.hold(`${stage.name} use 1`, at, stage.after)
      const thread = await scene.ask()
      if (tool !== 'shelf__stamp') await pressCard(scene, thread)
      const { posts, audit } = CALLED[tool]
      endings.push({ thread, posts: posts(stage.name), audit: [{ step: 1, tool, ...audit }] })
    }
  await scene.slack.until(() => server.held.length === stages.length, 'all calls')
  await worker.kill()
  await scene.slack.until(
    () => server.left.length === stages.length / 2,
    'the end of the calls that had not taken effect',
  )
  for (const stage of stages) stage.letGo()
  await scene.start('worker')
  await expectEndings(scene, endings)
  expect(server.written.toSorted()).toEqual(['q4-1 use 1', 'q5-1 use 1'])
  expect([...server.set].toSorted()).toEqual(['q3-1 use 1', 'q6-1 use 1'])
  expect(server.puts.toSorted()).toEqual(['q3-1 use 1', 'q6-1 use 1', 'q6-1 use 1'])
})

test('a worker is killed during a call: the same call is made again only after a person is told and allows it', async (t) => {
  const { scene, server } = await openOffice(t)
  await scene.start('front')
  const worker = await scene.start('worker')
  const stage = new Stage(scene)
  const { name } = stage
  const [tool, text] = ['shelf__keep', `${name} use 1`]
  stage.uses([tool, text], ['vault__look', text], [tool, text])
  server.hold(text, 'before', stage.after)
  const thread = await scene.ask()
  await pressCard(scene, thread)
  await scene.slack.until(() => server.held.length === 1, 'the call')
  await worker.kill()
  await scene.slack.until(() => server.left.length === 1, 'the end of the call')
  stage.letGo()
  await scene.start('worker')
  const card = await openCard(scene, thread, '3')
  expect(scene.slack.shown(card)).toContain('do not know whether it took effect')
  expect(server.written).toEqual([])
  await pressCard(scene, thread, { wait: '3' })
  const steps = [/^q1-1 step-2, but: [^]*noted: q1-1 use 1: 0 times/, /^q1-1 step-3, but: [^]*noted: q1-1 use 1$/]
  const posts = [
    ...writePosts(name, { isKnown: false }).slice(0, 2),
    ...steps,
    `${name} approval-3`,
    `${name} answer-1`,
  ]
  const audit = [
    { step: 1, outcome: 'unknown', ...ALLOWED } as const,
    { step: 3, outcome: 'done', ...ALLOWED } as const,
  ]
  await expectEndings(scene, [{ thread, posts, audit }])
  expect(server.written).toEqual([text])
})
