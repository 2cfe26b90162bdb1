import { lookup as systemLookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { messageOf } from '../errors.ts'
import { reachOf, type Reach } from './address-reach.ts'

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/** The system's own resolver. */
export const systemResolve: Resolve = (hostname) => systemLookup(hostname, { all: true, verbatim: true })

/**
 * The operator's proxy: `uri` for https addresses, `noProxy` a comma-separated list of hosts that are reached directly.
 */
export interface ProxySetting {
  uri: string
  noProxy?: string
}

export interface ProxyEnv {
  HTTPS_PROXY?: string | undefined
  NO_PROXY?: string | undefined
}

/** The proxy of HTTPS_PROXY and NO_PROXY. Undefined without one. */
export function proxyFrom({ HTTPS_PROXY: uri, NO_PROXY: noProxy }: ProxyEnv): ProxySetting | undefined {
  return uri ? { uri, ...(noProxy ? { noProxy } : {}) } : undefined
}

/** Two separate connection pools: one only for public addresses, one for hosts that a setting names. */
export interface Agents {
  outside: Dispatcher
  inside: Dispatcher
}

/** The host name resolved to no allowed address. */
export class AddressRefused extends Error {
  override name = 'AddressRefused'
}

/** undici's error message mentions this timeout. */
const CONNECT_TIMEOUT_MS = 8_000

export async function createAgents(options: { resolve?: Resolve; proxy?: ProxySetting } = {}): Promise<Agents> {
  const { Agent, EnvHttpProxyAgent } = await import('undici')
  const resolve = options.resolve ?? systemResolve
  const agent = (allowed: Reach[]) => {
    const connect = { lookup: checkedLookup(resolve, allowed), timeout: CONNECT_TIMEOUT_MS }
    if (!options.proxy) return new Agent({ connect })
    // Empty strings keep undici from reading the environment.
    return new EnvHttpProxyAgent({
      connect,
      httpProxy: '',
      httpsProxy: options.proxy.uri,
      noProxy: options.proxy.noProxy ?? '',
    })
  }
  return { outside: agent(['public']), inside: agent(['public', 'private']) }
}

/**
 * Resolves a name and returns only allowed addresses. The connection uses these very addresses, so DNS rebinding gains
 * nothing. Behind a proxy, the proxy resolves names, and `checkName` checks them first.
 */
function checkedLookup(resolve: Resolve, allowed: Reach[]): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const usable = found.filter(({ address }) => allowed.includes(reachOf(address)))
        const [first] = usable
        if (!first) callback(new AddressRefused(`${hostname} has no address that may be reached`), [])
        else if (options.all) callback(null, usable)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(messageOf(error)), []),
    )
  }
}
