import { ToolError } from '../../src/base/errors.ts'
import { CONSTANTS, FUNCTIONS } from './functions.ts'

const MAX_OPERATORS = 250
const MAX_DEPTH = 50

const NUMBER = /0x[\da-f]{1,13}|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,4})?/iy
/** `1,234.5`. Only matched where a comma cannot separate two arguments. */
const GROUPED = /\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?/y
const NAME = /(?:math\.|np\.)?([a-z]\w*)/iy
const CURRENCY = /[$€£¥]\s*(?=[\d.])/y
const SPACE = /\s+/y
/** A unit beside a number, `129 euros`, `129 €`, `129 €/month`, also of several words. */
const UNITS = /(?:\s*(?:[$€£¥]|[\p{L}°µ]+)(?:\/[\p{L}°µ]+)*)+/uy
/** Words after a number that are no unit: they name a sign, or change the number. */
const NO_UNIT =
  /^(?:x|mod|and|or|plus|minus|times|by|over|of|per|to|in|power|squared|cubed|percent|dozens?|hundreds?|thousands?|millions?|billions?|trillions?|k|m|b|bn|mn|mio|mrd|tsd|e|pi)$/i

/** An open bracket. One that belongs to a function counts its arguments. */
interface Bracket {
  of?: string
  values: number
}

/**
 * Reads an expression in one pass and rewrites it from checked numbers, known names and signs in a valid order.
 * Anything else (assignments, strings, lists, members, unknown names) never reaches the parser.
 * @throws ToolError with a sentence that says what is wrong.
 */
export function readExpression(text: string): string {
  const reader = new ExpressionReader(clean(text))
  while (reader.step());
  return reader.finish()
}

/** The state of one reading: position, output, open brackets, and what must come next. */
class ExpressionReader {
  private readonly text: string
  private at = 0
  private out: string[] = []
  private brackets: Bracket[] = []
  private operators = 0
  /** True if a number must come next, false if a sign must. */
  private wantsValue = true
  /** The sign before the last value. After + or - it is unclear what a percentage refers to. */
  private lastSign = ''
  /** The units beside numbers. A sum of several would add hours to minutes. */
  private readonly units = new Set<string>()
  private adds = false

  constructor(text: string) {
    this.text = text
  }

  /** Reads one token. Returns false at the end. @throws ToolError */
  step(): boolean {
    this.match(SPACE)
    if (this.at >= this.text.length) return false
    if (this.wantsValue) this.match(CURRENCY)
    const number = (this.brackets.at(-1)?.of === undefined && this.match(GROUPED)?.[0]) || this.match(NUMBER)?.[0]
    if (number) return this.value(numeral(number))
    const name = this.match(NAME)?.[1]
    if (name) return this.word(name.toLowerCase())
    return this.sign(this.text[this.at++] ?? '')
  }

  /** Returns the checked expression. @throws ToolError if something is missing at the end */
  finish(): string {
    if (this.out.length === 0) throw new ToolError('There is no expression to calculate.')
    if (this.wantsValue) throw new ToolError('The expression is incomplete: a number is missing at its end.')
    if (this.brackets.length > 0) throw new ToolError('A closing bracket is missing.')
    if (this.adds && this.units.size > 1)
      throw new ToolError(`Different units cannot be added: ${[...this.units].join(', ')}. Convert them first.`)
    return this.out.join(' ')
  }

  private value(text: string): true {
    if (!this.wantsValue) throw new ToolError(`A sign is missing before "${text}": write * where you mean times.`)
    this.out.push(text)
    this.wantsValue = false
    if (/^[\d.]/.test(text)) this.skipUnit()
    return true
  }

  /** Skips a unit after a number, whose words are neither signs nor functions. */
  private skipUnit(): void {
    const from = this.at
    const unit = this.match(UNITS)?.[0].trim()
    const words = unit?.toLowerCase().split(/[\s/]+/) ?? []
    const isUnit = words.every((word) => !NO_UNIT.test(word) && !CONSTANTS.has(word) && !FUNCTIONS.has(word))
    if (words.length === 0 || !isUnit) this.at = from
    else this.units.add(words.join(' '))
  }

  /** Reads a constant, a function with its bracket, or a word operator. `sqrt 25` (from √25) needs no bracket. */
  private word(name: string): true {
    if (!this.wantsValue && name === 'x') return this.binary('*')
    if (!this.wantsValue && name === 'mod') return this.binary('%')
    if (CONSTANTS.has(name)) return this.value(name)
    if (!FUNCTIONS.has(name)) throw new ToolError(unknown(name))
    this.match(SPACE)
    const bare = name === 'sqrt' ? this.match(NUMBER)?.[0] : undefined
    if (bare) return this.value(`sqrt ( ${numeral(bare)} )`)
    if (this.text[this.at] !== '(') throw new ToolError(`${name} needs its value in brackets: ${name}(…).`)
    this.at += 1
    this.value(name)
    return this.open({ of: name, values: 1 })
  }

  /** Reads one character: a bracket, a comma or a sign. Plus or minus in place of a number is unary. */
  private sign(sign: string): true {
    if (sign === '(') {
      if (!this.wantsValue) throw new ToolError('A sign is missing before "(": write * where you mean times.')
      return this.open({ values: 1 })
    }
    if (sign === ')') return this.close()
    if (sign === ',') return this.comma()
    if (sign === '!' && !this.wantsValue) return this.operator('!')
    if (sign === '%') return this.percent()
    if ((sign === '-' || sign === '+') && this.wantsValue) return this.operator(sign)
    if ('+-*/^!'.includes(sign)) return this.binary(sign)
    throw new ToolError(unknown(sign))
  }

  private binary(sign: string): true {
    if (sign === '+' || sign === '-') this.adds = true
    if (this.wantsValue) throw new ToolError(`A number is missing before "${sign}".`)
    this.wantsValue = true
    this.lastSign = sign
    return this.operator(sign)
  }

  private operator(sign: string): true {
    this.operators += 1
    if (this.operators > MAX_OPERATORS)
      throw new ToolError(`The expression is too long: at most ${MAX_OPERATORS} signs.`)
    this.out.push(sign)
    return true
  }

  /** `15% of 200` and `200 * 15%` are percentages, `17 % 5` is a remainder. Ambiguous uses are rejected. */
  private percent(): true {
    const rest = this.text.slice(this.at, this.at + 40).trimStart()
    const of = /^of(?!\w)/i.test(rest)
    const endsTerm = rest === '' || /^[,)]/.test(rest)
    if (!of && !endsTerm && !/^[-+*/^]/.test(rest)) return this.binary('%')
    const number = this.out.at(-1) ?? ''
    const unclear = /^[-+]/.test(rest) || (endsTerm && this.lastSign !== '' && '+-'.includes(this.lastSign))
    if (unclear || !/^\d/.test(number))
      throw new ToolError('Unclear what the percentage refers to: write it as a fraction, such as 200 * (1 + 10/100).')
    this.out[this.out.length - 1] = `( ${number} / 100 )`
    if (!of) return true
    this.at = this.text.toLowerCase().indexOf('of', this.at) + 2
    return this.binary('*')
  }

  private comma(): true {
    const bracket = this.brackets.at(-1)
    if (bracket?.of === undefined || this.wantsValue) throw new ToolError('There is a comma in the wrong place.')
    bracket.values += 1
    return this.begin(',')
  }

  private open(bracket: Bracket): true {
    this.brackets.push(bracket)
    if (this.brackets.length > MAX_DEPTH) throw new ToolError(`Brackets go too deep: at most ${MAX_DEPTH} levels.`)
    return this.begin('(')
  }

  /** Writes a sign behind which an expression of its own begins. */
  private begin(sign: string): true {
    this.out.push(sign)
    this.wantsValue = true
    this.lastSign = ''
    return true
  }

  private close(): true {
    if (this.wantsValue) throw new ToolError('A number is missing before ")".')
    const bracket = this.brackets.pop()
    if (!bracket) throw new ToolError('There is one closing bracket too many.')
    const called = bracket.of === undefined ? undefined : FUNCTIONS.get(bracket.of)
    if (called && (bracket.values < called.min || bracket.values > called.max))
      throw new ToolError(`${bracket.of} does not take ${bracket.values} value${bracket.values === 1 ? '' : 's'}.`)
    this.out.push(')')
    return true
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at += found[0].length
    return found
  }
}

/** A double holds every number of this many digits. */
const MAX_EXACT = 15

function numeral(text: string): string {
  const plain = text.replace(/[,_]/g, '')
  const value = Number(plain)
  if (!Number.isFinite(value)) throw new ToolError('A number in the expression is too large.')
  const isRounded = value > Number.MAX_SAFE_INTEGER || plain.replace(/^[0.]+|\./g, '').length > MAX_EXACT
  return isRounded && /^\d+(?:\.\d+)?$/.test(plain) ? plain.replace(/^0+(?=\d)/, '') : `${value}`.replace('e+', 'e')
}

function unknown(what: string): string {
  const shown = what.length > 20 ? `${what.slice(0, 20)}…` : what
  return `"${shown}" is not arithmetic: use numbers, + - * / ^ % !, brackets, pi, e and functions such as sqrt, ln, round.`
}

const SUPERSCRIPTS: Record<string, string> = { '⁻': '-', '⁰': '0', '¹': '1', '²': '2', '³': '3' }
for (const [i, digit] of [...'⁴⁵⁶⁷⁸⁹'].entries()) SUPERSCRIPTS[digit] = String(i + 4)

/** Alternative spellings of plain signs, including LaTeX. */
const SIGNS: [RegExp, string][] = [
  [/\\(?:times|cdot)(?![a-z])|[×⋅·∙∗]/g, '*'],
  [/\\div(?![a-z])|[÷∕⁄]/g, '/'],
  [/\\(?:left|right)(?![a-z])/g, ''],
  [/\\pi(?![a-z])|π/g, ' pi '],
  [/\\sqrt(?![a-z])|√/g, ' sqrt '],
  [/[−–—]/g, '-'],
  [/\\([*_^()+\-/%!])/g, '$1'],
  [/\*\*/g, '^'],
]

/**
 * Removes what models wrap an expression in: code fences, quotes, a trailing `=`, Markdown's backslashes
 * (langchain-mini's `(54-32)\*5/9`), typographic and full-width signs, superscripts.
 */
function clean(text: string): string {
  let expression = unwrap(text).replace(/[！-～]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
  for (const [sign, plain] of SIGNS) expression = expression.replace(sign, plain)
  expression = expression.replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (run) => `^(${[...run].map((c) => SUPERSCRIPTS[c]).join('')})`)
  return expression
    .replace(/^\s*=/, '')
    .replace(/[=?\s]+$/, '')
    .trim()
}

/** Removes up to three enclosing layers of fences, quotes or dollar signs. */
function unwrap(text: string): string {
  let inner = text.trim()
  for (let layer = 0; layer < 3; layer += 1) {
    const fence = /^```[a-z]*\s([^`]*)```$/i.exec(inner)
    const quoted = /^(["'`$])([^"'`$]*)\1$/.exec(inner) ?? /^([“‘])([^”’]*)[”’]$/.exec(inner)
    const next = fence?.[1] ?? quoted?.[2]
    if (next === undefined) return inner
    inner = next.trim()
  }
  return inner
}
