/** Decides which links of an answer are clickable: hosts that its tools or the asker named, and LINK_HOSTS. */
import { hostMatches } from '../../base/http/tool-http.ts'
import type { AnswerView } from './blocks.ts'
import { escapeText, escapeWithin } from './escape.ts'

type LinkedAnswer = Pick<AnswerView, 'sources' | 'question' | 'allowedHosts'>

/** Returns whether an address may be clickable in one answer. */
export type LinkPolicy = (url: URL) => boolean

const SLACK = /(?:^|\.)slack(?:-gov)?\.com$/
/** The address of a message in a workspace. It can carry no data besides which message it is. */
const PERMALINK = /^\/archives\/[CDG][A-Z0-9]{2,20}\/p\d{16}(?:\?thread_ts=\d{10}\.\d{6}&cid=[CDG][A-Z0-9]{2,20})?$/

/**
 * A link can carry data out of the workspace in its address (PromptArmor on Slack AI, 2024; CVE-2025-34072). Links are
 * clickable if this run's tools returned their host, the asker wrote it, or the operator allows it. For other hosts,
 * only the bare host name is clickable; the rest is shown as text. An entry of `allowedHosts` with a scheme is a
 * workspace: links to its messages open. Any other page of Slack opens only if its whole address was named, because
 * some pages do things, such as giving an app rights.
 */
export function linkPolicy({ sources, question, allowedHosts }: LinkedAnswer): LinkPolicy {
  const asked = [...question.matchAll(/https?:\/\/[^\s<>|)\]"']+/gi)].map((match) => match[0])
  const workspaces = new Set(urlsOf(allowedHosts).map(({ host }) => host))
  const isAtSlack = ({ host }: URL) => workspaces.has(host) || SLACK.test(host)
  const known = urlsOf([...sources.map(({ url }) => url), ...asked])
  const hosts = new Set(known.filter((url) => !isAtSlack(url)).map(({ host }) => host))
  const pages = new Set(known.map(({ href }) => href))
  const isMessage = ({ host, pathname, search, hash }: URL) =>
    workspaces.has(host) && PERMALINK.test(`${pathname}${search}${hash}`)
  return (url) =>
    hosts.has(url.host) ||
    pages.has(url.href) ||
    isMessage(url) ||
    allowedHosts.some((host) => hostMatches(url.host, host)) ||
    BARE_HOST.test(url.href)
}

/** Returns the entries that are web addresses. A bare host is not one. */
function urlsOf(addresses: readonly string[]): URL[] {
  return addresses.flatMap((url) => (/^https?:\/\//i.test(url) && URL.canParse(url) ? [new URL(url)] : []))
}

/**
 * `https://example.com/`: a name of two labels (three with www), no port, path, query or fragment. The owner of a
 * domain sees lookups of every name below it, so a further label could carry data out; the domain itself had to be
 * bought before. No `xn--`, because its letters may look like those of another name.
 */
const BARE_HOST = /^https?:\/\/(?:www\.)?(?!www\.|xn--)[a-z\d](?:[a-z\d-]{0,28}[a-z\d])?\.[a-z]{2,18}\/$/

/** Longer addresses do not become links: a link has to fit into a section with its label. */
const ADDRESS_CHARS = 1500
const LABEL = { max: 200, maxEscaped: 600 }
const SHOWN = { max: 500, maxEscaped: 1000 }

/**
 * Renders a link as mrkdwn: clickable if the policy allows it, else the label with the address in code. Nothing can
 * ping.
 */
export function renderLink({ label, href }: { label: string; href: string }, policy: LinkPolicy): string {
  const words = label.replace(BIDI, '').replace(/\s+/g, ' ').trim()
  const shown = escapeWithin(words, LABEL)
  const written = href.replace(/\s+/g, ' ').trim()
  if (written === '' || written === `mailto:${words}`) return shown
  const url = clickable(href, policy)
  if (url === undefined) return words === '' || words === written ? inCode(written) : `${shown} (${inCode(written)})`
  const address = addressOf(url)
  if (words === '' || words === href || words === url.href) return `<${address}>`
  return readsAsAnother(words, url) ? `${inCode(words)} (<${address}>)` : `<${address}|${shown.replaceAll('|', '¦')}>`
}

/** Characters that change the writing direction: with them a label could show its letters in another order. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Returns the URL if it may be clicked. The policy judges `url.href`, the exact form that is sent. */
function clickable(href: string, policy: LinkPolicy): URL | undefined {
  const url = URL.canParse(href) ? new URL(href) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || href.includes('\\')) return undefined
  if (url.username !== '' || url.password !== '' || !policy(url)) return undefined
  return addressOf(url).length <= ADDRESS_CHARS ? url : undefined
}

/** The address for use between `<` and `>`. A parsed URL has no white space, control characters, `<` or `>`. */
function addressOf(url: URL): string {
  return escapeText(url.href.replaceAll('|', '%7C'))
}

function inCode(address: string): string {
  return `\`${escapeWithin(address.replaceAll('`', '%60'), SHOWN)}\``
}

/**
 * Returns whether a link's label reads as an address other than the link's own: `bank.example`,
 * `https://bank.example/login`, `sign in at www.bank.example`. Invisible characters and dots of other scripts do not
 * hide it.
 */
function readsAsAnother(label: string, url: URL): boolean {
  const words = label
    .slice(0, LABEL_CHARS)
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[。․∙]/g, '.')
  return words.split(/[\s()[\]{}<>"'“”‘’«»,;|]+/).some((word) => ADDRESS.test(word) && !isThis(word, url))
}

/** No more than this of a label is shown. */
const LABEL_CHARS = 300

/** A scheme, `//` or `www.`, a mail address, an IPv4 address, or a name with a host's ending, whatever sign follows. */
const ADDRESS =
  /^(?:https?:\S|[a-z][a-z\d+.-]{0,20}:\/|\/\/|www\.)|@[^\s@]+\.|^(?:\d{1,3}\.){3}\d{1,3}(?![\p{L}\p{N}.])|^[^\s./:?#]+(?:\.[^\s./:?#]+)*\.(?!(?:js|ts|jsx|tsx|json|html?|txt|pdf|csv|css|xml|ya?ml|cpp|java)(?![\p{L}\p{N}]))(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2,24}|xn--[a-z\d-]+)(?![\p{L}\p{M}\p{N}-])/iu

/** Returns whether the word names this exact address or only its host. */
function isThis(word: string, url: URL): boolean {
  const text = word.replace(/[.!?…]+$/, '')
  const full = /^https?:\/\//i.test(text) ? text : `https://${text}`
  if (!URL.canParse(full) || text.includes('@') || text.includes('\\')) return false
  const named = new URL(full)
  const isHostAlone = named.pathname === '/' && named.search === '' && named.hash === ''
  return bare(named.host) === bare(url.host) && (isHostAlone || afterHost(named) === afterHost(url))
}

function bare(host: string): string {
  return host.replace(/^www\./, '')
}

function afterHost(url: URL): string {
  return `${url.pathname.replace(/\/$/, '')}${url.search}${url.hash}`
}
