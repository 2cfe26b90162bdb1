/**
 * The tokens with which questions may search the workspace (`action_token` of the event). They are credentials, so they
 * are kept nowhere but here, for ten minutes. Slack does not say how long it accepts them.
 */
import type { RedisKeyspace } from '../../base/redis/redis-keys.ts'
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import type { Sealer } from '../../base/encryption.ts'
import type { StoreLog } from '../../base/store-log.ts'
import type { Forgetting } from '../../base/place.ts'
import { memoryKeyedStore, redisKeyedStore, type KeyedStore } from '../keyed-store.ts'

export interface ActionTokens extends Forgetting {
  /**
   * Keeps the token of the event that brought a question, if there is one. Never rejects, because a question works
   * without it.
   */
  keep(question: string, event: unknown): Promise<void>
  /** @returns undefined if no token came, or its time is over */
  load(question: string): Promise<string | undefined>
}

export const ACTION_TOKEN_MS = 10 * 60_000
const MAX_KEPT = 10_000

/** The token is on the message, or in its `assistant_thread`. */
const tokenSchema = z.string().min(1).max(1_000)
const eventSchema = z.object({
  action_token: tokenSchema.optional().catch(undefined),
  assistant_thread: z.object({ action_token: tokenSchema }).optional().catch(undefined),
})

function tokenIn(event: unknown): string | undefined {
  const read = eventSchema.safeParse(event).data
  return read?.action_token ?? read?.assistant_thread?.action_token
}

/** Keeps tokens in this process; the clock is in milliseconds. */
export function memoryActionTokens({ now }: { now: () => number }): ActionTokens {
  return actionTokens(memoryKeyedStore({ ttlMs: ACTION_TOKEN_MS, maxSize: MAX_KEPT, now }))
}

interface RedisActionTokensOptions extends RedisKeyspace {
  log: StoreLog
  /** Encrypts the token in Redis. Absent without SECRETS_KEY. */
  sealer?: Sealer | undefined
}

const NAME = 'action-token'

/** Keeps tokens in Redis, under `PREFIX:{QUESTION}:action-token`. */
export function redisActionTokens({ redis, prefix, ...options }: RedisActionTokensOptions): ActionTokens {
  const names = new RegExp(`^${NAME}$`)
  return actionTokens(redisKeyedStore({ redis, prefix, ttlMs: ACTION_TOKEN_MS, names }), options)
}

function actionTokens(
  store: KeyedStore,
  { sealer, log }: { sealer?: Sealer | undefined; log?: StoreLog } = {},
): ActionTokens {
  const nameOf = (question: string) => `${NAME} ${question}`
  return {
    async keep(question, event) {
      const token = tokenIn(event)
      if (token === undefined) return
      try {
        await store.set(question, NAME, sealer?.seal(token, nameOf(question)) ?? token)
      } catch (error) {
        log?.warn({ question, error: messageOf(error) }, 'the action token of a question could not be saved')
      }
    },
    async load(question) {
      const stored = await store.get(question, NAME)
      try {
        return stored === undefined ? undefined : (sealer?.open(stored, nameOf(question)) ?? stored)
      } catch {
        // It was sealed with another key.
        return undefined
      }
    },
    forgetChannel: (place) => store.forgetChannel(place),
    forgetTeam: (team) => store.forgetTeam(team),
  }
}
