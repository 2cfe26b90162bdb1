/**
 * The tokens with which questions may search the workspace (`action_token` of the event). They are credentials, so they
 * are kept nowhere but here, for ten minutes. Slack does not say how long it accepts them.
 */
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import type { Sealer } from '../../base/encryption.ts'
import type { StoreLog } from '../../base/store-log.ts'
import type { Forgetting } from '../../base/place.ts'
import { forgettingKeys, kvKey, type Kv } from '../kv/kv.ts'

export interface SearchTokens extends Forgetting {
  /**
   * Keeps the token of the event that brought a question, if there is one. Never rejects, because a question works
   * without it.
   */
  keep(question: string, event: unknown): Promise<void>
  /** @returns undefined if no token came, or its time is over */
  load(question: string): Promise<string | undefined>
}

export const SEARCH_TOKEN_MS = 10 * 60_000

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

interface SearchTokensOptions {
  log: StoreLog
  /** Encrypts the token. Absent without SECRETS_KEY. */
  sealer?: Sealer | undefined
}

const NAME = 'action-token'

/** Keeps tokens under `{QUESTION}:action-token`. */
export function createSearchTokens(kv: Kv, { sealer, log }: SearchTokensOptions): SearchTokens {
  const nameOf = (question: string) => `${NAME} ${question}`
  return {
    async keep(question, event) {
      const token = tokenIn(event)
      if (token === undefined) return
      const text = sealer?.seal(token, nameOf(question)) ?? token
      try {
        await kv.texts.put(kvKey(question, NAME), text, { ttlMs: SEARCH_TOKEN_MS })
      } catch (error) {
        log.warn({ question, error: messageOf(error) }, 'the action token of a question could not be saved')
      }
    },
    async load(question) {
      const stored = await kv.texts.get(kvKey(question, NAME))
      try {
        return stored === undefined ? undefined : (sealer?.open(stored, nameOf(question)) ?? stored)
      } catch {
        // It was sealed with another key.
        return undefined
      }
    },
    ...forgettingKeys(kv, new RegExp(`^${NAME}$`)),
  }
}
