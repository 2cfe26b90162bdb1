/** What the Redis of REDIS_URL is set to: whether it keeps what the bot puts there. */
import { Cluster, type Redis } from 'ioredis'
import type { Config } from '../config.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { checkRedis, connect, type RedisSettings } from '../redis.ts'
import { redisSettings } from '../stores.ts'
import { findingsOf, type Finding } from './finding.ts'

const { ok, note, fault } = findingsOf('Redis')

/** BullMQ's least version: https://docs.bullmq.io/guide/connections and its own warning at the start. */
const LEAST_VERSION = [6, 2]
/** Where a ping takes longer, acks to Slack come late. Milliseconds. */
const SLOW_MS = 50

export async function redisFindings(config: Config, log: Log): Promise<Finding[]> {
  if (!config.REDIS_URL)
    return [note('REDIS_URL', 'It is not set: conversations and work are lost when the process ends.')]
  const settings = redisSettings(config, config.REDIS_URL)
  try {
    await checkRedis(settings)
    return await lookAt(settings, log)
  } catch (error) {
    return [fault('connection', messageOf(error))]
  }
}

async function lookAt(settings: RedisSettings, log: Log): Promise<Finding[]> {
  const redis = connect(settings, { purpose: 'work', log })
  try {
    await redis.ping()
    const from = performance.now()
    await redis.ping()
    const ms = performance.now() - from
    const masters = redis instanceof Cluster ? redis.nodes('master') : [redis]
    const each = await Promise.all(masters.map(nodeFindings))
    // The nodes of a Cluster are set alike: each thing is said once, and where they differ each time.
    const seen = new Map(each.flat().map((finding) => [`${finding.name} ${finding.sentence}`, finding]))
    return [speed(ms), ...seen.values()]
  } finally {
    redis.disconnect()
  }
}

function speed(ms: number): Finding {
  const sentence = `It answers in ${ms.toFixed(1)} ms.`
  return ms <= SLOW_MS ? ok('connection', sentence) : note('connection', `${sentence} Acks to Slack wait for it.`)
}

async function nodeFindings(node: Redis): Promise<Finding[]> {
  const facts = factsIn(await node.info())
  return [versionOf(facts), persistenceOf(facts), evictionOf(facts), ...roleOf(facts)]
}

/** INFO's lines, `name:value`. */
function factsIn(info: string): Map<string, string> {
  const lines = info.split(/\r?\n/).map((line) => line.split(':'))
  return new Map(lines.flatMap(([name, ...value]) => (name && value.length > 0 ? [[name, value.join(':')]] : [])))
}

function versionOf(facts: Map<string, string>): Finding {
  const version = facts.get('redis_version') ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = LEAST_VERSION
  const isNew = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  if (isNew) return ok('version', `It is Redis ${version}, or speaks as that does.`)
  return fault(
    'version',
    `It is Redis ${version || 'of no version that it tells'}: ${LEAST_VERSION.join('.')} is needed.`,
  )
}

function persistenceOf(facts: Map<string, string>): Finding {
  if (facts.get('aof_enabled') === '1') {
    const isWritten = (facts.get('aof_last_write_status') ?? 'ok') === 'ok'
    return isWritten
      ? ok('persistence', 'It has an append-only file: a crash loses a second at most.')
      : fault('persistence', 'Its append-only file could not be written. Look at its disk.')
  }
  const lost = 'Set appendonly yes, or a crash of Redis loses questions that Slack was told are stored'
  return fault('persistence', `It has no append-only file. ${lost}.`)
}

function evictionOf(facts: Map<string, string>): Finding {
  const policy = facts.get('maxmemory_policy') ?? 'unknown'
  if (policy !== 'noeviction')
    return fault('eviction', `maxmemory-policy is ${policy}: set noeviction, or Redis drops questions when it is full.`)
  const [used, most] = [Number(facts.get('used_memory') ?? 0), Number(facts.get('maxmemory') ?? 0)]
  if (most > 0 && used > most * 0.8)
    return note('eviction', `It is ${Math.round((100 * used) / most)} % full: then it takes no more questions.`)
  return ok('eviction', 'maxmemory-policy is noeviction: nothing is dropped.')
}

function roleOf(facts: Map<string, string>): Finding[] {
  return facts.get('role') === 'master'
    ? []
    : [fault('role', 'It is a replica, which takes no writes. Name its master.')]
}
