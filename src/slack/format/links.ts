import { escapeText, escapeWithin } from './escape.ts'

/** Which addresses may be clickable in one answer. */
export type LinkPolicy = (url: URL) => boolean

/**
 * A link can carry data out of the workspace in its address (PromptArmor on Slack AI, 2024; CVE-2025-34072). Clickable are
 * only hosts that this run's tools returned, that the person wrote, or that the operator allows; and, of any other host, an
 * address too plain to carry anything. The rest is shown as text.
 */
export function linkPolicy(options: { sources: string[]; question: string; allowed: string[] }): LinkPolicy {
  const asked = [...options.question.matchAll(/https?:\/\/[^\s<>|)\]"']+/g)].map((match) => match[0])
  const hosts = new Set([...options.sources, ...asked].flatMap((url) => (URL.canParse(url) ? [new URL(url).host] : [])))
  return (url) => hosts.has(url.host) || options.allowed.some((host) => matches(url.host, host)) || isPlain(url)
}

/** `example.com` allows that host, `*.example.com` its subdomains. */
function matches(host: string, allowed: string): boolean {
  return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed
}

/** A host of two labels (three with www) and a path of at most two short lower-case words: no room for what somebody said. */
const PLAIN = /^https?:\/\/(?:www\.)?[a-z]{1,16}\.[a-z]{2,6}(?:\/[a-z]{1,12}){0,2}\/?$/

function isPlain(url: URL): boolean {
  return PLAIN.test(url.href)
}

/** Longer addresses are not made links: one has to fit into a section with its label. */
const ADDRESS_CHARS = 1500
const LABEL = { max: 200, most: 600 }
const SHOWN = { max: 500, most: 1000 }

/** A link as mrkdwn: clickable where the policy lets it, else its label with the address in code. Nothing in either can ping. */
export function renderLink({ label, href }: { label: string; href: string }, policy: LinkPolicy): string {
  const words = label.replace(/\s+/g, ' ').trim()
  // A label that reads as an address of its own could hide where the link goes.
  const isNamed = words !== '' && words !== href && !/^(?:https?:|www\.)/i.test(words)
  const shown = escapeWithin(words, LABEL)
  if (href.trim() === '') return shown
  const address = clickable(href, policy)
  if (address !== undefined) return isNamed ? `<${address}|${shown.replaceAll('|', '¦')}>` : `<${address}>`
  const written = `\`${escapeWithin(href.replace(/\s+/g, ' ').replaceAll('`', '%60'), SHOWN)}\``
  return words === '' || words === href ? written : `${shown} (${written})`
}

/** The address as Slack takes it between `<` and `>`; undefined where it may not be clicked. */
function clickable(href: string, policy: LinkPolicy): string | undefined {
  const url = URL.canParse(href) ? new URL(href) : undefined
  const isMail = url?.protocol === 'mailto:' && url.search === ''
  const isWeb = url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:') && policy(url)
  if (!isMail && !isWeb) return undefined
  const address = escapeText(href.replace(/[<>|\s\p{Cc}]/gu, (char) => encodeURIComponent(char)))
  return address.length <= ADDRESS_CHARS ? address : undefined
}
