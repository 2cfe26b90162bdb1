import { Redis } from 'ioredis'
import type { RedisProxy } from './redis-proxy.ts'
import { eventually } from './stores.ts'

/**
 * Ends the leases of a worker on this prefix, as their expiry would. Leases can then be long, so that a pause of the
 * machine ends none of them.
 */
export async function endLeases(url: string, prefix: string): Promise<void> {
  await asking(url, async (redis) => {
    const locks = await redis.keys(`{${prefix}:bull}:*:lock`)
    if (locks.length > 0) await redis.del(...locks)
  })
}

/**
 * Cuts a worker's connection to Redis, waits until Redis has executed the commands that arrived, and then ends its
 * leases.
 */
export async function dies(proxy: RedisProxy, { url, prefix }: { url: string; prefix: string }): Promise<void> {
  if (!proxy.isCut()) proxy.cut()
  await asking(url, (redis) =>
    eventually(async () => {
      if (!(await proxy.isForgotten(redis))) throw new Error('Redis still knows who was cut off.')
    }),
  )
  await endLeases(url, prefix)
}

async function asking(url: string, ask: (redis: Redis) => Promise<void>): Promise<void> {
  const redis = new Redis(url)
  try {
    await ask(redis)
  } finally {
    redis.disconnect()
  }
}
