import type { ProxyEnv } from './connection-pools.ts'
import { createTransportFetch } from './transport-fetch.ts'

/** How the process reaches the network: directly, or through the proxy in HTTPS_PROXY. */
export interface Network {
  /** Absent only in tests, which use the platform's fetch. */
  fetch?: typeof globalThis.fetch
  /** For Socket Mode's connection. Absent without a proxy. */
  dispatcher?: object
}

/** Never proxied. `.localhost` names count as localhost. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Maximum connections per origin. Further calls wait for a free one. Each connection serves one call at a time. */
const POOL = { connections: 256, pipelining: 1 }

/**
 * Creates the network from HTTPS_PROXY, which tunnels http and https URLs alike, and NO_PROXY: a list of hosts,
 * including their subdomains, each with an optional port; `*` alone means all. All users of the network share one
 * connection pool.
 */
export async function createNetwork({ HTTPS_PROXY: proxy, NO_PROXY: direct = '' }: ProxyEnv): Promise<Network> {
  // Imported on demand, so that importing this module is cheap.
  const { Agent, EnvHttpProxyAgent } = await import('undici')
  if (!proxy || direct.trim() === '*') return { fetch: createTransportFetch(new Agent(POOL)) }
  const noProxy = [...LOOPBACK, direct].join(',')
  const dispatcher = new EnvHttpProxyAgent({ ...POOL, httpProxy: proxy, httpsProxy: proxy, noProxy })
  return { fetch: createTransportFetch(dispatcher), dispatcher }
}
