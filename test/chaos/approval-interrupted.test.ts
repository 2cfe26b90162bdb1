/**
 * Interruptions between an approval card and the outcome of its button: a second press, a lost Redis, replaced
 * processes, the deadline.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { ALICE, BOB } from '../../playground/slack/slack.ts'
import { ALWAYS, DENY, ONCE } from '../harness/approvals.ts'
import type { BotProcess } from '../harness/chaos/bots.ts'
import { isSuspended, openCard, pressCard } from '../harness/chaos/pressing.ts'
import type { AskedThread, Scene } from '../harness/chaos/scene.ts'
import { Stage } from '../harness/chaos/stage.ts'
import { ALLOWED, expectEndings, openOffice, writePosts, type Ending } from '../harness/chaos/writes.ts'
import { redisProxy, type RedisProxy } from '../harness/redis-proxy.ts'
import { eventually } from '../harness/stores.ts'

/** Asks a question with one call that waits for a person. */
async function askForWrite(scene: Scene): Promise<AskedThread> {
  const stage = new Stage(scene)
  stage.uses(['shelf__keep', `${stage.name} use 1`])
  const thread = await scene.ask()
  await isSuspended(scene, thread)
  return thread
}

/** Returns the ending of an allowed question. */
function allowed(thread: AskedThread): Ending {
  return { thread, posts: writePosts(thread.names[0]!), audit: [{ step: 1, outcome: 'done', ...ALLOWED }] }
}

/** Returns the ending of a call that was not made, with the texts of its step and card. */
function notRun(thread: AskedThread, [step, card]: [string, string], how: 'denied' | 'expired'): Ending {
  const name = thread.names[0]!
  const shows = (post: string, words: string) => new RegExp(`^${name} ${post}, but: [^]*${words}`)
  return {
    thread,
    posts: [shows('step-1', step), shows('approval-1', card), `${name} answer-1`],
    audit: [{ step: 1, outcome: 'not_run', how, ...(how === 'denied' && { decidedBy: BOB }) }],
  }
}

function told(scene: Scene, thread: AskedThread, [user, words]: [user: string, words: string]): Promise<unknown> {
  const isTold = () => scene.slack.ephemerals(thread.channel, user).some((word) => word.includes(words))
  return scene.slack.until(isTold, `“${words}”`)
}

function sweepKey({ env }: Scene): string {
  return `${env.REDIS_PREFIX ?? 'thinkaloud'}:sweep`
}

interface Front {
  bot: BotProcess
  proxy: RedisProxy
}

async function startFront(scene: Scene): Promise<Front> {
  const proxy = await redisProxy(scene.redis.port)
  return { proxy, bot: await scene.start('front', { REDIS_URL: proxy.url }) }
}

/** Presses a button, and holds the decision on its way to Redis. @returns a function that releases it */
async function pressHeld(
  { bot, proxy }: Front,
  by: { scene: Scene; thread: AskedThread; user: string; action: string },
): Promise<() => Promise<void>> {
  proxy.holdWhen((command) => command.includes(`"by":"${by.user}"`))
  const pressing = pressCard(by.scene, by.thread, { ...by, at: bot })
  pressing.catch(() => undefined)
  await by.scene.slack.until(proxy.isHeld, 'a press that is held')
  return () => (proxy.release(), pressing)
}

test('two people press at once, on two fronts: the first one decides, and the other is told', async (t) => {
  const { scene, server } = await openOffice(t, { env: { APPROVERS: BOB }, slack: { ackMs: 30_000 } })
  const fronts = [await startFront(scene), await startFront(scene)] as const
  await scene.start('worker')
  const hands = [
    { user: ALICE, action: ONCE },
    { user: BOB, action: DENY },
  ] as const
  const threads: AskedThread[] = []
  for (const first of [0, 1] as const) {
    const thread = await askForWrite(scene)
    threads.push(thread)
    // Both processes have found no decision yet.
    const goOn = [
      await pressHeld(fronts[0], { scene, thread, ...hands[0] }),
      await pressHeld(fronts[1], { scene, thread, ...hands[1] }),
    ] as const
    await goOn[first]()
    await goOn[first === 0 ? 1 : 0]()
  }
  await told(scene, threads[0]!, [BOB, '@Alice already decided this: allowed.'])
  await told(scene, threads[1]!, [ALICE, '@Bob already decided this: denied.'])
  const denied = notRun(threads[1]!, ['a person denied it', '⛔ \\*Denied\\* by @Bob'], 'denied')
  await expectEndings(scene, [allowed(threads[0]!), denied])
  expect(server.written).toEqual(['q1-1 use 1'])
})

test('Redis is lost while a call waits: a press is answered with a request to try again, and the next one counts', async (t) => {
  const { scene, server } = await openOffice(t, { slack: { ackMs: 30_000 } })
  const front = await scene.start('front')
  await scene.start('worker')
  const thread = await askForWrite(scene)
  await scene.loseRedis(0, {
    async meanwhile() {
      await expect(pressCard(scene, thread)).rejects.toThrow('was not acked')
      await told(scene, thread, [ALICE, 'Please press again in a moment.'])
    },
  })
  await eventually(async () => expect(await front.status('/readyz')).toBe(200), 30_000)
  expect(server.written).toEqual([])
  await pressCard(scene, thread)
  await expectEndings(scene, [allowed(thread)])
  expect(server.written).toEqual(['q1-1 use 1'])
})

test('all processes are replaced between card and press: the new ones make the call, and the next one needs no new approval', async (t) => {
  const { scene, server } = await openOffice(t)
  const old = [await scene.start('front'), await scene.start('worker')]
  const stage = new Stage(scene)
  const { name } = stage
  stage.uses(['shelf__keep', `${name} use 1`], ['shelf__keep', `${name} use 2`])
  const thread = await scene.ask()
  await isSuspended(scene, thread)
  for (const { code } of await Promise.all(old.map((bot) => bot.stop()))) expect(code).toBe(0)
  await scene.start('front')
  await scene.start('worker')
  await pressCard(scene, thread, { action: ALWAYS })
  const card = new RegExp(`^${name} approval-1, but: ✅ \\*Always allowed in this thread\\* by @Alice`)
  const posts = [`${name} step-1`, card, `${name} step-2`, `${name} answer-1`]
  const always = { how: 'always', decidedBy: ALICE, outcome: 'done' } as const
  const audit = [
    { step: 1, ...always },
    { step: 2, ...always },
  ]
  await expectEndings(scene, [{ thread, posts, audit }])
  expect(server.written).toEqual([`${name} use 1`, `${name} use 2`])
})

test('an approval expires while no process runs: the call is not made, and card and run say so', async (t) => {
  let ahead = 0
  const { scene, server } = await openOffice(t, { slack: { now: () => Date.now() + ahead, ackMs: 30_000 } })
  const old = [await scene.start('front'), await scene.start('worker')]
  const threads = [await askForWrite(scene), await askForWrite(scene)]
  await Promise.all(old.map((bot) => bot.stop()))
  ahead = 25 * 3_600_000
  const clock = join(ROOT, 'test/harness/chaos/clock-ahead.js')
  const later = { NODE_OPTIONS: `--import ${clock}`, CHAOS_AHEAD_MS: String(ahead) }
  await scene.start('front', later)
  // One card is pressed before a worker can notice that its time is over.
  await pressCard(scene, threads[0]!)
  await told(scene, threads[0]!, [ALICE, 'This expired before anybody decided, so it was not done.'])
  await openCard(scene, threads[1]!)
  // The last sweep was a day ago.
  await scene.client.del(sweepKey(scene))
  await scene.start('worker', later)
  const words: [string, string] = ['nobody approved it in time', '⌛ \\*Not done\\*: .*Nobody decided in time']
  await expectEndings(
    scene,
    threads.map((thread) => notRun(thread, words, 'expired')),
  )
  expect(server.written).toEqual([])
})

test('a front is killed after it stored a decision: a second press is told that it is decided, and the run continues at once', async (t) => {
  const { scene, server } = await openOffice(t, { slack: { ackMs: 30_000 } })
  const { bot, proxy } = await startFront(scene)
  await scene.start('worker')
  const thread = await askForWrite(scene)
  // No worker sweeps now.
  await scene.client.set(sweepKey(scene), 1, 'PX', 600_000)
  proxy.holdWhen((command) => command.includes(`"by":"${ALICE}"`), 'after')
  const pressing = pressCard(scene, thread)
  pressing.catch(() => undefined)
  await scene.slack.until(proxy.isHeld, 'the decision')
  await bot.kill()
  await expect(pressing).rejects.toThrow('was not acked')
  await scene.start('front')
  await pressCard(scene, thread)
  await told(scene, thread, [ALICE, 'You already decided this: allowed.'])
  await expectEndings(scene, [allowed(thread)])
  expect(server.written).toEqual(['q1-1 use 1'])
})

test('Slack refuses updates of a decided card until all processes are replaced: the new ones update it', async (t) => {
  const { scene, server } = await openOffice(t)
  const old = [await scene.start('front'), await scene.start('worker')]
  const stage = new Stage(scene)
  stage.uses(['shelf__keep', `${stage.name} use 1`])
  const thread = await scene.ask()
  await isSuspended(scene, thread)
  const { ts } = await openCard(scene, thread)
  scene.slack.fault({ method: 'response_url', dropBefore: true, times: Infinity })
  scene.slack.fault({ method: 'chat.update', where: (args) => args.ts === ts, dropBefore: true, times: Infinity })
  const asked = stage.asked
  stage.holdCall(1)
  await pressCard(scene, thread)
  await scene.slack.until(() => stage.asked === asked + 1, 'the call after the tool')
  await Promise.all(old.map((bot) => bot.kill()))
  stage.letGo()
  stage.uses(['shelf__keep', `${stage.name} use 1`])
  await scene.start('front')
  await scene.start('worker')
  await expectEndings(scene, [allowed(thread)])
  expect(server.written).toEqual(['q1-1 use 1'])
})
