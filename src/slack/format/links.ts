/** Which links of an answer open: those to hosts that its tools or the asker named, and to LINK_HOSTS. */
import { escapeText, escapeWithin } from './escape.ts'

/** Which addresses may be clickable in one answer. */
export type LinkPolicy = (url: URL) => boolean

/** Slack itself; and a message of a workspace, whose address can carry nothing but which one it is. */
const SLACK = /(?:^|\.)slack(?:-gov)?\.com$/
const PERMALINK = /^\/archives\/[CDG][A-Z0-9]{2,20}\/p\d{16}(?:\?thread_ts=\d{10}\.\d{6}&cid=[CDG][A-Z0-9]{2,20})?$/

/**
 * A link can carry data out of the workspace in its address (PromptArmor on Slack AI, 2024; CVE-2025-34072). Fully clickable are
 * only hosts that this run's tools returned, that the person wrote, or that the operator allows; of any other host, its name
 * alone. The rest is shown as text. Of `allowed`, an entry with a scheme is a workspace, whose messages open. Of Slack's other
 * pages each is known by its whole address: some do things, such as giving an app rights.
 */
export function linkPolicy(options: { sources: string[]; question: string; allowed: string[] }): LinkPolicy {
  const asked = [...options.question.matchAll(/https?:\/\/[^\s<>|)\]"']+/gi)].map((match) => match[0])
  const workspaces = new Set(urlsOf(options.allowed).map(({ host }) => host))
  const isAtSlack = ({ host }: URL) => workspaces.has(host) || SLACK.test(host)
  const known = urlsOf([...options.sources, ...asked])
  const hosts = new Set(known.filter((url) => !isAtSlack(url)).map(({ host }) => host))
  const pages = new Set(known.map(({ href }) => href))
  const isMessage = ({ host, pathname, search, hash }: URL) =>
    workspaces.has(host) && PERMALINK.test(`${pathname}${search}${hash}`)
  return (url) =>
    hosts.has(url.host) ||
    pages.has(url.href) ||
    isMessage(url) ||
    options.allowed.some((host) => matches(url.host, host)) ||
    isBareHost(url)
}

/** Those that are addresses: a bare host is none. */
function urlsOf(addresses: string[]): URL[] {
  return addresses.flatMap((url) => (/^https?:\/\//i.test(url) && URL.canParse(url) ? [new URL(url)] : []))
}

/** `example.com` allows that host, `*.example.com` its subdomains. */
function matches(host: string, allowed: string): boolean {
  const name = allowed.toLowerCase()
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}

/**
 * `https://example.com/`: a name of two labels (three with www), no port, path, query or fragment. Whoever has a domain also
 * hears every name below it, so a further label could carry what somebody said; a domain itself must have been bought before.
 * No `xn--`, whose letters may look like another name's.
 */
const BARE_HOST = /^https?:\/\/(?:www\.)?(?!www\.|xn--)[a-z\d](?:[a-z\d-]{0,28}[a-z\d])?\.[a-z]{2,18}\/$/

function isBareHost(url: URL): boolean {
  return BARE_HOST.test(url.href)
}

/** Longer addresses are not made links: one has to fit into a section with its label. */
const ADDRESS_CHARS = 1500
const LABEL = { max: 200, most: 600 }
const SHOWN = { max: 500, most: 1000 }

/** A link as mrkdwn: clickable where the policy lets it, else its label with the address in code. Nothing in either can ping. */
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

/** Marks that turn the direction of what follows: a label could show its letters in another order. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The address, judged in the very form in which it is sent (`url.href`); undefined where it may not be clicked. */
function clickable(href: string, policy: LinkPolicy): URL | undefined {
  const url = URL.canParse(href) ? new URL(href) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || href.includes('\\')) return undefined
  if (url.username !== '' || url.password !== '' || !policy(url)) return undefined
  return addressOf(url).length <= ADDRESS_CHARS ? url : undefined
}

/** As Slack takes it between `<` and `>`. A URL has no white space, control characters, `<` or `>` any more. */
function addressOf(url: URL): string {
  return escapeText(url.href.replaceAll('|', '%7C'))
}

function inCode(address: string): string {
  return `\`${escapeWithin(address.replaceAll('`', '%60'), SHOWN)}\``
}

/**
 * Whether a link's label reads as an address, and as another one than the link's: `bank.example`, `https://bank.example/login`,
 * `sign in at www.bank.example`. Characters without a form and dots of other scripts do not hide that.
 */
function readsAsAnother(label: string, url: URL): boolean {
  const words = label
    .slice(0, LABEL_CHARS)
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[。․∙]/g, '.')
  return words.split(/[\s()[\]{}<>"'“”‘’«»,;|]+/).some((word) => ADDRESS.test(word) && !isThis(word, url))
}

/** Of a longer label no more is shown. */
const LABEL_CHARS = 300

/** A scheme, `//` or `www.`, a mail address, an IPv4 address, or a name that ends as hosts do, whatever sign follows it. */
const ADDRESS =
  /^(?:https?:\S|[a-z][a-z\d+.-]{0,20}:\/|\/\/|www\.)|@[^\s@]+\.|^(?:\d{1,3}\.){3}\d{1,3}(?![\p{L}\p{N}.])|^[^\s./:?#]+(?:\.[^\s./:?#]+)*\.(?!(?:js|ts|jsx|tsx|json|html?|txt|pdf|csv|css|xml|ya?ml|cpp|java)(?![\p{L}\p{N}]))(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2,24}|xn--[a-z\d-]+)(?![\p{L}\p{M}\p{N}-])/iu

/** Whether the word names this very address, or its host alone. */
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
