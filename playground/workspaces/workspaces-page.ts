/** Slack's own pages on a distributed app: its installations, the consent to an installation, and its removal. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../base/loopback-server.ts'
import { envelope } from '../slack/events/event-payloads.ts'
import type { Json } from '../slack/types.ts'
import { isInstalled, type Gateway, type PlayedWorkspace } from './gateway.ts'
import type { Home } from './oauth.ts'
import { forOrganisation } from './other-ids.ts'

/** The paths that the bot serves under PUBLIC_URL. */
const BOTS = /^\/(?:slack\/(?:install|oauth_redirect)|connect(?:\/.*)?)$/

interface WorkspacesPageOptions {
  now(): number
  /** The address of a workspace's page. */
  pageOf(n: number): string
}

/** Serves the paths outside of the API. @returns whether it handled the request */
export async function serveWorkspaces(
  request: IncomingMessage,
  response: ServerResponse,
  gateway: Gateway,
  options: WorkspacesPageOptions,
): Promise<boolean> {
  const { pathname, searchParams } = new URL(request.url ?? '/', gateway.base)
  if (BOTS.test(pathname)) await passToBot(request, response, gateway)
  else if (pathname === '/oauth/v2/authorize') sendHtml(response, authorizePage(searchParams, gateway))
  else if (pathname === '/oauth/agree') goTo(response, agreed(searchParams, gateway))
  else if (pathname === '/app_redirect')
    goTo(response, options.pageOf(gateway.workspaces.find(({ id }) => id === searchParams.get('team'))?.n ?? 0))
  else if (pathname === '/workspaces' && request.method === 'POST') {
    await act(new URLSearchParams(await readBody(request)), gateway, options)
    goTo(response, '/workspaces')
  } else if (pathname === '/workspaces') sendHtml(response, workspacesPage(gateway, options))
  else return false
  return true
}

/** Returns the homes that can install the app: workspaces, and organisations instead of their workspaces. */
function homesOf({ workspaces }: Gateway): Home[] {
  const homes = workspaces.map(({ id, name, enterprise }) => enterprise ?? { id, name })
  return homes.filter(({ id }, i) => homes.findIndex((one) => one.id === id) === i)
}

function authorizePage(asked: URLSearchParams, gateway: Gateway): string {
  const link = (label: string, more: Record<string, string>) => {
    const query = new URLSearchParams({ ...Object.fromEntries(asked), ...more }).toString()
    return `<li><a href="/oauth/agree?${escaped(query)}">${escaped(label)}</a></li>`
  }
  if (!asked.get('scope')) {
    const people = peopleOf(asked.get('team'), gateway).map(({ id, name }) => link(`Allow as ${name}`, { user: id }))
    const scopes = `<p>Thinkaloud asks one person for: ${escaped((asked.get('user_scope') ?? '').replaceAll(',', ', '))}</p>`
    return html('Thinkaloud wants to search as you', `${scopes}<ul>${people.join('')}${link('Cancel', {})}</ul>`)
  }
  const homes = homesOf(gateway).map(({ id, name = id }) => link(`Allow in ${name}`, { home: id }))
  const scopes = `<p>Thinkaloud asks for: ${escaped((asked.get('scope') ?? '').replaceAll(',', ', '))}</p>`
  return html('Thinkaloud wants to be installed', `${scopes}<ul>${homes.join('')}${link('Cancel', {})}</ul>`)
}

/**
 * Returns the people who can be signed in to Slack in this browser: those of a workspace. Guests cannot use apps of
 * this kind.
 */
function peopleOf(team: string | null, { workspaces }: Gateway): { id: string; name: string }[] {
  const workspace = workspaces.find(({ id }) => id === team)
  const users = [...(workspace?.slack.store.users.values() ?? [])]
  return users
    .filter((user) => !user.is_bot && !user.deleted && !user.is_stranger && !user.is_restricted)
    .map(({ id, real_name: name }) => ({ id: workspace?.ids.outward(id) ?? id, name }))
}

function agreed(asked: URLSearchParams, gateway: Gateway): string {
  const back = new URL(asked.get('redirect_uri') ?? '/', gateway.base)
  // As in Slack, redirects only to an address of the app.
  if (back.origin !== gateway.base) return '/workspaces'
  const [team, user] = [asked.get('team'), asked.get('user')]
  const isPerson = peopleOf(team, gateway).some(({ id }) => id === user)
  const home =
    team && user && isPerson ? { id: team, user } : homesOf(gateway).find(({ id }) => id === asked.get('home'))
  if (home) back.searchParams.set('code', gateway.oauth.agree(home))
  else back.searchParams.set('error', 'access_denied')
  back.searchParams.set('state', asked.get('state') ?? '')
  return back.href
}

/** Removes the app, or adds it to an organisation's workspace, and notifies it. */
async function act(form: URLSearchParams, gateway: Gateway, { now }: WorkspacesPageOptions): Promise<void> {
  const { workspaces, oauth } = gateway
  const [what, id = ''] = [form.get('act'), form.get('id') ?? '']
  const one = workspaces.find((workspace) => workspace.id === id || workspace.enterprise?.id === id)
  if (!one) return
  const event = (told: Json) => gateway.tell(one, eventOf(one, { told, id, now }))
  if (what === 'remove') {
    const botUser = one.ids.outward('U0THINK0001')
    oauth.end(id)
    for (const workspace of workspaces.filter(({ enterprise }) => enterprise?.id === id)) {
      workspace.isGranted = false
      oauth.end(workspace.id)
    }
    await event({ type: 'tokens_revoked', tokens: { oauth: [], bot: [botUser] } })
    await event({ type: 'app_uninstalled' })
  } else if (one.enterprise) {
    one.isGranted = what === 'add'
    await event({ type: `team_access_${one.isGranted ? 'granted' : 'revoked'}`, team_ids: [id] })
  }
}

/** An event of a whole organisation names no workspace. */
function eventOf(
  { slack, enterprise }: PlayedWorkspace,
  { told, now }: { told: Json; id: string; now: () => number },
): Json {
  const payload = envelope(slack.store, told, now())
  if (!enterprise) return payload
  const whole = forOrganisation(payload, enterprise)
  const authorizations = whole['authorizations'] as Json[]
  return { ...whole, team_id: null, authorizations: authorizations.map((one) => ({ ...one, team_id: null })) }
}

function workspacesPage(gateway: Gateway, options: WorkspacesPageOptions): string {
  const { workspaces, oauth } = gateway
  const add = '<a href="/slack/install">Add to Slack</a>'
  const rows = homesOf(gateway).map(({ id, name = id }) => {
    const isIn = isInstalled(id, oauth)
    const own = workspaces.filter((one) => one.id === id || one.enterprise?.id === id)
    const isOrg = id.startsWith('E')
    const inside = own.map((one) => {
      const access =
        isOrg && isIn ? button(one.isGranted ? 'Take out' : 'Add here', one.isGranted ? 'drop' : 'add', one.id) : ''
      return `<p><a href="${escaped(options.pageOf(one.n))}">Open ${escaped(one.name)}</a> ${access}</p>`
    })
    const state = isIn ? button('Remove the app', 'remove', id) : add
    const kind = isOrg ? 'An organisation' : 'A workspace'
    return `<section><h2>${escaped(name)}</h2><p>${kind}. The app is ${isIn ? '' : 'not '}installed. ${state}</p>${inside.join('')}</section>`
  })
  return html('Workspaces', rows.join(''))
}

function button(label: string, act: string, id: string): string {
  const hidden = `<input type="hidden" name="id" value="${escaped(id)}">`
  return `<form method="post" action="/workspaces">${hidden}<button name="act" value="${act}">${escaped(label)}</button></form>`
}

async function passToBot(request: IncomingMessage, response: ServerResponse, gateway: Gateway) {
  const { cookie = '' } = request.headers
  const answer = await fetch(`${gateway.botUrl()}${request.url}`, {
    ...{ method: request.method ?? 'GET', redirect: 'manual', headers: { cookie } },
  })
  const kept = [...answer.headers].filter(
    ([name]) => !/^(?:set-cookie|connection|keep-alive|transfer-encoding|content-encoding|content-length)$/.test(name),
  )
  response.writeHead(answer.status, { ...Object.fromEntries(kept), 'set-cookie': answer.headers.getSetCookie() })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

const STYLE =
  'html{background:Canvas}body{font:1.05rem/1.5 system-ui,sans-serif;max-width:40rem;margin:6vh auto;padding:0 1rem}form{display:inline}h2{margin:1.5rem 0 0}p{margin:.4rem 0}a,button{font:inherit;padding:.2rem 0}button{padding:.2rem .6rem}'

function html(title: string, body: string): string {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`
  return `<!doctype html><html lang="en"><head>${head}<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>\n`
}

function sendHtml(response: ServerResponse, page: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  })
  response.end(page)
}

function goTo(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end()
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
}
