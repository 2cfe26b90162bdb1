/** Takes the secrets of MCP_CONFIG out of what a server says, before anybody reads it. */

export const HIDDEN = '[secret]'

export interface Hide {
  text(text: string): string
  /** The first `max` characters, or a few less: no beginning of a secret is left where it is cut. */
  head(text: string, max: number): string
  /** Hides in every text of a JSON value, keys included. */
  json<T>(value: T): T
}

/** In base64 a secret inside a longer text looks different at each of three offsets; so short it would hide common words. */
const SHORTEST_INSIDE = 8

export function hideSecrets(secrets: string[]): Hide {
  const forms = [...new Set(secrets.filter((one) => one !== '').flatMap(formsOf))].sort((a, b) => b.length - a.length)
  const text = (given: string) => forms.reduce((kept, form) => kept.replaceAll(form, HIDDEN), given)
  const longest = forms[0]?.length ?? 0
  const head = (given: string, max: number) => {
    const kept = text(given.slice(0, max))
    return given.length > max ? kept.slice(0, Math.max(0, kept.length - longest)) : kept
  }
  return { text, head, json: (value) => hidden(value, text, 0) as typeof value }
}

/** As a secret stands in text, in JSON, in an address, in hex and in base64. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const url = urlEncoded(secret)
  const hex = bytes.toString('hex')
  const forms = [secret, JSON.stringify(secret).slice(1, -1), asciiJson(secret), url, url.replaceAll('%20', '+')]
  const lower = forms.map((form) => form.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()))
  const whole = [bytes.toString('base64'), bytes.toString('base64url'), hex, hex.toUpperCase()]
  return [...forms, ...lower, ...(bytes.length < 4 ? [] : whole), ...insideBase64(bytes)]
}

/** As it stands in the base64 of a longer text: the characters that depend on the secret alone, at each offset. */
function insideBase64(bytes: Buffer): string[] {
  if (bytes.length < SHORTEST_INSIDE) return []
  return [0, 1, 2].flatMap((offset) => {
    const before = Math.ceil((offset * 8) / 6)
    const end = Math.floor(((offset + bytes.length) * 8) / 6)
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    return [padded.toString('base64').slice(before, end), padded.toString('base64url').slice(before, end)]
  })
}

/** Half a character pair, which is no text, cannot be encoded. */
function urlEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

/** JSON as encoders write it that keep to ASCII and escape slashes. */
function asciiJson(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')
  return escaped.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Deeper than any tool's schema; what lies below is left out. */
const MAX_DEPTH = 64

function hidden(value: unknown, text: (given: string) => string, depth: number): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((one) => hidden(one, text, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), hidden(one, text, depth + 1)]))
}
