import { findPage, lookUp, type Page } from './pages.ts'
import { answered, type Move, type Plan, type Rule } from './plan.ts'
import type { Asked } from './read-prompt.ts'
import { readPhrase, resolve, type Phrase, type Resolved } from './relations.ts'
import { calculate, expressionOf, isNumber } from './sums.ts'

const MONTHS = 'january february march april may june july august september october november december'.split(' ')
/**
 * A day in British or American order: `1 February 1994`, `February 1, 1994`. Five groups: day, month, month, day,
 * year.
 */
const DATE = `(?:(\\d{1,2}) (${MONTHS.join('|')})|(${MONTHS.join('|')}) (\\d{1,2}),?) (\\d{4})`

/** When something began, and when it ended if it did. Months from 1; only the year where no more is known. */
interface Span {
  from: Day
  to?: Day
}

/** Year, month (1 to 12) and day, as far as the page tells them. */
interface Day {
  year: number
  month?: number
  day?: number
}

/** "How old is …", "… 's age raised to the 0.23 power", "Who is …? What is his age …?". */
export const ages: Rule = (asked) => {
  const question = asked.question.trim().replace(/[?.\s]+$/, '')
  const two =
    /^who (?:is|was) ([^?]+)\?\s*(?:and )?(?:what (?:is|was) (?:his|her|their|its) (?:current )?age|how old (?:is|was) (?:he|she|it))\b(.*)$/i.exec(
      question,
    )
  if (two?.[1]) return ageOf(asked, readPhrase(two[1]), two[2] ?? '')
  const old = /\bhow old (?:is|was|would) (.+?)(?: be)?(?: (?:today|now|when (?:he|she) died))?$/i.exec(question)
  if (old?.[1]) return ageOf(asked, readPhrase(old[1]), '')
  const age =
    /^(?:what(?:['’]s| is| was) )?(?:(?:the )?(?:current )?age of (.+?)|(.+?)['’]s? (?:current )?age)(| (?:raised|to the|plus|minus|times|divided|squared|cubed)\b.*| ?[-+*/^].*)$/i.exec(
      question,
    )
  const whose = age?.[1] ?? age?.[2]
  return whose ? ageOf(asked, readPhrase(whose), age?.[3] ?? '') : undefined
}

/**
 * First who is meant, then their page, then its dates, then the calculator: at most one tool a step, as the loop
 * wants it.
 */
function* ageOf(asked: Asked, phrase: Phrase, then: string): Plan {
  const who = yield* resolve(asked, phrase)
  if (typeof who === 'string') return answered(who, 'I cannot find out more.')
  const page = yield* findPage(asked, who.name, `To know the age I need a date. I look up ${who.name}.`)
  if (typeof page === 'string')
    return answered(`I could not find a page about ${who.name}. ${page}`.trim(), 'I cannot find out more.')
  const span = yield* spanOf(asked, page)
  if (!span) return answered(`The page about ${who.name} does not say when it began.`, 'The page gives no date.')
  const age = yield* calculate(
    ageExpression(span, asked.today),
    span.to ? 'From the first date to the last:' : `From that date to today, ${asked.today}:`,
  )
  if (!isNumber(age)) return answered(`The calculator says: ${age}`, 'The calculator could not do it.')
  return yield* finish(who, { age, span, then })
}

/** People have their dates at the start of the page; companies are founded somewhere below. */
function* spanOf(asked: Asked, page: Page): Generator<Move, Span | undefined, string> {
  const here = readSpan(page.sentences.join(' '))
  if (here) return here
  const sentence = yield* lookUp(
    asked,
    'founded',
    'There is no date of birth. Maybe the page says when it was founded.',
  )
  return sentence === undefined ? undefined : readSpan(sentence)
}

/** Says the age, and where the question goes on (“raised to the 0.23 power”) does that sum with it. */
function* finish(who: Resolved, { age, span, then }: { age: string; span: Span; then: string }): Plan {
  const { name, evidence } = who
  const first = span.to ? `**${name}** lived to the age of **${age}**.` : `**${name}** is **${age}** years old.`
  const said = evidence ? `${first} (“${evidence}”)` : first
  const expression = then.trim() === '' ? undefined : expressionOf(`${age} ${then.trim()}`)
  if (!expression) return answered(said)
  const result = yield* calculate(expression, `The age is ${age}. Now the rest of the sum.`)
  return answered(
    isNumber(result) ? `${said}\n\n${expression} = **${result}**` : `${said}\n\nThe calculator says: ${result}`,
  )
}

/** Reads "(born 1 February 1994)", "(January 2, 1925 – October 18, 2007)" or "founded in 1904". */
export function readSpan(text: string): Span | undefined {
  const dates = [...text.slice(0, 4000).matchAll(new RegExp(`(born )?${DATE}(?:\\s*[–-]\\s*${DATE})?`, 'giu'))]
  for (const [, born, ...parts] of dates) {
    const from = dayOf(parts.slice(0, 5))
    const to = parts[9] === undefined ? undefined : dayOf(parts.slice(5, 10))
    if (to) return { from, to }
    if (born) return { from }
  }
  const year = /\b(?:founded|established|started|created|invented|born)\b[^.]{0,80}?\bin (\d{4})/i.exec(text)?.[1]
  return year === undefined ? undefined : { from: { year: Number(year) } }
}

/** The five groups of DATE, of which two are empty in either order. */
function dayOf([day1, month1, month2, day2, year]: (string | undefined)[]): Day {
  const month = MONTHS.indexOf((month1 ?? month2 ?? '').toLowerCase()) + 1
  return { year: Number(year), month, day: Number(day1 ?? day2) }
}

/** The years between, one less where the birthday has not come yet. */
export function ageExpression({ from, to }: Span, today: string): string {
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number)
  const end: Day = to ?? { year, month, day }
  const early = (end.month ?? 12) * 100 + (end.day ?? 31) < (from.month ?? 0) * 100 + (from.day ?? 0)
  return early ? `${end.year}-${from.year}-1` : `${end.year}-${from.year}`
}
