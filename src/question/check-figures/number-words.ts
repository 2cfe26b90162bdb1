/** The names of scales and units behind a number, in several languages and scripts. */
import type { QuantityUnit } from './durations.ts'

const SCALE_NAMES: [names: string, value: number][] = [
  [
    'k thousand thousands tsd tausend mille mila mil duizend tusen tys tysięcy tyś тыс тысяч тысячи тысяча bin ribu nghìn ngàn',
    1e3,
  ],
  ['lakh lakhs lac lacs', 1e5],
  ['megapixel megapixels', 1e6],
  ['m mn mio mln million millions millionen millón millones milione milioni milhão milhões', 1e6],
  ['miljoen miljoenen miljon miljoner millioner milion miliony milionów milionů milyon млн миллион', 1e6],
  ['миллиона миллионов мільйон мільйонів εκατ juta jt triệu', 1e6],
  ['crore crores', 1e7],
  ['b bn mrd mld mdr mlrd billion billions milliard milliards milliarden milliarder miliardo miliardi miljard', 1e9],
  ['miljarden miljarder miliar tỷ tỉ miliard miliardy miliardów miliardů milyar bilhão bilhões млрд миллиард', 1e9],
  ['миллиарда миллиардов мільярд мільярдів δισ', 1e9],
  ['tn trillion trillions billionen billón billones bilione bilioni biljoen biljon biljoner trilhão trilhões', 1e12],
  ['bilion biliony bilionów трлн триллион триллиона триллионов', 1e12],
]
const SCALES = new Map(SCALE_NAMES.flatMap(([names, value]) => names.split(' ').map((name) => [name, value])))

/** `mm` is a millimetre, `MM` a million. */
export function scaleOf(name: string): number | undefined {
  return name === 'MM' ? 1e6 : SCALES.get(name.toLowerCase())
}

const UNITS: [kind: string, names: string, factor: number, offset?: number][] = [
  ['length', 'mm millimetre millimetres millimeter millimeters', 0.001],
  ['length', 'cm centimetre centimetres centimeter centimeters', 0.01],
  ['length', 'm metre metres meter meters 米 公尺 メートル', 1],
  ['length', 'km kilometre kilometres kilometer kilometers 公里 キロメートル', 1000],
  ['length', 'inch inches', 0.0254],
  ['length', 'ft foot feet', 0.3048],
  ['length', 'mi mile miles', 1609.344],
  ['mass', 'mg', 1e-6],
  ['mass', 'g gram grams 克', 0.001],
  ['mass', 'kg kilogram kilograms 公斤', 1],
  ['mass', 't tonne tonnes', 1000],
  ['mass', 'lb lbs pound pounds', 0.45359237],
  ['mass', 'oz ounce ounces', 0.028349523],
  ['time', 'ns nanosecond nanoseconds nanos', 1e-9],
  ['time', 'us µs μs microsecond microseconds micros', 1e-6],
  ['time', 'ms millisecond milliseconds msec msecs millis 毫秒 ミリ秒 밀리초', 0.001],
  [
    'time',
    's sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi сек секунд секунды 秒 秒間 秒钟 秒鐘 초',
    1,
  ],
  [
    'time',
    'min mins minute minutes minuten minuto minutos minuti minut minuty minuter мин минут минуты минута 分 分間 分钟 分鐘 분',
    60,
  ],
  [
    'time',
    'h hr hrs hour hours std stunde stunden heure heures hora horas ore ora timmar uur godzin godziny час часа часов 時間 小时 小時 시간',
    3600,
  ],
  [
    'time',
    'd day days tag tage tagen jour jours día días giorni giorno dias dni dagar dagen день дня дней 天 日 日間 일',
    86_400,
  ],
  [
    'time',
    'week weeks woche wochen semaine semaines semana semanas settimana settimane weken veckor tygodnie tygodni неделя недели недель 周 週 週間 주',
    604_800,
  ],
  [
    'months',
    'month months monat monate monaten mois meses mesi maanden månader miesiące miesięcy месяц месяца месяцев 个月 個月 か月 ヶ月 カ月 ヵ月 箇月 개월',
    1,
  ],
  ['months', 'yr yrs year years jahr jahre jahren ans années años anni anos jaar lata лет года 年 年間 년', 12],
  ['data', 'bit bits', 1 / 8],
  ['data', 'byte bytes octet octets байт байта', 1],
  ['data', 'кб kb kilobyte kilobytes', 1e3],
  ['data', 'мб mb megabyte megabytes', 1e6],
  ['data', 'гб gb gigabyte gigabytes', 1e9],
  ['data', 'тб tb terabyte terabytes', 1e12],
  ['data', 'pb petabyte petabytes', 1e15],
  ['data', 'kib kibibyte kibibytes', 2 ** 10],
  ['data', 'mib mebibyte mebibytes', 2 ** 20],
  ['data', 'gib gibibyte gibibytes', 2 ** 30],
  ['data', 'tib tebibyte tebibytes', 2 ** 40],
  ['data', 'pib pebibyte pebibytes', 2 ** 50],
  ['frequency', 'hz', 1],
  ['frequency', 'khz', 1e3],
  ['frequency', 'mhz', 1e6],
  ['frequency', 'ghz', 1e9],
  ['power', 'kw', 1e3],
  ['power', 'mw', 1e6],
  ['power', 'gw', 1e9],
  ['energy', 'kj', 1 / 3.6],
  ['energy', 'kcal', 4.184 / 3.6],
  ['energy', 'kwh', 1e3],
  ['energy', 'mwh', 1e6],
  ['energy', 'gwh', 1e9],
  ['speed', 'km/h kmh kph', 1 / 3.6],
  ['speed', 'mph', 0.44704],
  ['speed', 'm/s mps', 1],
  ['speed', 'knot knots', 0.514444],
  ['area', 'm² m2 sqm', 1],
  ['area', 'km² km2', 1e6],
  ['area', 'ha hectare hectares hektar', 1e4],
  ['area', 'acre acres', 4046.856],
  ['area', 'ft² ft2 sqft', 0.09290304],
  ['area', 'mi²', 2_589_988],
  ['volume', 'l litre litres liter liters', 1],
  ['volume', 'ml millilitre millilitres milliliter milliliters', 0.001],
  ['volume', 'm³', 1000],
  ['volume', 'gal gallon gallons', 3.785412],
  ['temperature', '°c celsius degree degrees grad grader degrés grados gradi graden stopni 度', 1],
  ['temperature', '°f fahrenheit', 5 / 9, -160 / 9],
]
const UNIT_OF = new Map<string, QuantityUnit>(
  UNITS.flatMap(([kind, names, factor, offset = 0]) =>
    names.split(' ').map((name): [string, QuantityUnit] => [name, { kind, factor, offset }]),
  ),
)

export function unitOf(name: string): QuantityUnit | undefined {
  const [, scale] = /^degrees?\s([cf])/i.exec(name) ?? []
  if (scale !== undefined) return UNIT_OF.get(`°${scale.toLowerCase()}`)
  const [, area] = /^(?:sq\.?|square)\s(\p{L}+)$/iu.exec(name) ?? []
  const side = area === undefined ? undefined : UNIT_OF.get(area.toLowerCase())
  if (side) return side.kind === 'length' ? { kind: 'area', factor: side.factor ** 2, offset: 0 } : undefined
  return UNIT_OF.get(CASED[name] ?? name.toLowerCase())
}

/** French octets, and the sizes of Kubernetes. In lower case they are other words. */
const CASED: Record<string, string> = {
  Ko: 'kb',
  Mo: 'mb',
  Go: 'gb',
  Ki: 'kib',
  Mi: 'mib',
  Gi: 'gib',
  Ti: 'tib',
  G: 'gb',
  T: 'tb',
  // `3D` is no number of days.
  D: '',
}

/** A unit of data with its other size: `2 GB` may be 2,048 MB. */
export function sizesOf(unit: QuantityUnit): QuantityUnit[] {
  const power = unit.kind === 'data' ? Math.log(unit.factor) / Math.log(1000) : 0
  return power >= 1 && Number.isInteger(Math.round(power * 1e9) / 1e9)
    ? [
        { ...unit, isBinary: false },
        { ...unit, factor: 1024 ** Math.round(power), isBinary: true },
      ]
    : [unit]
}

/** Units of scripts without letter case, longest first. Words follow them without a space. */
const CASELESS = [...UNIT_OF.keys()].filter((name) => /^\p{Lo}/u.test(name)).sort((a, b) => b.length - a.length)

/** A unit such as 分 or 개월 at the start of a text. 時 before 間 and the like are matched whole. */
export const CASELESS_UNIT = new RegExp(`^\\s?(${CASELESS.join('|')})`, 'u')

/** A name of a JSON key or a table's column that ends with a unit: `elapsed_ms`, `sizeBytes`, `Elapsed (ms)`. */
const KEY = /([A-Za-z_]\w{0,40})(?: ?\((\w{1,12})\))?["'\]]?[ \t]{0,2}[:=|][ \t]{0,2}["']?[-−]?$/

/** `temp_min` is no number of minutes. */
const MINIMUM = /(?:temp\w*|^t|price|value|score|rate|speed|amount|humidity|weight|size|cpu|memory)_?min$/i
/** `screen_in` is in inches, `checked_in` is not. */
const LENGTH = /(?:screen|display|diagonal|width|height|length|depth|size|rain|snow|precip\w*)_?in$/i

/** The unit that the name before a number gives: `elapsed_ms: 2350`. */
export function unitOfKey(before: string): QuantityUnit | undefined {
  const [, key = '', inBrackets] = KEY.exec(before) ?? []
  // `growth_gb_per_hour` is a number of gigabytes.
  const parts = key.replace(/(?<=[a-z_])_?[pP]er(?=_|[A-Z]).*/, '').split(/_|(?<=[a-z])(?=[A-Z])/)
  const last = parts.at(-1) ?? ''
  if (inBrackets === undefined && parts.length > 1 && /^[cf]$/i.test(last)) return unitOf(`°${last}`)
  if (/^min$/i.test(last) && MINIMUM.test(key)) return undefined
  if (/^in$/i.test(last) && LENGTH.test(key)) return unitOf('inch')
  if (/^ms$/i.test(last) && /wind|speed|gust|velocity/i.test(key)) return unitOf('m/s')
  // `litres_day` is a number of litres.
  const rated = unitOf(last)?.kind === 'time' ? unitOf(parts.at(-2) ?? '') : undefined
  if (rated) return rated
  return unitOf(inBrackets ?? (parts.length > 1 || last.length > 1 || last === 's' ? last : ''))
}

const CJK_SCALES: Record<string, number> = {
  ...{ 十: 10, 百: 100, 千: 1e3, 万: 1e4, 萬: 1e4, 億: 1e8, 亿: 1e8, 兆: 1e12 },
  ...{ 십: 10, 백: 100, 천: 1e3, 만: 1e4, 억: 1e8, 조: 1e12 },
}
const OTHER_SCALES: Record<string, number> = {
  ...{ हज़ार: 1e3, हजार: 1e3, लाख: 1e5, करोड़: 1e7, अरब: 1e9, লাখ: 1e5, কোটি: 1e7 },
  ...{ ألف: 1e3, آلاف: 1e3, مليون: 1e6, ملايين: 1e6, مليار: 1e9, אלף: 1e3, מיליון: 1e6, מיליארד: 1e9 },
  ...{
    मिलियन: 1e6,
    मिलीयन: 1e6,
    बिलियन: 1e9,
    میلیون: 1e6,
    میلیارد: 1e9,
    هزار: 1e3,
    'mil millones': 1e9,
    'thousand million': 1e9,
  },
  ...{ พัน: 1e3, หมื่น: 1e4, แสน: 1e5, ล้าน: 1e6 },
}
const FACTOR = new RegExp(
  `^\\s?(?:([十百千십백천]?[万萬億亿兆만억조]|[百千백천])|(${Object.keys(OTHER_SCALES).join('|')}))`,
  'u',
)

/** A factor such as 万, 億, 百万, 만 or लाख at the start of a text. */
export function factorIn(text: string): { shown: string; value: number } | undefined {
  const { 0: shown, 1: cjk, 2: other } = FACTOR.exec(text) ?? []
  if (shown === undefined) return undefined
  const value =
    other === undefined ? [...(cjk ?? '')].reduce((all, one) => all * CJK_SCALES[one]!, 1) : OTHER_SCALES[other]!
  return { shown, value }
}

export const FRACTIONS: Record<string, number> = {
  ...{ '½': 1 / 2, '⅓': 1 / 3, '⅔': 2 / 3, '¼': 1 / 4, '¾': 3 / 4, '⅕': 1 / 5, '⅖': 2 / 5, '⅗': 3 / 5, '⅘': 4 / 5 },
  ...{ '⅙': 1 / 6, '⅚': 5 / 6, '⅐': 1 / 7, '⅛': 1 / 8, '⅜': 3 / 8, '⅝': 5 / 8, '⅞': 7 / 8, '⅑': 1 / 9, '⅒': 1 / 10 },
}
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'
const POWER =
  /^(?:e([+-]?\d{1,2})(?![\w.])|[ \u00a0]?(?:[×x*·⋅]|\\times|\\cdot)[ \u00a0]?10(?:\^\{?\(?([+−-]?\d{1,2})\)?\}?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})))/iu
const OF_TEN = /^(?:\^\{?\(?([+−-]?\d{1,2})\)?\}?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))/u

/** The power of ten behind a number (`× 10^6`, `e6`), or behind a 10 itself (`10⁶`). */
export function powerIn(after: string, isTen: boolean): { shown: string; value: number } | undefined {
  const [shown, ...found] = POWER.exec(after) ?? []
  if (shown !== undefined) return { shown, value: 10 ** exponentOf(found) }
  const [ofTen, ...raised] = (isTen && OF_TEN.exec(after)) || []
  return ofTen === undefined ? undefined : { shown: ofTen, value: 10 ** (exponentOf(raised) - 1) }
}

function exponentOf(found: (string | undefined)[]): number {
  const written = found.find((one) => one !== undefined) ?? '0'
  return Number(
    written
      .replace(/[⁰-⁹¹²³]/g, (digit) => String(SUPERSCRIPTS.indexOf(digit)))
      .replace(/[−⁻]/, '-')
      .replace(/[+⁺]/, ''),
  )
}

/** Words by which an answer says that a number is a mean or a median. */
export const AVERAGE =
  /\b(?:average|avg|mean|median|durchschnitt\w*|mittel\w*|moyenne|promedio|media|média|gemiddeld\w*|średni\w*)\b|平均|평균|मध्य|औसत|متوسط/iu
