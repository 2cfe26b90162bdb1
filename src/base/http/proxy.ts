import { createTransportFetch } from './transport-fetch.ts'

/** How the process reaches the outside: straight, or through the proxy that HTTPS_PROXY names. */
export interface Network {
  /** Absent in tests alone: the platform's own. */
  fetch?: typeof globalThis.fetch
  /** For Socket Mode's connection. Absent where there is no proxy. */
  dispatcher?: object
}

/** Never sent to a proxy; `.localhost` names count as localhost. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Connections to one origin at most, beyond which calls wait for a free one; one call at a time on each. */
const POOL = { connections: 256, pipelining: 1 }

/**
 * HTTPS_PROXY tunnels http and https addresses alike. NO_PROXY is a list of hosts, their subdomains included, perhaps with a
 * port; `*` alone means all. One pool of connections serves all that uses this network.
 */
export async function createNetwork(settings: ProxySettings): Promise<Network> {
  const { HTTPS_PROXY: proxy, NO_PROXY: direct = '' } = settings
  // Loaded here, so that importing this costs nothing.
  const { Agent, EnvHttpProxyAgent } = await import('undici')
  if (!proxy || direct.trim() === '*') return { fetch: createTransportFetch(new Agent(POOL)) }
  const noProxy = [...LOOPBACK, direct].join(',')
  const dispatcher = new EnvHttpProxyAgent({ ...POOL, httpProxy: proxy, httpsProxy: proxy, noProxy })
  return { fetch: createTransportFetch(dispatcher), dispatcher }
}

interface ProxySettings {
  HTTPS_PROXY?: string | undefined
  NO_PROXY?: string | undefined
}
