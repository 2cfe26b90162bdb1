/** The redirects between the bot's pages, Slack and an account's page. */
import type { IncomingMessage } from 'node:http'
import { browserStates } from '../../base/http/oauth-states.ts'
import { redirectTo } from '../../base/http/html-page.ts'
import type { Page } from '../../base/http/server.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Person } from '../../base/place.ts'
import type { Sealer } from '../../base/encryption.ts'
import type { Account } from '../../mcp/login/connectable-account.ts'
import type { PeopleStore } from '../../stores/values/people-store.ts'
import { failedPage } from './connection-page-texts.ts'

/** Proves who a browser belongs to, before an account is connected in it. */
export interface IdentityProof {
  /** @returns the page for the browser, the state that comes back, and what `check` takes: JSON with secrets */
  begin(person: Person, callback: string): { address: URL; state: string; flow: unknown }
  /** @throws ToolError with a sentence if the browser belongs to somebody else */
  check(person: Person, flow: unknown, answer: URLSearchParams): Promise<void>
}

export interface FlowOptions {
  people: PeopleStore
  sealer: Sealer
  log: Log
  /** The address under which people reach the bot, without a slash at the end. */
  publicUrl: string
  /** Milliseconds since the epoch. */
  now(): number
  /** Absent where nobody can sign in with Slack: then only the page before it asks who it is. */
  identity?: IdentityProof | undefined
}

/** A link to connect an account, by the account's name. */
export interface Link {
  person: Person
  account: string
  at: number
}

interface OpenedLink extends Link {
  token: string
}

/** The state stored while the browser is on another site. `proves`: it is at Slack, to show who it belongs to. */
export interface KeptFlow extends OpenedLink {
  flow: unknown
  proves?: true
}

export const CALLBACK = '/connect/callback'

/** Sends the browser to Slack first if its owner is not proven yet, otherwise to the account's page. */
export async function beginFlow(
  opened: OpenedLink,
  account: Account,
  { isProven, cookies, options }: { isProven: boolean; cookies: string[]; options: FlowOptions },
): Promise<Page> {
  const { identity, publicUrl, log, sealer } = options
  const proof = isProven || account.provesIdentity ? undefined : identity
  try {
    const { address, state, flow } = await (proof ?? account).begin(opened.person, `${publicUrl}${CALLBACK}`)
    const kept: KeptFlow = { ...opened, flow, ...(proof ? { proves: true } : {}) }
    const headers = await statesOf(options).keep(state, sealer.seal(JSON.stringify(kept), `flow:${state}`))
    return redirectTo(address.href, { 'set-cookie': [...cookies, headers['set-cookie']] })
  } catch (error) {
    log.warn({ account: account.name, error: messageOf(error) }, 'a person could not begin to log in')
    return failedPage(account.name, error)
  }
}

/** The browser is back from Slack: if it belongs to the owner of the link, it goes on to the account's page. */
export async function goOnAfterProof(
  { flow, ...kept }: KeptFlow,
  account: Account,
  answer: URLSearchParams,
  cookies: string[],
  options: FlowOptions,
): Promise<Page> {
  const { person, token, at } = kept
  try {
    await options.identity?.check(person, flow, answer)
  } catch (error) {
    const { team, user } = person
    options.log.warn(
      { account: account.name, team, user, error: messageOf(error) },
      'a browser belongs to somebody else',
    )
    return failedPage(account.name, error)
  }
  const opened = { person, account: account.name, at, token }
  return beginFlow(opened, account, { isProven: true, cookies, options })
}

/** @returns undefined if the state has expired, was used, or belongs to another browser */
export async function takeFlow(
  request: IncomingMessage,
  state: string,
  options: FlowOptions,
): Promise<{ kept: KeptFlow; cleared: { 'set-cookie': string } } | undefined> {
  const states = statesOf(options)
  const taken = await states.take(request, state)
  if (!taken || typeof taken.value !== 'string') return undefined
  const kept = JSON.parse(options.sealer.open(taken.value, `flow:${state}`)) as KeptFlow
  return { kept, cleared: states.clear(state) }
}

function statesOf({ people: { shared: store }, publicUrl, now }: FlowOptions) {
  return browserStates({ store, publicUrl, now, name: 'thinkaloud-login' })
}
