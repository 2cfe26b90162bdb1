/** Addresses in texts that people, files and pages wrote. */

/** Longer addresses are not pages that somebody opens. */
const MAX_ADDRESS = 2000
/** How many addresses may be joined without a space. */
const MAX_JOINED = 20
/** The most signs behind an address that may belong to the sentence. */
const MAX_CLOSING = 20

/** A name such as `example.com/page`, as people write it without a scheme. */
const BARE = /^(?:[\p{L}\d](?:[\p{L}\d-]{0,62})\.){1,5}\p{L}{2,24}(?::\d{1,5})?(?:[/?#].*)?$/u
/** Signs that close a sentence or a bracket behind an address. */
const CLOSING = /[.,;:!?'"*_~…)\]}”’»›]$/
/** Signs of languages without spaces, which may follow an address at once. */
const UNSPACED = /[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]/

/**
 * Returns the addresses in a text as keys that do not depend on spelling. A sign at an address's end may belong to the
 * sentence, so the address counts with and without it.
 */
export function addressesIn(text: string): Set<string> {
  const keys = new Set<string>()
  for (const word of text.split(/[\s<>|"`\\]+/)) for (const one of writtenIn(word)) addSpellings(one, keys)
  return keys
}

/** Returns what a word has from each scheme on, or the word if it is an address without one. */
function writtenIn(word: string): string[] {
  const starts = [...word.matchAll(/https?:\/\//gi)].slice(0, MAX_JOINED).map(({ index }) => index)
  if (starts.length > 0) {
    const joined = starts.flatMap((at, i) => [word.slice(at), word.slice(at, starts[i + 1])])
    return joined.flatMap((one) => [one, one.split(UNSPACED, 1)[0] ?? '']).filter((one) => isShort(one))
  }
  const bare = word.replace(/^[([{'*_~]+/, '')
  return isShort(bare) && BARE.test(bare) ? [`https://${bare}`] : []
}

function isShort(text: string): boolean {
  return text.length <= MAX_ADDRESS
}

function addSpellings(written: string, keys: Set<string>): void {
  let rest = written
  for (let closing = 0; closing <= MAX_CLOSING; closing++) {
    for (const one of new Set([rest, rest.replaceAll('&amp;', '&')]))
      if (URL.canParse(one)) keys.add(addressKey(new URL(one)))
    if (!CLOSING.test(rest)) return
    rest = rest.slice(0, -1)
  }
}

/** Two addresses with the same key lead to the same page: http or https, a fragment and a last slash do not matter. */
export function addressKey({ protocol, username, password, host, pathname, search }: URL): string {
  const scheme = /^https?:$/.test(protocol) ? '' : protocol
  const person = username || password ? `${username}:${password}@` : ''
  return `${scheme}${person}${host}${pathname.replace(/\/$/, '')}${search}`
}
