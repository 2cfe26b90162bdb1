import { readableFormula } from './latex-formula.ts'

/** Longer text is not treated as a formula. Characters. */
const FORMULA_CHARS = 4000
const INLINE_CHARS = 300

/** Code, which stays unchanged, or the possible start of a formula. */
const PLACES =
  /(?<=^|\n)[ \t]*(`{3,}(?=[^`\n]*\n)|~{3,})[^\n]*\n[^]*?(?:\n[ \t]*\1[`~]*[ \t]*(?=\n|$)|$(?![^]))|(`+)(?!`)|\\\\(?!\n)|\\[[(]|\$\$?|\\(?:begin|boxed|d?frac|sqrt)(?=[{[])|\\[^]/g

/** A quick check whether a text may contain a formula, so that other texts are not scanned. */
export const MAY_HAVE_FORMULA = /\\[[(a-z]|\$[^\s$]/i

/**
 * Replaces the LaTeX formulas in Markdown (`\(…\)`, `\[…\]`, `$…$`, `$$…$$`, environments, and bare `\frac` and the
 * like) with readable text. Code stays unchanged, and so do prices: `$5 and $6` is not a formula. Never throws; takes
 * linear time.
 */
export function withReadableFormulas(markdown: string): string {
  const ends = new Ends(markdown)
  let [text, done] = ['', 0]
  for (const match of markdown.matchAll(PLACES)) {
    const [mark, fence, ticks] = match
    if (match.index < done || fence !== undefined) continue
    if (ticks !== undefined) {
      const end = ends.after(ticks, match.index + ticks.length)
      if (end < 0) continue
      text += markdown.slice(done, end + ticks.length)
      done = end + ticks.length
      continue
    }
    const found = formulaAt(markdown, { at: match.index, mark }, ends)
    if (!found) continue
    text += markdown.slice(done, match.index) + found.text
    done = found.end
  }
  return text + markdown.slice(done)
}

/** Finds the next occurrence of a sign. If positions only go forwards, it scans the text once per sign. */
class Ends {
  readonly #text: string
  readonly #next = new Map<string, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** Returns -1 if there is none. */
  after(sign: string, from: number): number {
    const known = this.#next.get(sign)
    if (known !== undefined && (known < 0 || known >= from)) return known
    const at = this.#text.indexOf(sign, from)
    this.#next.set(sign, at)
    return at
  }
}

interface RenderedFormula {
  text: string
  end: number
}

function formulaAt(
  markdown: string,
  { at, mark }: { at: number; mark: string },
  ends: Ends,
): RenderedFormula | undefined {
  const from = at + mark.length
  const upTo = (sign: string, max: number) => {
    const end = ends.after(sign, from)
    return end < 0 || end - from > max ? undefined : { latex: markdown.slice(from, end), end: end + sign.length }
  }
  if (mark === '$') {
    const found = upTo('$', INLINE_CHARS)
    const isRaised = /^[_^]/.test(markdown.charAt(from))
    const isInWord = !isRaised && /[\w\\]/.test(markdown.charAt(at - 1))
    // Pandoc's rule: a dollar before a digit does not end a formula.
    const isPrice = found !== undefined && /\d/.test(markdown.charAt(found.end))
    return found && !isInWord && !isPrice && isInline(found.latex) ? rendered(found) : undefined
  }
  if (mark === '$$') return block(upTo('$$', FORMULA_CHARS))
  if (mark === '\\(') return inline(upTo('\\)', FORMULA_CHARS))
  if (mark === '\\[') return block(upTo('\\]', FORMULA_CHARS))
  if (mark === '\\begin') return environment(markdown, at, ends)
  return /^\\[a-z]/.test(mark) && mark.length > 2 ? bare(markdown, at) : undefined
}

/** An inline formula; undefined if nothing in it looks like one, such as `\(see below\)`. */
function inline(found: { latex: string; end: number } | undefined): RenderedFormula | undefined {
  if (!found || !/[\\^_=+*/<>\d-]|^\s*[a-z](?:\([a-z, ]*\))?\s*$/i.test(found.latex)) return undefined
  return rendered(found)
}

function rendered({ latex, end }: { latex: string; end: number }): RenderedFormula {
  return { text: asMarkdown(readableFormula(latex)), end }
}

/** A display formula, which keeps its line breaks. */
function block(found: { latex: string; end: number } | undefined): RenderedFormula | undefined {
  const formula = inline(found)
  return formula && { ...formula, text: formula.text.replaceAll('\n', '  \n') }
}

const ENVIRONMENTS = new Set(
  (
    'equation align aligned alignat gather gathered multline split eqnarray cases array matrix pmatrix bmatrix Bmatrix ' +
    'vmatrix Vmatrix smallmatrix'
  ).split(' '),
)

function environment(markdown: string, at: number, ends: Ends): RenderedFormula | undefined {
  const name = /^\\begin\{([a-zA-Z]{1,20}\*?)\}/.exec(markdown.slice(at, at + 40))?.[1]
  const close = `\\end{${name}}`
  const end = name !== undefined && ENVIRONMENTS.has(name.replace('*', '')) ? ends.after(close, at) : -1
  if (end < 0 || end - at > FORMULA_CHARS) return undefined
  return block({ latex: markdown.slice(at, end + close.length), end: end + close.length })
}

/** `\frac{a}{b}` or `\boxed{42}` without delimiters: the command and the groups after it. */
function bare(markdown: string, at: number): RenderedFormula | undefined {
  const window = markdown.slice(at, at + INLINE_CHARS)
  let [end, depth] = [window.search(/[{[]/), 0]
  for (; end < window.length; end++) {
    const char = window.charAt(end)
    if (char === '{' || char === '[') depth += 1
    if (char === '}' || char === ']') depth -= 1
    if (depth === 0 && !/[{[]/.test(window.charAt(end + 1))) break
  }
  if (depth !== 0 || end >= window.length) return undefined
  return rendered({ latex: window.slice(0, end + 1), end: at + end + 1 })
}

/** Function names that appear in formulas without a backslash. */
const NAMES = /(?<![a-z])(?:sin|cos|tan|log|ln|exp|max|min|mod|lim|det|gcd)(?![a-z])/gi

/**
 * Returns whether the text between two dollars is a formula, not prose between two prices or between two shell
 * variables.
 */
function isInline(latex: string): boolean {
  if (/^\s|\s$|^$|\n\s*\n/.test(latex)) return false
  const words = latex.replace(/\\[a-z]+\*?(?:\{[^{}]*\})?|[_^]\s*\{[^{}]*\}/gi, ' ').replace(NAMES, ' ')
  if (/[a-z]{3}|[,.;:!?]\s|[a-z]\s+[a-z]{2}/i.test(words)) return false
  if (/^\d/.test(latex)) return /[\\^_=]|^\d+(?:\.\d+)?$/.test(latex)
  return /[\\^_=<>+*/-]|^\|[^|]+\|$|^[a-z]′*'*(?:\([a-z0-9, ]*\))?$/i.test(latex)
}

/** Escapes the text so that Markdown leaves it unchanged. */
function asMarkdown(text: string): string {
  return text
    .replace(/[\\[\]|]/g, '\\$&')
    .replace(/^([-+=#>]|\d+(?=[.)]))/gm, (begin) => (/^\d/.test(begin) ? `${begin}\u200b` : `\\${begin}`))
}
