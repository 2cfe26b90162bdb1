/** Reads numbers in a text: separators, scales, percentages, units and number words. */
import { durationsIn, type QuantityUnit } from './durations.ts'

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
/** A run of digits with separators. Not inside a word or an identifier. */
const RUN = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:\\d{1,3}(?:[${SPACES}]\\d{3})+(?!\\d)(?:[.,]\\d+)?|\\d+(?:[.,'’_]\\d+)*|\\.\\d+)`,
  'gu',
)
const WORDS = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty'],
]
const WORD = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:${WORDS.join('|')})(?![\\p{L}\\p{N}_]|-(?:${WORDS.slice(1, 10).join('|')}))`,
  'giu',
)

const SCALES: Record<string, number> = {
  k: 1e3,
  thousand: 1e3,
  tsd: 1e3,
  m: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  millions: 1e6,
  millionen: 1e6,
  b: 1e9,
  bn: 1e9,
  mrd: 1e9,
  billion: 1e9,
  billions: 1e9,
  tn: 1e12,
  trillion: 1e12,
  trillions: 1e12,
}

const UNITS: [kind: string, names: string, factor: number, offset?: number][] = [
  ['length', 'mm millimetre millimetres millimeter millimeters', 0.001],
  ['length', 'cm centimetre centimetres centimeter centimeters', 0.01],
  ['length', 'm metre metres meter meters', 1],
  ['length', 'km kilometre kilometres kilometer kilometers', 1000],
  ['length', 'inch inches', 0.0254],
  ['length', 'ft foot feet', 0.3048],
  ['length', 'mi mile miles', 1609.344],
  ['mass', 'mg', 1e-6],
  ['mass', 'g gram grams', 0.001],
  ['mass', 'kg kilogram kilograms', 1],
  ['mass', 't tonne tonnes', 1000],
  ['mass', 'lb lbs pound pounds', 0.45359237],
  ['mass', 'oz ounce ounces', 0.028349523],
  ['time', 'ms millisecond milliseconds', 0.001],
  ['time', 's sec secs second seconds sekunde sekunden', 1],
  ['time', 'min mins minute minutes minuten', 60],
  ['time', 'h hr hrs hour hours std stunde stunden', 3600],
  ['time', 'day days tag tage tagen', 86_400],
  ['time', 'week weeks woche wochen', 604_800],
  ['months', 'month months monat monate monaten', 1],
  ['months', 'yr yrs year years jahr jahre jahren', 12],
  ['data', 'byte bytes', 1],
  ['data', 'kb', 1e3],
  ['data', 'mb', 1e6],
  ['data', 'gb', 1e9],
  ['data', 'tb', 1e12],
  ['frequency', 'hz', 1],
  ['frequency', 'khz', 1e3],
  ['frequency', 'mhz', 1e6],
  ['frequency', 'ghz', 1e9],
  ['power', 'kw', 1e3],
  ['power', 'mw', 1e6],
  ['power', 'gw', 1e9],
  ['energy', 'kwh', 1e3],
  ['energy', 'mwh', 1e6],
  ['energy', 'gwh', 1e9],
  ['speed', 'km/h kph', 1 / 3.6],
  ['speed', 'mph', 0.44704],
  ['speed', 'm/s', 1],
  ['temperature', '°c celsius', 1],
  ['temperature', '°f fahrenheit', 5 / 9, -160 / 9],
]
const UNIT_OF = new Map(
  UNITS.flatMap(([kind, names, factor, offset = 0]) =>
    names.split(' ').map((name) => [name, { kind, factor, offset }]),
  ),
)

/** The signs that may directly follow the digits. */
const AFTER = /^[\s\u00a0\u202f-]{0,2}(%|°[CF]|km\/h|m\/s|\p{L}{1,12})(?![\p{L}\p{N}_])/u
const HEDGE =
  /(?:[~≈<>]|\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|under|more than|less than|fewer than|circa|ca\.|up to|at least|at most|close to|just|some))\s?[$€£¥]?$/i

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
  const ofPart = new Map(durations.flatMap((one) => one.places.map((at) => [at, one])))
  const found: Numeral[] = [...durations]
  const add = (numeral: Numeral) => void (ofPart.get(numeral.at)?.parts ?? found).push(numeral)
  for (const { 0: run, index } of text.matchAll(RUN)) {
    // `COVID-19`, `gpt-4`: part of a name, unless it is a year (`mid-2020`).
    const isInName = /[\p{L}_]-$/u.test(text.slice(Math.max(0, index - 2), index)) && !/^\d{4}$/.test(run)
    if (isInName) continue
    for (const numeral of numeralsOf(run, index, text)) add(numeral)
  }
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const reading = { value: WORDS.indexOf(word.toLowerCase()), tolerance: 0 }
    const numeral = withSuffix({ text: word, at: index, readings: [reading] }, text, index + word.length)
    if (numeral) add({ ...numeral, isWord: true })
  }
  return found
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
  /** The text before it. */
  before: string
}

/** Adds the percent sign, scale or unit that follows. @returns undefined for a part of a name, such as `3D` */
function withSuffix({ text: run, at, readings }: BareNumeral, text: string, end: number): Numeral | undefined {
  const before = text.slice(Math.max(0, at - 16), at)
  const after = text.slice(end, end + 40)
  const power = /^e([+-]?\d{1,2})(?![\w.])/i.exec(after)
  if (power) return numeralOf(run + power[0], { at, readings: scaled(readings, 10 ** Number(power[1])), before })
  const glued = /^[\p{L}_]+/u.exec(after)?.[0].toLowerCase() ?? ''
  if (/^(?:st|nd|rd|th)$/.test(glued)) return numeralOf(run + glued, { at, readings, before })
  if (glued === 's' && /^\d{3}0$/.test(run)) return numeralOf(`${run}s`, { at, readings, before })
  if (glued !== '' && glued !== 'x' && !(glued in SCALES) && !UNIT_OF.has(glued)) return undefined
  const { 0: suffix = '', 1: name = '' } = AFTER.exec(after) ?? []
  const shown = run + suffix
  if (name === '%' || /^(?:percent|prozent)$/i.test(name))
    return { ...numeralOf(shown, { at, readings, before }), isPercent: true }
  if (/^per$/i.test(name) && /^\s?per cent\b/i.test(after))
    return { ...numeralOf(`${run} per cent`, { at, readings, before }), isPercent: true }
  const unit = UNIT_OF.get(name.toLowerCase())
  // `m` is a metre or a million, so both are returned.
  const scale = suffix.startsWith('-') ? undefined : SCALES[name.toLowerCase()]
  if (scale !== undefined && (name.length > 1 || !/^\s/.test(suffix) || /[KMB]/.test(name))) {
    const numeral = numeralOf(shown, { at, readings: [...scaled(readings, scale), ...readings], before })
    return unit ? { ...numeral, unit } : numeral
  }
  // `the 2024 year-end`
  const isYear = unit?.kind === 'months' && /^(?:1\d|20)\d\d$/.test(run)
  if (!unit || isYear) return numeralOf(run, { at, readings, before })
  return { ...numeralOf(shown, { at, readings, before }), unit, isYear: false }
}

function numeralOf(text: string, { at, readings, before }: NumberPlace): Numeral {
  const isYear = /^(?:1\d|20)\d\d$/.test(text) && readings.length === 1
  return { text: text.trim(), at, readings, isPercent: false, isHedged: HEDGE.test(before), isYear }
}

function scaled(readings: Reading[], factor: number): Reading[] {
  return readings.map(({ value, tolerance }) => ({ value: value * factor, tolerance: tolerance * factor }))
}
