/**
 * Whether a link's label reads as an address, and as another one than the link's: `bank.example`, `https://bank.example/login`,
 * `sign in at www.bank.example`. Characters without a form and dots of other scripts do not hide that.
 */
export function readsAsAnother(label: string, url: URL): boolean {
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
