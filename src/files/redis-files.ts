/**
 * The files of conversations in Redis: two hashes per conversation, `PREFIX:{team:channel:ts}:files` and
 * `…:file-contents`, keyed by file id.
 */
import { z } from 'zod'
import type { StoreLog } from '../base/store-log.ts'
import type { ThreadKey } from '../base/place.ts'
import { redisScript } from '../base/redis/redis-script.ts'
import type { RedisClient } from '../base/redis/redis.ts'
import { below, forgettingKeys, moveKeys, scanKeys, threadKey } from '../base/redis/redis-keys.ts'
import type { Sealer } from '../base/encryption.ts'
import { MAX_KEPT, packed, unpacked, withoutRoom, type FileStore, type KeptFile } from './file-store.ts'
import { FILE_KINDS } from './types.ts'

interface RedisFilesOptions {
  redis: RedisClient
  log: StoreLog
  prefix: string
  /** HISTORY_TTL_DAYS: how long files are kept after their conversation last used them. Milliseconds. */
  ttlMs: number
  /** Encrypts them. Absent without SECRETS_KEY. */
  sealer: Pick<Sealer, 'seal' | 'open'> | undefined
}

const aboutSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum([...FILE_KINDS, 'png', 'jpeg', 'gif', 'webp']),
  what: z.string(),
  question: z.string(),
  user: z.string(),
  at: z.number(),
  permalink: z.string().exactOptional(),
})

const keepFile = redisScript(new URL('./lua/keep-file.lua', import.meta.url), {
  keys: ['about', 'contents'],
  args: ['id', 'file', 'content', 'ttlMs'],
})

export function redisFiles(options: RedisFilesOptions): FileStore {
  const { redis, prefix, ttlMs } = options
  const { seal, keysOf, aboutsIn, drop, dropWhere, contentOf } = openFiles(options)
  const keep: FileStore['keep'] = async (thread, file, content) => {
    const plain = await packed(content)
    if (plain.length > MAX_KEPT.packed) return false
    const text = seal(plain, placeOf(thread, file.id, 'content'))
    const about = seal(JSON.stringify(file), placeOf(thread, file.id, 'about'))
    await keepFile(redis, { ...keysOf(thread), id: file.id, file: about, content: text, ttlMs })
    const { contents } = keysOf(thread)
    const kept = (await aboutsIn(thread)).map(async ({ id, about }) => ({
      id,
      at: about?.at ?? 0,
      chars: await redis.hstrlen(contents, id),
    }))
    await drop(thread, withoutRoom(await Promise.all(kept)))
    return true
  }
  return {
    keep,
    load: contentOf,
    async list(thread) {
      const { about, contents } = keysOf(thread)
      const [kept] = await Promise.all([aboutsIn(thread), redis.pexpire(about, ttlMs), redis.pexpire(contents, ttlMs)])
      return kept.flatMap((file) => file.about ?? []).sort((a, b) => a.at - b.at)
    },
    remove: (thread, question) => dropWhere(thread, (about) => about.question === question),
    async forgetUser({ team, user }) {
      for await (const keys of scanKeys(redis, threadKey(prefix, below(team), 'files')))
        for (const key of keys) await dropWhere(threadIn(key, prefix), (about) => about.user === user)
    },
    // Each file is encrypted for its thread, so it is stored again.
    moveChannel: (place, to) =>
      moveKeys(redis, { prefix, place, to, name: /^files$/ }, async (keys) => {
        const [from, moved] = [threadIn(keys.from, prefix), threadIn(keys.to, prefix)]
        for (const { id, about } of await aboutsIn(from)) {
          const content = about && (await contentOf(from, id))
          if (content) await keep(moved, about, content)
          await drop(from, [id])
        }
      }),
    ...forgettingKeys(redis, prefix, /^file(?:s|-contents)$/),
  }
}

/** Returns the functions that read and delete a conversation's files. */
function openFiles({ redis, log, prefix, sealer = UNSEALED }: RedisFilesOptions) {
  const { seal, open } = sealer
  const keysOf = (thread: ThreadKey) => ({
    about: threadKey(prefix, thread, 'files'),
    contents: threadKey(prefix, thread, 'file-contents'),
  })
  const drop = async (thread: ThreadKey, ids: string[]) => {
    const { about, contents } = keysOf(thread)
    if (ids.length > 0) await Promise.all([redis.hdel(about, ...ids), redis.hdel(contents, ...ids)])
  }
  /** `about` is undefined if it cannot be read. */
  const aboutsIn = async (thread: ThreadKey) => {
    const stored = Object.entries(await redis.hgetall(keysOf(thread).about))
    return stored.map(([id, text]) => ({ id, about: parseAbout(() => open(text, placeOf(thread, id, 'about'))) }))
  }
  /** Deletes unreadable files too, because their owner and question are unknown. */
  const dropWhere = async (thread: ThreadKey, isGone: (about: KeptFile) => boolean) => {
    const gone = (await aboutsIn(thread)).filter(({ about }) => !about || isGone(about))
    await drop(
      thread,
      gone.map(({ id }) => id),
    )
  }
  const contentOf = async (thread: ThreadKey, id: string) => {
    const text = await redis.hget(keysOf(thread).contents, id)
    try {
      return text === null ? undefined : await unpacked(open(text, placeOf(thread, id, 'content')))
    } catch {
      log.warn({ thread, file: id }, 'a stored file cannot be opened')
      return undefined
    }
  }
  return { seal, keysOf, aboutsIn, drop, dropWhere, contentOf }
}

/** The purpose that a value is sealed for. A value cannot be opened for any other. */
function placeOf(thread: ThreadKey, id: string, part: 'about' | 'content'): string {
  return `file ${part} ${thread} ${id}`
}

function threadIn(key: string, prefix: string): ThreadKey {
  return key.slice(prefix.length + 2, key.indexOf('}:'))
}

const UNSEALED = { seal: (text: string) => text, open: (text: string) => text }

function parseAbout(open: () => string): KeptFile | undefined {
  try {
    return aboutSchema.parse(JSON.parse(open()))
  } catch {
    return undefined
  }
}
