import { BlockList, isIP } from 'node:net'

/**
 * The reach of an IP address: on the internet; on a private network (loopback, RFC 1918, carrier NAT, unique-local),
 * which only a setting may name; or never allowed for tools (link-local, cloud metadata, multicast, reserved,
 * transition prefixes that hide an IPv4 address). The ranges are IANA's special-purpose registries.
 */
export type Reach = 'public' | 'private' | 'never'

const metadata = ranges('169.254.169.254/32', '100.100.100.200/32', '192.0.0.192/32', 'fd00:ec2::254/128')

const inside = ranges(
  ...['10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15'],
  ...['::1/128', 'fc00::/7'],
)

const nowhere = ranges(
  ...['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  ...['5f00::/16', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
)

/**
 * Classifies an IP address. IPv4 addresses mapped into IPv6 (`::ffff:127.0.0.1`) count as the IPv4 address, because
 * BlockList resolves them. An IPv4 address that is translated or tunnelled into IPv6 (SIIT, ISATAP) limits the reach.
 */
export function reachOf(address: string): Reach {
  const bare = address.split('%', 1)[0] ?? ''
  const version = isIP(bare)
  if (version === 0) return 'never'
  if (version === 4) return listed(bare, 'ipv4')
  const hidden = hiddenAddress(bare)
  const reaches = [listed(bare, 'ipv6'), ...(hidden ? [listed(hidden, 'ipv4')] : [])]
  return REACHES.find((reach) => reaches.includes(reach)) ?? 'never'
}

/** Most restricted first. */
const REACHES: Reach[] = ['never', 'private', 'public']

/**
 * The IPv4 address in `::ffff:0:a.b.c.d` (SIIT, RFC 2765), or in an interface `0:5efe:a.b.c.d` or `200:5efe:a.b.c.d` of
 * any network (ISATAP, RFC 5214).
 */
function hiddenAddress(ipv6: string): string | undefined {
  const groups = groupsOf(ipv6)
  const isTranslated = groups.slice(0, 6).join() === '0,0,0,0,65535,0'
  const isTunnelled = ((groups[4] ?? 0) & 0xfcff) === 0 && groups[5] === 0x5efe
  if (!isTranslated && !isTunnelled) return undefined
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}

/** The eight numbers of an IPv6 address. The URL parser converts dotted ones to hex. */
function groupsOf(ipv6: string): number[] {
  const [before = '', after] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split('::')
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)))
  const [first, last] = [numbers(before), numbers(after ?? '')]
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

function listed(bare: string, family: 'ipv4' | 'ipv6'): Reach {
  if (metadata.check(bare, family)) return 'never'
  if (inside.check(bare, family)) return 'private'
  return nowhere.check(bare, family) ? 'never' : 'public'
}

/**
 * The IP address of a URL's host, or undefined for a name. The URL parser has already normalised decimal, octal, hex
 * and full-width spellings of an IPv4 address.
 */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}

function ranges(...subnets: string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', prefix = ''] = subnet.split('/')
    list.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
