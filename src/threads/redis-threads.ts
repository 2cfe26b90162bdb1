import { forgettingKeys, threadKey, type RedisClient } from '../redis.ts'
import type { ThreadKey } from '../history/types.ts'
import type { ThreadState, ThreadStates } from './types.ts'

export interface RedisThreadsOptions {
  redis: RedisClient
  /** The prefix of every key. */
  prefix: string
  /** How long a part is kept after it was last set, in ms. */
  ttlMs: number
}

/** The parts of a state, and their keys' names. */
const NAMES: Record<keyof ThreadState, string> = {
  muted: 'muted',
  title: 'title',
  renamed: 'renamed',
  lookingAt: 'looking-at',
}

/**
 * States of threads in Redis: a key for each part that was set, `PREFIX:{team:channel:ts}:title`. So all parts are read with one
 * command, and no part overwrites another.
 */
export function redisThreads({ redis, prefix, ttlMs }: RedisThreadsOptions): ThreadStates {
  const keysOf = (thread: ThreadKey) => Object.values(NAMES).map((name) => threadKey(prefix, thread, name))
  return {
    async load(thread) {
      const [muted, title, renamed, lookingAt] = await redis.mget(...keysOf(thread))
      return stateOf({ muted, title, renamed, lookingAt })
    },
    async patch(thread, parts) {
      const set = async (part: keyof ThreadState, value: string | boolean | undefined) =>
        value === undefined || redis.set(threadKey(prefix, thread, NAMES[part]), String(value), 'PX', ttlMs)
      const { muted, title, renamed, lookingAt } = parts
      const seen = lookingAt && `${lookingAt.channel} ${lookingAt.at}`
      const flags = [set('muted', muted), set('renamed', renamed)]
      await Promise.all([...flags, set('title', title), set('lookingAt', seen)])
    },
    async forget(thread) {
      await redis.unlink(...keysOf(thread))
    },
    ...forgettingKeys(redis, prefix, new RegExp(`^(?:${Object.values(NAMES).join('|')})$`)),
  }
}

type Stored = Partial<Record<keyof ThreadState, string | null | undefined>>

/** What cannot be read counts as never set. */
function stateOf({ muted, title, renamed, lookingAt }: Stored): ThreadState {
  const [, channel, at] = /^([CGD][A-Z0-9]{1,20}) (\d{1,16})$/.exec(lookingAt ?? '') ?? []
  return {
    ...(channel ? { lookingAt: { channel, at: Number(at) } } : {}),
    ...flagOf('muted', muted),
    ...(title ? { title } : {}),
    ...flagOf('renamed', renamed),
  }
}

function flagOf<Name extends string>(name: Name, stored: string | null | undefined): Partial<Record<Name, boolean>> {
  const flags: Partial<Record<Name, boolean>> = {}
  if (stored === 'true' || stored === 'false') flags[name] = stored === 'true'
  return flags
}
