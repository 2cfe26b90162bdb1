/** Which hosts a tool may call: those of its setting; else any public one. Where an IP address lies: address.ts. */
import { ToolError } from '../errors.ts'
import { literalAddress, reachOf } from './address.ts'
import { AddressRefused, type Resolve } from './agents.ts'
import { untilAborted } from './shared-work.ts'

/** What a tool may call: the origins of these addresses, or any public host where it names none. */
export interface Allowed {
  name: string
  hosts?: string[] | undefined
}

/** Names that only mean something inside: refused by name, because behind a proxy it is the proxy that resolves. */
const INSIDE_NAMES = /(^|\.)(localhost|local|internal|home\.arpa|lan|intranet)\.?$/i

/**
 * Holds one address, the first or one that a redirect leads to, against what the tool may call. Names are checked again
 * after DNS, when the connection is made. @throws ToolError that names the host and never the rest of the address.
 */
export function checkAddress(url: URL, allowed: Allowed): void {
  const refuse = (why: string) => {
    throw new ToolError(`${allowed.name} may not call ${url.hostname || 'this address'}: ${why}.`)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse('only http and https addresses can be fetched')
  if (url.username !== '' || url.password !== '') refuse('an address with a user name or password in it is refused')
  if (allowed.hosts) {
    if (!allowed.hosts.some((host) => new URL(host).origin === url.origin)) refuse('its setting names another host')
    return
  }
  const literal = literalAddress(url.hostname)
  if (literal !== undefined && reachOf(literal) !== 'public') refuse('private and reserved addresses are refused')
  if (INSIDE_NAMES.test(url.hostname)) refuse('private addresses are refused')
}

/**
 * For a name that a proxy will resolve: what our own DNS knows of it. One address inside is enough to refuse it, since nobody
 * knows which one the proxy takes. A name that only the proxy can resolve is the proxy's to judge.
 * @throws AddressRefused, or the signal's reason.
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
