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
/** What is shorter in its plain form is looked for as it is alone. */
const SHORTEST = 4
/** How long an encoded character may be, with what stands before it. */
const MAX_ENCODED = 16

export function hideSecrets(secrets: string[]): Hide {
  const given = [...new Set(secrets.filter((one) => one !== ''))]
  const plain = distinctForms(given.flatMap(formsOf), plainView)
  const hex = distinctForms(
    given.map((one) => Buffer.from(one).toString('hex')),
    hexView,
  )
  const longest = Math.max(0, ...[...given, ...plain, ...hex].map(({ length }) => length))
  const rangesIn = (text: string) =>
    joined([
      ...given.flatMap((one) => found(one, { text, starts: undefined, ends: undefined })),
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
  const text = (whole: string) => (given.length === 0 ? whole : head(whole, whole.length))
  return { text, head, json: (value) => hidden(value, text, 0) as typeof value }
}

/** From and to, in characters of the text. */
type Range = [number, number]

/** A text in a plain form, and where each of its characters begins and ends in the text as it was; undefined: at the same place. */
interface View {
  text: string
  starts: readonly number[] | undefined
  ends: readonly number[] | undefined
}

function distinctForms(forms: string[], view: (text: string) => View): string[] {
  return [...new Set(forms.map((form) => view(form).text))].filter((form) => form.length >= SHORTEST)
}

function inView(forms: string[], view: View): Range[] {
  return forms.flatMap((form) => found(form, view))
}

function found(form: string, { text, starts, ends }: View): Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
    const last = at + form.length - 1
    ranges.push([starts?.[at] ?? at, ends?.[last] ?? last + 1])
  }
  return ranges
}

/** In order, and those that overlap as one. */
function joined(ranges: Range[]): Range[] {
  const whole: Range[] = []
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = whole.at(-1)
    if (last && from < last[1]) last[1] = Math.max(last[1], to)
    else whole.push([from, to])
  }
  return whole
}

/** Percent codes, also of percent codes; codes of JSON and JavaScript; and what is left out: blanks, backslashes, what nobody sees. */
const CODED =
  /((?:%(?:25){0,3}[\da-f]{2})+)|\\+u(?:\{([\da-f]{1,6})\}|([\da-f]{4}))|\\+x([\da-f]{2})|\\+[nrt]?|[\s\p{Cc}\p{Cf}\p{Mn}\u115f\u1160\u2800\u3164\uffa0]+/giu

/** Without codes, case, blanks and what nobody sees. Forms of secrets are looked for in the same view of themselves. */
function plainView(text: string): View {
  return viewOf(text, CODED, ([, percent, braced, unicode, byte]) => {
    if (percent !== undefined) return decodedPercent(percent)
    const code = Number.parseInt(braced ?? unicode ?? byte ?? '', 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}

/** Hex bytes without what stands between them. */
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

/** As a secret stands in text, with `+` for blanks, reversed, and in base64, of UTF-16 too. */
function formsOf(secret: string): string[] {
  const bytes = [Buffer.from(secret), Buffer.from(secret, 'utf16le'), Buffer.from(secret, 'utf16le')]
  if (secret.length > 0) bytes[2]?.swap16()
  const base64 = bytes.flatMap((one) =>
    one.length < SHORTEST ? [] : [one.toString('base64'), one.toString('base64url'), ...insideBase64(one)],
  )
  const reversed = secret.length < SHORTEST_INSIDE ? [] : [[...secret].reverse().join('')]
  return [secret, secret.replaceAll(' ', '+'), ...reversed, ...base64]
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

/** Deeper than any tool's schema; what lies below is left out. */
const MAX_DEPTH = 64

function hidden(value: unknown, text: (given: string) => string, depth: number): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((one) => hidden(one, text, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), hidden(one, text, depth + 1)]))
}
