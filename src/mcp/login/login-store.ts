import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ConfigError } from '../../base/errors.ts'
import { SealBroken, type Sealer } from '../../base/encryption.ts'
import type { ValueStore } from '../../stores/values/value-store.ts'
import type { HttpServerConfig } from '../types.ts'

/** The result of a registration at an authorization server, or `oauth` of MCP_CONFIG. */
const client = z.object({
  client_id: z.string(),
  client_secret: z.string().optional(),
  client_secret_expires_at: z.number().optional(),
  redirect_uris: z.array(z.string()).optional(),
  token_endpoint_auth_method: z.string().optional(),
  issuer: z.string().optional(),
})

/** A login of the workspace or of a person at one server, with everything that a renewal needs. */
const login = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  scope: z.string().optional(),
  /** The time of the login, in milliseconds since the epoch. Renewals keep it. */
  since: z.number().optional(),
  /** Milliseconds since the epoch; absent if the authorization server did not say. */
  expiresAt: z.number().optional(),
  client,
  authorizationServer: z.string(),
  /** Absent if the authorization server publishes none. */
  metadata: z
    .object({
      issuer: z.string(),
      authorization_endpoint: z.string(),
      token_endpoint: z.string(),
      response_types_supported: z.array(z.string()),
      token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
      /** RFC 7009. */
      revocation_endpoint: z.string().optional(),
    })
    .optional(),
  /** The resource that the tokens are for (RFC 8707); the same at every renewal. */
  resource: z.string().optional(),
})

const need = z.object({ why: z.string(), since: z.number() })

export type LoginClient = z.infer<typeof client>
export type Login = z.infer<typeof login>

/** Why a server needs a login, as a sentence, and since when, in milliseconds since the epoch. */
type LoginNeed = z.infer<typeof need>

/**
 * The logins at remote servers, each sealed for its server and address: a login is not valid for another address in
 * MCP_CONFIG.
 */
export interface LoginStore {
  /** @throws SealBroken if the login cannot be read, above all with a lost or changed SECRETS_KEY */
  load(server: HttpServerConfig): Promise<Login | undefined>
  /** Stores a login, which ends the server's need for one. @throws ConfigError without SECRETS_KEY */
  save(server: HttpServerConfig, login: Login): Promise<void>
  remove(server: HttpServerConfig): Promise<void>
  /** Loads the client that is registered at an authorization server for this server's logins. */
  loadClient(server: HttpServerConfig, issuer: string): Promise<LoginClient | undefined>
  saveClient(server: HttpServerConfig, issuer: string, client: LoginClient): Promise<void>
  removeClient(server: HttpServerConfig, issuer: string): Promise<void>
  /** Notes that a server needs a login. @returns true for the first note in a day, over all processes */
  noteNeed(server: HttpServerConfig, need: LoginNeed): Promise<boolean>
  needOf(server: HttpServerConfig): Promise<LoginNeed | undefined>
  /** Runs one `work` at a time, across all processes. */
  alone<T>(server: HttpServerConfig, work: () => Promise<T>): Promise<T>
}

const DAY_MS = 86_400_000
/**
 * How long one process may renew a login before another may: longer than the request may take (server-auth.ts).
 * Milliseconds.
 */
const LOCK_MS = 20_000

/**
 * Without SECRETS_KEY, stored logins cannot be read, and none can be stored. `clients` holds the registered clients if
 * the logins are a person's, because all people use the same ones.
 */
export function loginStore(store: ValueStore, sealer: Sealer | undefined, clients = store): LoginStore {
  const open = async <T>(key: string, schema: z.ZodType<T>, from = store): Promise<T | undefined> => {
    const sealed = await from.get(key)
    if (typeof sealed !== 'string') return undefined
    if (!sealer) throw new SealBroken('It was stored with a SECRETS_KEY, which is not set now.')
    const read = schema.safeParse(JSON.parse(sealer.open(sealed, key)))
    if (!read.success) throw new SealBroken('It was stored by another version.')
    return read.data
  }
  const put = async (key: string, value: unknown, to = store) => {
    if (!sealer) throw new ConfigError(NO_KEY)
    await to.put(key, sealer.seal(JSON.stringify(value), key))
  }
  return {
    load: (server) => open(loginKey('login', server), login),
    async save(server, value) {
      await put(loginKey('login', server), login.parse(value))
      await store.remove(loginKey('login-need', server))
    },
    remove: async (server) => void (await store.remove(loginKey('login', server))),
    loadClient: (server, issuer) => open(clientKey(server, issuer), client, clients),
    saveClient: (server, issuer, value) => put(clientKey(server, issuer), client.parse(value), clients),
    removeClient: async (server, issuer) => void (await clients.remove(clientKey(server, issuer))),
    noteNeed: (server, value) => store.putIfAbsent(loginKey('login-need', server), value, { ttlMs: DAY_MS }),
    needOf: async (server) => need.safeParse(await store.get(loginKey('login-need', server))).data,
    alone: (server, work) => store.lock(loginKey('login', server), LOCK_MS, work),
  }
}

export const NO_KEY =
  'SECRETS_KEY is missing. It encrypts the logins in Redis. Make one with openssl rand -hex 32, the same for all processes of the bot.'

function loginKey(what: string, server: HttpServerConfig): string {
  return `${what}:${server.name}:${digestOf(server.url)}`
}

function clientKey(server: HttpServerConfig, issuer: string): string {
  return `${loginKey('login-client', server)}:${digestOf(issuer)}`
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
