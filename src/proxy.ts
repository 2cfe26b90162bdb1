import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici'

/** How the process reaches the outside: straight, or through the proxy that HTTPS_PROXY names. */
export interface Network {
  /** Absent: the platform's own fetch, without a proxy. */
  fetch?: typeof globalThis.fetch
  /** For Socket Mode's connection. */
  dispatcher?: object
}

/** Never sent to a proxy; `.localhost` names count as localhost. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * HTTPS_PROXY tunnels http and https addresses alike. NO_PROXY is a list of hosts, their subdomains included, perhaps with a
 * port; `*` alone means all.
 */
export function createNetwork(settings: { HTTPS_PROXY?: string | undefined; NO_PROXY?: string | undefined }): Network {
  const { HTTPS_PROXY: proxy, NO_PROXY: direct = '' } = settings
  if (!proxy || direct.trim() === '*') return {}
  const noProxy = [...LOOPBACK, direct].join(',')
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: proxy, httpsProxy: proxy, noProxy })
  const proxied = (url: Parameters<typeof undiciFetch>[0], init?: Parameters<typeof undiciFetch>[1]) =>
    undiciFetch(url, { ...init, dispatcher })
  return { fetch: proxied as unknown as typeof globalThis.fetch, dispatcher }
}
