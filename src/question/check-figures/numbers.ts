/** Reads numbers in a text: separators, scales, percentages, units and number words. */
import { durationsIn, type QuantityUnit } from './durations.ts'
import { HAN_NUMBER, hanNumber } from './han-numerals.ts'
import { CASELESS_UNIT, factorIn, FRACTIONS, powerIn, scaleOf, unitOf, unitOfKey } from './number-words.ts'
import { isWrittenAsYear } from './years.ts'

/** A possible meaning of a number: the value, and half a unit of its last written place. */
export interface Reading {
  value: number
  tolerance: number
}

export interface Numeral {
  text: string
  at: number
  /** `1,234` may be 1234 or 1.234. The likeliest reading is first. */
  readings: Reading[]
  isPercent: boolean
  /** Written as `about 5`, `over 5`, `~5`. */
  isHedged: boolean
  /** Four digits that may be a year: it is never rounded. */
  isYear: boolean
  unit?: QuantityUnit
  /** The number is written in words. */
  isWord?: true
  /** The parts of a duration, each by itself. */
  parts?: Numeral[]
}

const SPACES = '\\u0020\\u00a0\\u202f\\u2009'
/**
 * A run of digits with separators. Not inside a word or an identifier, which are written in letters with a case: words
 * of other scripts, such as 売上は1500円, stand beside numbers without a space.
 */
const RUN = new RegExp(
  `(?:(?<![\\p{LC}\\p{N}_])|(?<=\\dx))(?:\\d{1,3}(?:[${SPACES}]\\d{3})+(?!\\d)(?:[.,]\\d+)?|\\d+(?:[.,'’_]\\d+)*|\\.\\d+|[${Object.keys(FRACTIONS).join('')}])`,
  'gu',
)
/** `48,7` or `1.250.000`, and no `48.7`: then `1.284` is a whole number. */
const DECIMAL_COMMA = /(?<![\d.,])\d{1,3}(?:,\d{1,2}|(?:\.\d{3}){2,})(?![\d,])/
const DECIMAL_POINT = /\d\.\d{1,2}(?![\d.])|\d,\d{3}\./
const POINT_OF_THREE = /^\d{1,3}\.\d{3}$/
const WORDS = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty'],
]
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const UNITS_OF_TEN = WORDS.slice(1, 10).join('|')
/** `seven`, `thirty`, `twenty-four`. */
const WORD = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:(${TENS.join('|')})(?:[- ](${UNITS_OF_TEN}))?|${WORDS.slice(0, 20).join('|')})(?![\\p{L}\\p{N}_]|[- ](?:thirds|quarters|fifths|sixths|sevenths|eighths|ninths|tenths)(?!\\p{L}))`,
  'giu',
)
const PARTS = ['third', 'quarter', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth']
/** `two thirds`. `Three quarters` may be those of a year, unless they are of something. */
const SHARE_WORDS =
  /(?<![\p{L}\p{N}-])(two|three|four|five|six|seven|eight|nine)[ -](thirds|quarters(?= of)|fifths|sixths|sevenths|eighths|ninths|tenths)(?!\p{L})/giu
/** `twelve and a half`, `two and three quarters`. */
const PART_MORE = /^ and (?:a (half|quarter)|three quarters)\b/

/** The signs that may directly follow the digits. */
const AFTER =
  /^[\s\u00a0\u202f-]{0,2}(%|°[CF]|degrees?\s(?:[CF]|celsius|fahrenheit)|km\/h|m\/s|(?:sq\.?|square)\s\p{LC}{1,12}|\p{LC}{1,3}[²³]|[kcm]?m2|ft2|\p{LC}{1,12})(?![\p{LC}\p{N}_])/u
/** A fraction behind whole numbers: `2½`, `2 1/2`. */
const FRACTION = /^[ \u00a0]?(?:([½-¾⅐-⅞])|(?<= )([1-9])[/⁄]([2-9]|1[0-6])(?![\d/]))/u
const HEDGES = [
  'about|around|roughly|approximately|approx\\.?|nearly|almost|over|under|more than|less than|fewer than|circa|ca\\.?',
  'up to|at least|at most|close to|just|some|etwa|rund|ungefähr|knapp|fast|über|unter|mehr als|gut|environ|près de',
  'presque|plus de|moins de|unos|unas|casi|cerca de|más de|menos de|alrededor de|quasi|più di|meno di|cerca de|mais de',
  'ongeveer|bijna|około|prawie|ponad|около|почти|более|менее|примерно|लगभग|करीब|حوالي|نحو|sekitar|khoảng|ungefär|noin',
].join('|')
const SIGN = '\\s?[$€£¥₹]?'
/** `about 5`, and the 7 of `about 5 to 7`. `>` at the start of a line begins a quote. */
const HEDGE = new RegExp(
  `(?:[~≈<]|(?<!(?:^|\\n)[ \\t>]{0,8})>|(?<!\\p{L})(?:${HEDGES})(?:${SIGN}[\\d.,]{1,12}\\S{0,8}\\s?(?:and|or|to|und|bis|oder|et|ou|y|o|-|–)(?=[\\s$€£¥₹\\d]|$))?)${SIGN}$|(?:約|约|大约|大約|近|ほぼ|およそ|약)\\s?[$€£¥]?$`,
  'iu',
)

/** Finds the numbers in a text, in no order. Linear in its length. */
export function numbersIn(text: string): Numeral[] {
  const durations = durationsIn(text).map(({ value, ...one }) => ({
    ...one,
    readings: [{ value, tolerance: 0.5 }],
    parts: [] as Numeral[],
    isPercent: false,
    isHedged: false,
    isYear: false,
  }))
  const isCommaDecimal = DECIMAL_COMMA.test(text) && !DECIMAL_POINT.test(text)
  const ofPart = new Map(durations.flatMap((one) => one.places.map((at) => [at, one])))
  const found: Numeral[] = [...durations]
  const add = (numeral: Numeral) => void (ofPart.get(numeral.at)?.parts ?? found).push(numeral)
  let end = 0
  for (const { 0: run, index } of text.matchAll(RUN)) {
    // The `10^6` of `1.2 × 10^6`, the `1/2` of `2 1/2`.
    if (index < end) continue
    // `COVID-19`, `gpt-4`: part of a name, unless it is a year (`mid-2020`).
    const isInName = /[\p{LC}_][-−]$/u.test(text.slice(Math.max(0, index - 2), index)) && !/^\d{4}$/.test(run)
    if (isInName) continue
    for (const numeral of numeralsOf(run, index, text)) {
      if (isCommaDecimal && numeral.readings.length === 2 && POINT_OF_THREE.test(run)) numeral.readings.reverse()
      add(numeral)
      end = numeral.at + numeral.text.length
    }
  }
  for (const { 0: word, 1: ten, 2: one = 'zero', index } of text.matchAll(WORD)) {
    const tens = ten === undefined ? word : one
    const value =
      WORDS.indexOf(tens.toLowerCase()) + (ten === undefined ? 0 : 20 + 10 * TENS.indexOf(ten.toLowerCase()))
    const reading = { value, tolerance: 0 }
    const { more, readings } = withPart(reading, text.slice(index + word.length, index + word.length + 20))
    const shown = word + more
    const numeral = withSuffix({ text: shown, at: index, readings }, text, index + shown.length)
    if (numeral) add({ ...numeral, isWord: true })
  }
  for (const { 0: share, 1: over = '', 2: under = '', index } of text.matchAll(SHARE_WORDS)) {
    const value =
      (100 * WORDS.indexOf(over.toLowerCase())) / (3 + PARTS.findIndex((one) => under.toLowerCase().startsWith(one)))
    add({
      text: share,
      at: index,
      readings: [{ value, tolerance: 2.5 }],
      isPercent: true,
      isHedged: true,
      isYear: false,
      isWord: true,
    })
  }
  for (const { 0: run, index } of text.matchAll(HAN_NUMBER)) {
    const [before, after] = [
      text.slice(Math.max(0, index - 56), index),
      text.slice(index + run.length, index + run.length + 40),
    ]
    const readings = [{ value: hanNumber(run) ?? NaN, tolerance: 0 }]
    add({ ...withUnit(run, { at: index, readings, before, after }), isWord: true })
  }
  return found
}

/** `twelve and a half` */
function withPart({ value, tolerance }: Reading, after: string): { more: string; readings: Reading[] } {
  const [more = '', part = ''] = PART_MORE.exec(after) ?? []
  if (more === '') return { more, readings: [{ value, tolerance }] }
  const share = { half: 1 / 2, quarter: 1 / 4 }[part] ?? 3 / 4
  return { more, readings: [{ value: value + share, tolerance: part === 'half' ? 1 / 4 : 1 / 8 }] }
}

function numeralsOf(run: string, at: number, text: string): Numeral[] {
  const readings = readingsOf(run)
  if (readings) {
    const numeral = withSuffix({ text: run, at, readings }, text, at + run.length)
    return numeral ? [numeral] : []
  }
  // Several numbers in a list without spaces, such as a row of a table.
  let from = at
  return run.split(/[.,'’_]/).flatMap((part) => {
    const start = from
    from += part.length + 1
    return part === '' ? [] : numeralsOf(part, start, text)
  })
}

/** Returns the possible meanings of a run of digits and separators. @returns undefined if it is not one number */
function readingsOf(run: string): Reading[] | undefined {
  const plain = run.replace(/[ \u00a0\u202f\u2009'’_](?=\d{3}(?!\d))/g, '')
  const decimal = (text: string) => readingOf(text.replace(',', '.'))
  if (plain in FRACTIONS) return [{ value: FRACTIONS[plain]!, tolerance: 0.005 }]
  if (/^\d+$/.test(plain)) return [readingOf(plain)]
  if (/^\d{1,3},\d{3}$/.test(plain)) return [readingOf(plain.replace(',', '')), decimal(plain)]
  if (/^\d{1,3}\.\d{3}$/.test(plain)) return [readingOf(plain), readingOf(plain.replace('.', ''))]
  if (/^\d*[.,]\d+$/.test(plain)) return [decimal(plain)]
  if (/^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?$/.test(plain)) return [readingOf(plain.replaceAll(',', ''))]
  if (/^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(plain)) return [decimal(plain.replaceAll('.', ''))]
  return undefined
}

function readingOf(digits: string): Reading {
  const point = digits.indexOf('.')
  const decimals = point < 0 ? 0 : digits.length - point - 1
  return { value: Number(digits), tolerance: 0.5 * 10 ** -decimals }
}

type BareNumeral = Pick<Numeral, 'text' | 'at' | 'readings'>

interface NumberPlace {
  at: number
  readings: Reading[]
  /** The texts before and after it. */
  before: string
  after: string
}

/** Adds the percent sign, scale or unit that follows. @returns undefined for a part of a name, such as `3D` */
function withSuffix({ text: run, at, readings }: BareNumeral, text: string, end: number): Numeral | undefined {
  const before = text.slice(Math.max(0, at - 56), at)
  const after = text.slice(end, end + 40)
  const place = { at, readings, before, after }
  const grown = longer(run, place)
  if (grown) return withUnit(grown, { ...place, after: after.slice(grown.length - run.length) })
  const glued = /^[\p{LC}_]+/u.exec(after)?.[0].toLowerCase() ?? ''
  if (/^(?:st|nd|rd|th)$/.test(glued)) return numeralOf(run + glued, place)
  if (glued === 's' && /^\d{3}0$/.test(run)) return numeralOf(`${run}s`, place)
  // The seat `27A`, the size `42L`.
  if (/^\d{2,3}$/.test(run) && /^[A-FL](?![\p{LC}\p{N}_])/u.test(after)) return numeralOf(run + after[0]!, place)
  if (glued !== '' && glued !== 'x' && !scaleOf(glued) && !unitOf(glued)) return undefined
  return withUnit(run, place)
}

/** A number with its fraction, power of ten or factors (`3億5000万`), whose place gets the readings. */
function longer(run: string, place: NumberPlace): string | undefined {
  const fraction = /^\d+$/.test(run) ? FRACTION.exec(place.after) : null
  if (fraction) {
    const [shown, sign = '', over, under] = fraction
    const more = FRACTIONS[sign] ?? Number(over) / Number(under)
    place.readings = place.readings.map(({ value }) => ({ value: value + more, tolerance: 0.005 }))
    return run + shown
  }
  const factor = powerIn(place.after, run === '10') ?? factorIn(place.after)
  if (!factor) return undefined
  place.readings = scaled(place.readings, factor.value)
  let shown = factor.shown
  let last = factor.value
  for (let part = 0; part < 3; part += 1) {
    const rest = place.after.slice(shown.length)
    const [digits] = /^\s?(?:\d,\d{3}|\d{1,4})(?![\d.,:/])/.exec(rest) ?? []
    const next = digits === undefined ? undefined : factorIn(rest.slice(digits.length))
    const unit = next?.value ?? 1
    if (
      digits === undefined ||
      last < 100 ||
      !/\p{Lo}$/u.test(shown) ||
      unit >= last ||
      (!next && /^\s\d{1,3}$/.test(digits))
    )
      break
    place.readings = place.readings.map(({ value }) => ({
      value: value + Number(digits.replace(',', '')) * unit,
      tolerance: unit / 2,
    }))
    shown += digits + (next?.shown ?? '')
    last = unit
  }
  return run + shown
}

function withUnit(run: string, place: NumberPlace): Numeral {
  const { after, readings, before } = place
  const { 0: suffix = '', 1: name = '' } = AFTER.exec(after) ?? CASELESS_UNIT.exec(after) ?? []
  const shown = run + suffix
  const isBefore = /百分之$|(?<![\d%])%$/.test(before)
  if (isBefore || name === '%' || /^(?:percent|prozent|процентов|процента)$/i.test(name))
    return { ...numeralOf(isBefore ? run : shown, place), isPercent: true }
  if (/^per$/i.test(name) && /^\s?per cent\b/i.test(after))
    return { ...numeralOf(`${run} per cent`, place), isPercent: true }
  // `7,330 week over week`
  const unit = /^\s?(\p{L}+) (?:over|on|by|to) \1/u.test(after) ? undefined : unitOf(name)
  // `m` is a metre or a million, so both are returned.
  const scale = suffix.startsWith('-') ? undefined : scaleOf(name)
  if (scale !== undefined && (name.length > 1 || !/^\s/.test(suffix) || /[KMBk]/.test(name))) {
    const [behind = '', measure = ''] = AFTER.exec(after.slice(suffix.length)) ?? []
    const ofScaled = unitOf(measure)
    // `1.23 lakh crore`
    const more = scale < 1e12 ? scaleOf(measure) : undefined
    const written = ofScaled || more ? shown + behind : shown
    const numeral = numeralOf(written, { ...place, readings: [...scaled(readings, scale * (more ?? 1)), ...readings] })
    const both = ofScaled ?? (name === 'M' ? undefined : unit)
    return both ? { ...numeral, unit: both } : numeral
  }
  // `the 2024 year-end`
  const isYear = unit?.kind === 'months' && /^(?:1\d|20)\d\d$/.test(run)
  if (unit && !isYear) return { ...numeralOf(shown, place), unit, isYear: false }
  const ofKey = unitOfKey(before)
  return { ...numeralOf(run, place), ...(ofKey && { unit: ofKey }) }
}

function numeralOf(text: string, { at, readings, before, after }: NumberPlace): Numeral {
  const isYear = readings.length === 1 && isWrittenAsYear(text, before, after)
  return { text: text.trim(), at, readings, isPercent: false, isHedged: HEDGE.test(before), isYear }
}

function scaled(readings: Reading[], factor: number): Reading[] {
  return readings.map(({ value, tolerance }) => ({ value: value * factor, tolerance: tolerance * factor }))
}
