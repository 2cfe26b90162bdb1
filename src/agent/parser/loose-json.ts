/**
 * JSON as models write it: single or curly quotes, Python's `None` and `True`, comments, trailing and missing commas,
 * bare keys, raw line breaks and unescaped quotes inside strings, triple quotes. What is valid JSON reads as
 * `JSON.parse` reads it. What is cut off is never completed: the one thing this reader does not forgive is a missing end.
 * One pass, no backtracking, bounded depth.
 */

export type Loose =
  | { ok: true; value: unknown; /** Offset after the value. */ end: number }
  /** `cut`: the text ended before the value did. `at`: how far it could be read. */
  | { ok: false; cut: boolean; at: number }

/** Deeper nesting is no tool's input, and recursion must end. */
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
])
const SPACE = /[\s\u200b-\u200d\u2060]+/y
/** What white space and comments begin with. */
const MAY_SKIP = /[\s\u200b-\u200d\u2060/#]/
const LINE_COMMENT = /(?:\/\/|#)[^\n]*/y
const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?=[\s,，}\]/#)]|$)/y
/** The beginning of a number at the very end of the text. */
const NUMBER_CUT = /[-+.\deE]+$/y
const WORD = /[\p{L}\p{N}_$][\p{L}\p{N}_$-]*/uy
/** What follows a value's closing quote when the comma was forgotten: the next key. */
const NEXT_KEY = /["'“‘][^"'“”‘’\n]{1,60}["'”’]\s{0,20}[:：]/y

/** How often text may be read a second time, in another way. Shared by the readings of one text, it keeps them linear. */
export interface Retries {
  left: number
}

/** Reads the value at `from`. Text after it is no concern of this function. */
export function readLoose(text: string, from = 0, retries: Retries = { left: 4 }): Loose {
  const reader = new LooseReader(text, from, retries)
  const value = reader.value(0, ',，}]')
  if (value === FAIL) return { ok: false, cut: reader.at >= text.length, at: reader.at }
  return { ok: true, value, end: reader.at }
}

/** A key of an object as YAML and models write it, and a value that needs no quotes up to the end of its line or object. */
const BARE_KEY = /[\s,]{0,40}["'`]?([\p{L}_][\p{L}\p{N}_ -]{0,40})["'`]?\s{0,3}[:=]\s{0,9}/uy
const BARE_VALUE = /[^{}\n]{0,2000}/y
const NEXT_BARE_KEY = /,\s{0,9}["'`]?[\p{L}_][\p{L}\p{N}_-]{0,40}["'`]?\s{0,3}[:=]\s/u
const BARE_END = /[\s,]{0,40}\}/y
const MAX_BARE_FIELDS = 20

/**
 * Reads the object at `from` whose texts stand without quotes: `{action: search, action_input: who is it?}`. Each is taken
 * as a text, a number too: only a schema knows what is meant.
 */
export function readBareObject(text: string, from: number): Loose {
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

/** The arguments of a call, named and not, and where the text goes on after its closing bracket. */
export type LooseArguments =
  { ok: true; named: Record<string, unknown>; positional: unknown[]; end: number } | { ok: false; cut: boolean }

/** Reads `a="x", b=2)` from `at`, as Python writes calls. */
export function readArguments(text: string, at: number): LooseArguments {
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
  /** How far the text is read. A method that fails leaves it where it failed. */
  at: number

  constructor(text: string, at: number, retries: Retries) {
    this.text = text
    this.at = at
    this.retries = retries
  }

  /** `closers`: what may come after a string here; a quote before anything else belongs to the string. */
  value(depth: number, closers: string): unknown {
    const char = this.text[this.at] ?? ''
    if (depth > MAX_DEPTH) return FAIL
    if (char === '{') return this.object(depth)
    if (char === '[') return this.array(depth)
    if (char in CLOSING) return this.string(closers)
    const number = this.match(NUMBER)
    if (number !== undefined) return Number(number)
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

  /** Items may stand without commas between them, and one may be too many at the end. */
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

  /** A quoted key that a comma or brace follows is one of a set: it ends there, and the missing colon is the fault. */
  key(): unknown {
    if ((this.text[this.at] ?? '') in CLOSING) return this.string(':：=,，}')
    return this.match(WORD) ?? FAIL
  }

  /** A string runs to the first of its quotes that something follows which may follow a string here. */
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

  /** `"{"query": "x"}"`: where the string ends whose content is an object with its quotes not escaped. */
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

  /** Whether a quote before `next` ends its string: by what comes after it. */
  closes(next: number, closers: string): boolean {
    const start = this.at
    this.at = next
    this.match(SPACE)
    const closes = this.endsString(closers)
    this.at = start
    return closes
  }

  /** Whether what comes next may follow a string: one of `closers`, a comment, the next key, nothing. */
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

  /** A text without quotes, up to the next key, the end of the line, or a brace. */
  bareText(): string {
    const line = this.match(BARE_VALUE) ?? ''
    const next = NEXT_BARE_KEY.exec(line)
    if (next) this.at -= line.length - next.index
    return line.slice(0, next?.index).replace(/\s*,?\s*$/, '')
  }

  /** Steps over one of `chars`, if it is next. */
  take(chars: string): boolean {
    const taken = this.at < this.text.length && chars.includes(this.text[this.at] ?? '')
    if (taken) this.at++
    return taken
  }

  /** Steps over what a sticky pattern matches here; undefined for nothing. */
  match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)?.[0]
    if (found) this.at = sticky.lastIndex
    return found || undefined
  }
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' }

/** Resolves the escapes of JSON, and `\'` and `\_` that models add; an unknown one (`\d` of a pattern) stays as written. */
function unescaped(inner: string): string {
  if (!inner.includes('\\')) return inner
  return inner.replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])/g, (all, code: string) => {
    if (code.length > 1) return String.fromCharCode(parseInt(code.slice(1), 16))
    return ESCAPES[code] ?? ('"\'\\/`_”’'.includes(code) ? code : all)
  })
}
