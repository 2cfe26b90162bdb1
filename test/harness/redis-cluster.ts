import type { Redis } from 'ioredis'
import type { Ends } from './ends.ts'
import { freePort, startRedis, type RedisServer } from './redis.ts'
import { asking, follows, infoOf, type RedisFleet } from './redis-fleet.ts'
import { eventually } from './stores.ts'

const SLOTS = 16_384

export interface RedisCluster extends RedisFleet {
  /** Makes a replica take over from its master without losses. Clients are redirected to it. */
  takeOver(replica: RedisServer): Promise<void>
}

/**
 * Starts a Redis Cluster on this machine: masters that share the slots, and replicas of each. A master that is silent
 * for `silentMs` counts as dead: a second if one is to die, longer otherwise, because a busy machine may silence one
 * too.
 */
export async function startCluster(
  t: Ends,
  { masters = 3, replicas = 0, silentMs = 1_000, settings = [] as string[] } = {},
): Promise<RedisCluster> {
  const servers: RedisServer[] = []
  for (let n = 0; n < masters * (1 + replicas); n++) servers.push(await startNode(t, { silentMs, settings }))
  const [first] = servers
  for (const [n, server] of servers.entries())
    await asking(server, async (redis) => {
      const [from, to] = [n, n + 1].map((at) => Math.ceil((at * SLOTS) / masters))
      if (n < masters) await redis.call('CLUSTER', 'ADDSLOTSRANGE', from!, to! - 1)
      await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1)
      if (n > 0) await redis.call('CLUSTER', 'MEET', '127.0.0.1', first!.port, await busPortOf(first!))
    })
  const untilAll = (check: (redis: Redis) => Promise<void>) =>
    Promise.all(servers.map((server) => asking(server, (redis) => eventually(() => check(redis)))))
  await untilAll((redis) => isWhole(redis, servers.length))
  for (const [n, replica] of servers.entries()) if (n >= masters) await follow(replica, servers[n % masters]!)
  await Promise.all(servers.slice(masters).map((replica) => follows(replica)))
  await untilAll((redis) => knowsReplicas(redis, masters * replicas))
  return fleetOf(servers)
}

async function startNode(
  t: Ends,
  { silentMs, settings }: { silentMs: number; settings: string[] },
): Promise<RedisServer> {
  const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(silentMs)]
  // Redis' default cluster port is 10,000 above the port, which may be too high.
  const server = await startRedis([...cluster, '--cluster-port', String(await freePort()), ...QUICK, ...settings])
  t.onTestFinished(() => server.stop())
  return server
}

/** Redis silently gives up a take-over after five seconds, for example if the others have just voted. */
const TAKE_OVER_MS = 6_000

/** A replica starts at once, instead of waiting for others that may want the same. */
export const QUICK = ['--repl-diskless-sync-delay', '0']

async function busPortOf(server: RedisServer): Promise<number> {
  const [, port] = String(await asking(server, (redis) => redis.config('GET', 'cluster-port'))).split(',')
  return Number(port)
}

async function isWhole(redis: Redis, nodes: number): Promise<void> {
  const said = String(await redis.call('CLUSTER', 'INFO'))
  if (!said.includes('cluster_state:ok') || !said.includes(`cluster_known_nodes:${nodes}`)) throw new Error(said)
}

async function follow(replica: RedisServer, master: RedisServer): Promise<void> {
  const id = String(await asking(master, (redis) => redis.call('CLUSTER', 'MYID')))
  await asking(replica, (redis) => redis.call('CLUSTER', 'REPLICATE', id))
}

async function knowsReplicas(redis: Redis, count: number): Promise<void> {
  const said = String(await redis.call('CLUSTER', 'NODES'))
  if (said.match(/\bslave\b/g)?.length !== (count || undefined)) throw new Error(said)
}

function fleetOf(servers: RedisServer[]): RedisCluster {
  const url = servers[0]!.url.replace('redis:', 'redis+cluster:')
  return {
    servers,
    settings: { url },
    env: { REDIS_URL: url },
    async masterOf(key) {
      const live = await Promise.any(servers.map(async (server) => asking(server, (redis) => slotsOf(redis, key))))
      const master = servers.find(({ port }) => port === live)
      if (!master) throw new Error(`Nobody holds ${key}.`)
      return master
    },
    async takeOver(replica) {
      let askedAt = -Infinity
      await eventually(async () => {
        const { role } = await infoOf(replica, 'replication')
        if (role === 'master') return
        if (performance.now() - askedAt > TAKE_OVER_MS) {
          askedAt = performance.now()
          await asking(replica, (redis) => redis.call('CLUSTER', 'FAILOVER'))
        }
        throw new Error(`It is a ${role}.`)
      }, 60_000)
    },
  }
}

/** Returns the port of the master of a key's slot. */
async function slotsOf(redis: Redis, key: string): Promise<number | undefined> {
  const slot = Number(await redis.call('CLUSTER', 'KEYSLOT', key))
  const ranges = (await redis.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][]
  return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1]
}
