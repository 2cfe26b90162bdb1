/**
 * `GET /slack/install` and `GET /slack/oauth_redirect`: a workspace or an organisation installs the distributed app.
 * The state is one of `signedStates`. Anybody may open both, so each process serves a bounded number a minute.
 */
import type { IncomingMessage } from 'node:http'
import { inTime } from '../../base/async.ts'
import { signedStates } from '../../base/http/oauth-states.ts'
import { messageOf } from '../../base/errors.ts'
import { oncePerMinute } from '../../base/log.ts'
import { htmlPage as page, onlyGet, queryOf, redirectTo, type PageText } from '../../base/http/html-page.ts'
import type { Page, Pages } from '../../base/http/server.ts'
import type { InstallationRecord } from '../../stores/installations/types.ts'
import { refusalCode } from '../client/slack-errors.ts'
import { installApp, redirectUri, type InstallOptions } from './install-app.ts'

const INSTALL_PATH = '/slack/install'
/** How long a browser waits for Slack. The exchange goes on behind the page. Milliseconds. */
const PAGE_MS = 4_000

/** The pages by their paths. */
export function installPages(options: InstallOptions): Pages {
  const starts = perMinute(STARTS_A_MINUTE, options)
  const ends = perMinute(ENDS_A_MINUTE, options)
  const isDue = oncePerMinute(options.now)
  /** Anybody may come back with a code that Slack refuses. */
  const onFailure = (error: unknown) => {
    if (isDue('failed') !== undefined)
      options.log.warn({ error: messageOf(error) }, 'an installation could not be finished')
  }
  return {
    [INSTALL_PATH]: onlyGet(async () => (starts() ? startInstall(options) : busyPage(options))),
    '/slack/oauth_redirect': onlyGet(async (request) =>
      ends() ? finishInstall(request, options, onFailure) : busyPage(options),
    ),
  }
}

/**
 * The most requests a minute of each page. Finishing calls `oauth.v2.access`, which Slack limits and which also renews
 * tokens.
 */
const STARTS_A_MINUTE = 600
const ENDS_A_MINUTE = 60

/** Returns a function that says whether one more request fits into this minute, and logs a full one once. */
function perMinute(max: number, { now, log }: InstallOptions): () => boolean {
  let minute = 0
  let count = 0
  return () => {
    const current = Math.floor(now() / 60_000)
    count = current === minute ? count + 1 : 1
    minute = current
    if (count === max + 1) log.warn({ max }, 'too many requests for the install pages within a minute: refused')
    return count <= max
  }
}

function statesOf({ stores: { shared: store }, publicUrl, now, clientSecret: secret }: InstallOptions) {
  return signedStates({ store, publicUrl, now, secret, name: 'slack-install' })
}

function startInstall(options: InstallOptions): Page {
  const { clientId, scopes, apiUrl } = options
  const { state, headers } = statesOf(options).begin()
  const authorize = new URL('/oauth/v2/authorize', apiUrl)
  const asked = { client_id: clientId, scope: scopes.join(','), redirect_uri: redirectUri(options), state }
  for (const [name, value] of Object.entries(asked)) authorize.searchParams.set(name, value)
  return redirectTo(authorize.href, headers)
}

type OnFailure = (error: unknown) => void

async function finishInstall(request: IncomingMessage, options: InstallOptions, onFailure: OnFailure): Promise<Page> {
  const query = queryOf(request)
  const [code, state] = [query.get('code'), query.get('state')]
  if (query.has('error')) return refusedPage(options)
  // Slack's own install buttons send no state, or an empty one.
  if (code !== null && !state) return redirectTo(pathOf(options))
  if (code === null || state === null) return expiredPage(options)
  const states = statesOf(options)
  if (!(await states.take(request, state))) return expiredPage(options)
  const exchange = finished(code, options, onFailure)
  const done = (await inTime(options.pageMs ?? PAGE_MS, exchange, undefined)) ?? slowPage(options)
  return { ...done, headers: { ...done.headers, ...states.clear(state) } }
}

async function finished(code: string, options: InstallOptions, onFailure: OnFailure): Promise<Page> {
  try {
    const record = await installApp(code, options)
    return record ? installedPage(record, options) : notAllowedPage()
  } catch (error) {
    onFailure(error)
    return failedPage(options, refusalCode(error))
  }
}

/** The path of the install page as a browser sees it: PUBLIC_URL may have its own path. */
function pathOf({ publicUrl }: InstallOptions): string {
  return `${new URL(publicUrl).pathname.replace(/\/$/, '')}${INSTALL_PATH}`
}

function installedPage({ id, name, appId, isOrgWide }: InstallationRecord, { apiUrl }: InstallOptions): Page {
  if (isOrgWide)
    return page(200, {
      title: 'Installed',
      text: `Thinkaloud is installed in the organisation ${name}. It is not in any workspace yet: add it where people should use it.`,
      link: {
        label: 'Add it to workspaces',
        href: `https://app.slack.com/manage/${id}/integrations/profile/${appId}/workspaces/add`,
      },
    })
  return page(200, {
    title: 'Installed',
    text: `Thinkaloud is installed in ${name}. Open Slack and ask it something: mention it in a channel, or send it a direct message.`,
    link: { label: 'Open Slack', href: new URL(`/app_redirect?app=${appId}&team=${id}`, apiUrl).href },
  })
}

function refusedPage(options: InstallOptions): Page {
  return page(200, {
    title: 'Not installed',
    text: 'The installation was cancelled in Slack, so nothing has changed. You can start again at any time.',
    link: again(options),
  })
}

function expiredPage(options: InstallOptions): Page {
  return page(400, {
    title: 'Please start again',
    text: 'This installation link has expired, was already used, or was opened in another browser. Please start again.',
    link: again(options),
  })
}

function busyPage(options: InstallOptions): Page {
  return page(429, {
    title: 'Please wait a minute',
    text: 'Too many installations were started at the same time. Please start again in a minute.',
    link: again(options),
  })
}

function notAllowedPage(): Page {
  return page(403, {
    title: 'Not allowed',
    text: 'This workspace is not allowed to install Thinkaloud. Nothing was stored. Ask the person who runs it to allow your workspace.',
  })
}

function failedPage(options: InstallOptions, code: string | undefined): Page {
  const text = code
    ? `Slack refused the installation (${code}). Please start again. If that does not help, ask the person who runs Thinkaloud.`
    : 'Slack could not be reached, so the installation is not finished. Please start again in a minute.'
  return page(code ? 400 : 503, { title: 'Not installed', text, link: again(options) })
}

function slowPage(options: InstallOptions): Page {
  return page(503, {
    title: 'Not installed yet',
    text: 'Slack has not answered yet. If it answers later, Thinkaloud appears in your workspace. If it is not there in a minute, please start again.',
    link: again(options),
  })
}

function again(options: InstallOptions): NonNullable<PageText['link']> {
  return { label: 'Start again', href: pathOf(options) }
}
