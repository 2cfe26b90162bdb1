import {
  below,
  forgettingKeys,
  moveKeys,
  scanKeys,
  threadKey,
  type RedisKeyspace,
} from '../../base/redis/redis-keys.ts'
import { z } from 'zod'
import { parseJson } from '../../base/parse-json.ts'
import type { ThreadKey } from '../../base/place.ts'
import { redisScript } from '../../base/redis/redis-script.ts'
import { MAX_GRANTS, type Grant, type ThreadState, type ThreadStates } from './types.ts'

interface RedisThreadsOptions extends RedisKeyspace {
  /** How long a part is kept after it was last set. Milliseconds. */
  ttlMs: number
}

/** The parts of a state, and their keys' names. */
const NAMES: Record<keyof ThreadState, string> = {
  muted: 'muted',
  title: 'title',
  renamed: 'renamed',
  lookingAt: 'looking-at',
  grants: 'grants',
  movedTo: 'moved-to',
}

/** Two people may grant at the same moment. */
const addGrants = redisScript(new URL('./lua/add-grants.lua', import.meta.url), {
  keys: ['grants'],
  args: ['added', 'without', 'max', 'ttlMs'],
})

const grantsSchema: z.ZodType<Grant[]> = z
  .array(z.object({ tool: z.string(), by: z.string(), at: z.number(), version: z.string().exactOptional() }))
  .nonempty()

/**
 * States of threads in Redis: one key per part, `PREFIX:{team:channel:ts}:title`. All parts are read with one command,
 * and no part overwrites another.
 */
export function redisThreads({ redis, prefix, ttlMs }: RedisThreadsOptions): ThreadStates {
  const names = new RegExp(`^(?:${Object.values(NAMES).join('|')})$`)
  const bounds = { max: MAX_GRANTS, ttlMs }
  const keysOf = (thread: ThreadKey) => Object.values(NAMES).map((name) => threadKey(prefix, thread, name))
  return {
    async load(thread) {
      const [muted, title, renamed, lookingAt, grants, movedTo] = await redis.mget(...keysOf(thread))
      return stateOf({ muted, title, renamed, lookingAt, grants, movedTo })
    },
    async patch(thread, parts) {
      const set = async (part: keyof ThreadState, value: string | boolean | undefined) =>
        value === undefined || redis.set(threadKey(prefix, thread, NAMES[part]), String(value), 'PX', ttlMs)
      const { muted, title, renamed, lookingAt, grants, movedTo } = parts
      const seen = lookingAt && `${lookingAt.channel} ${lookingAt.at}`
      const flags = [set('muted', muted), set('renamed', renamed)]
      const key = threadKey(prefix, thread, NAMES.grants)
      const granted = grants && addGrants(redis, { grants: key, added: JSON.stringify(grants), without: '', ...bounds })
      await Promise.all([...flags, set('title', title), set('lookingAt', seen), set('movedTo', movedTo), granted])
    },
    async forget(thread) {
      await redis.unlink(...keysOf(thread))
    },
    async forgetUser({ team, user }) {
      for await (const keys of scanKeys(redis, threadKey(prefix, below(team), NAMES.grants)))
        for (const grants of keys) await addGrants(redis, { grants, added: '[]', without: user, ...bounds })
    },
    moveChannel: (place, to) =>
      moveKeys(redis, { prefix, place, to, name: names }, async (keys) => {
        const value = await redis.get(keys.from)
        if (value !== null) await redis.set(keys.to, value, 'PX', ttlMs, 'NX')
        await redis.unlink(keys.from)
      }),
    ...forgettingKeys(redis, prefix, names),
  }
}

type StoredThreadState = Partial<Record<keyof ThreadState, string | null | undefined>>

/** An unreadable part counts as never set. */
function stateOf({ muted, title, renamed, lookingAt, grants, movedTo }: StoredThreadState): ThreadState {
  const [, channel, at] = /^([CGD][A-Z0-9]{1,20}) (\d{1,16})$/.exec(lookingAt ?? '') ?? []
  return {
    ...(channel ? { lookingAt: { channel, at: Number(at) } } : {}),
    ...flagOf('muted', muted),
    ...(title ? { title } : {}),
    ...flagOf('renamed', renamed),
    ...grantsOf(grants),
    ...(movedTo ? { movedTo } : {}),
  }
}

function grantsOf(stored: string | null | undefined): Pick<ThreadState, 'grants'> {
  const grants = grantsSchema.safeParse(parseJson(stored ?? undefined)).data
  return grants ? { grants } : {}
}

function flagOf<Name extends string>(name: Name, stored: string | null | undefined): Partial<Record<Name, boolean>> {
  const flags: Partial<Record<Name, boolean>> = {}
  if (stored === 'true' || stored === 'false') flags[name] = stored === 'true'
  return flags
}
