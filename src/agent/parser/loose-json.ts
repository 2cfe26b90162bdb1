/**
 * Reads JSON as models write it: single or curly quotes, Python's `None` and `True`, comments, trailing and missing
 * commas, bare keys, raw line breaks and unescaped quotes inside strings, triple quotes. Valid JSON reads as
 * `parseExact` reads it. Truncated JSON is never completed: a missing end is always an error. One pass, no
 * backtracking, bounded depth.
 */
import { exactNumber } from '../../base/parse-json.ts'

type LooseJson =
  | { ok: true; value: unknown; /** Offset after the value. */ end: number }
  /** `cut`: the text ended before the value. `at`: how far it could be read. */
  | { ok: false; cut: boolean; at: number }

/** Bounds the recursion. No tool input is nested deeper. */
const MAX_DEPTH = 64
const FAIL = Symbol('no value here')
const CLOSING: Record<string, string> = { '"': '"', "'": "'", '“': '”', '‘': '’', '`': '`' }
const WORDS = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
  ['undefined', null],
  ['NaN', null],
  ['Infinity', null],
])
const SPACE = /[\s\u200b-\u200d\u2060]+/y
/** First characters of white space and comments. */
const MAY_SKIP = /[\s\u200b-\u200d\u2060/#]/
const LINE_COMMENT = /(?:\/\/|#)[^\n]*/y
const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?=[\s,，}\]/#)]|$)/y
/** The start of a number at the very end of the text. */
const NUMBER_CUT = /[-+.\deE]+$/y
const WORD = /[\p{L}\p{N}_$][\p{L}\p{N}_$-]*/uy
/** The next key, right after a closing quote whose comma is missing. */
const NEXT_KEY = /["'“‘][^"'“”‘’\n]{1,60}["'”’]\s{0,20}[:：]/y

/** How often text may be read a second time. All readings of one text share it, which keeps them linear. */
export interface Retries {
  left: number
}

/** Reads the value at `from`. Ignores the text after it. */
export function readLoose(text: string, from = 0, retries: Retries = { left: 4 }): LooseJson {
  const reader = new LooseReader(text, from, retries)
  const value = reader.value(0, ',，}]')
  if (value === FAIL) return { ok: false, cut: reader.at >= text.length, at: reader.at }
  return { ok: true, value, end: reader.at }
}

/** A YAML-like key, and a value without quotes up to the end of its line or object. */
const BARE_KEY = /[\s,]{0,40}["'`]?([\p{L}_][\p{L}\p{N}_ -]{0,40})["'`]?\s{0,3}[:=]\s{0,9}/uy
const BARE_VALUE = /[^{}\n]{0,2000}/y
const NEXT_BARE_KEY = /,\s{0,9}["'`]?[\p{L}_][\p{L}\p{N}_-]{0,40}["'`]?\s{0,3}[:=]\s/u
const BARE_END = /[\s,]{0,40}\}/y
const MAX_BARE_FIELDS = 20

/**
 * Reads the object at `from` whose texts have no quotes: `{action: search, action_input: who is it?}`. All values are
 * text, including numbers, because only a schema knows the type.
 */
export function readBareObject(text: string, from: number): LooseJson {
  const reader = new LooseReader(text, from + 1, { left: 0 })
  const fields: [string, unknown][] = []
  while (reader.match(BARE_END) === undefined) {
    const key = reader.match(BARE_KEY)
    if (key === undefined || fields.length >= MAX_BARE_FIELDS) return { ok: false, cut: false, at: reader.at }
    const value = /[{["'“‘`]/.test(text[reader.at] ?? '') ? reader.value(0, ',，}') : reader.bareText()
    if (value === FAIL) return { ok: false, cut: reader.at >= text.length, at: reader.at }
    fields.push([key.replace(/^[\s,"'`]+|["'`]?\s*[:=]\s*$/g, ''), value])
    if (text.slice(reader.at, reader.at + 40).trim() === '') return { ok: false, cut: true, at: text.length }
  }
  return { ok: true, value: Object.fromEntries(fields), end: reader.at }
}

/** Reads `a="x", b=2)` at `at`, in Python's call syntax. `end` is the offset after the closing bracket. */
export function readArguments(
  text: string,
  at: number,
): { ok: true; named: Record<string, unknown>; positional: unknown[]; end: number } | { ok: false; cut: boolean } {
  const reader = new LooseReader(text, at, { left: 4 })
  const named: [string, unknown][] = []
  const positional: unknown[] = []
  for (;;) {
    reader.space()
    if (reader.take(')')) return { ok: true, named: Object.fromEntries(named), positional, end: reader.at }
    const name = reader.match(ARGUMENT)
    reader.space()
    const value = reader.value(0, ',，)')
    if (value === FAIL) return { ok: false, cut: reader.at >= text.length }
    if (name === undefined) positional.push(value)
    else named.push([name.replace(/\s*[=:]$/, ''), value])
    reader.space()
    reader.take(',，')
  }
}

const ARGUMENT = /[\p{L}_][\p{L}\p{N}_]{0,60}\s{0,3}(?:=(?!=)|:(?=\s))/uy

class LooseReader {
  readonly text: string
  readonly retries: Retries
  /** How far the text is read. A failing method leaves it at the failure. */
  at: number

  constructor(text: string, at: number, retries: Retries) {
    this.text = text
    this.at = at
    this.retries = retries
  }

  /** `closers`: what may follow a string here. A quote before anything else belongs to the string. */
  value(depth: number, closers: string): unknown {
    const char = this.text[this.at] ?? ''
    if (depth > MAX_DEPTH) return FAIL
    if (char === '{') return this.object(depth)
    if (char === '[') return this.array(depth)
    if (char in CLOSING) return this.string(closers)
    const number = this.match(NUMBER)
    if (number !== undefined) return exactNumber(number.replace(/^\+/, ''))
    if (this.match(NUMBER_CUT)) return FAIL
    const word = this.match(WORD)
    return word !== undefined && WORDS.has(word) ? WORDS.get(word) : FAIL
  }

  object(depth: number): unknown {
    const pairs: [string, unknown][] = []
    this.at++
    for (;;) {
      this.space()
      if (this.take('}')) return Object.fromEntries(pairs)
      const key = this.key()
      this.space()
      if (key === FAIL || !this.take(':：=')) return FAIL
      this.space()
      const value = this.value(depth + 1, ',，}')
      if (value === FAIL) return FAIL
      pairs.push([String(key), value])
      this.space()
      this.take(',，')
    }
  }

  /** Commas between items are optional, and so is a trailing one. */
  array(depth: number): unknown {
    const items: unknown[] = []
    this.at++
    for (;;) {
      this.space()
      if (this.take(']')) return items
      const value = this.value(depth + 1, ',，]')
      if (value === FAIL) return FAIL
      items.push(value)
      this.space()
      this.take(',，')
    }
  }

  /**
   * Reads a key. A quoted key before a comma or brace belongs to a set: it ends there, and the missing colon is the
   * error.
   */
  key(): unknown {
    if ((this.text[this.at] ?? '') in CLOSING) return this.string(':：=,，}')
    return this.match(WORD) ?? FAIL
  }

  /** Reads a string. It ends at the first of its quotes that is followed by something that may follow a string. */
  string(closers: string): unknown {
    const quote = this.text[this.at] ?? ''
    if (quote !== '`' && this.text.startsWith(quote.repeat(3), this.at)) return this.tripleQuoted(quote)
    const close = CLOSING[quote] ?? quote
    let unescapedQuote = false
    for (let end = this.at + 1; end < this.text.length; end++) {
      const char = this.text[end]
      if (char === '\\') end++
      if (char !== close) continue
      if (this.closes(end + 1, closers)) return this.stringTo(end)
      const nested = unescapedQuote ? undefined : this.objectInQuotes(close, closers)
      if (nested !== undefined) return this.stringTo(nested)
      unescapedQuote = true
    }
    this.at = this.text.length
    return FAIL
  }

  stringTo(end: number): string {
    const inner = this.text.slice(this.at + 1, end)
    this.at = end + 1
    return unescaped(inner)
  }

  /** Returns where the string ends if it contains an object with unescaped quotes: `"{"query": "x"}"`. */
  objectInQuotes(close: string, closers: string): number | undefined {
    if (this.text[this.at + 1] !== '{' || this.retries.left-- <= 0) return undefined
    const inner = readLoose(this.text, this.at + 1, { left: 0 })
    const whole = inner.ok && this.text[inner.end] === close && this.closes(inner.end + 1, closers)
    return whole ? inner.end : undefined
  }

  tripleQuoted(quote: string): unknown {
    const end = this.text.indexOf(quote.repeat(3), this.at + 3)
    const inner = this.text.slice(this.at + 3, end)
    this.at = end < 0 ? this.text.length : end + 3
    return end < 0 ? FAIL : unescaped(inner)
  }

  /** Returns whether the quote before `next` ends its string, judged by what follows. */
  closes(next: number, closers: string): boolean {
    const start = this.at
    this.at = next
    this.match(SPACE)
    const closes = this.endsString(closers)
    this.at = start
    return closes
  }

  /** Returns whether the next text may follow a string: one of `closers`, a comment, the next key, or nothing. */
  endsString(closers: string): boolean {
    const char = this.text[this.at]
    if (char === undefined || closers.includes(char) || char === '#') return true
    if (char === '/') return this.text.startsWith('//', this.at) || this.text.startsWith('/*', this.at)
    return closers.includes('}') && this.match(NEXT_KEY) !== undefined
  }

  /** Skips white space and comments. */
  space(): void {
    while (
      MAY_SKIP.test(this.text[this.at] ?? '') &&
      (this.match(SPACE) || this.match(LINE_COMMENT) || this.blockComment())
    );
  }

  blockComment(): boolean {
    if (!this.text.startsWith('/*', this.at)) return false
    const end = this.text.indexOf('*/', this.at + 2)
    this.at = end < 0 ? this.text.length : end + 2
    return true
  }

  /** Reads text without quotes, up to the next key, the end of the line, or a brace. */
  bareText(): string {
    const line = this.match(BARE_VALUE) ?? ''
    const next = NEXT_BARE_KEY.exec(line)
    if (next) this.at -= line.length - next.index
    return line.slice(0, next?.index).replace(/\s*,?\s*$/, '')
  }

  /** Consumes the next character if it is one of `chars`. */
  take(chars: string): boolean {
    const taken = this.at < this.text.length && chars.includes(this.text[this.at] ?? '')
    if (taken) this.at++
    return taken
  }

  /** Consumes the match of a sticky pattern here. Returns undefined if there is none. */
  match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)?.[0]
    if (found) this.at = sticky.lastIndex
    return found || undefined
  }
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' }

/** Resolves JSON escapes, and `\'` and `\_`, which models add. Unknown ones (`\d` of a pattern) stay as written. */
function unescaped(inner: string): string {
  if (!inner.includes('\\')) return inner
  return inner.replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])/g, (all, code: string) => {
    if (code.length > 1) return String.fromCharCode(parseInt(code.slice(1), 16))
    return ESCAPES[code] ?? ('"\'\\/`_”’'.includes(code) ? code : all)
  })
}
