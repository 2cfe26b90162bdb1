/** Connects people's own accounts: sends links for their browsers, and resumes the runs that wait for a login. */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { cookieRules, cookiesOf, digestOf, newState, STATE_MS } from '../../base/http/oauth-states.ts'
import { onlyGet, queryOf } from '../../base/http/html-page.ts'
import type { Page, Pages } from '../../base/http/server.ts'
import { inTime, settledWithin } from '../../base/async.ts'
import { ConfigError, messageOf } from '../../base/errors.ts'
import type { Person } from '../../base/place.ts'
import { sealerFrom } from '../../base/encryption.ts'
import type { Config } from '../../config.ts'
import type { Account } from '../../mcp/login/connectable-account.ts'
import {
  confirmPage,
  connectedPage,
  expiredPage,
  failedPage,
  notMePage,
  otherBrowserPage,
  refusedPage,
  slowPage,
  unansweredPage,
  type Connecting,
} from './connection-page-texts.ts'
import {
  beginFlow,
  CALLBACK,
  goOnAfterProof,
  takeFlow,
  type FlowOptions,
  type KeptFlow,
  type Link,
} from './login-flow.ts'
import { addWaiting, resumeAllWaiting, resumeWaiting, type WaitingStep } from './waiting-logins.ts'
import { personKey } from '../../stores/values/people-store.ts'
import type { RunControl } from '../../stores/runs/run-control.ts'

export interface Connections {
  accounts: readonly Account[]
  /**
   * Returns the address of a page on which this person connects an account. It works for ten minutes, in the first
   * browser that opens it.
   */
  link(person: Person, account: string): Promise<string>
  /**
   * Resumes a step once its asker has connected the account, or at once if they have already. @returns whether it has
   * to wait
   */
  wait(person: Person, account: string, step: WaitingStep): Promise<boolean>
  /** Resumes the steps that a process left waiting when it ended between their login and their resumption. */
  resumeLeft(): Promise<void>
  /**
   * Deletes the logins of a person, or of everybody in a team, and revokes them if possible. Waits a moment at most,
   * and never rejects.
   */
  end(of: { team: string; user?: string }): Promise<void>
  /** The pages by their paths. */
  pages: Pages
}

interface ConnectionsOptions extends FlowOptions {
  accounts: readonly Account[]
  control: RunControl
  /** Returns the names of a person and their workspace. */
  whoIs(person: Person): Promise<Connecting>
  /** How long a page waits for the end of a login, if not four seconds. Milliseconds. */
  pageMs?: number | undefined
}

/** How long a link works. Milliseconds. */
export const LINK_MS = STATE_MS

const PATH = '/connect'

/**
 * Opens the accounts that the settings allow; the others are undefined. Undefined if there is nothing to connect, or no
 * way to.
 */
export function openConnections(
  config: Config,
  some: readonly (Account | undefined)[],
  services: Omit<ConnectionsOptions, 'accounts' | 'sealer' | 'publicUrl'>,
): Connections | undefined {
  const sealer = sealerFrom(config)
  const accounts = some.filter((one) => one !== undefined)
  const duplicate = accounts.find(({ name }, i) => findAccount(accounts, name) !== accounts[i])
  if (duplicate) throw new ConfigError(`MCP_CONFIG: a server that people log in to may not be named ${duplicate.name}.`)
  if (accounts.length === 0 || !sealer || config.PUBLIC_URL === undefined) return undefined
  return createConnections({ ...services, accounts, sealer, publicUrl: config.PUBLIC_URL.replace(/\/+$/, '') })
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { accounts, people, publicUrl, now } = options
  const { shared } = people
  return {
    accounts,
    async link({ team, user }, account) {
      const person = { team, user }
      const token = newState()
      await shared.put(linkKey(token), { person, account, at: now() } satisfies Link, { ttlMs: STATE_MS })
      await people.of(personKey(person)).put(linkKey(token), now(), { ttlMs: STATE_MS })
      return `${publicUrl}${PATH}?link=${token}`
    },
    async wait(person, account, step) {
      await addWaiting({ person, account }, step, people)
      // The login may have finished before the step was noted.
      if (!(await findAccount(accounts, account)?.look(person))) return true
      await resumeWaiting({ person, account }, options)
      return false
    },
    resumeLeft: () => resumeAllWaiting(accounts, options),
    async end({ team, user }) {
      await settledWithin(END_MS, [endLogins({ team, user }, options)])
    },
    pages: {
      [PATH]: onlyGet((request) => openLink(request, options)),
      [CALLBACK]: onlyGet((request) => handleCallback(request, options)),
    },
  }
}

/** How long the end of logins is waited for. Slack waits three seconds for an ack. Milliseconds. */
const END_MS = 1_500
const AT_ONCE = 10

/**
 * Deletes the logins of a person, or of everybody in a team, and then revokes them if possible. Revoking many takes
 * long, and meanwhile the caller may delete the rest of them.
 */
export async function endLogins(
  { team, user }: { team: string; user?: string | undefined },
  { accounts, people, log }: Pick<ConnectionsOptions, 'accounts' | 'people' | 'log'>,
): Promise<void> {
  const persons = user === undefined ? await people.list(team) : [{ team, user }]
  const deleting = persons.flatMap((person) => accounts.map((account) => account.disconnect(person)))
  const revocations: (() => Promise<void>)[] = []
  for (const result of await Promise.allSettled(deleting))
    if (result.status === 'fulfilled') revocations.push(result.value)
    else log.warn({ error: messageOf(result.reason) }, 'a login could not be deleted')
  for (let i = 0; i < revocations.length; i += AT_ONCE)
    await Promise.all(revocations.slice(i, i + AT_ONCE).map((revoke) => revoke()))
}

const linkKey = (token: string) => `link:${digestOf(token)}`
const LINK_COOKIE = 'thinkaloud-connect'

async function linkOf(token: string, { people, now }: ConnectionsOptions): Promise<Link | undefined> {
  const link = (await people.shared.get(linkKey(token))) as Link | undefined
  return link && now() - link.at <= STATE_MS ? link : undefined
}

function findAccount(accounts: readonly Account[], name: string): Account | undefined {
  return accounts.find((one) => one.name === name)
}

/** Binds a link to the browser, asks whose it is, and redirects to Slack or to the account's page. */
async function openLink(request: IncomingMessage, options: ConnectionsOptions): Promise<Page> {
  const { accounts } = options
  const token = queryOf(request).get('link') ?? ''
  const link = await linkOf(token, options)
  const account = link && findAccount(accounts, link.account)
  if (!link || !account) return expiredPage()
  const bound = await bindBrowser(request, token, options)
  if (!bound) return otherBrowserPage()
  const choice = queryOf(request).get('choice')
  if (choice === bound.no) return endLink(link, token, options)
  if (choice !== bound.yes) return askWhoConnects(link, token, bound, options)
  const begun = beginFlow({ ...link, token }, account, { isProven: false, cookies: [bound.cookie], options })
  return (await inTime(options.pageMs ?? PAGE_MS, begun, undefined)) ?? unansweredPage(account.name)
}

/** The browser that opened a link. Its choices are secrets, so no other page can make them for the person. */
interface BoundBrowser {
  cookie: string
  yes: string
  no: string
}

async function askWhoConnects(
  { person, account }: Link,
  token: string,
  bound: BoundBrowser,
  options: ConnectionsOptions,
): Promise<Page> {
  const { cookie, yes, no } = bound
  const to = (choice: string) => `${options.publicUrl}${PATH}?link=${encodeURIComponent(token)}&choice=${choice}`
  const page = confirmPage(account, await options.whoIs(person), { yes: to(yes), no: to(no) })
  return { ...page, headers: { ...page.headers, 'set-cookie': cookie } }
}

async function endLink({ person, account }: Link, token: string, { people, log }: ConnectionsOptions): Promise<Page> {
  await people.shared.remove(linkKey(token))
  log.warn({ account, team: person.team, user: person.user }, 'a link to connect an account reached somebody else')
  return notMePage(account)
}

/** @returns undefined in another browser than the first */
async function bindBrowser(
  request: IncomingMessage,
  token: string,
  { people, publicUrl }: ConnectionsOptions,
): Promise<BoundBrowser | undefined> {
  const { prefix, secure } = cookieRules(publicUrl)
  const name = `${prefix}${LINK_COOKIE}-${digestOf(token).slice(0, 12)}`
  const has = cookiesOf(request).get(name)
  const browser = has ?? newState()
  const key = `browser:${digestOf(token)}`
  const isFirst = await people.shared.putIfAbsent(key, hashOf(browser), { ttlMs: STATE_MS })
  if (!isFirst && (await people.shared.get(key)) !== hashOf(browser)) return undefined
  const cookie = `${name}=${browser}; Path=/; Max-Age=${STATE_MS / 1000}; HttpOnly; SameSite=Lax${secure}`
  return { cookie, yes: hashOf(`yes ${browser}`), no: hashOf(`no ${browser}`) }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** How long a browser waits for the end of a login, which goes on behind the page. Milliseconds. */
const PAGE_MS = 4_000
/** Longer than the end of a login may take. Milliseconds. */
const FINISH_MS = 60_000

async function handleCallback(request: IncomingMessage, options: ConnectionsOptions): Promise<Page> {
  const { accounts, people, pageMs = PAGE_MS } = options
  const answer = queryOf(request)
  const taken = await takeFlow(request, answer.get('state') ?? '', options)
  if (!taken) return expiredPage()
  const { kept, cleared } = taken
  const account = findAccount(accounts, kept.account)
  if (!account) return expiredPage()
  const ended = (page: Page): Page => ({ ...page, headers: { ...page.headers, ...cleared } })
  if (answer.get('error') === 'access_denied') return ended(refusedPage(kept.account))
  const cookies = [cleared['set-cookie']]
  if (kept.proves) {
    if (!(await linkOf(kept.token, options))) return ended(expiredPage())
    const proven = goOnAfterProof(kept, account, answer, cookies, options)
    return (await inTime(pageMs, proven, undefined)) ?? ended(unansweredPage(account.name))
  }
  // A link connects once, even if it was opened several times.
  const finish = () => finishLink(kept, account, answer, options)
  const finished = people.shared.lock(linkKey(kept.token), FINISH_MS, finish)
  return ended((await inTime(pageMs, finished, undefined)) ?? slowPage(kept.account))
}

async function finishLink(
  { person, account: name, token, flow }: KeptFlow,
  account: Account,
  answer: URLSearchParams,
  options: ConnectionsOptions,
): Promise<Page> {
  const { people, log } = options
  if (!(await linkOf(token, options))) return expiredPage()
  try {
    await account.finish(person, flow, answer)
  } catch (error) {
    log.warn({ account: name, error: messageOf(error) }, 'a person could not log in')
    return failedPage(name, error)
  }
  await people.shared.remove(linkKey(token))
  // If the person was forgotten in the meantime, their own note of the link is gone, and nothing is connected.
  if (!(await people.of(personKey(person)).remove(linkKey(token)))) {
    const revoke = await account.disconnect(person)
    await revoke()
    return expiredPage()
  }
  log.info({ account: name, team: person.team, user: person.user }, 'a person has connected an account')
  await resumeWaiting({ person, account: name }, options)
  return connectedPage(name)
}
