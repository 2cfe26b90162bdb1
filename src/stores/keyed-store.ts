import { ExpiringMap, forgettingIn } from '../base/expiring-map.ts'
import type { Forgetting } from '../base/place.ts'
import { below, escapeGlob, forgetKeys, threadKey, type RedisKeyspace } from '../base/redis/redis-keys.ts'

/** Texts that expire, each under the team, channel or thread that it belongs to and a name. */
export interface KeyedStore extends Forgetting {
  get(belongsTo: string, name: string): Promise<string | undefined>
  /** Sets a text and starts its expiry. */
  set(belongsTo: string, name: string, text: string): Promise<void>
  /** Sets a text unless there is one. @returns whether it was set */
  setIfAbsent(belongsTo: string, name: string, text: string): Promise<boolean>
  /** Restarts the expiry of a text, if there is one. */
  renew(belongsTo: string, name: string): Promise<void>
}

interface MemoryKeyedStoreOptions {
  /** How long a text lives after it was set or renewed, in milliseconds. */
  ttlMs: number
  maxSize: number
  now: () => number
}

/** Keeps texts in this process's memory. Beyond `maxSize` of them, those that were set longest ago are forgotten. */
export function memoryKeyedStore(options: MemoryKeyedStoreOptions): KeyedStore {
  const texts = new ExpiringMap<string>(options)
  const keyOf = (belongsTo: string, name: string) => `${belongsTo}:${name}`
  return {
    get: async (belongsTo, name) => texts.get(keyOf(belongsTo, name)),
    set: async (belongsTo, name, text) => texts.set(keyOf(belongsTo, name), text),
    async setIfAbsent(belongsTo, name, text) {
      const isNew = !texts.has(keyOf(belongsTo, name))
      if (isNew) texts.set(keyOf(belongsTo, name), text)
      return isNew
    },
    async renew(belongsTo, name) {
      const text = texts.get(keyOf(belongsTo, name))
      if (text !== undefined) texts.set(keyOf(belongsTo, name), text)
    },
    ...forgettingIn(texts),
  }
}

interface RedisKeyedStoreOptions extends RedisKeyspace {
  /** How long a text lives after it was set or renewed, in milliseconds. */
  ttlMs: number
  /** The names of the texts that are deleted with a team or a channel. */
  names: RegExp
}

/** Keeps texts in Redis, under `PREFIX:{BELONGS TO}:NAME`. */
export function redisKeyedStore({ redis, prefix, names: name, ttlMs }: RedisKeyedStoreOptions): KeyedStore {
  const keyOf = (belongsTo: string, name: string) => threadKey(prefix, belongsTo, name)
  return {
    get: async (belongsTo, name) => (await redis.get(keyOf(belongsTo, name))) ?? undefined,
    async set(belongsTo, name, text) {
      await redis.set(keyOf(belongsTo, name), text, 'PX', ttlMs)
    },
    setIfAbsent: async (belongsTo, name, text) =>
      (await redis.set(keyOf(belongsTo, name), text, 'PX', ttlMs, 'NX')) === 'OK',
    async renew(belongsTo, name) {
      await redis.pexpire(keyOf(belongsTo, name), ttlMs)
    },
    forgetChannel: ({ team, channel }) => forgetKeys(redis, { prefix, tag: below(team, channel), name }),
    async forgetTeam(team) {
      for (const tag of [escapeGlob(team), below(team)]) await forgetKeys(redis, { prefix, tag, name })
    },
  }
}
