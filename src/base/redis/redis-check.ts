/** Checks whether a reachable Redis is usable, for the start (which fails or warns) and for `npm run doctor`. */
import { Cluster, type Redis } from 'ioredis'
import { settledWithin } from '../async.ts'
import { ConfigError, messageOf } from '../errors.ts'
import type { StoreLog } from '../store-log.ts'
import { checkRedis, connectRedis, type RedisClient, type RedisSettings } from './redis.ts'

interface RedisProblem {
  name: 'INFO' | 'cluster' | 'role' | 'eviction' | 'permission'
  /** The fault and its fix, in a sentence each. */
  sentence: string
  /** Whether the bot cannot work with this Redis. */
  isFatal: boolean
}

/** How long the inspection may take after the first ping, in ms. A node of a Cluster may still be unreachable. */
export const INSPECTION_MS = 10_000

/**
 * Checks at the start that Redis is usable, and warns about risks of data loss. @throws ConfigError if it is unusable
 */
export async function requireUsableRedis(settings: RedisSettings, log: StoreLog, prefix: string): Promise<void> {
  await checkRedis(settings)
  const redis = connectRedis(settings, { purpose: 'check', log })
  try {
    const inspection = inspectRedis(redis, prefix)
    // A node that does not answer now is reconnected later.
    if (!(await settledWithin(INSPECTION_MS, [inspection]))) return
    const { problems } = await inspection
    const fatal = problems.find(({ isFatal }) => isFatal)
    if (fatal) throw new ConfigError(`The Redis of REDIS_URL cannot be used. ${fatal.sentence}`)
    for (const { name, sentence } of problems) log.warn({ name }, sentence)
  } finally {
    redis.disconnect()
  }
}

/**
 * Reads INFO from every master, then tries the commands that the queue needs. Writes nothing. `facts` are the fields of
 * INFO, for each master.
 */
export async function inspectRedis(
  redis: RedisClient,
  prefix: string,
): Promise<{ problems: RedisProblem[]; facts: Map<string, string>[] }> {
  // A Cluster client knows its masters only after the first answer.
  await redis.ping()
  const isCluster = redis instanceof Cluster
  const masters = isCluster ? redis.nodes('master') : [redis]
  const facts: Map<string, string>[] = []
  try {
    facts.push(...(await Promise.all(masters.map(factsOf))))
  } catch (error) {
    return { problems: [refusedInfo(error)], facts }
  }
  const isNamed = !isCluster && !redis.options.sentinels?.length
  const found = facts.flatMap((of) => problemsIn(of, isCluster, isNamed))
  const problems = [...new Map(found.map((problem) => [problem.sentence, problem])).values()]
  // A replica refuses the commands for another reason.
  if (!problems.some(({ isFatal }) => isFatal)) problems.push(...(await missingPermissions(redis, prefix)))
  return { problems, facts }
}

async function factsOf(node: Redis): Promise<Map<string, string>> {
  const lines = (await node.info()).split(/\r?\n/).map((line) => line.split(':'))
  return new Map(lines.flatMap(([name, ...value]) => (name && value.length > 0 ? [[name, value.join(':')]] : [])))
}

/** BullMQ runs INFO when it starts, and does not start without it. */
function refusedInfo(error: unknown): RedisProblem {
  const message = messageOf(error)
  const fix = /NOPERM/.test(message) ? ' Allow it for this user: ACL SETUSER … +info.' : ''
  return { name: 'INFO', sentence: `Redis refuses INFO: ${message.replace(/\.$/, '')}.${fix}`, isFatal: true }
}

/** `isNamed`: the URL names this server directly. Sentinels and a Cluster find the new master after a failover. */
function problemsIn(facts: Map<string, string>, isCluster: boolean, isNamed: boolean): RedisProblem[] {
  const problems: RedisProblem[] = []
  const add = (name: RedisProblem['name'], sentence: string, isFatal = true) =>
    problems.push({ name, sentence, isFatal })
  if (facts.get('cluster_enabled') === '1' && !isCluster)
    add('cluster', 'It is a node of a Cluster. Begin REDIS_URL with redis+cluster://.')
  if (isNamed && ['slave', 'replica'].includes(facts.get('role') ?? ''))
    add('role', 'It is a replica, which accepts no writes. Set REDIS_URL to its master.')
  const policy = facts.get('maxmemory_policy') ?? 'noeviction'
  if (policy !== 'noeviction')
    add('eviction', `maxmemory-policy is ${policy}. Set it to noeviction, or a full Redis drops questions.`, false)
  return problems
}

/** Tries commands of the queue that change nothing if the key does not exist. */
async function missingPermissions(redis: RedisClient, prefix: string): Promise<RedisProblem[]> {
  const key = `{${prefix}:bull}:check`
  const tries: [right: string, run: () => Promise<unknown>][] = [
    ['eval', () => redis.eval('return 1', 1, key)],
    ['evalsha', () => redis.evalsha('0'.repeat(40), 1, key)],
    ['bzpopmin', () => redis.bzpopmin(key, 0.01)],
    ['unlink', () => redis.unlink(key)],
    ['zrem', () => redis.zrem(key, 'none')],
    ['hdel', () => redis.hdel(key, 'none')],
    ['xadd', () => redis.xadd(key, 'NOMKSTREAM', '*', 'a', '1')],
    ['zadd', () => redis.zadd(key, 'XX', 1, 'none')],
    ['subscribe', () => subscribed(redis, `${prefix}:signals`)],
  ]
  const problems: RedisProblem[] = []
  for (const [right, run] of tries) {
    const message = await run().then(() => '', messageOf)
    if (!/NOPERM/.test(message)) continue
    const sentence = `This user lacks a permission: ${message.replace(/\.$/, '')}. Add +${right} ~${prefix}:* ~{${prefix}:* &${prefix}:*.`
    problems.push({ name: 'permission', sentence, isFatal: true })
  }
  return problems
}

/** Runs learn about stops and edits on this channel. Since Redis 7, a user has no access to channels by default. */
async function subscribed(redis: RedisClient, channel: string): Promise<void> {
  const subscriber: RedisClient = redis instanceof Cluster ? redis.duplicate() : redis.duplicate()
  subscriber.on('error', () => undefined)
  try {
    await subscriber.subscribe(channel)
  } finally {
    subscriber.disconnect()
  }
}
