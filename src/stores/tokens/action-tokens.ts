/**
 * The token with which a question may search the workspace (`action_token` of its event): a credential. It is kept here and nowhere
 * else, for ten minutes; how long Slack takes it, Slack does not say.
 */
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { ExpiringMap, forgettingIn } from '../../base/expiring-map.ts'
import type { StoreLog } from '../../base/store-log.ts'
import type { Forgetting } from '../../base/place.ts'
import { forgettingKeys, threadKey, type RedisClient } from '../../base/redis/redis.ts'

export interface ActionTokens extends Forgetting {
  /** Keeps the token of the event by which a question was asked, if it brings one. Never rejects: the question does without. */
  keep(question: string, event: unknown): Promise<void>
  /** Undefined where none came, or it was kept for its time. */
  load(question: string): Promise<string | undefined>
}

export const ACTION_TOKEN_MS = 10 * 60_000
const MAX_KEPT = 10_000

/** Where the token stands differs: on the message, or in what makes it an assistant's. */
const tokenSchema = z.string().min(1).max(1_000)
const eventSchema = z.object({
  action_token: tokenSchema.optional().catch(undefined),
  assistant_thread: z.object({ action_token: tokenSchema }).optional().catch(undefined),
})

function tokenIn(event: unknown): string | undefined {
  const read = eventSchema.safeParse(event).data
  return read?.action_token ?? read?.assistant_thread?.action_token
}

/** In this process; the clock is in ms. */
export function memoryActionTokens(now: () => number = Date.now): ActionTokens {
  const tokens = new ExpiringMap<string>({ ttlMs: ACTION_TOKEN_MS, maxSize: MAX_KEPT, now })
  return {
    async keep(question, event) {
      const token = tokenIn(event)
      if (token !== undefined) tokens.set(question, token)
    },
    load: async (question) => tokens.get(question),
    ...forgettingIn(tokens),
  }
}

/** As src/base/seal.ts makes it. */
interface Sealing {
  seal(text: string, belongsTo: string): string
  open(sealed: string, belongsTo: string): string
}

export interface RedisActionTokensOptions {
  redis: RedisClient
  /** The prefix of every key. */
  prefix: string
  log: StoreLog
  /** Encrypts what stands in Redis; absent where SECRETS_KEY is not set. */
  sealer?: Sealing | undefined
}

const NAME = 'action-token'

/** In Redis, under `PREFIX:{QUESTION}:action-token`. */
export function redisActionTokens({ redis, prefix, log, sealer }: RedisActionTokensOptions): ActionTokens {
  const keyOf = (question: string) => threadKey(prefix, question, NAME)
  const nameOf = (question: string) => `${NAME} ${question}`
  return {
    async keep(question, event) {
      const token = tokenIn(event)
      if (token === undefined) return
      try {
        const stored = sealer?.seal(token, nameOf(question)) ?? token
        await redis.set(keyOf(question), stored, 'PX', ACTION_TOKEN_MS)
      } catch (error) {
        log.warn({ question, error: messageOf(error) }, 'the action token of a question could not be kept')
      }
    },
    async load(question) {
      const stored = await redis.get(keyOf(question))
      try {
        return stored === null ? undefined : (sealer?.open(stored, nameOf(question)) ?? stored)
      } catch {
        // Another key than the one that it was sealed with: as good as gone.
        return undefined
      }
    },
    ...forgettingKeys(redis, prefix, new RegExp(`^${NAME}$`)),
  }
}
