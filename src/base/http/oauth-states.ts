/**
 * One-use states of OAuth flows. A state is random, bound to the browser by its own cookie, valid once, and stored for
 * ten minutes in a store that all processes share.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** How long a person has to finish, in milliseconds. */
export const STATE_MS = 10 * 60_000

interface BrowserStatesOptions {
  store: {
    get(key: string): Promise<unknown>
    put(key: string, value: unknown, options: { ttlMs: number }): Promise<void>
    remove(key: string): Promise<boolean>
  }
  /** The prefix of the cookies' names. */
  name: string
  publicUrl: string
  /** Milliseconds since the epoch. */
  now(): number
}

/** A signed state begins with its time in milliseconds (6 bytes) and a nonce. */
const HEAD_BYTES = 16
const NONCE_BYTES = 10

interface SignedStatesOptions extends Omit<BrowserStatesOptions, 'store'> {
  store: { putIfAbsent(key: string, value: unknown, options: { ttlMs: number }): Promise<boolean> }
  /** Signs the states. */
  secret: string
}

/**
 * States for a flow that anybody may begin: the state itself holds its time, signed, and only a used one is stored. So
 * a stranger who begins many flows fills no store.
 */
export function signedStates({ store, secret, name, publicUrl, now }: SignedStatesOptions) {
  const { cookie, cookieName } = cookiesFor(name, publicUrl)
  const signed = (head: Buffer) => createHmac('sha256', secret).update(name).update(head).digest().subarray(0, 16)
  return {
    begin(): { state: string; headers: { 'set-cookie': string } } {
      const head = Buffer.concat([Buffer.alloc(HEAD_BYTES - NONCE_BYTES), randomBytes(NONCE_BYTES)])
      head.writeUIntBE(now(), 0, HEAD_BYTES - NONCE_BYTES)
      const state = Buffer.concat([head, signed(head)]).toString('base64url')
      return { state, headers: cookie(state, state, STATE_MS / 1000) }
    },
    /** Returns whether the browser began this flow in the last ten minutes, and has not finished it. */
    async take(request: IncomingMessage, state: string): Promise<boolean> {
      const bytes = Buffer.from(state, 'base64url')
      const head = bytes.subarray(0, HEAD_BYTES)
      if (bytes.length !== HEAD_BYTES + 16 || !timingSafeEqual(bytes.subarray(HEAD_BYTES), signed(head))) return false
      const isOwn = cookiesOf(request).get(cookieName(state)) === state
      if (!isOwn || now() - head.readUIntBE(0, HEAD_BYTES - NONCE_BYTES) > STATE_MS) return false
      return store.putIfAbsent(`used:${digestOf(state)}`, now(), { ttlMs: STATE_MS })
    },
    clear: (state: string) => cookie(state, '', 0),
  }
}

function cookiesFor(name: string, publicUrl: string) {
  const { prefix, secure } = cookieRules(publicUrl)
  const cookieName = (state: string) => `${prefix}${name}-${digestOf(state).slice(0, 12)}`
  const cookie = (state: string, value: string, maxAge: number) => ({
    'set-cookie': `${cookieName(state)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`,
  })
  return { cookieName, cookie }
}

export function browserStates({ store, name, publicUrl, now }: BrowserStatesOptions) {
  const keyOf = (state: string) => `state:${digestOf(state)}`
  const { cookieName, cookie } = cookiesFor(name, publicUrl)
  return {
    /** Keeps a value under a new state. @returns the header that binds the state to the browser */
    async keep(state: string, value: unknown) {
      await store.put(keyOf(state), { at: now(), value }, { ttlMs: STATE_MS })
      return cookie(state, state, STATE_MS / 1000)
    },
    /** Returns a state's value and deletes it. Undefined if it has expired, was used, or belongs to another browser. */
    async take(request: IncomingMessage, state: string): Promise<{ value: unknown } | undefined> {
      if (cookiesOf(request).get(cookieName(state)) !== state) return undefined
      const { at, value }: { at?: unknown; value?: unknown } = Object((await store.get(keyOf(state))) ?? {})
      // `remove` returns true to only one of several concurrent callers.
      const isMine = await store.remove(keyOf(state))
      return isMine && typeof at === 'number' && now() - at <= STATE_MS ? { value } : undefined
    },
    /** Returns the header that removes the cookie of a state. */
    clear: (state: string) => cookie(state, '', 0),
  }
}

/**
 * Over https a cookie's name begins with `__Host-`: browsers accept such a cookie from this host alone, so that no
 * sibling domain can set one.
 */
export function cookieRules(publicUrl: string): { prefix: string; secure: string } {
  return /^https:/i.test(publicUrl) ? { prefix: '__Host-', secure: '; Secure' } : { prefix: '', secure: '' }
}

export function newState(): string {
  return randomBytes(32).toString('base64url')
}

export function digestOf(state: string): string {
  return createHash('sha256').update(state).digest('hex').slice(0, 32)
}

/**
 * Returns a request's cookies. Only spaces and tabs are trimmed: browsers let a sibling domain set a cookie whose name
 * begins with another blank before `__Host-`.
 */
export function cookiesOf(request: IncomingMessage): Map<string, string> {
  const pairs = (request.headers.cookie ?? '').split(';').map((one) => one.replace(/^[ \t]+/, '').split('='))
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]))
}
