/**
 * One-use states of OAuth flows. A state is random, bound to the browser by its own cookie, valid once, and stored for
 * ten minutes in a store that all processes share.
 */
import { createHash, randomBytes } from 'node:crypto'
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

interface BrowserStates {
  /** Keeps a value under a new state. @returns the header that binds the state to the browser */
  keep(state: string, value: unknown): Promise<{ 'set-cookie': string }>
  /**
   * Returns a state's value and deletes it. Undefined if the state has expired, was used, or belongs to another
   * browser.
   */
  take(request: IncomingMessage, state: string): Promise<{ value: unknown } | undefined>
  /** Returns the header that removes the cookie of a state. */
  clear(state: string): { 'set-cookie': string }
}

export function browserStates({ store, name, publicUrl, now }: BrowserStatesOptions): BrowserStates {
  const keyOf = (state: string) => `state:${digestOf(state)}`
  const cookieName = (state: string) => `${name}-${digestOf(state).slice(0, 12)}`
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const cookie = (state: string, value: string, maxAge: number) => ({
    'set-cookie': `${cookieName(state)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`,
  })
  return {
    async keep(state, value) {
      await store.put(keyOf(state), { at: now(), value }, { ttlMs: STATE_MS })
      return cookie(state, state, STATE_MS / 1000)
    },
    async take(request, state) {
      if (cookiesOf(request).get(cookieName(state)) !== state) return undefined
      const { at, value }: { at?: unknown; value?: unknown } = Object((await store.get(keyOf(state))) ?? {})
      // `remove` returns true to only one of several concurrent callers.
      const isMine = await store.remove(keyOf(state))
      return isMine && typeof at === 'number' && now() - at <= STATE_MS ? { value } : undefined
    },
    clear: (state) => cookie(state, '', 0),
  }
}

export function newState(): string {
  return randomBytes(32).toString('base64url')
}

export function digestOf(state: string): string {
  return createHash('sha256').update(state).digest('hex').slice(0, 32)
}

export function cookiesOf(request: IncomingMessage): Map<string, string> {
  const pairs = (request.headers.cookie ?? '').split(';').map((one) => one.trim().split('='))
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]))
}
