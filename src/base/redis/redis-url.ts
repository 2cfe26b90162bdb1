/** The address of a Redis: one server, the Sentinels of a master, or a node of a Cluster. */
export interface RedisAddress {
  kind: 'server' | 'sentinel' | 'cluster'
  tls: boolean
  /** At least one; several only for Sentinels. */
  hosts: { host: string; port: number }[]
  username?: string
  password?: string
  /** The database number. A Cluster has none. */
  db?: number
  /** The name of the master, for Sentinels. */
  master?: string
  sentinelPassword?: string
}

/** The forms that `parseRedisUrl` accepts, for an error message. */
export const REDIS_URL_FORM =
  'redis://host:port, rediss://host:port for TLS, redis+cluster://host:port, or redis+sentinel://host:port,host:port/master'

const ADDRESS =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<login>[^@/?#]*)@)?(?<hosts>[^/?#@]*)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/
const HOST = /^(?<host>\[[\da-f:.]+\]|[^\s:/[\]]+)(?::(?<port>\d{1,5}))?$/i

/**
 * Parses REDIS_URL and URL-decodes user names, passwords and the master's name. Returns undefined for any other form.
 */
export function parseRedisUrl(url: string): RedisAddress | undefined {
  const { tls, kind = 'server', login, hosts = '', path = '', query } = ADDRESS.exec(url)?.groups ?? {}
  if (tls === undefined) return undefined
  const all = hosts.split(',').map((one) => hostOf(one, kind === 'sentinel' ? 26379 : 6379))
  const known = all.filter((one) => one !== undefined)
  if (known.length < all.length || (kind !== 'sentinel' && known.length > 1)) return undefined
  const [first = '', second] = path.split('/')
  const [master, db] = kind === 'sentinel' ? [decoded(first), second] : [undefined, first]
  if (master === '' || (db && !/^\d+$/.test(db))) return undefined
  const sentinelPassword = new URLSearchParams(query ?? '').get('sentinelPassword')
  return {
    kind: kind as RedisAddress['kind'],
    tls: tls === 's',
    hosts: known,
    ...loginOf(login),
    ...(db ? { db: Number(db) } : {}),
    ...(master === undefined ? {} : { master }),
    ...(sentinelPassword ? { sentinelPassword } : {}),
  }
}

function hostOf(text: string, defaultPort: number): { host: string; port: number } | undefined {
  const { host, port } = HOST.exec(text)?.groups ?? {}
  if (host === undefined || Number(port ?? 0) > 65_535) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? defaultPort) }
}

function loginOf(login: string | undefined): { username?: string; password?: string } {
  if (!login) return {}
  const at = login.indexOf(':')
  const [username, password] = at < 0 ? [login, ''] : [login.slice(0, at), login.slice(at + 1)]
  return { ...(username ? { username: decoded(username) } : {}), ...(password ? { password: decoded(password) } : {}) }
}

/** Decodes a part of a URL. A text that is not URL-encoded stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
