/** Takes the days at the start of a text: `every Monday`, `on the 1st of each month`, `tomorrow`. */
import { dateIn, dayAfter } from './dates-in-zone.ts'
import { ORDINALS, WEEKDAYS } from './describe-when.ts'
import type { ScheduleStep } from './when.ts'

/**
 * The days of a form that needs an hour: the last three cron fields, one day (YYYY-MM-DD), or the next day of `names`
 * on which that hour is still to come.
 */
type Days = { cron: string; step?: Pick<ScheduleStep, 'unit' | 'n'> } | { date: string } | { next: number[] }

const DAY = '(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:days?)?'
const EVERY = '(?:(?:on )?(?:every|each) )'
const STEP = '[2-9]|1[0-2]|two|three|four'

const DAY_FORMS: {
  form: string
  days: (found: string[], context: { now: number; zone: string }) => Days | undefined
}[] = [
  { form: `(?:${EVERY}(?:day|morning|afternoon|evening|night)|daily|nightly)`, days: () => ({ cron: '* * *' }) },
  { form: `(?:${EVERY}week-?ends?|(?:on |at )?week-?ends)`, days: () => ({ cron: '* * 0,6' }) },
  // `every 9am`
  {
    form: String.raw`(?:every|each)(?= (?:\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\d{1,2}:\d\d(?!\d)|noon\b|midnight\b))`,
    days: () => ({ cron: '* * *' }),
  },
  { form: `(?:${EVERY}(?:weekday|workday|working day)|(?:on )?weekdays)`, days: () => ({ cron: '* * 1-5' }) },
  {
    form: String.raw`(?:${EVERY}|on (?=\S+s\b)|(?=\S+s\b))(${DAY}(?:(?:,| and|, and| &| to| through|-| -|–) ?${DAY})*)`,
    days: ([, names = '']) => weekdays(names),
  },
  {
    form: String.raw`(?:on )?the (\d{1,2}(?:st|nd|rd|th)?(?:(?:,| and|, and| &) ?(?:the )?\d{1,2}(?:st|nd|rd|th)?)*)(?: day)? of (?:each|every) month`,
    days: ([, days = '']) => monthDays(days),
  },
  {
    form: String.raw`(?:(?:each|every) month|monthly) on the (\d{1,2}(?:st|nd|rd|th)?(?:(?:,| and|, and| &) ?(?:the )?\d{1,2}(?:st|nd|rd|th)?)*)`,
    days: ([, days = '']) => monthDays(days),
  },
  { form: '(?:on )?the last day of (?:each|every|the) month', days: () => ({ cron: 'L * *' }) },
  {
    form: `(?:on )?(?:every|each) (?:other|second|2nd) (${DAY})(?! (?:of|in) )`,
    days: ([, name = '']) => ({ cron: `* * ${weekdayNumber(name)}`, step: { unit: 'week', n: 2 } }),
  },
  {
    form: `(?:(?:on )?(?:every|each) (${STEP}|other|second) weeks?|bi-?weekly|fortnightly|every fortnight),? on (${DAY})`,
    days: ([, n = '2', name = '']) => everyNth(n, 'week', `* * ${weekdayNumber(name)}`),
  },
  {
    form: `(?:on )?(?:every|each) (${STEP}|other|second) days?`,
    days: ([, n = '2']) => everyNth(n, 'day', '* * *'),
  },
  {
    form: `(?:on )?(?:every|each) (first|third|fourth|last) (${DAY})(?! (?:of|in) )`,
    days: ([, nth = '', name = '']) => nthWeekday(nth.toLowerCase(), name),
  },
  {
    form: `(?:on )?(?:(?:the|every|each) )?(${ORDINALS.join('|')}|last) (${DAY}) (?:of|in) (?:each|every|the|a) month`,
    days: ([, nth = '', name = '']) => nthWeekday(nth.toLowerCase(), name),
  },
  {
    form: `(?:on |from )?(${DAY}(?: to| through|-| -|–) ?${DAY})`,
    days: ([, names = '']) => weekdays(names),
  },
  {
    form: `(?:on |on the |next |this |this coming |on next )?(${DAY})`,
    days: ([, name = '']) => ({ next: [weekdayNumber(name)] }),
  },
  {
    form: '(?:today|tonight|this)(?= (?:morning|afternoon|evening|night)\\b)|tonight',
    days: (_, { now, zone }) => ({ date: dateIn(zone, now) }),
  },
  { form: 'today', days: (_, { now, zone }) => ({ date: dateIn(zone, now) }) },
  { form: 'tomorrow', days: (_, { now, zone }) => ({ date: dayAfter(dateIn(zone, now), 1) }) },
  {
    form: String.raw`in (\d{1,3}) days?`,
    days: ([, days = ''], { now, zone }) => ({ date: dayAfter(dateIn(zone, now), Number(days)) }),
  },
  { form: String.raw`(?:on )?(\d{4}-\d\d-\d\d)`, days: ([, date = '']) => ({ date }) },
]

/** Compiled once, because every question is parsed. */
const DAYS = DAY_FORMS.map(({ form, days }) => ({ form: new RegExp(String.raw`^${form}(?![\w-])`, 'i'), days }))

/** `text`: the words of the days. */
export interface TakenDays {
  days: Days
  rest: string
  text: string
}

export function takeDays(text: string, context: { now: number; zone: string }): TakenDays | undefined {
  for (const { form, days } of DAYS) {
    const found = form.exec(text)
    const read = found && days([...found], context)
    if (found && read) return { days: read, rest: text.slice(found[0].length), text: found[0] }
  }
  return undefined
}

function weekdayNumber(name: string): number {
  return WEEKDAYS.findIndex((day) => day.toLowerCase().startsWith(name.slice(0, 3).toLowerCase()))
}

/** `Mon, Wed and Fri`, `Monday to Friday` as a cron field. */
function weekdays(names: string): Days | undefined {
  const range = new RegExp(`^(${DAY})(?: to| through|-| -|–) ?(${DAY})$`, 'i').exec(names)
  if (!range && / to|through|-|–/.test(names)) return undefined
  const found = [...names.matchAll(new RegExp(DAY, 'gi'))].map(([name]) => weekdayNumber(name))
  if (!range) return { cron: `* * ${[...new Set(found)].sort().join(',')}` }
  const [from = 0, to = 0] = found
  return from < to ? { cron: `* * ${from}-${to}` } : undefined
}

function monthDays(text: string): Days | undefined {
  const days = [...new Set([...text.matchAll(/\d+/g)].map(Number))].sort((a, b) => a - b)
  return days.every((day) => day >= 1 && day <= 31) ? { cron: `${days.join(',')} * *` } : undefined
}

const NUMBERS = ['', '', 'two', 'three', 'four']

function everyNth(written: string, unit: ScheduleStep['unit'], cron: string): Days {
  const named = NUMBERS.indexOf(written.toLowerCase())
  const n = /^\d+$/.test(written) ? Number(written) : named > 0 ? named : 2
  return { cron, step: { unit, n } }
}

function nthWeekday(nth: string, name: string): Days {
  const weekday = weekdayNumber(name)
  return { cron: `* * ${nth === 'last' ? `${weekday}L` : `${weekday}#${ORDINALS.indexOf(nth) + 1}`}` }
}
