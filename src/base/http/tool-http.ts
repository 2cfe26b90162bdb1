/**
 * The only fetch that tools use: GET, or a search's POST, to hosts that the tool's setting names (or any public host,
 * for custom tools and pages). Limited in time and size, retried once if that may help, cached, and shared by
 * concurrent identical calls.
 */
import { ToolError } from '../errors.ts'
import { createAgents, systemResolve, type ProxySetting, type Resolve } from './connection-pools.ts'
import { fetchWithRetry, type Clocks } from './retry-fetch.ts'
import { LRUCache } from 'lru-cache'
import { cacheTimes, ttlFor } from '../expiring-cache.ts'
import { Pace } from '../token-bucket.ts'
import { checkAddress, checkName } from './check-address.ts'
import type { FetchLimits, GetRequest, Fetched, ToolFetch } from './bounded-get.ts'
import { createSharedWork } from './shared-work.ts'

export type { FetchLimits } from './bounded-get.ts'

export interface ToolHttp {
  /** @throws ToolError from each fetch, with a sentence that contains no key and no full URL */
  scope(scope: FetchLimits): ToolFetch
  /** Closes all connections, at the end of the process or a test. */
  close(): Promise<void>
}

export interface ToolHttpOptions {
  proxy?: ProxySetting | undefined
  /** Resolves host names. Defaults to the system's resolver. */
  resolve?: Resolve | undefined
  clocks: Clocks
  /** TOOL_TIMEOUT_MS: the time for everything together: redirects, the retry, the body. Milliseconds. */
  timeoutMs: number
  cache?: { entries: number; maxBytes: number } | undefined
}

const DEFAULTS = { maxBytes: 2_000_000, cacheMs: 3_600_000 }
const CACHE_LIMITS = { entries: 500, maxBytes: 32_000_000 }
const USER_AGENT = 'Thinkaloud/0.1 (self-hosted Slack bot)'

interface ToolRequest extends Omit<GetRequest, 'signal' | 'now' | 'dispatcher'>, Pick<FetchLimits, 'inside' | 'keep'> {
  takeTurn?: ((url: URL) => void) | undefined
  timeoutMs: number
  cacheMs: number
}

export function createToolHttp(options: ToolHttpOptions): ToolHttp {
  const { clocks } = options
  let opened: ReturnType<typeof createAgents> | undefined
  const now = () => clocks.now()
  const { entries, maxBytes } = options.cache ?? CACHE_LIMITS
  const cache = new LRUCache<string, Fetched>({
    ...{ max: entries, maxSize: maxBytes, maxEntrySize: Math.floor(maxBytes / 8) },
    ...cacheTimes({ ttlMs: DEFAULTS.cacheMs, now }),
  })
  const shared = createSharedWork<Fetched>()

  const load = async (key: string, request: ToolRequest, signal: AbortSignal) => {
    request.takeTurn?.(request.url)
    const agents = await (opened ??= createAgents(options))
    const dispatcher = request.inside ? agents.inside : agents.outside
    const whole = { ...request, dispatcher, signal, now }
    const { bytes, ...fetched } = await fetchWithRetry(whole, request.timeoutMs, clocks)
    if (shouldCache(request, fetched))
      cache.set(key, fetched, { size: bytes + key.length, ttl: ttlFor(request.cacheMs) })
    return fetched
  }

  return {
    scope(scope) {
      const limits = { ...DEFAULTS, timeoutMs: options.timeoutMs, ...scope }
      const takeTurn = scope.perMinute && paceOf(scope.perMinute, now)
      const resolvedByProxy = options.proxy !== undefined && scope.hosts === undefined
      const check = async (url: URL, ending: AbortSignal) => {
        checkAddress(url, scope)
        scope.check?.(url)
        if (resolvedByProxy) await checkName(url, options.resolve ?? systemResolve, ending)
      }
      return async (address, { headers = {}, signal, json } = {}) => {
        const url = parse(address, scope.name)
        checkAddress(url, scope)
        const sent = json === undefined ? undefined : JSON.stringify(json)
        const key = JSON.stringify([
          ...[scope.name, scope.hosts, scope.inside, scope.isBinary, url.href, sent],
          Object.entries(headers).sort(),
        ])
        const type: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' }
        const request = {
          ...limits,
          server: scope.isAnyServer ? url.hostname : scope.name,
          url,
          headers: { 'user-agent': USER_AGENT, ...type, ...headers },
          sent,
          check,
          takeTurn,
        }
        return cache.get(key) ?? shared.join(key, signal, (joint) => load(key, request, joint))
      }
    },
    async close() {
      const agents = await opened
      await Promise.all([agents?.outside.destroy(), agents?.inside.destroy()])
    },
  }
}

/** `example.com` allows that host, `*.example.com` its subdomains. */
export function hostMatches(host: string, allowed: string): boolean {
  const name = allowed.toLowerCase()
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}

const MINUTE_MS = 60_000

/** Takes a turn of a URL's host, and one of all hosts. @throws ToolError if there is none */
function paceOf(limit: { host: number; all: number }, now: () => number): (url: URL) => void {
  const pace = (burst: number) => new Pace({ burst, everyMs: MINUTE_MS / burst, now })
  const [host, all] = [pace(limit.host), pace(limit.all)]
  return ({ hostname }) => {
    if (!host.take(hostname)) throw new ToolError(`Too many pages of ${hostname} were read in the last minute.`)
    if (!all.take('all')) throw new ToolError('Too many pages were read in the last minute. Try again in a minute.')
  }
}

function shouldCache(request: ToolRequest, { status, headers, body }: Fetched): boolean {
  const succeeded = status >= 200 && status < 300
  return request.cacheMs > 0 && succeeded && (request.keep?.({ status, headers, body }) ?? true)
}

function parse(address: string | URL, name: string): URL {
  if (!URL.canParse(String(address))) throw new ToolError(`${name} got an invalid address.`)
  const url = new URL(address)
  url.hash = ''
  return url
}
