import { createHash, randomUUID } from 'node:crypto'

/** An answer of the authorization server: a status with JSON, or a redirect. */
export type Reply = { status: number; json: unknown } | { location: string }

/** Its misbehaviour, which can change at any time. */
export interface OAuthMode {
  /** The issuer in its answers. `none` for no issuer. */
  iss?: string
  /** Replaces the state that it received. */
  state?: string
  /** Replaces its authorization endpoint. */
  authorizationEndpoint?: string
  /** The resource of its tokens. Default: the server's address. */
  resource?: string
  /** The target of its token endpoint's redirect. */
  tokenRedirect?: string
  /** The error of the authorization endpoint. */
  denies?: { error: string; error_description: string }
  /** The error of the token endpoint. */
  refuses?: { error: string; error_description: string }
  /** Needs no login. */
  open?: boolean
  /** Does not register clients. */
  closed?: boolean
  /** Issues tokens without a refresh token. */
  unrenewable?: boolean
  /** The lifetime of an access token, in s. */
  expiresIn?: number
  /** The duration of a renewal, in ms. */
  renewalMs?: number
  /** A renewal's answer waits for this. */
  holdsRenewal?: () => Promise<void>
}

interface Client {
  client_id: string
  client_secret?: string
  redirect_uris: string[]
}

interface Family {
  client: string
  /** The only valid refresh token. Use of an earlier one ends the login. */
  refresh: string | undefined
  access: Set<string>
  isOver: boolean
}

export interface AuthorizationServer {
  mode: OAuthMode
  /** Every token and code that was issued. */
  given: string[]
  counts: { registered: number; exchanged: number; renewed: number; reused: number; revoked: number }
  /** Adds a client, as if it was registered by hand. */
  addClient(client: Client): void
  isGood(accessToken: string): boolean
  /** Expires access tokens. Refresh tokens stay valid. */
  expire(): void
  /** RFC 7009. */
  revokeToken(form: URLSearchParams): Reply
  /** Ends all tokens. */
  revoke(): void
  metadata(): Record<string, unknown>
  register(body: unknown): Reply
  authorize(query: URLSearchParams): Reply
  token(form: URLSearchParams, authorization: string | undefined): Reply
}

/**
 * An authorization server of OAuth 2.1: PKCE (only S256), `resource` (RFC 8707) required and compared, `iss` in its
 * answers (RFC 9207), registration (RFC 7591), and refresh tokens that rotate and end the login if one is used twice
 * (RFC 9700, 4.14).
 */
export function authorizationServer(issuer: string, resource: string): AuthorizationServer {
  const clients = new Map<string, Client>()
  const codes = new Map<string, { client: string; challenge: string; redirect: string }>()
  const families: Family[] = []
  const mode: OAuthMode = {}
  const [given, counts] = [[] as string[], { registered: 0, exchanged: 0, renewed: 0, reused: 0, revoked: 0 }]
  const issue = (name: string) => {
    const value = `${name}-${randomUUID()}`
    given.push(value)
    return value
  }
  const no = (error: string, status = 400): Reply => ({ status, json: { error } })

  const tokensFor = (family: Family): Reply => {
    const access = issue('access')
    family.access.add(access)
    family.refresh = mode.unrenewable ? undefined : issue('refresh')
    const json = {
      access_token: access,
      token_type: 'Bearer',
      expires_in: mode.expiresIn,
      refresh_token: family.refresh,
    }
    return { status: 200, json }
  }

  const exchange = (form: URLSearchParams): Reply => {
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (code?.client !== form.get('client_id') || code?.challenge !== challenge) return no('invalid_grant')
    if (code.redirect !== form.get('redirect_uri')) return no('invalid_grant')
    counts.exchanged += 1
    const family = { client: code.client, refresh: undefined, access: new Set<string>(), isOver: false }
    families.push(family)
    return tokensFor(family)
  }

  const renew = (form: URLSearchParams): Reply => {
    const token = form.get('refresh_token') ?? ''
    const family = families.find((one) => one.refresh === token && one.client === form.get('client_id'))
    if (!family && given.includes(token)) {
      counts.reused += 1
      for (const one of families) one.isOver = true
    }
    if (!family || family.isOver) return no('invalid_grant')
    counts.renewed += 1
    family.access.clear()
    return tokensFor(family)
  }

  return {
    mode,
    given,
    counts,
    addClient: (client) => void clients.set(client.client_id, client),
    isGood: (access) => mode.open === true || families.some((family) => !family.isOver && family.access.has(access)),
    expire: () => families.forEach((family) => family.access.clear()),
    revoke: () => families.forEach((family) => (family.isOver = true)),
    revokeToken(form) {
      const token = form.get('token') ?? ''
      const family = families.find((one) => one.refresh === token || one.access.has(token))
      if (family && !family.isOver) counts.revoked += 1
      if (family) family.isOver = true
      return { status: 200, json: {} }
    },
    metadata: () => ({
      issuer,
      authorization_endpoint: mode.authorizationEndpoint ?? `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      ...(mode.closed ? {} : { registration_endpoint: `${issuer}/register` }),
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
    }),
    register(body) {
      const { redirect_uris } = body as { redirect_uris: string[] }
      const client = { client_id: randomUUID(), redirect_uris }
      counts.registered += 1
      clients.set(client.client_id, client)
      return { status: 201, json: { ...client, token_endpoint_auth_method: 'none' } }
    },
    authorize(query) {
      const [client, redirect] = [clients.get(query.get('client_id') ?? ''), query.get('redirect_uri') ?? '']
      if (!client?.redirect_uris.some((one) => one === redirect || one === 'http://127.0.0.1'))
        return no('invalid_request')
      if (query.get('code_challenge_method') !== 'S256' || query.get('resource') !== resource)
        return no('invalid_request')
      const back = new URL(redirect)
      back.searchParams.set('state', mode.state ?? query.get('state') ?? '')
      if (mode.iss !== 'none') back.searchParams.set('iss', mode.iss ?? issuer)
      if (mode.denies) for (const [name, value] of Object.entries(mode.denies)) back.searchParams.set(name, value)
      else back.searchParams.set('code', codeFor(client, query))
      return { location: back.href }
    },
    token(form, authorization) {
      if (mode.tokenRedirect) return { location: mode.tokenRedirect }
      if (mode.refuses) return { status: 400, json: mode.refuses }
      const [id = '', secret] = authorization?.startsWith('Basic ')
        ? Buffer.from(authorization.slice(6), 'base64').toString().split(':')
        : [form.get('client_id') ?? '']
      const client = clients.get(id)
      if (!client || client.client_secret !== secret) return no('invalid_client', 401)
      form.set('client_id', id)
      if (form.get('resource') !== resource) return no('invalid_target')
      return form.get('grant_type') === 'refresh_token' ? renew(form) : exchange(form)
    },
  }

  function codeFor(client: Client, query: URLSearchParams): string {
    const code = issue('code')
    const challenge = query.get('code_challenge') ?? ''
    codes.set(code, { client: client.client_id, challenge, redirect: query.get('redirect_uri') ?? '' })
    return code
  }
}
