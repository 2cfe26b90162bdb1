import { escapeText } from './escape.ts'

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

function isPlain(url: URL): boolean {
  const bare = url.search === '' && url.hash === '' && url.username === '' && url.port === ''
  return bare && url.host.length <= 40 && url.pathname.length <= 40 && !/%|\d{4}|[\w-]{25}/.test(url.host + url.pathname)
}

/** A Markdown link as mrkdwn: clickable where the policy lets it, else its label with the address in code. */
export function renderLink(label: string, href: string, policy: LinkPolicy): string {
  const url = URL.canParse(href) ? new URL(href) : undefined
  const web = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url && (url.protocol === 'mailto:' || (web && policy(url)))) {
    const address = href.replace(/[<>|\s]/g, (char) => encodeURIComponent(char)).replaceAll('&', '&amp;')
    return label === '' || label === escapeText(href) ? `<${address}>` : `<${address}|${label.replaceAll('|', '¦')}>`
  }
  const shown = `\`${escapeText(href.replaceAll('`', '%60'))}\``
  return label === '' || label === escapeText(href) ? shown : `${label} (${shown})`
}
