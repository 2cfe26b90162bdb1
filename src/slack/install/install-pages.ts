/**
 * `GET /slack/install` and `GET /slack/oauth_redirect`: how a workspace or an organisation installs the distributed app. A
 * state is random, bound to the browser by a cookie of its own name, stored for ten minutes, and valid once.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { messageOf } from '../../base/errors.ts'
import type { Page, Pages } from '../../base/http/server.ts'
import type { InstallationRecord } from '../../stores/installations/types.ts'
import { refusalCode } from '../client/slack-errors.ts'
import { installApp, redirectUri, type InstallOptions } from './install-app.ts'

const INSTALL_PATH = '/slack/install'
const STATE_MS = 10 * 60_000

/** The pages by their paths. */
export function installPages(options: InstallOptions): Pages {
  return {
    [INSTALL_PATH]: onlyGet(() => startInstall(options)),
    '/slack/oauth_redirect': onlyGet((request) => finishInstall(request, options)),
  }
}

/** A HEAD, as link previews send it, must not use up a code. */
function onlyGet(page: (request: IncomingMessage) => Promise<Page>): Pages[string] {
  return (request) => (request.method === 'GET' ? page(request) : { status: 405, headers: { allow: 'GET' }, body: '' })
}

async function startInstall(options: InstallOptions): Promise<Page> {
  const { clientId, scopes, apiUrl, stores, now } = options
  const state = randomBytes(32).toString('base64url')
  await stores.shared.put(stateKey(state), now(), { ttlMs: STATE_MS })
  const authorize = new URL('/oauth/v2/authorize', apiUrl)
  const asked = { client_id: clientId, scope: scopes.join(','), redirect_uri: redirectUri(options), state }
  for (const [name, value] of Object.entries(asked)) authorize.searchParams.set(name, value)
  return redirect(authorize.href, { 'set-cookie': cookie(state, { options, maxAge: STATE_MS / 1000 }) })
}

async function finishInstall(request: IncomingMessage, options: InstallOptions): Promise<Page> {
  const query = new URLSearchParams(request.url?.split('?', 2)[1] ?? '')
  const [code, state] = [query.get('code'), query.get('state')]
  if (query.has('error')) return refusedPage(options)
  // Slack's own install buttons send no state.
  if (code !== null && state === null) return redirect(pathOf(options))
  if (code === null || state === null || !isBound(request, state)) return expiredPage(options)
  if (!(await useUp(state, options))) return expiredPage(options)
  const done = await finished(code, options)
  return { ...done, headers: { ...done.headers, 'set-cookie': cookie('', { options, of: state, maxAge: 0 }) } }
}

/** Removes a state. @returns whether it was there, and no older than ten minutes; of several callers only one is told so */
async function useUp(state: string, { stores: { shared }, now }: InstallOptions): Promise<boolean> {
  const begunAt = await shared.get(stateKey(state))
  const isMine = await shared.remove(stateKey(state))
  return isMine && typeof begunAt === 'number' && now() - begunAt <= STATE_MS
}

async function finished(code: string, options: InstallOptions): Promise<Page> {
  try {
    const record = await installApp(code, options)
    return record ? installedPage(record) : notAllowedPage()
  } catch (error) {
    options.log.warn({ error: messageOf(error) }, 'an installation could not be finished')
    return failedPage(options, refusalCode(error))
  }
}

const stateKey = (state: string) => `state:${digestOf(state)}`

const digestOf = (state: string) => createHash('sha256').update(state).digest('hex').slice(0, 32)

/** Each state has a cookie of its own, so that a second tab does not spoil the first. */
const cookieName = (state: string) => `slack-install-${digestOf(state).slice(0, 12)}`

function cookie(
  value: string,
  { options, of = value, maxAge }: { options: InstallOptions; of?: string; maxAge: number },
): string {
  const secure = options.publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(of)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
}

function isBound(request: IncomingMessage, state: string): boolean {
  const cookies = (request.headers.cookie ?? '').split(';').map((one) => one.trim())
  return cookies.includes(`${cookieName(state)}=${state}`)
}

/** The path of the install page as a browser knows it: PUBLIC_URL may have one of its own. */
function pathOf({ publicUrl }: InstallOptions): string {
  return `${new URL(publicUrl).pathname.replace(/\/$/, '')}${INSTALL_PATH}`
}

function redirect(location: string, headers: Record<string, string> = {}): Page {
  return { status: 302, headers: { location, ...headers }, body: '' }
}

interface Link {
  label: string
  href: string
}

function installedPage({ id, name, appId, isOrgWide }: InstallationRecord): Page {
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
    link: { label: 'Open Slack', href: `https://slack.com/app_redirect?app=${appId}&team=${id}` },
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

function notAllowedPage(): Page {
  return page(403, {
    title: 'Not allowed',
    text: 'This workspace is not allowed to install Thinkaloud. Nothing was stored. Ask whoever runs it to allow your workspace.',
  })
}

function failedPage(options: InstallOptions, code: string | undefined): Page {
  const text = code
    ? `Slack refused the installation (${code}). Please start again. If that does not help, ask whoever runs Thinkaloud.`
    : 'Slack could not be reached, so the installation is not finished. Please start again in a minute.'
  return page(code ? 400 : 503, { title: 'Not installed', text, link: again(options) })
}

function again(options: InstallOptions): Link {
  return { label: 'Start again', href: pathOf(options) }
}

const STYLE =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}a{display:inline-block;padding:.3rem 0}'

function page(status: number, { title, text, link }: { title: string; text: string; link?: Link }): Page {
  const anchor = link ? `<p><a href="${escaped(link.href)}">${escaped(link.label)}</a></p>` : ''
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`
  const body = `<!doctype html><html lang="en"><head>${head}<title>${escaped(title)}</title><style>${STYLE}</style></head><body><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p>${anchor}</main></body></html>\n`
  return { status, type: 'text/html; charset=utf-8', headers: SAFE, body }
}

/** The pages load nothing, and their address, which holds a code, is told to nobody. */
const SAFE = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
}
