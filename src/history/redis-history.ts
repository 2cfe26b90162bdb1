import { z } from 'zod'
import { script, threadKey, type RedisClient } from '../redis.ts'
import type { StoreLog } from './store-log.ts'
import type { History, ThreadKey, Turn } from './types.ts'

export interface RedisHistoryOptions {
  redis: RedisClient
  log: StoreLog
  /** Before every key. */
  prefix?: string
  /** Turns kept a thread; the oldest go first. */
  maxTurns?: number
  /** Milliseconds that a thread is remembered after its last turn. */
  ttlMs?: number
}

const turnSchema = z.object({
  id: z.string(),
  question: z.string(),
  standalone: z.string(),
  answer: z.string(),
  user: z.string(),
  at: z.number(),
})

// A turn's JSON begins with its id, so the turns need not be decoded to find one out again.
const appendTurn = script(`
  local beginning = ARGV[2]
  for _, turn in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
    if string.sub(turn, 1, #beginning) == beginning then return 0 end
  end
  redis.call('RPUSH', KEYS[1], ARGV[1])
  redis.call('LTRIM', KEYS[1], -tonumber(ARGV[3]), -1)
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return 1
`)

const DAY_MS = 86_400_000

/** History in Redis: one list a thread, `PREFIX:{team:channel:ts}:history`, trimmed and expiring. */
export function redisHistory(options: RedisHistoryOptions): History {
  const { redis, log, prefix = 'thinkaloud', maxTurns = 20, ttlMs = 30 * DAY_MS } = options
  const keyOf = (thread: ThreadKey) => threadKey(prefix, thread, 'history')

  return {
    async load(thread) {
      const turns = (await redis.lrange(keyOf(thread), -maxTurns, -1)).map(parseTurn)
      const corrupt = turns.filter((turn) => turn === undefined).length
      if (corrupt > 0) log.warn({ thread, turns: corrupt }, 'skipped turns of the history that cannot be read')
      return turns.filter((turn) => turn !== undefined)
    },
    async append(thread, turn) {
      const { id, ...rest } = turn
      const beginning = `{"id":${JSON.stringify(id)},`
      await appendTurn(redis, [keyOf(thread)], [JSON.stringify({ id, ...rest }), beginning, maxTurns, ttlMs])
    },
    async forget(thread) {
      await redis.del(keyOf(thread))
    },
  }
}

function parseTurn(text: string): Turn | undefined {
  try {
    return turnSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
