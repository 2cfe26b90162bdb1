/** Connections to Redis: to one server, through Sentinels or to a Cluster, each for one purpose (see `Purpose`). */
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { ConfigError, messageOf } from '../errors.ts'
import type { StoreLog } from '../store-log.ts'
import { parseRedisUrl, REDIS_URL_FORM, type RedisAddress } from './redis-url.ts'
import { redisFault, isReadOnly, isRefusal, isUntrusted } from './redis-errors.ts'

export interface RedisSettings {
  /** One of the forms of `parseRedisUrl`. */
  url: string
}

/**
 * - `intake`: fails at once if Redis cannot take a command now, because Slack waits for the ack and delivers again
 *   without one.
 * - `work`: a command waits until Redis is back, however long that takes. BullMQ duplicates this connection for
 *   blocking reads.
 * - `check`: like `work`, without ioredis's own check by INFO, which it reports on the console if a user may not run
 *   INFO.
 */
export type Purpose = 'intake' | 'work' | 'check'

export type RedisClient = Redis | Cluster

/** How long a command on an `intake` connection may take, in ms. */
const INTAKE_COMMAND_MS = 1_000

/** How long a `work` connection may be silent, in ms. Longer than BullMQ's longest blocking read (10 s). */
const WORK_SOCKET_TIMEOUT_MS = 20_000

/** Connects, reconnects for ever, and logs when the connection is lost and when it is restored. */
export function connectRedis(settings: RedisSettings, options: { purpose: Purpose; log: StoreLog }): RedisClient {
  const address = addressOf(settings)
  const client =
    address.kind === 'cluster' ? connectCluster(address, options.purpose) : connectOne(address, options.purpose)
  watch(client, options)
  return client
}

/** How long the start waits for an answer from Redis, in ms. */
const CHECK_MS = 10_000

/** Checks at the start that Redis answers. @throws ConfigError if it refuses the connection or is too slow */
export async function checkRedis(settings: RedisSettings): Promise<void> {
  // A Cluster client hides the reason why a node is unreachable, such as its certificate. A direct connection shows it.
  if (addressOf(settings).kind === 'cluster') await awaitPing({ url: settings.url.replace('+cluster', '') })
  await awaitPing(settings)
}

async function awaitPing(settings: RedisSettings): Promise<void> {
  const faults: string[] = []
  const silent = { info() {}, warn() {}, error() {} }
  const client = connectRedis(settings, { purpose: 'check', log: silent })
  client.on('error', (error: Error) => faults.push(redisFault(error)))
  const timeUp = AbortSignal.timeout(CHECK_MS)
  let isAnswered = false
  const ping = () =>
    client.ping().then(
      () => (isAnswered = true),
      (error: unknown) => faults.push(redisFault(error as Error)),
    )
  void ping()
  while (!timeUp.aborted) {
    await new Promise<void>((resolve) => setTimeout(resolve, 20))
    if (isAnswered) return client.disconnect()
    // A Redis that still loads its file answers, but refuses commands.
    if (/LOADING/.test(faults.at(-1) ?? '')) {
      faults.pop()
      void ping()
    }
    if (faults.some((fault) => isRefusal(fault) || isUntrusted(fault))) break
  }
  client.disconnect()
  const untrusted = faults.find(isUntrusted)
  if (untrusted)
    throw new ConfigError(`${cannotConnect(settings)}: its certificate is not trusted (${untrusted}). ${TRUST}`)
  throw new ConfigError(unreachable(faults.at(-1), settings))
}

function unreachable(fault: string | undefined, settings: RedisSettings): string {
  if (/NOAUTH/.test(fault ?? ''))
    return 'Redis requires a password (NOAUTH). Add it to REDIS_URL: redis://:password@host.'
  if (/WRONGPASS|invalid password/i.test(fault ?? ''))
    return 'Redis does not accept the user or password in REDIS_URL (WRONGPASS).'
  if (fault && isRefusal(fault)) return `${cannotConnect(settings)}: ${fault}.`
  return `${cannotConnect(settings)}: ${reasonOf(fault)}.`
}

/** The beginning of a sentence about a Redis that cannot be used; it contains no password. */
export function cannotConnect(settings: RedisSettings): string {
  const { kind, hosts } = addressOf(settings)
  const where = `${kind === 'sentinel' ? 'the Sentinels ' : ''}${hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`
  return `Cannot connect to Redis at ${where} (REDIS_URL)`
}

function reasonOf(fault: string | undefined): string {
  if (fault === undefined || /ETIMEDOUT|timed? ?out/i.test(fault)) return 'no answer'
  if (/ECONNREFUSED/.test(fault)) return 'connection refused'
  return /ENOTFOUND|EAI_AGAIN/.test(fault) ? 'unknown host' : fault.replace(/\.$/, '')
}

const TRUST = 'If you have your own certificate authority, name its file in NODE_EXTRA_CA_CERTS.'

/** @throws ConfigError if the URL has none of the accepted forms. `loadConfig` has checked an operator's URL before. */
function addressOf({ url }: RedisSettings): RedisAddress {
  const address = parseRedisUrl(url)
  if (!address) throw new ConfigError(`REDIS_URL should be ${REDIS_URL_FORM}.`)
  return address
}

function connectOne(address: RedisAddress, purpose: Purpose): Redis {
  const { kind, hosts, db, master: name, sentinelPassword } = address
  const base = { ...timeouts(purpose), ...queueing(purpose), retryStrategy: backoff, reconnectOnError }
  const options = { ...base, ...loginOf(address), ...(db === undefined ? {} : { db }) }
  if (kind !== 'sentinel') return new Redis({ ...options, ...hosts[0] })
  return new Redis({
    ...options,
    sentinels: hosts,
    name,
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(address.tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  })
}

function connectCluster(address: RedisAddress, purpose: Purpose): Cluster {
  return new Cluster(address.hosts, {
    ...queueing(purpose),
    clusterRetryStrategy: backoff,
    ...(purpose === 'intake' ? {} : { maxRedirections: Infinity, retryDelayOnMoved: 20 }),
    // Certificates are issued for host names. The default lookup would replace them by addresses.
    ...(address.tls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
    redisOptions: { ...timeouts(purpose), ...loginOf(address) },
  })
}

function loginOf({ username, password, tls }: RedisAddress): RedisOptions {
  return { ...(username ? { username } : {}), ...(password ? { password } : {}), ...(tls ? { tls: {} } : {}) }
}

function timeouts(purpose: Purpose): RedisOptions {
  return purpose === 'intake'
    ? { commandTimeout: INTAKE_COMMAND_MS, socketTimeout: 5 * INTAKE_COMMAND_MS, maxRetriesPerRequest: 0 }
    : // BullMQ requires null for its workers: their commands must be retried for ever.
      { maxRetriesPerRequest: null, socketTimeout: WORK_SOCKET_TIMEOUT_MS }
}

function queueing(purpose: Purpose) {
  return { enableOfflineQueue: purpose !== 'intake', enableReadyCheck: purpose !== 'check' }
}

/** Milliseconds before the next try: doubles up to 2 s, with jitter so that not all processes reconnect at once. */
function backoff(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 6), 2_000) * (0.75 + Math.random() / 2)
}

/**
 * A failover can make a master a replica, which refuses writes. `2` makes ioredis reconnect, which finds the new
 * master, and send the command again.
 */
function reconnectOnError(error: Error): 2 | false {
  return isReadOnly(error) ? 2 : false
}

/**
 * A connection that is lost again within this time, in ms, is not logged again: each write to a replica ends the
 * connection.
 */
const FLAPPING_MS = 10_000

/** Logs one line when the connection is lost and one when it is restored, regardless of the retries in between. */
function watch(client: RedisClient, { purpose, log }: { purpose: Purpose; log: StoreLog }): void {
  let lastError: string | undefined
  let isLost = false
  /** Whether the loss of the connection was logged just now. */
  let wasJustLogged = false
  /** Whether the present loss is not logged. */
  let isQuiet = false
  const lost = (error = lastError) => {
    if (isLost) return
    isLost = true
    isQuiet = wasJustLogged
    if (isQuiet) return
    wasJustLogged = true
    setTimeout(() => (wasJustLogged = false), FLAPPING_MS).unref()
    log.warn({ purpose, error }, 'Redis is unreachable; reconnecting')
  }
  const back = () => {
    if (isLost && !isQuiet) log.info({ purpose }, 'Redis connection restored')
    isLost = false
    lastError = undefined
  }
  client.on('error', (error) => {
    lastError = redisFault(error)
  })
  client.on('reconnecting', () => lost())
  client.on('ready', back)
  if (client instanceof Cluster) watchMasters(client, lost, back)
}

/** A Cluster client stays `ready` while a master and its keys are unreachable. */
function watchMasters(cluster: Cluster, lost: (error: string) => void, back: () => void): void {
  const away = new Set<string>()
  const masters = () => cluster.nodes('master').map(nodeOf)
  const markBack = (isBack: (node: string) => boolean) => {
    const wereAway = away.size > 0
    for (const node of away) if (isBack(node)) away.delete(node)
    if (wereAway && away.size === 0) back()
  }
  cluster.on('node error', (error: Error, node: string) => {
    if (!masters().includes(node)) return
    away.add(node)
    lost(messageOf(error))
  })
  cluster.on('+node', (added: Redis) => added.on('ready', () => markBack((node) => node === nodeOf(added))))
  // Stops waiting for a node that is no longer a master: another node serves its slots.
  cluster.on('refresh', () => markBack((node) => !masters().includes(node)))
}

function nodeOf({ options }: Redis): string {
  return `${options.host}:${options.port}`
}
