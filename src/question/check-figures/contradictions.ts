/**
 * Finds figures that the answer itself shows to be wrong: an equation that does not hold, a date on another weekday.
 */
import { dayNumber, type DatePart } from './dates.ts'
import type { Figure } from './find-figures.ts'
import { numbersIn } from './numbers.ts'

const NUMBER = String.raw`[-−]?[$€£¥₹]?\d[\d.,'’\u00a0\u202f]{0,20}(?<=\d)(?:\s?%)?(?:\s?[€$£])?`
const OPERATOR = String.raw`(?:[-−–+×*·/÷x]|\\times|\\cdot|\\div)`
/** Only spaced operators: `3-5` is a range, `2026-11-24` a date. */
const EQUATION = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,:/-])(${NUMBER}(?:\s${OPERATOR}\s${NUMBER}){1,30})\s?(?:=|≈)\s?(${NUMBER})(?![\p{L}\p{N}%]|[.,]\d)`,
  'gu',
)
const TERM = new RegExp(String.raw`(?:^|\s(${OPERATOR})\s)(${NUMBER})`, 'gu')

interface FigureSpan {
  at: number
  end: number
}

/** `pair`: its numbers, with a space between them. */
interface FigurePair extends FigureSpan {
  pair: string
}

/** The results of equations that do not hold. Linear in the length of the text. */
export function wrongResults(answer: string): FigureSpan[] {
  return [...answer.matchAll(EQUATION)].flatMap(({ 0: whole, 1: left = '', 2: right = '', index }) => {
    const values = valuesOf(left)
    const [result] = numbersIn(right)
    if (!result || values.length === 0) return []
    const isRight = result.readings.some(({ value, tolerance }) =>
      values.some(
        (one) => Math.abs(Math.abs(one) - value) <= 1.01 * tolerance + 0.005 * (whole.includes('≈') ? value : 0),
      ),
    )
    const end = index + whole.length
    return isRight ? [] : [{ at: end - right.length, end }]
  })
}

/** The possible values of a calculation, without brackets. */
function valuesOf(text: string): number[] {
  const terms = [...text.matchAll(TERM)].map(([, operator = '+', number = '']) => ({
    operator: operator.replace('\\times', '×').replace('\\cdot', '×').replace('\\div', '÷'),
    numeral: numbersIn(number)[0],
  }))
  if (terms.some(({ numeral }) => numeral === undefined)) return []
  const readings = [0, 1].map((nth) => {
    const sums: number[] = []
    for (const { operator, numeral } of terms) {
      const { value } = numeral!.readings[nth] ?? numeral!.readings[0]!
      const factor = numeral!.isPercent ? value / 100 : value
      if (/[×*·x]/.test(operator)) sums.push(sums.pop()! * factor)
      else if (/[/÷]/.test(operator)) sums.push(sums.pop()! / factor)
      else sums.push(/[+]/.test(operator) ? factor : -factor)
    }
    return sums.reduce((sum, one) => sum + one, 0)
  })
  return [...new Set(readings)]
}

const WEEKDAYS = [
  'Sunday Sun Sonntag dimanche domingo domenica zondag niedziela воскресенье söndag søndag 日曜日 星期日 星期天 일요일',
  'Monday Mon Montag lundi lunes segunda-feira lunedì maandag poniedziałek понедельник måndag mandag 月曜日 星期一 월요일',
  'Tuesday Tue Tues Dienstag mardi martes terça-feira martedì dinsdag wtorek вторник tisdag tirsdag 火曜日 星期二 화요일',
  'Wednesday Wed Mittwoch mercredi miércoles quarta-feira mercoledì woensdag środa środę среда среду onsdag 水曜日 星期三 수요일',
  'Thursday Thu Thur Thurs Donnerstag jeudi jueves quinta-feira giovedì donderdag czwartek четверг torsdag 木曜日 星期四 목요일',
  'Friday Fri Freitag vendredi viernes sexta-feira venerdì vrijdag piątek пятница пятницу fredag 金曜日 星期五 금요일',
  'Saturday Sat Samstag Sonnabend samedi sábado sabato zaterdag sobota sobotę суббота субботу lördag lørdag 土曜日 星期六 토요일',
]
const DAY_OF = new Map(WEEKDAYS.flatMap((names, day) => names.split(' ').map((name) => [name.toLowerCase(), day])))
const NAME = [...DAY_OF.keys()].toSorted((one, other) => other.length - one.length).join('|')
const DAY_BEFORE = new RegExp(String.raw`(?<!\p{L})(${NAME})\.?(?:,|\s\(|,?\s(?:the|den|le|el|dem|il|on))?\s?$`, 'iu')
const DAY_AFTER = new RegExp(String.raw`^\s?[(（,]?\s?(?:an?\s|is\sa\s)?(${NAME})(?!\p{L})`, 'iu')

/** Returns whether a weekday stands beside a date that is on another one. A date without a year may be of several. */
export function isOnOtherWeekday(figure: Figure, answer: string, yearsOf: (date: DatePart) => number[]): boolean {
  if (figure.kind !== 'date') return false
  const before = DAY_BEFORE.exec(answer.slice(Math.max(0, figure.at - 30), figure.at))?.[1]
  const after = DAY_AFTER.exec(answer.slice(figure.at + figure.text.length).slice(0, 24))?.[1]
  const named = (before ?? after)?.toLowerCase()
  const days = figure.date.readings.flatMap((date) => daysOf(date, yearsOf))
  if (named === undefined || days.length === 0) return false
  return days.every((day) => (((day + 4) % 7) + 7) % 7 !== DAY_OF.get(named))
}

function daysOf(date: DatePart, yearsOf: (date: DatePart) => number[]): number[] {
  return (date.y === undefined ? yearsOf(date) : [date.y]).flatMap((y) => dayNumber({ ...date, y }) ?? [])
}

/** `3–2`, `3:2`: a score or another pair of small numbers. `3–5 days` is a range, `3:20` a time. */
const PAIR =
  /(?<![\d\p{L}.,:/–-])(\d{1,2})(?:\s?[-–]\s?(\d{1,2})|:(\d))(?![\d\p{L}%]|[.,:/–-]\d|\s\p{Ll}+s\b|\s?[°%])/gu

/** The pairs of a text, each with its place. */
export function pairsIn(text: string): FigurePair[] {
  return [...text.matchAll(PAIR)].map(({ 0: whole, 1: one, 2: other, 3: goals, index }) => ({
    at: index,
    end: index + whole.length,
    pair: `${Number(one)} ${Number(other ?? goals)}`,
  }))
}
