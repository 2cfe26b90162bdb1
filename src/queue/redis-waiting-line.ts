import type { RedisClient } from '../base/redis/redis.ts'
import { scanKeys, threadKey } from '../base/redis/redis-keys.ts'
import { parseJson } from '../base/parse-json.ts'
import { isOf, type ForgottenPerson } from '../base/place.ts'
import { below, forgetKeys, moveKeys, tagOf } from '../stores/kv/kv.ts'
import { redisKv } from '../stores/kv/redis-kv.ts'
import { questionSchema } from '../stores/runs/question.ts'
import { runKey } from '../stores/runs/run-control.ts'
import { threadKeys, type ThreadKeys } from '../stores/runs/thread-keys.ts'
import type { QueueSettings } from './queue-settings.ts'
import { lineInThread, strings, withdrawQuestion } from './lua-scripts.ts'
import type { ThreadLine, WaitingLine } from './types.ts'

/** The waiting line in Redis. `waitingKey`: the sorted set of waiting questions (waiting-questions.ts). */
export function redisLine(redis: RedisClient, settings: QueueSettings, waitingKey: string): Omit<WaitingLine, 'place'> {
  const { prefix, doneTtlMs } = settings
  const kv = redisKv({ redis, prefix })
  return {
    async inThread(thread) {
      const { inbox, suspended, runs } = threadKeys(prefix, thread)
      return lineOf(await lineInThread(redis, { inbox, suspended, runs }))
    },
    async withdraw(thread, id, { neverBegun = false } = {}) {
      const { inbox, runs } = threadKeys(prefix, thread)
      const named = { inbox, run: runs + id, id, ttlMs: doneTtlMs, neverBegun: neverBegun ? 1 : 0 }
      const isOut = (await withdrawQuestion(redis, named)) === 1
      if (isOut) await redis.zrem(waitingKey, runKey({ thread, id }))
      return isOut
    },
    moveChannel: (place, to) =>
      moveKeys(kv, place, to, /^(?:thread|parked)$/, async (before, after) => {
        const [from, moved] = [threadKeys(prefix, tagOf(before)), threadKeys(prefix, tagOf(after))]
        if (before.endsWith('}:thread'))
          await moveKnown(redis, { from: from.thread, to: moved.thread, ttlMs: settings.knownTtlMs })
        else await moveSuspended(redis, from, moved, { channel: to, settings })
      }),
    forgetChannel: ({ team, channel }) => forgetEnded(redis, prefix, below(team, channel)),
    forgetUser: (person) => forgetPersonInRuns(redis, prefix, person),
    // A run at work loses its lease, and ends.
    forgetTeam: (team) => forgetKeys(kv, below(team), TEAM_NAMES),
  }
}

/** A run may be at work in the thread, so its key stays. */
async function moveKnown(redis: RedisClient, { from, to, ttlMs }: { from: string; to: string; ttlMs: number }) {
  const [asked, asks] = await redis.hmget(from, 'asked', 'asks')
  if (!asked || !asks) return
  await redis.multi().hsetnx(to, 'asked', asked).hsetnx(to, 'asks', asks).pexpire(to, ttlMs).exec()
  await redis.hdel(from, 'asked', 'asks')
}

/** The claim stays under the old key, so that a late delivery is not a new question. */
async function moveSuspended(
  redis: RedisClient,
  from: ThreadKeys,
  to: ThreadKeys,
  { channel, settings: { doneTtlMs, knownTtlMs, suspendedMs } }: { channel: string; settings: QueueSettings },
): Promise<void> {
  const waits = await redis.zrange(from.suspended, '0', '-1', 'WITHSCORES')
  for (const [i, id] of waits.entries()) {
    if (i % 2 === 1) continue
    const [run, moved] = [from.runs + id, to.runs + id]
    const { question: text = '', ...fields } = await redis.hgetall(run)
    const question = questionIn(text)
    const signals = await redis.lrange(from.signals + id, 0, -1)
    const ttlMs = Math.max(knownTtlMs, 2 * suspendedMs)
    if (question)
      await redis
        .multi()
        .hset(moved, { ...fields, question: JSON.stringify({ ...question, channel }) })
        .pexpire(moved, ttlMs)
        .zadd(to.suspended, waits[i + 1] ?? '0', id)
        .pexpire(to.suspended, ttlMs)
        .exec()
    if (signals.length > 0)
      await redis
        .multi()
        .del(to.signals + id)
        .rpush(to.signals + id, ...signals)
        .pexpire(to.signals + id, ttlMs)
        .exec()
    await redis
      .multi()
      .zrem(from.suspended, id)
      .del(run, from.signals + id)
      .hset(run, 'state', 'done')
      .pexpire(run, doneTtlMs)
      .exec()
  }
}

/** The names in thread-keys.ts. */
const TEAM_NAMES = /^(?:thread|inbox|parked|run:.*|signals:.*|event:.*|conversation(?::.*)?)$/s

/** Deletes the runs of a channel that are done or dead-lettered, with the signals to them. */
async function forgetEnded(redis: RedisClient, prefix: string, tag: string): Promise<void> {
  for await (const keys of scanKeys(redis, threadKey(prefix, tag, 'run:*')))
    await Promise.all(keys.map((key) => forgetIfEnded(redis, key)))
}

async function forgetIfEnded(redis: RedisClient, run: string): Promise<void> {
  if (await isOver(redis, run)) await redis.unlink(run, run.replace('}:run:', '}:signals:'))
}

async function isOver(redis: RedisClient, run: string): Promise<boolean> {
  const state = await redis.hget(run, 'state')
  return state === 'done' || state === 'dead-lettered'
}

async function forgetPersonInRuns(redis: RedisClient, prefix: string, person: ForgottenPerson): Promise<void> {
  for await (const keys of scanKeys(redis, threadKey(prefix, below(person.team), 'run:*')))
    await Promise.all(
      keys.map(async (key) => {
        const text = await redis.hget(key, 'question')
        const question = text === null ? undefined : questionIn(text)
        if (question && isOf(person, question)) return forgetIfEnded(redis, key)
        if (await isOver(redis, key)) await redis.hdel(key, 'said')
      }),
    )
}

/** Skips a question that cannot be read: the worker that comes to it dead-letters it. */
function lineOf(reply: unknown): ThreadLine {
  const line: ThreadLine = { waiting: [] }
  const flat = strings(reply)
  for (const [i, text] of flat.entries()) {
    if (i % 2 === 1) continue
    const question = questionIn(text)
    if (question && flat[i + 1] === 'running') line.running = question
    else if (question && flat[i + 1] === 'parked') (line.suspended ??= []).push(question)
    else if (question) line.waiting.push(question)
  }
  return line
}

function questionIn(text: string) {
  return questionSchema.safeParse(parseJson(text)).data
}
