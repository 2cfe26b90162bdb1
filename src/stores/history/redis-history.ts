/** Conversations in Redis, kept for HISTORY_TTL_DAYS. */
import { z } from 'zod'
import { parseJson } from '../../base/parse-json.ts'
import type { RedisClient } from '../../base/redis/redis.ts'
import { below, forgettingKeys, moveKeys, scanKeys, threadKey } from '../../base/redis/redis-keys.ts'
import { redisScript } from '../../base/redis/redis-script.ts'
import { tablesSchema } from './tables-schema.ts'
import { withoutPerson } from './thread-context.ts'
import type { StoreLog } from '../../base/store-log.ts'
import type { ThreadKey } from '../../base/place.ts'
import { MAX_TURNS, type History, type Turn } from './types.ts'

interface RedisHistoryOptions {
  redis: RedisClient
  log: StoreLog
  /** The prefix of every key. */
  prefix?: string
  /** HISTORY_TTL_DAYS: how long a thread is kept after its last turn. Milliseconds. */
  ttlMs: number
}

const turnSchema = z.object({
  id: z.string(),
  question: z.string(),
  said: z.string().exactOptional(),
  saidBy: z.array(z.string()).exactOptional(),
  hasFiles: z.literal(true).exactOptional(),
  tables: tablesSchema.exactOptional(),
  standalone: z.string(),
  answer: z.string(),
  user: z.string(),
  at: z.number(),
})

const appendTurn = redisScript(new URL('./lua/append-turn.lua', import.meta.url), {
  keys: ['history'],
  args: ['turn', 'beginning', 'maxTurns', 'ttlMs'],
})

const replaceTurn = redisScript(new URL('./lua/replace-turn.lua', import.meta.url), {
  keys: ['history'],
  args: ['before', 'after'],
})

/** History in Redis: one list for each thread, `PREFIX:{team:channel:ts}:history`, which is trimmed and expires. */
export function redisHistory(options: RedisHistoryOptions): History {
  const { redis, log, prefix = 'thinkaloud', ttlMs } = options
  const keyOf = (thread: ThreadKey) => threadKey(prefix, thread, 'history')

  return {
    async load(thread) {
      const turns = (await redis.lrange(keyOf(thread), -MAX_TURNS, -1)).map(parseTurn)
      const corrupt = turns.filter((turn) => turn === undefined).length
      if (corrupt > 0) log.warn({ thread, turns: corrupt }, 'skipped unreadable turns of the history')
      return turns.filter((turn) => turn !== undefined)
    },
    async append(thread, { id, ...rest }) {
      const beginning = beginningOf(id)
      const turn = JSON.stringify({ id, ...rest })
      await appendTurn(redis, { history: keyOf(thread), turn, beginning, maxTurns: MAX_TURNS, ttlMs })
    },
    async remove(thread, id) {
      const key = keyOf(thread)
      const turns = await redis.lrange(key, 0, -1)
      for (const turn of turns) if (turn.startsWith(beginningOf(id))) await redis.lrem(key, 0, turn)
    },
    async forget(thread) {
      await redis.del(keyOf(thread))
    },
    async forgetUser({ team, user }) {
      for await (const keys of scanKeys(redis, threadKey(prefix, below(team), 'history')))
        await Promise.all(keys.map((key) => forgetPersonIn(redis, key, user)))
    },
    moveChannel: (place, to) =>
      moveKeys(redis, { prefix, place, to, name: /^history$/ }, (keys) => moveTurns(redis, { ...keys, ttlMs })),
    ...forgettingKeys(redis, prefix, /^history$/),
  }
}

/** The two keys may be on different nodes of a Cluster. If the move is interrupted, repeating it completes it. */
async function moveTurns(
  redis: RedisClient,
  { from, to, ttlMs }: { from: string; to: string; ttlMs: number },
): Promise<void> {
  const turns = await redis.lrange(from, 0, -1)
  if (turns.length > 0 && (await redis.exists(to)) === 0)
    await redis
      .multi()
      .rpush(to, ...turns)
      .pexpire(to, ttlMs)
      .exec()
  await redis.unlink(from)
}

async function forgetPersonIn(redis: RedisClient, history: string, user: string): Promise<void> {
  for (const before of await redis.lrange(history, 0, -1)) {
    const turn = parseTurn(before)
    const kept = turn && withoutPerson(turn, user)
    // A turn that cannot be read is never shown to anyone, and expires.
    if (turn && kept !== turn) await replaceTurn(redis, { history, before, after: kept ? JSON.stringify(kept) : '' })
  }
}

/** A turn's JSON begins with its id. */
function beginningOf(id: string): string {
  return `{"id":${JSON.stringify(id)},`
}

function parseTurn(text: string): Turn | undefined {
  return turnSchema.safeParse(parseJson(text)).data
}
