/** Small HTML pages for a browser that comes from Slack or from a login. */
import type { IncomingMessage } from 'node:http'
import type { Page, Pages } from './server.ts'

export interface PageText {
  title: string
  text: string
  /** Something to look at first. */
  look?: PageLink
  link?: PageLink
  /** Another choice, below. */
  other?: PageLink
}

interface PageLink {
  label: string
  href: string
}

export function htmlPage(status: number, { title, text, look, link, other }: PageText): Page {
  const anchorOf = ({ href, label }: PageLink) => `<p><a href="${escapeHtml(href)}">${escapeHtml(label)}</a></p>`
  const anchor = [look, link, other].map((one) => (one ? anchorOf(one) : '')).join('')
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`
  const body = `<!doctype html><html lang="en"><head>${head}<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${anchor}</main></body></html>\n`
  return { status, type: 'text/html; charset=utf-8', headers: SAFE, body }
}

export function redirectTo(location: string, headers: Record<string, string | string[]> = {}): Page {
  return { status: 302, headers: { location, ...NO_REFERRER, ...headers }, body: '' }
}

/** A HEAD, as link previews send it, must not use up a code or a link. */
export function onlyGet(page: (request: IncomingMessage) => Promise<Page>): Pages[string] {
  return (request) => (request.method === 'GET' ? page(request) : { status: 405, headers: { allow: 'GET' }, body: '' })
}

export function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams(request.url?.split('?', 2)[1] ?? '')
}

const STYLE =
  'html{background:Canvas}body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}a{display:inline-block;padding:.3rem 0}'

const NO_REFERRER = { 'referrer-policy': 'no-referrer' }
/** The pages load nothing. Their URL contains a code, so it is never sent on as a referrer. */
const SAFE = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  ...NO_REFERRER,
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
}
