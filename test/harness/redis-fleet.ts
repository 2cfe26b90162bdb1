import { Redis } from 'ioredis'
import type { RedisSettings } from '../../src/base/redis/redis.ts'
import type { RedisServer } from './redis.ts'
import { eventually } from './stores.ts'

/** Several servers. Some take over from others that die. */
export interface RedisFleet {
  /** The settings to connect to it, for tests and bots. */
  settings: RedisSettings
  env: Record<string, string>
  servers: RedisServer[]
  /** Returns the server that accepts writes to this key, as the fleet sees it. */
  masterOf(key: string): Promise<RedisServer>
}

/** Returns the lines of one section of a server's INFO, by name. Empty if it does not answer. */
export async function infoOf(server: RedisServer, section: string): Promise<Record<string, string>> {
  const text = await asking(server, (redis) => redis.info(section)).catch(() => '')
  return Object.fromEntries(text.split('\r\n').map((line) => line.split(/:(.*)/s).slice(0, 2)))
}

/** Asks one server over a separate connection. */
export async function asking<T>(server: Pick<RedisServer, 'url'>, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.url, { retryStrategy: () => null, maxRetriesPerRequest: 0 })
  redis.on('error', () => undefined)
  try {
    return await ask(redis)
  } finally {
    redis.disconnect()
  }
}

/** Waits until a replica has all of its master's data. */
export async function follows(server: RedisServer, timeout?: number): Promise<void> {
  await eventually(
    async () => expectFields(await infoOf(server, 'replication'), { role: 'slave', master_link_status: 'up' }),
    timeout,
  )
}

/**
 * Kills the master without a shutdown. Replication is asynchronous, so its last writes may be lost, and no client can
 * notice. Writes therefore wait from shortly before: they are not acknowledged and will never be done, until the
 * replica has all acknowledged ones. A test can then expect all data.
 */
export async function killMaster(master: RedisServer): Promise<void> {
  await asking(master, (redis) => redis.call('CLIENT', 'PAUSE', 60_000, 'WRITE'))
  await eventually(async () => {
    const { master_repl_offset: offset, slave0 = '' } = await infoOf(master, 'replication')
    if (!slave0.includes(`state=online,offset=${offset},`)) throw new Error(`${slave0} is behind ${offset}`)
  })
  await master.kill()
}

function expectFields(seen: Record<string, string>, wanted: Record<string, string>): void {
  for (const [name, value] of Object.entries(wanted))
    if (seen[name] !== value) throw new Error(`${name} is ${seen[name]}, not ${value}`)
}
