/** Dates and times as people write them in tables, in ISO's form for SQL. */

export type DateOrder = 'day' | 'month'

interface WrittenDate {
  year: number
  /** The first and the second number of `03/04/2024`, or the month and the day where they are certain. */
  first: number
  second: number
  isCertain: boolean
  time: string
}

const TIME =
  /(?:[T ,]+(\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\.?)?)(?: ?(?:Z|UTC|Uhr|[+-]\d{2}:?\d{2}))?)?$/i
const ISO = new RegExp(/^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})/.source + TIME.source, 'i')
/** A weekday before a date, in the languages of the months. */
const WEEKDAY = `(?:(?:${[
  'mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?',
  'mo(?:ntag)?|di(?:enstag)?|mi(?:ttwoch)?|do(?:nnerstag)?|fr(?:eitag)?|sa(?:mstag)?|sonnabend|so(?:nntag)?',
  'lun(?:di)?|mar(?:di)?|mer(?:credi)?|jeu(?:di)?|ven(?:dredi)?|sam(?:edi)?|dim(?:anche)?',
  'lunes|martes|mi[eé](?:rcoles)?|jue(?:ves)?|vie(?:rnes)?|s[aá]b(?:ado)?|dom(?:ingo)?',
  'luned[iì]|marted[iì]|mercoled[iì]|gio(?:ved[iì])?|venerd[iì]|sabato|domenica',
].join('|')})\\.?,? )?`
const NUMERIC = new RegExp(`^${WEEKDAY}${/(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})/.source}${TIME.source}`, 'iu')
/** `SO 10-11-12` is an order rather than a Sunday. */
const ORDER_NUMBER = /^[A-Z]{2} \d+-/
const DAY_FIRST = new RegExp(
  `^${WEEKDAY}${
    /(\d{1,2})(?:\.|st|nd|rd|th)?[ -]?(?:de )?(\p{L}{3,10})(\.?,?[ -](?:de )?['’]?)(\d{4}|\d{2})/u.source
  }${TIME.source}`,
  'iu',
)
const MONTH_FIRST = new RegExp(
  `^${WEEKDAY}${/(\p{L}{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})/u.source}${TIME.source}`,
  'iu',
)
/** A year of two digits stands after the whole name of a month, or after an abbreviation, recognised by these marks. */
const WHOLE_MONTH = new RegExp(
  `^(?:${[
    'january|february|march|april|may|june|july|august|september|october|november|december',
    'januar|jänner|februar|feber|märz|mai|juni|juli|oktober|dezember',
    'janvier|f[eé]vrier|mars|avril|juin|juillet|ao[uû]t|septembre|octobre|novembre|d[eé]cembre',
    'enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre',
    'gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre',
  ].join('|')})$`,
  'iu',
)
const CUT_MONTH = /[.'’-]/
/** The beginnings of the names of months in English, German, French, Spanish and Italian. */
const MONTHS = [
  'jan|ene|gen|jän',
  'feb|fév|fev',
  'mar|mär|mrz',
  'apr|avr|abr',
  'may|mai|mag',
  'jun|juin|giu',
  'jul|juil|lug',
  'aug|aoû|aou|ago',
  'sep|set',
  'oct|okt|ott',
  'nov',
  'dec|dez|déc|dic',
].map((names) => new RegExp(`^(?:${names})`, 'iu'))

const ISO_DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/

/** Returns whether a cell is a date in the form of SQL already, one of the days that every month has. */
export function isIsoDay(cell: string): boolean {
  return cell.length === 10 && ISO_DAY.test(cell)
}

export function writtenDate(cell: string): WrittenDate | undefined {
  if (cell.length > 45 || cell.length < 6 || !/\d[\d\s,]*$|:\d{2}|\d ?[+-]\d{2}/.test(cell)) return undefined
  const iso = ISO.exec(cell)
  if (iso) return dateOf([iso[1], iso[3], iso[4], iso[5]], true)
  const numeric = ORDER_NUMBER.test(cell) ? null : NUMERIC.exec(cell)
  if (numeric) return dateOf([numeric[4], numeric[1], numeric[3], numeric[5]], numeric[2] === '.' ? 'day' : false)
  const named = DAY_FIRST.exec(cell)
  if (named) {
    const [, day, month = '', mark = '', year, time] = named
    if (year?.length === 2 && !WHOLE_MONTH.test(month) && !CUT_MONTH.test(mark)) return undefined
    return dateOf([year, monthOf(month), day, time], true)
  }
  const second = MONTH_FIRST.exec(cell)
  return second ? dateOf([second[3], monthOf(second[1]), second[2], second[4]], true) : undefined
}

function dateOf(
  [year = '', a = '', b = '', time = '']: (string | undefined)[],
  certain: boolean | 'day',
): WrittenDate | undefined {
  const [first, second] = certain === 'day' ? [Number(b), Number(a)] : [Number(a), Number(b)]
  const full = year.length === 2 ? Number(year) + (Number(year) < 70 ? 2000 : 1900) : Number(year)
  const clock = time === '' ? '' : isoTime(time)
  if (clock === undefined || !first || !second) return undefined
  return { year: full, first, second, isCertain: certain !== false, time: clock }
}

function monthOf(name = ''): string {
  return String(MONTHS.findIndex((month) => month.test(name)) + 1)
}

/** Returns which number of `13/04/2024` is the day, undefined if both may be. */
export function orderOf({ first, second, isCertain }: WrittenDate): DateOrder | undefined {
  if (isCertain || first > 12 === second > 12) return undefined
  return first > 12 ? 'day' : 'month'
}

/** Returns `2024-04-13` or `2024-04-13 08:30:00`; undefined if there is no such day. */
export function isoDate({ year, first, second, isCertain, time }: WrittenDate, order: DateOrder): string | undefined {
  const [month, day] = isCertain || order === 'month' ? [first, second] : [second, first]
  if (month > 12 || day < 1 || day > new Date(Date.UTC(2000, month, 0)).getUTCDate()) return undefined
  if (month === 2 && day === 29 && new Date(Date.UTC(year, 1, 29)).getUTCMonth() !== 1) return undefined
  const two = (number: number) => String(number).padStart(2, '0')
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}${time && ` ${time}`}`
}

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)? ?(?:([ap])\.?m\.?)?(?: Uhr)?$/i

/** Returns `08:30:00`, undefined if it is no time of day. */
export function isoTime(cell: string): string | undefined {
  const [, hours, minutes = '', seconds = '00', half] = CLOCK.exec(cell) ?? []
  if (hours === undefined) return undefined
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  return `${String(hour).padStart(2, '0')}:${minutes}:${seconds}`
}
