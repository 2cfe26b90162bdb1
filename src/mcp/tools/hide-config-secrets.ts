/** Removes the secrets of MCP_CONFIG from a server's texts before anyone reads them. */

const HIDDEN = '[secret]'

export interface Hide {
  text(text: string): string
  /** Returns the first `max` characters, or slightly fewer, so that the cut never leaves the start of a secret. */
  head(text: string, max: number): string
  /** Hides secrets in every text of a JSON value, keys included. */
  json<T>(value: T): T
}

/**
 * Inside a longer text, a secret's base64 has three forms, one per offset. A shorter secret would hide common words.
 */
const SHORTEST_INSIDE = 8
/** Secrets with a shorter plain form are only searched literally. */
const SHORTEST = 4
/** The longest encoding of one character, including what may precede it. */
const MAX_ENCODED = 16

export function hideSecrets(secrets: string[]): Hide {
  const distinctSecrets = [...new Set(secrets.filter((one) => one !== ''))]
  const plain = distinctForms(distinctSecrets.flatMap(formsOf), plainView)
  const hex = distinctForms(
    distinctSecrets.map((one) => Buffer.from(one).toString('hex')),
    hexView,
  )
  const longest = Math.max(0, ...[...distinctSecrets, ...plain, ...hex].map(({ length }) => length))
  const rangesIn = (text: string) =>
    joined([
      ...distinctSecrets.flatMap((one) => found(one, { text, starts: undefined, ends: undefined })),
      ...(plain.length > 0 ? inView(plain, plainView(text)) : []),
      ...(hex.length > 0 ? inView(hex, hexView(text)) : []),
    ])
  const head = (text: string, max: number) => {
    let kept = ''
    let at = 0
    for (const [from, to] of rangesIn(text.slice(0, max + MAX_ENCODED * longest))) {
      if (from >= max) break
      kept += text.slice(at, from) + HIDDEN
      at = to
    }
    return kept + text.slice(at, Math.max(at, max))
  }
  const text = (whole: string) => (distinctSecrets.length === 0 ? whole : head(whole, whole.length))
  return { text, head, json: (value) => hidden(value, text, 0) as typeof value }
}

/** Start and end, in characters of the text. */
type SecretSpan = [number, number]

/**
 * A normalized text with the original range of each character. Undefined `starts` and `ends` mean the same positions.
 */
interface View {
  text: string
  starts: readonly number[] | undefined
  ends: readonly number[] | undefined
}

function distinctForms(forms: string[], view: (text: string) => View): string[] {
  return [...new Set(forms.map((form) => view(form).text))].filter((form) => form.length >= SHORTEST)
}

function inView(forms: string[], view: View): SecretSpan[] {
  return forms.flatMap((form) => found(form, view))
}

function found(form: string, { text, starts, ends }: View): SecretSpan[] {
  const ranges: SecretSpan[] = []
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
    const last = at + form.length - 1
    ranges.push([starts?.[at] ?? at, ends?.[last] ?? last + 1])
  }
  return ranges
}

/** Sorts ranges and merges those that overlap. */
function joined(ranges: SecretSpan[]): SecretSpan[] {
  const whole: SecretSpan[] = []
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = whole.at(-1)
    if (last && from < last[1]) last[1] = Math.max(last[1], to)
    else whole.push([from, to])
  }
  return whole
}

/**
 * Percent codes, also nested; JSON and JavaScript escapes; and characters that are dropped: whitespace, backslashes,
 * invisible ones.
 */
const CODED =
  /((?:%(?:25){0,3}[\da-f]{2})+)|\\+u(?:\{([\da-f]{1,6})\}|([\da-f]{4}))|\\+x([\da-f]{2})|\\+[nrt]?|[\s\p{Cc}\p{Cf}\p{Mn}\u115f\u1160\u2800\u3164\uffa0]+/giu

/** Decodes a text, lowercases it and drops whitespace and invisible characters. Secrets are normalized the same way. */
function plainView(text: string): View {
  return viewOf(text, CODED, ([, percent, braced, unicode, byte]) => {
    if (percent !== undefined) return decodedPercent(percent)
    const code = Number.parseInt(braced ?? unicode ?? byte ?? '', 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}

/** Hex bytes without separators. */
function hexView(text: string): View {
  return viewOf(text, /0x|\\+x?|[\s:,;\-%\p{Cc}\p{Cf}]+/giu, () => '')
}

function decodedPercent(codes: string): string {
  return Buffer.from(codes.replace(/%(?:25){0,3}(?=[\da-f]{2})/gi, ''), 'hex').toString()
}

function viewOf(given: string, special: RegExp, decode: (match: RegExpExecArray) => string): View {
  const letters: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  const add = (text: string, from: number, to?: number) => {
    for (let i = 0; i < text.length; i += 1) {
      const letter = text.charAt(i)
      const lower = letter.toLowerCase()
      letters.push(lower.length === 1 ? lower : letter)
      starts.push(to === undefined ? from + i : from)
      ends.push(to ?? from + i + 1)
    }
  }
  let at = 0
  for (const match of given.matchAll(special)) {
    const end = match.index + match[0].length
    add(given.slice(at, match.index), at)
    add(decode(match).replace(/[\s\\\p{Cc}\p{Cf}\p{Mn}]/gu, ''), match.index, end)
    at = end
  }
  add(given.slice(at), at)
  return { text: letters.join(''), starts, ends }
}

/**
 * Returns the forms in which a secret may appear: plain, with `+` for spaces, reversed, and in base64, also of its
 * UTF-16.
 */
function formsOf(secret: string): string[] {
  const bytes = [Buffer.from(secret), Buffer.from(secret, 'utf16le'), Buffer.from(secret, 'utf16le')]
  if (secret.length > 0) bytes[2]?.swap16()
  const base64 = bytes.flatMap((one) =>
    one.length < SHORTEST ? [] : [one.toString('base64'), one.toString('base64url'), ...insideBase64(one)],
  )
  const reversed = secret.length < SHORTEST_INSIDE ? [] : [[...secret].reverse().join('')]
  return [secret, secret.replaceAll(' ', '+'), ...reversed, ...base64]
}

/** Returns the part of the base64 that depends only on the secret, at each offset in a longer text. */
function insideBase64(bytes: Buffer): string[] {
  if (bytes.length < SHORTEST_INSIDE) return []
  return [0, 1, 2].flatMap((offset) => {
    const before = Math.ceil((offset * 8) / 6)
    const end = Math.floor(((offset + bytes.length) * 8) / 6)
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    return [padded.toString('base64').slice(before, end), padded.toString('base64url').slice(before, end)]
  })
}

/** Deeper than the schema of any tool. Deeper values are dropped. */
const MAX_DEPTH = 64

function hidden(value: unknown, text: (given: string) => string, depth: number): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((one) => hidden(one, text, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), hidden(one, text, depth + 1)]))
}
