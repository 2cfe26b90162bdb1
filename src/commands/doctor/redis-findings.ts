/** Checks the configuration of REDIS_URL's Redis: whether it keeps the bot's data. */
import { settledWithin } from '../../base/async.ts'
import type { Config } from '../../config.ts'
import { messageOf } from '../../base/errors.ts'
import { parseRedisUrl } from '../../base/redis/redis-url.ts'
import { checkRedis, connectRedis, type RedisClient, type RedisSettings } from '../../base/redis/redis.ts'
import { INSPECTION_MS, inspectRedis } from '../../base/redis/redis-check.ts'
import { findingsAbout, type CheckServices, type Finding } from './finding.ts'

const { ok, note, fault } = findingsAbout('Redis')

/** BullMQ's minimum version: https://docs.bullmq.io/guide/connections and its own warning at startup. */
const LEAST_VERSION = [6, 2]
/** If a ping takes longer, acks to Slack are late. Milliseconds. */
const SLOW_MS = 50

export async function redisFindings(config: Config, services: CheckServices): Promise<Finding[]> {
  if (!config.REDIS_URL) return [withoutRedis(config)]
  const settings = { url: config.REDIS_URL }
  try {
    await checkRedis(settings)
  } catch (error) {
    return [
      fault(
        'connection',
        `${messageOf(error)}${parseRedisUrl(settings.url)?.kind === 'sentinel' ? ` ${SENTINELS}` : ''}`,
      ),
    ]
  }
  return inspect(settings, config.REDIS_PREFIX, services)
}

const SENTINELS = 'Also check the addresses of the Sentinels and the master’s name.'

function withoutRedis({ ROLE }: Config): Finding {
  return ROLE === 'all'
    ? note('REDIS_URL', 'Not set. Conversations and work are lost when the process stops.')
    : fault('REDIS_URL', `Not set. ROLE=${ROLE} needs a Redis that all processes share. Set it.`)
}

async function inspect(settings: RedisSettings, prefix: string, { log, now }: CheckServices): Promise<Finding[]> {
  const redis = connectRedis(settings, { purpose: 'check', log })
  const found = findingsIn(redis, prefix, now).catch((error: unknown) => [fault('connection', messageOf(error))])
  try {
    if (await settledWithin(INSPECTION_MS, [found])) return await found
    return [
      fault(
        'connection',
        `It answers a ping, but not every node answers within ${INSPECTION_MS / 1000} s. Check each node.`,
      ),
    ]
  } finally {
    redis.disconnect()
  }
}

async function findingsIn(redis: RedisClient, prefix: string, now: () => number): Promise<Finding[]> {
  await redis.ping()
  const from = now()
  await redis.ping()
  const ms = now() - from
  const { problems, facts } = await inspectRedis(redis, prefix)
  const found = problems.map(({ name, sentence }) => fault(name, sentence))
  const isEvicting = problems.some(({ name }) => name === 'eviction')
  const each = facts.flatMap((of) => [versionOf(of), persistenceOf(of), ...(isEvicting ? [] : [memoryOf(of)])])
  // The nodes of a Cluster are usually configured alike: each finding is listed once, and each time only where they
  // differ.
  const seen = new Map([...each, ...found].map((finding) => [`${finding.name} ${finding.sentence}`, finding]))
  return [speed(ms), ...seen.values()]
}

function speed(ms: number): Finding {
  const sentence = `It answered in ${ms.toFixed(1)} ms.`
  return ms <= SLOW_MS
    ? ok('connection', sentence)
    : note('connection', `${sentence} That is slow: acks to Slack wait for it.`)
}

function versionOf(facts: Map<string, string>): Finding {
  const version = facts.get('redis_version') ?? ''
  const [major = NaN, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = LEAST_VERSION
  if (Number.isNaN(major))
    return note('version', `It does not report its version. Redis ${LEAST_VERSION.join('.')} or newer is needed.`)
  const isNew = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  return isNew
    ? ok('version', `Redis ${version}, or compatible.`)
    : fault('version', `Redis ${version} is too old. ${LEAST_VERSION.join('.')} or newer is needed.`)
}

/** A managed Redis may not tell, or may persist in another way. */
function persistenceOf(facts: Map<string, string>): Finding {
  const name = 'persistence'
  const isOn = facts.get('aof_enabled')
  if (isOn === '1') {
    const isWritten = (facts.get('aof_last_write_status') ?? 'ok') === 'ok'
    return isWritten
      ? ok(name, 'The append-only file is on. A crash loses one second at most.')
      : fault(name, 'The append-only file could not be written. Check its disk.')
  }
  if (isOn === undefined)
    return note(name, 'It does not report whether its append-only file is on. Make sure that it is.')
  const replicas = Number(facts.get('connected_slaves') ?? 0)
  const lost = 'a crash of Redis loses accepted questions'
  return replicas > 0
    ? note(
        name,
        `The append-only file is off, but it has ${replicas === 1 ? 'a replica' : `${replicas} replicas`}. A crash loses what ${replicas === 1 ? 'the replica has' : 'the replicas have'} not received yet.`,
      )
    : fault(name, `The append-only file is off. Set appendonly yes, or ${lost}.`)
}

function memoryOf(facts: Map<string, string>): Finding {
  const policy = facts.get('maxmemory_policy')
  if (policy === undefined)
    return note(
      'eviction',
      'It does not report its maxmemory-policy. It should be noeviction, or a full Redis drops questions.',
    )
  const [used, max] = [Number(facts.get('used_memory') ?? 0), Number(facts.get('maxmemory') ?? 0)]
  if (max > 0 && used > max * 0.8)
    return note(
      'eviction',
      `It is ${Math.round((100 * used) / max)} % full. When full, it accepts no more questions. Give it more memory.`,
    )
  return ok('eviction', 'maxmemory-policy is noeviction, so nothing is dropped.')
}
