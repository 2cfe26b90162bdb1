import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Ends } from './ends.ts'
import { freePort, startRedis } from './redis.ts'
import { QUICK } from './redis-cluster.ts'
import { follows, type RedisFleet } from './redis-fleet.ts'
import { eventually } from './stores.ts'

const NAME = 'main'

/**
 * The time after which a silent master counts as dead. A replica whose link is down for more than ten times as long
 * does not take over, and a Sentinel that was paused for two seconds does nothing for half a minute.
 */
const SILENCE_MS = 3_500

/** Starts a master, its replica, and Sentinels that agree within some seconds that the master is dead. */
export async function startSentinels(
  t: Ends,
  { sentinels = 3, settings = [] as string[] } = {},
): Promise<RedisFleet & { addresses: string[] }> {
  const master = await startRedis([...QUICK, ...settings])
  t.onTestFinished(() => master.stop())
  const replica = await startRedis([...QUICK, ...settings, '--replicaof', `127.0.0.1 ${master.port}`])
  t.onTestFinished(() => replica.stop())
  await follows(replica)
  const ports: number[] = []
  for (let n = 0; n < sentinels; n++) ports.push(await startSentinel(t, master.port, Math.ceil((sentinels + 1) / 2)))
  const watching = ports.map((port) => new Redis(port, { retryStrategy: () => 100 }))
  for (const sentinel of watching) sentinel.on('error', () => undefined)
  t.onTestFinished(() => watching.forEach((sentinel) => sentinel.disconnect()))
  for (const sentinel of watching) await eventually(() => seesAll(sentinel, { replica: replica.port, sentinels }))
  const addresses = ports.map((port) => `127.0.0.1:${port}`)
  const url = `redis+sentinel://${addresses.join(',')}/${NAME}`
  return {
    servers: [master, replica],
    settings: { url },
    addresses,
    env: { REDIS_URL: url },
    async masterOf() {
      const said = String(await watching[0]!.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME))
      return [master, replica].find(({ port }) => said === `127.0.0.1,${port}`)!
    },
  }
}

async function startSentinel(t: Ends, masterPort: number, quorum: number): Promise<number> {
  const port = await freePort()
  const dir = await mkdtemp(join(tmpdir(), 'thinkaloud-sentinel-'))
  const file = join(dir, 'sentinel.conf')
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`]
  lines.push(`sentinel monitor ${NAME} 127.0.0.1 ${masterPort} ${quorum}`)
  lines.push(`sentinel down-after-milliseconds ${NAME} ${SILENCE_MS}`, `sentinel failover-timeout ${NAME} 3000`)
  await writeFile(file, lines.join('\n'))
  const sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
  t.onTestFinished(async () => {
    sentinel.kill('SIGKILL')
    if (sentinel.exitCode === null && sentinel.signalCode === null) await once(sentinel, 'exit')
    await rm(dir, { recursive: true, force: true })
  })
  return port
}

/** Waits until a Sentinel knows the others and the replica. Otherwise it would agree to nothing. */
async function seesAll(sentinel: Redis, all: { replica: number; sentinels: number }): Promise<void> {
  const replicas = String(await sentinel.call('SENTINEL', 'REPLICAS', NAME))
  const others = (await sentinel.call('SENTINEL', 'SENTINELS', NAME)) as unknown[]
  if (!replicas.includes(String(all.replica)) || others.length !== all.sentinels - 1) throw new Error('not all yet')
}
