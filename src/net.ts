import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici'

/** How the process reaches the outside: straight, or through the proxy that HTTPS_PROXY names. */
export interface Net {
  /** Absent: the platform's own fetch, without a proxy. */
  fetch?: typeof globalThis.fetch
  /** For Socket Mode's connection. */
  dispatcher?: object
}

/** HTTPS_PROXY and NO_PROXY as curl understands them; loopback is never sent to a proxy. */
export function createNet(settings: { HTTPS_PROXY?: string | undefined; NO_PROXY?: string | undefined }): Net {
  if (!settings.HTTPS_PROXY) return {}
  const noProxy = ['localhost', '127.0.0.1', '::1', settings.NO_PROXY].filter(Boolean).join(',')
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: settings.HTTPS_PROXY, httpsProxy: settings.HTTPS_PROXY, noProxy })
  const proxied = (url: Parameters<typeof undiciFetch>[0], init?: Parameters<typeof undiciFetch>[1]) => undiciFetch(url, { ...init, dispatcher })
  return { fetch: proxied as unknown as typeof globalThis.fetch, dispatcher }
}
