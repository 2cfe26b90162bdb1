import { below, forgetKeys, scanKeys, threadKey, type RedisClient } from '../base/redis/redis.ts'
import type { Person } from '../base/place.ts'
import { questionSchema } from '../stores/runs/stored-run.ts'
import { threadKeys } from '../stores/runs/thread-keys.ts'
import type { QueueSettings } from './queue-settings.ts'
import { lineInThread, withdrawQuestion } from './scripts.ts'
import type { ThreadLine, WaitingLine } from './types.ts'
import { entryOf } from './waiting-questions.ts'

export interface RedisLineParts {
  redis: RedisClient
  settings: QueueSettings
  /** The sorted set of waiting questions (waiting-questions.ts). */
  waitingKey: string
}

/** The waiting line in Redis. */
export function redisLine({ redis, settings, waitingKey }: RedisLineParts): Omit<WaitingLine, 'place'> {
  const { prefix, doneTtlMs } = settings
  return {
    async inThread(thread) {
      const { inbox, suspended: suspended, runs } = threadKeys(prefix, thread)
      return lineOf(await lineInThread(redis, { inbox, suspended: suspended, runs }))
    },
    async withdraw(thread, id, { neverBegun = false } = {}) {
      const { inbox, runs } = threadKeys(prefix, thread)
      const named = { inbox, run: runs + id, id, ttlMs: doneTtlMs, neverBegun: neverBegun ? 1 : 0 }
      const isOut = (await withdrawQuestion(redis, named)) === 1
      if (isOut) await redis.zrem(waitingKey, entryOf(thread, id))
      return isOut
    },
    forgetChannel: ({ team, channel }) => forgetEnded(redis, prefix, below(team, channel)),
    forgetUser: (person) => forgetPersonInRuns(redis, prefix, person),
    // A run at work loses its lease, and ends.
    forgetTeam: (team) => forgetKeys(redis, { prefix, tag: below(team), name: TEAM_NAMES }),
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

async function forgetPersonInRuns(redis: RedisClient, prefix: string, { team, user }: Person): Promise<void> {
  for await (const keys of scanKeys(redis, threadKey(prefix, below(team), 'run:*')))
    await Promise.all(
      keys.map(async (key) => {
        const text = await redis.hget(key, 'question')
        if (text !== null && questionIn(text)?.user === user) return forgetIfEnded(redis, key)
        if (await isOver(redis, key)) await redis.hdel(key, 'said')
      }),
    )
}

/** Skips a question that cannot be read: the worker that comes to it dead-letters it. */
function lineOf(reply: unknown): ThreadLine {
  const line: ThreadLine = { waiting: [] }
  const flat = Array.isArray(reply) ? reply.map(String) : []
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
  try {
    return questionSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
