/** The pages that a browser shows while a person connects an account. */
import { ToolError } from '../../base/errors.ts'
import { htmlPage } from '../../base/http/html-page.ts'
import type { Page } from '../../base/http/server.ts'

/** Whose account is connected. Names can be copied; the other fields cannot be chosen by the person. */
export interface Connecting {
  name: string
  workspace: string
  id?: string
  /** The address of their profile in Slack. */
  profile?: string | undefined
  hasNamesake?: boolean
}

/**
 * Returns the page that names whose account is connected, before anything is. Otherwise a person who follows somebody
 * else's link would give them access to the account.
 */
export function confirmPage(account: string, who: Connecting, { yes, no }: { yes: string; no: string }): Page {
  const { name, workspace, id, profile, hasNamesake = false } = who
  const careful = hasNamesake ? ` Careful: somebody else in this workspace is called ${name} too.` : ''
  const idWords = id === undefined ? '' : ` (member ID ${id})`
  return htmlPage(200, {
    title: `Connect ${account}`,
    text: `This connects ${account} for ${name} in ${workspace} on Slack${idWords}: I will use it when this person asks me.${careful} Names can be copied, so check that the member ID or the profile is yours. If somebody else sent you this link, do not continue.`,
    ...(profile === undefined ? {} : { look: { label: `See whose profile it is`, href: profile } }),
    link: { label: `I am ${name}: continue`, href: yes },
    other: { label: 'This is not me', href: no },
  })
}

const page = (status: number, title: string, text: string): Page => htmlPage(status, { title, text })

export const notMePage = (account: string) =>
  page(200, 'Not connected', `${account} is not connected, and the link does not work any more.`)

export const connectedPage = (name: string) =>
  page(
    200,
    'Connected',
    `${name} is connected. You can close this page and return to Slack: if I was waiting for this, I will continue.`,
  )

export const refusedPage = (name: string) =>
  page(200, 'Not connected', `You did not allow it, so ${name} is not connected and nothing has changed. ${AGAIN}`)

export const expiredPage = () =>
  page(400, 'Please start again', `This link has expired, was already used, or belongs to another browser. ${AGAIN}`)

export const otherBrowserPage = () =>
  page(
    403,
    'Please start again',
    `This link was already opened in another browser. It works in the first one only. ${AGAIN}`,
  )

export const slowPage = (name: string) =>
  page(
    503,
    'Not connected yet',
    `${name} has not answered yet. If it answers later, it will be connected: look at /ask connections in Slack in a minute.`,
  )

export function unansweredPage(name: string): Page {
  return htmlPage(503, {
    title: 'Not connected yet',
    text: `The other side has not answered in time, so ${name} is not connected. ${AGAIN}`,
  })
}

/**
 * Errors of our own are sentences for people. Other errors are not shown. An answer that is refused, such as one of
 * another authorization server, is the request's fault and not a gateway's.
 */
export function failedPage(name: string, error: unknown): Page {
  const isOurs = error instanceof ToolError
  const why = isOurs ? error.message : 'Something went wrong on my side.'
  return page(isOurs && !error.isDown ? 400 : 502, 'Not connected', `${name} is not connected. ${why} ${AGAIN}`)
}

const AGAIN = 'For a new link, type /ask connections in Slack.'
