/** The checks that hold after every scenario. */
import { expect } from 'vitest'
import { BOT_USER, TEAM } from '../../../playground/slack/slack.ts'
import { listRuns } from '../../../src/stores/runs/list-runs.ts'
import { ONCE } from '../approvals.ts'
import { nameIn, postsOf, questionText } from './script.ts'
import type { AskedThread, Scene } from './scene.ts'

export interface RecoveryOptions {
  /** The time limit for the last answer, in ms. */
  ms?: number
  /** The posts of threads with an unusual outcome, by thread. */
  posts?: Map<AskedThread, (string | RegExp)[]>
  /** The ids of questions that must be dead-lettered. */
  givenUp?: string[]
}

/**
 * Waits until every question is answered and no run shows that it is at work, then checks Slack, the model, the tools,
 * Redis and the histories. Ends the bots.
 */
export async function expectRecovery(scene: Scene, options: RecoveryOptions = {}): Promise<void> {
  try {
    await answered(scene, options)
    await scene.slack.settle(600)
    expectThreads(scene, options)
    // A worker that takes over an answered question shows its status until it has found the answer.
    await expect.poll(() => activitySigns(scene), { timeout: 20_000 }).toEqual([])
    expect(scene.slack.refusals).toEqual([])
    expectNothingRepeated(scene)
    await expectStoresAtRest(scene, options)
    await expectHistories(scene, options)
    await expectCleanExits(scene)
  } catch (error) {
    console.error(`What the processes said is in ${scene.saveOutput()}`)
    throw error
  }
}

async function answered(scene: Scene, { ms = 60_000, posts }: RecoveryOptions): Promise<void> {
  const isDone = (thread: AskedThread) => scene.postsIn(thread).length >= expectedPosts(thread, posts).length
  await scene.slack
    .until(() => scene.threads.every(isDone) && activitySigns(scene).length === 0, 'all answers and no sign', ms)
    .catch(() => expectThreads(scene, { posts: posts ?? new Map() }))
}

function expectedPosts(thread: AskedThread, special: RecoveryOptions['posts']): (string | RegExp)[] {
  return special?.get(thread) ?? postsOf(...thread.names)
}

export function matching(post: string | RegExp): unknown {
  return typeof post === 'string' ? post : expect.stringMatching(post)
}

/** Checks that each question, and each of its steps, was posted once and in order, and in its own thread. */
function expectThreads(scene: Scene, { posts }: RecoveryOptions): void {
  const seen = scene.threads.map((thread) => [thread.number, scene.postsIn(thread)])
  const wanted = scene.threads.map((thread) => [thread.number, expectedPosts(thread, posts).map(matching)])
  expect(seen).toEqual(wanted)
}

/**
 * Returns the statuses, reactions, streams and cards that people would still see, without the mark of read messages,
 * which stays.
 */
export function activitySigns({ slack }: Scene): string[] {
  return [...slack.store.channels.values()].flatMap((channel) => [
    ...[...channel.statuses.keys()].filter((ts) => slack.status(channel.id, ts)).map((ts) => `status in ${ts}`),
    ...channel.messages.flatMap(({ ts, reactions = [], streaming_state, blocks }) => [
      ...reactions
        .filter(({ users, name }) => users.includes(BOT_USER) && name !== 'white_check_mark')
        .map(({ name }) => `${name} on ${ts}`),
      ...(streaming_state === 'in_progress' ? [`stream ${ts}`] : []),
      ...(JSON.stringify(blocks ?? []).includes(ONCE) ? [`card ${ts}`] : []),
    ]),
  ])
}

/**
 * The time between the end of a call and its save on a busy machine, and the time a server takes to notice that its
 * caller has left. In ms.
 */
const UNSAVED_MS = 1_500
const UNHEARD_MS = 1_000

/**
 * Checks that no model call and no tool use was repeated, unless it ended when its worker was killed or frozen, or was
 * aborted because the run was handed over.
 */
function expectNothingRepeated(scene: Scene): void {
  const moments = scene.bots.flatMap((bot) => [...bot.interruptedAt, ...bot.cutAt()])
  const faults = [...moments.map((at) => ({ from: at, to: at })), ...scene.redisAway]
  const isExcused = (at: number) => faults.some(({ from, to }) => at < to + UNHEARD_MS && at > from - UNSAVED_MS)
  const paid = scene.paid()
  const again = paid.filter(({ name }, i) => paid.findLastIndex((other) => other.name === name) !== i)
  console.info(`${paid.length} calls and uses, ${again.length} of them repeated after ${faults.length} faults`)
  expect(again.filter(({ at }) => !isExcused(at))).toEqual([])
  expect(paid.filter(({ name }) => nameIn(name) === '')).toEqual([])
}

/** Checks that every key expires, no inbox and no job is left, and every run has ended. */
async function expectStoresAtRest(scene: Scene, { givenUp = [] }: RecoveryOptions): Promise<void> {
  const { client, env } = scene
  const prefix = env.REDIS_PREFIX ?? 'thinkaloud'
  const runsNotDone = async () => {
    const left: string[] = []
    for await (const { question, state } of listRuns({ redis: client, prefix }))
      if (state !== 'done') left.push(`${question.id} ${state}`)
    return left.toSorted()
  }
  const jobsLeft = async () =>
    (await scene.keys('*bull*')).filter((key) => /:(wait|active|delayed|prioritized)$/.test(key))
  // The post in Slack comes a moment before the save in Redis.
  await expect.poll(runsNotDone, { timeout: 10_000 }).toEqual(givenUp.map((id) => `${id} dead-lettered`).toSorted())
  await expect.poll(jobsLeft, { timeout: 10_000 }).toEqual([])
  const own = (await scene.keys('*')).filter((key) => !key.includes('bull'))
  const lives = await Promise.all(own.map(async (key) => ({ key, ttl: await client.pttl(key) })))
  expect(lives.filter(({ ttl }) => ttl === -1)).toEqual([])
  expect(own.filter((key) => key.endsWith(':inbox'))).toEqual([])
}

/** Checks that each answered question is in its thread's history, once and in order. */
async function expectHistories(
  { client, env, threads }: Scene,
  { posts, givenUp = [] }: RecoveryOptions,
): Promise<void> {
  for (const thread of threads.filter((one) => !posts?.has(one))) {
    const key = `${env.REDIS_PREFIX ?? 'thinkaloud'}:{${TEAM}:${thread.channel}:${thread.ts}}:history`
    const turns = (await client.lrange(key, 0, -1)).map((turn) => (JSON.parse(turn) as { question: string }).question)
    expect(turns).toEqual(thread.names.map(questionText))
  }
  expect(givenUp.length).toBeLessThanOrEqual(posts?.size ?? 0)
}

/** Checks that SIGTERM ends each process with code 0 in less than SHUTDOWN_MS, and that no process is left. */
async function expectCleanExits({ bots }: Scene): Promise<void> {
  const running = bots.filter((bot) => bot.isAlive())
  const ends = await Promise.all(running.map((bot) => bot.stop()))
  expect(ends.map(({ code }) => code)).toEqual(running.map(() => 0))
  expect(Math.max(0, ...ends.map(({ ms }) => ms))).toBeLessThan(25_000)
  expect(bots.filter((bot) => bot.isAlive()).map(({ pid }) => pid)).toEqual([])
}
