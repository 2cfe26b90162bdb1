/**
 * Checks that a tool may call a host: those of its setting, or else any public one. See address-reach.ts for the
 * classes of IP addresses.
 */
import { ToolError } from '../errors.ts'
import { literalAddress, reachOf } from './address-reach.ts'
import { AddressRefused, type Resolve } from './connection-pools.ts'
import { untilAborted } from './shared-work.ts'

/** The hosts that a tool may call: the origins of these URLs, or any public host if `hosts` is absent. */
interface AllowedHosts {
  name: string
  hosts?: string[] | undefined
}

/** Names for internal hosts. Refused by name, because behind a proxy only the proxy resolves names. */
const INSIDE_NAMES = /(^|\.)(localhost|local|internal|home\.arpa|lan|intranet)\.?$/i

/**
 * Checks that a tool may call a URL, either the first one or the target of a redirect. Names are checked again after
 * DNS, when the connection is made.
 * @throws ToolError that names the host but never the rest of the URL
 */
export function checkAddress(url: URL, allowed: AllowedHosts): void {
  const refuse = (why: string) => {
    throw new ToolError(`${allowed.name} may not call ${url.hostname || 'this address'}: ${why}.`)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse('only http and https addresses can be fetched')
  if (url.username !== '' || url.password !== '') refuse('an address with a user name or password in it is refused')
  if (allowed.hosts) {
    if (!allowed.hosts.some((host) => new URL(host).origin === url.origin))
      refuse('only the hosts of its setting are allowed')
    return
  }
  const literal = literalAddress(url.hostname)
  if (literal !== undefined && reachOf(literal) !== 'public') refuse('private and reserved addresses are refused')
  if (INSIDE_NAMES.test(url.hostname)) refuse('private addresses are refused')
}

/**
 * Checks a name that a proxy will resolve against our own DNS. One internal address is enough to refuse it, because the
 * proxy may use any of them. A name that only the proxy can resolve is left to the proxy.
 * @throws AddressRefused, or the signal's reason
 */
export async function checkName(url: URL, resolve: Resolve, signal: AbortSignal): Promise<void> {
  if (literalAddress(url.hostname) !== undefined) return
  const found = await untilAborted(
    resolve(url.hostname).catch(() => []),
    signal,
  )
  if (found.some(({ address }) => reachOf(address) !== 'public'))
    throw new AddressRefused(`${url.hostname} has an address that may not be reached`)
}
