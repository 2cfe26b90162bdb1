import { expect, test } from 'vitest'
import { describeTime, describeWhen } from '../../src/schedules/describe-when.ts'
import { afterScheduleWord, parseSchedule, SCHEDULE_EXAMPLES } from '../../src/schedules/parse-schedule.ts'
import { nextTimes } from '../../src/schedules/when.ts'

/** Thursday, 26 November 2026, 14:00 in Berlin. */
const now = Date.parse('2026-11-26T13:00Z')

function parse(text: string, explicit = false) {
  return parseSchedule(text, { zone: 'Europe/Berlin', now, explicit, minMinutes: 15 })
}

function told(text: string, explicit = false): string[] {
  const parsed = parse(text, explicit)
  if (!parsed) return ['a question']
  if ('problem' in parsed) return [parsed.problem]
  const next = nextTimes(parsed.when, now, 1).map((at) => describeTime(at, parsed.when.zone))
  return [describeWhen(parsed.when), ...next, parsed.question]
}

test.each([
  [
    'every Monday at 9 what happened in #ops?',
    'Every Monday at 09:00 (Europe/Berlin)',
    'Mon, 30 Nov 2026, 09:00 (Europe/Berlin)',
    'what happened in #ops?',
  ],
  [
    'Every monday 9am, what happened?',
    'Every Monday at 09:00 (Europe/Berlin)',
    'Mon, 30 Nov 2026, 09:00 (Europe/Berlin)',
    'what happened?',
  ],
  [
    'every Monday 9 what happened?',
    'Every Monday at 09:00 (Europe/Berlin)',
    'Mon, 30 Nov 2026, 09:00 (Europe/Berlin)',
    'what happened?',
  ],
  [
    'every Monday at 9: what happened?',
    'Every Monday at 09:00 (Europe/Berlin)',
    'Mon, 30 Nov 2026, 09:00 (Europe/Berlin)',
    'what happened?',
  ],
  [
    'every Friday 17:30: list open tickets',
    'Every Friday at 17:30 (Europe/Berlin)',
    'Fri, 27 Nov 2026, 17:30 (Europe/Berlin)',
    'list open tickets',
  ],
  [
    'every Monday 9, what happened?',
    'Every Monday at 09:00 (Europe/Berlin)',
    'Mon, 30 Nov 2026, 09:00 (Europe/Berlin)',
    'what happened?',
  ],
  [
    'every weekday 17:30 list open tickets',
    'Every weekday at 17:30 (Europe/Berlin)',
    'Thu, 26 Nov 2026, 17:30 (Europe/Berlin)',
    'list open tickets',
  ],
  [
    'every day at 9:30 pm America/New_York: how many orders?',
    'Every day at 21:30 (America/New_York)',
    'Thu, 26 Nov 2026, 21:30 (America/New_York)',
    'how many orders?',
  ],
  ['daily at noon UTC what is new?', 'Every day at 12:00 (UTC)', 'Fri, 27 Nov 2026, 12:00 (UTC)', 'what is new?'],
  [
    'at 9 every Monday what happened?',
    'Every Monday at 09:00 (Europe/Berlin)',
    'Mon, 30 Nov 2026, 09:00 (Europe/Berlin)',
    'what happened?',
  ],
  [
    'Mondays and Thursdays at 12am sum up',
    'Every Monday and Thursday at 00:00 (Europe/Berlin)',
    'Mon, 30 Nov 2026, 00:00 (Europe/Berlin)',
    'sum up',
  ],
  [
    'every Mon, Wed and Fri at 12pm sum up',
    'Every Monday, Wednesday and Friday at 12:00 (Europe/Berlin)',
    'Fri, 27 Nov 2026, 12:00 (Europe/Berlin)',
    'sum up',
  ],
  [
    'every Monday to Friday at 8 news?',
    'Every weekday at 08:00 (Europe/Berlin)',
    'Fri, 27 Nov 2026, 08:00 (Europe/Berlin)',
    'news?',
  ],
  [
    'on the 1st of each month at 8 figures?',
    'On the 1st of each month at 08:00 (Europe/Berlin)',
    'Tue, 1 Dec 2026, 08:00 (Europe/Berlin)',
    'figures?',
  ],
  [
    'every month on the 1st and 15th at 8 figures?',
    'On the 1st and 15th of each month at 08:00 (Europe/Berlin)',
    'Tue, 1 Dec 2026, 08:00 (Europe/Berlin)',
    'figures?',
  ],
  [
    'on the 31st of every month at 8 figures?',
    'On the 31st of each month that has one at 08:00 (Europe/Berlin)',
    'Thu, 31 Dec 2026, 08:00 (Europe/Berlin)',
    'figures?',
  ],
  [
    'on the last day of each month at 8 figures?',
    'On the last day of each month at 08:00 (Europe/Berlin)',
    'Mon, 30 Nov 2026, 08:00 (Europe/Berlin)',
    'figures?',
  ],
  [
    'on the first Monday of each month at 8 figures?',
    'On the first Monday of each month at 08:00 (Europe/Berlin)',
    'Mon, 7 Dec 2026, 08:00 (Europe/Berlin)',
    'figures?',
  ],
  [
    'on the last Friday of the month at 8 figures?',
    'On the last Friday of each month at 08:00 (Europe/Berlin)',
    'Fri, 27 Nov 2026, 08:00 (Europe/Berlin)',
    'figures?',
  ],
  [
    'every 4 hours is the page green?',
    'Every 4 hours',
    'Thu, 26 Nov 2026, 18:00 (Europe/Berlin)',
    'is the page green?',
  ],
  ['every 4 hours UTC is the page green?', 'Every 4 hours', 'Thu, 26 Nov 2026, 17:00 (UTC)', 'is the page green?'],
  ['every hour is the page green?', 'Every hour', 'Thu, 26 Nov 2026, 15:00 (Europe/Berlin)', 'is the page green?'],
  [
    'every 30 minutes is the page green?',
    'Every 30 minutes',
    'Thu, 26 Nov 2026, 14:30 (Europe/Berlin)',
    'is the page green?',
  ],
  [
    'tomorrow at 8 remind me',
    'Once, on Fri, 27 Nov 2026, 08:00 (Europe/Berlin)',
    'Fri, 27 Nov 2026, 08:00 (Europe/Berlin)',
    'remind me',
  ],
  ['today at 17:00 Asia/Tokyo remind me', 'a question'],
  [
    'today at 18:00 remind me',
    'Once, on Thu, 26 Nov 2026, 18:00 (Europe/Berlin)',
    'Thu, 26 Nov 2026, 18:00 (Europe/Berlin)',
    'remind me',
  ],
  [
    'in 20 minutes check the build',
    'Once, on Thu, 26 Nov 2026, 14:20 (Europe/Berlin)',
    'Thu, 26 Nov 2026, 14:20 (Europe/Berlin)',
    'check the build',
  ],
  [
    'in an hour check the build',
    'Once, on Thu, 26 Nov 2026, 15:00 (Europe/Berlin)',
    'Thu, 26 Nov 2026, 15:00 (Europe/Berlin)',
    'check the build',
  ],
  [
    'on 2026-12-24 at 9 who works?',
    'Once, on Thu, 24 Dec 2026, 09:00 (Europe/Berlin)',
    'Thu, 24 Dec 2026, 09:00 (Europe/Berlin)',
    'who works?',
  ],
  [
    '0 9 * * 1 what happened?',
    'Every Monday at 09:00 (Europe/Berlin)',
    'Mon, 30 Nov 2026, 09:00 (Europe/Berlin)',
    'what happened?',
  ],
  [
    '*/15 9-17 * * MON-FRI UTC anything new?',
    'Every weekday, every 15 minutes from 09:00 to 17:45 (UTC)',
    'Thu, 26 Nov 2026, 13:15 (UTC)',
    'anything new?',
  ],
])('%s', (text, ...expected) => {
  expect(told(text)).toEqual(expected)
})

test.each([
  ['0 9 * * MON', 'Every Monday at 09:00'],
  ['0 9,17 * * *', 'Every day at 09:00 and 17:00'],
  ['30 8 1 * *', 'On the 1st of each month at 08:30'],
  ['0 9 * * 1-5', 'Every weekday at 09:00'],
  ['*/30 * * * *', 'Every 30 minutes'],
  ['0 9 * * MON,WED', 'Every Monday and Wednesday at 09:00'],
  ['0 9 * * 1-3,5', 'Every Monday to Wednesday and Friday at 09:00'],
  ['0 9 * * 7', 'Every Sunday at 09:00'],
  ['0 9 * * 0-6', 'Every day at 09:00'],
  ['0 */4 * * *', 'Every 4 hours'],
  ['15 * * * *', 'Every hour from 00:15 to 23:15'],
  ['0 9-17/2 * * FRI', 'Every Friday, every 2 hours from 09:00 to 17:00'],
  ['*/25 * * * *', 'In minutes 0, 25 and 50 of each hour'],
  ['0,30 9-12,14 * * *', 'In minutes 0 and 30 of the hours 9 to 12 and 14'],
  ['0 9 1,15 JAN,JUL *', 'On the 1st and 15th of January and July at 09:00'],
  ['0 9 31 * *', 'On the 31st of each month that has one at 09:00'],
  ['0 9 1-7 * MON', 'On the 1st to 7th of each month and every Monday at 09:00'],
  ['0 9 * 6-8 *', 'Every day in June to August at 09:00'],
  ['0 9 L * *', 'On the last day of each month at 09:00'],
  ['0 9 * * 1#2', 'On the second Monday of each month at 09:00'],
  ['0 9 * * 5L', 'On the last Friday of each month at 09:00'],
])('%s reads “%s”', (cron, words) => {
  expect(describeWhen({ kind: 'cron', cron, zone: 'UTC' })).toBe(`${words} (UTC)`)
})

test.each([
  'every Monday we lose orders, why?',
  'every Monday 3 people are ill, why?',
  'every Monday 9: 3 people are ill, why?',
  'every Monday at 9.30 what happened?',
  'every day at work we lose orders, why?',
  'Every 2 days we lose orders, why?',
  'what happens every Monday at 9?',
  'tomorrow is a holiday, is it?',
  'tomorrow at eight or nine?',
  'in 2026 what happened?',
  'in 20 minute intervals, how many?',
  'in 5 years what will a house cost?',
  'today at 9 the site was down, why?',
  'every Monday at 9',
  'every Monday at 25 what happened?',
  '2 * 3 * 4 * 5',
  '2 * 3 * 4 * 5 is what?',
  '2 * 3 * 4',
  '2 * 3 * 4 is what?',
  '0 0 31 2 * what?',
  '@daily what?',
  '* * what?',
  'H H * * * what?',
  '0 0 9 * * 1 what?',
  'on Monday at 9 we met Bob, who is he?',
  'the 1st of each month is what?',
  'May',
  'Every minute counts: what is our response time?',
  'Hourly rates in Berlin, how did they change?',
  '1 2 3 4 5 what comes next?',
  'today summarise what happened in #ops',
  'on Monday show the tickets',
  'Daily report for ACME: what is in it?',
  'Weekly report for ACME: summarise it',
  'in 20m of water what fish live?',
  'Monday to Friday we work, is that right?',
])('%s is a question', (text) => {
  expect(told(text)).toEqual(['a question'])
})

test.each([
  ['every Monday we lose orders', 'The hour is missing. Write it after the day, such as `at 9` or `at 17:30`.'],
  ['every Monday at 9', 'The question is missing. Write it after the time.'],
  [
    'every Monday at 9 Mars/Base what happened?',
    'Mars/Base is not a time zone that I know. Write one such as Europe/Berlin or UTC.',
  ],
  ['today at 9 remind me', 'That time has passed.'],
  ['2026-02-30 at 9 remind me', '2026-02-30 is not a date.'],
  ['2 * 3 * 4 * 5', 'I could not read when it should run.'],
  ['a meeting with Bob', 'I could not read when it should run.'],
  ['0 0 9 * * 1 what?', 'Write five cron fields, without seconds: minute, hour, day of the month, month, weekday.'],
])('schedule %s is asked back', (text, problem) => {
  expect(told(text, true)).toEqual([problem])
})

test.each([
  ['every Monday at 9 Europe/Nowhere what happened?', 'Europe/Nowhere'],
  ['every day 9 america/new_yrok what is new?', 'america/new_yrok'],
  ['tomorrow at 8 UTC+2 remind me', 'UTC+2'],
  ['every weekday at 17:30 (GMT-03:30) what is open?', 'GMT-03:30'],
  ['every Monday at 9am EST what happened?', 'EST'],
  ['0 9 * * 1 CEST what happened?', 'CEST'],
])('%s is asked back, since its zone is not known', (text, zone) => {
  expect(told(text)).toEqual([`${zone} is not a time zone that I know. Write one such as Europe/Berlin or UTC.`])
})

test.each([
  ['every Monday at 9 CI/CD status?', 'CI/CD status?'],
  ['schedule every Monday at 9 CI/CD status?', 'CI/CD status?'],
  ['every Monday at 9 UTC what is open?', 'what is open?'],
  ['every Monday at 9 AST nodes: how many are there?', undefined],
  ['every Monday at 9 ist alles gut?', 'ist alles gut?'],
])('%s asks “%s”', (text, question) => {
  const given = afterScheduleWord(text)
  const parsed = parse(given ?? text, given !== undefined)
  expect(parsed && 'question' in parsed ? parsed.question : undefined).toBe(question)
})

test('a schedule that runs too often is refused with a sentence, with or without the word schedule', () => {
  const problem = 'That is too often. A schedule may run at most every 15 minutes.'
  for (const text of ['every 5 minutes what?', '* * * * * what?', '0,5 9 * * * what?', 'every minute what happened?'])
    expect([told(text), told(text, true)]).toEqual([[problem], [problem]])
})

test('the word schedule may come first, with or without a colon', () => {
  expect(['schedule: every day', 'Schedule every day', 'schedule'].map(afterScheduleWord)).toEqual([
    'every day',
    'every day',
    '',
  ])
  expect(['schedules', 'scheduled', 'my schedule every day'].map(afterScheduleWord)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  for (const example of SCHEDULE_EXAMPLES) expect(parse(example), example).toHaveProperty('when')
})

test.each([
  ['every day at 9am ET what is open?', 'ET is not a time zone'],
  ['every day at 9am PT what is open?', 'PT is not a time zone'],
  ['every day at 9am Eastern what is open?', 'Eastern is not a time zone'],
  ['every hour between 9 and 17 on weekdays what is new?', '“between 9 and 17 on weekdays”'],
  ['every hour on weekdays what is new?', '“on weekdays”'],
  ['every 2 hours until Friday is the page green?', '“until Friday”'],
  ['every weekday at 9 except Friday what is open?', '“except Friday”'],
  ['every weekday except Friday at 9 what is open?', '“except Friday at 9”'],
  ['every 5 hours starting at 8 what is new?', '“starting at 8”'],
  ['every 24 hours at 9 what is new?', '“at 9”'],
  ['every day at 9 - 10 what is new?', '“- 10”'],
  ['every day at 9 for the next 3 weeks what is new?', '“for the next 3 weeks”'],
  ['every 30 minutes from 9 to 17 is it green?', '“from 9 to 17”'],
  ['every Friday at 17 starting next month, list open tickets', '“starting next month”'],
  ['every week summarise #ops', '“every week”'],
  ['every quarter at 9 what changed?', '“every quarter”'],
  ['every workday between 9 and 5 what is new?', '“between 9 and 5”'],
  ['every half hour check the build', '“every half hour”'],
  ['on 3 December at 9 remind me', '“on 3 December at 9”'],
  ['in three days at 9 remind me of the cake', '“in three days at 9”'],
  ['in 1.5 hours remind me of the cake', '“in 1.5 hours”'],
  ['in 2h30 remind me of the cake', '“in 2h30”'],
  ['the day after tomorrow at 9 remind me of the cake', '“the day after tomorrow at 9”'],
  ['every one and a half hours check the build', '“every one and a half hours”'],
  ['every business day at 9 what is new?', '“every business day”'],
  ['every day at half past nine what is new?', 'The hour is missing'],
  ['every Monday at nine what is new?', 'The hour is missing'],
  ['next week remind me of the report', '“next week”'],
  ['every day at 9 or 10 what is new?', 'Name one hour only'],
  ['every day at 9am/5pm what is new?', 'Name one hour only'],
  ['every day UTC+2 17:30 what is new?', 'UTC+2 is not a time zone'],
  ['every day at UTC+2 17:30 what is new?', 'UTC+2 is not a time zone'],
  ['every day at 9 +0200 what is new?', '+0200 is not a time zone'],
  ['every day ET 9am what is new?', 'ET is not a time zone'],
  ['every day at 9 in London what is new?', 'London is the time zone'],
  ['every 2 hours 9-17 check the page', '“9-17”'],
  ['every hour at :15 check the page', '“at :15”'],
  ['every 1.5 hours check the page', '“every 1.5 hours”'],
  ['every day at 9 as of Monday list tickets', '“as of Monday”'],
  ['every weekday but Friday at 9 list tickets', '“but Friday at 9”'],
  ['every year on 1 January at 9 post a greeting', '“every year”'],
  ['tomorrow remind me of the release', 'The hour is missing'],
  ['every Monday morning summarise #ops', 'The hour is missing'],
  ['every day at half past nine list tickets', 'The hour is missing'],
  ['every day at 25:00 list tickets', '25:00 is not a time'],
  ['tomorrow at 13 pm remind me', '13 pm is not a time'],
  ['every Monday at 9:75 what is new?', '9:75 is not a time'],
  ['daily report the numbers', 'The hour is missing'],
])('%s is asked back: %s', (text, named) => {
  for (const explicit of [false, true]) expect(told(text, explicit)).toEqual([expect.stringContaining(named)])
})

test.each([
  'in 10 minutes I have a standup. Summarise what is open.',
  'in an hour we have a call with ACME, what should I know?',
  'tomorrow at 9 is the launch: what is still open?',
  'tomorrow at 10 the board meets. Which figures are ready?',
  'in 30 minutes there is a demo, list the open bugs',
  'on Monday at 9 what happened?',
  'every Monday at 9 we have a standup: what should I prepare?',
])('%s is answered now', (text) => {
  expect(told(text)).toEqual(['a question'])
})

test.each([
  [
    'on Monday at 9 remind me of the release',
    'Once, on Mon, 30 Nov 2026, 09:00 (Europe/Berlin)',
    'remind me of the release',
  ],
  ['Thursday at 15:00 post the numbers', 'Once, on Thu, 26 Nov 2026, 15:00 (Europe/Berlin)', 'post the numbers'],
  ['on Thursday at 9 check the build', 'Once, on Thu, 3 Dec 2026, 09:00 (Europe/Berlin)', 'check the build'],
  ['next Friday at 17 what is still open?', 'Once, on Fri, 27 Nov 2026, 17:00 (Europe/Berlin)', 'what is still open?'],
  ['every weekend at 10 what happened?', 'Every Sunday and Saturday at 10:00 (Europe/Berlin)', 'what happened?'],
  ['every evening at 18 list open tickets', 'Every day at 18:00 (Europe/Berlin)', 'list open tickets'],
  ['every evening at 6 list open tickets', 'Every day at 18:00 (Europe/Berlin)', 'list open tickets'],
  ['every Friday afternoon at 4 list open tickets', 'Every Friday at 16:00 (Europe/Berlin)', 'list open tickets'],
  ['every 9am what is new?', 'Every day at 09:00 (Europe/Berlin)', 'what is new?'],
  ['every 17:30 what is new?', 'Every day at 17:30 (Europe/Berlin)', 'what is new?'],
  ['every day at 9 Berlin time what is new?', 'Every day at 09:00 (Europe/Berlin)', 'what is new?'],
  ['every day at 9 New York time what is new?', 'Every day at 09:00 (America/New_York)', 'what is new?'],
  ['every day at 9 in the morning what is new?', 'Every day at 09:00 (Europe/Berlin)', 'what is new?'],
  ['every Monday at 8 in the evening list tickets', 'Every Monday at 20:00 (Europe/Berlin)', 'list tickets'],
  ['at 7 in the evening every day list tickets', 'Every day at 19:00 (Europe/Berlin)', 'list tickets'],
  ['every day at 11 at night check the build', 'Every day at 23:00 (Europe/Berlin)', 'check the build'],
  ['every night at 12 check the build', 'Every day at 00:00 (Europe/Berlin)', 'check the build'],
  ['every day UTC 17:30 what is new?', 'Every day at 17:30 (UTC)', 'what is new?'],
  ['every day at 9 (London) what is new?', 'Every day at 09:00 (Europe/London)', 'what is new?'],
  ['every day at 9 local time what is new?', 'Every day at 09:00 (Europe/Berlin)', 'what is new?'],
  ['every day at around 9 what is new?', 'Every day at 09:00 (Europe/Berlin)', 'what is new?'],
  ['every day at 9 sharp what is new?', 'Every day at 09:00 (Europe/Berlin)', 'what is new?'],
  ['Mon-Fri at 9 list tickets', 'Every weekday at 09:00 (Europe/Berlin)', 'list tickets'],
  [
    'every second Tuesday of the month at 9 list tickets',
    'On the second Tuesday of each month at 09:00 (Europe/Berlin)',
    'list tickets',
  ],
  ['in 2h remind me', 'Once, on Thu, 26 Nov 2026, 16:00 (Europe/Berlin)', 'remind me'],
  ['every hour and a half is the page green?', 'Every 90 minutes', 'is the page green?'],
  ['tomorrow at 9 is the page green?', 'Once, on Fri, 27 Nov 2026, 09:00 (Europe/Berlin)', 'is the page green?'],
  [
    'in 20 minutes I want to know the status',
    'Once, on Thu, 26 Nov 2026, 14:20 (Europe/Berlin)',
    'I want to know the status',
  ],
])('%s is a schedule', (text, when, question) => {
  const [words, , asked] = told(text)
  expect([words, asked]).toEqual([when, question])
})

const BERLIN = '(Europe/Berlin)'

test.each([
  ['remind me tomorrow at 8 to call Bob', 'Once, on Fri, 27 Nov 2026, 08:00', 'remind me to call Bob'],
  ['please remind me on Monday at 9 to send it', 'Once, on Mon, 30 Nov 2026, 09:00', 'remind me to send it'],
  [
    'can you remind me in 20 minutes to check the oven?',
    'Once, on Thu, 26 Nov 2026, 14:20',
    'remind me to check the oven',
  ],
  ['remind me to call Bob tomorrow at 8', 'Once, on Fri, 27 Nov 2026, 08:00', 'remind me to call Bob'],
  ['Remind us every Friday at 16 about the timesheet', 'Every Friday at 16:00', 'remind us about the timesheet'],
  ['remind me at 5pm to leave', 'Once, on Thu, 26 Nov 2026, 17:00', 'remind me to leave'],
  ['at 17:00 remind me to leave', 'Once, on Thu, 26 Nov 2026, 17:00', 'remind me to leave'],
  ['at 9am summarise #ops', 'Once, on Fri, 27 Nov 2026, 09:00', 'summarise #ops'],
  ['on Monday at 9 summarise #ops', 'Once, on Mon, 30 Nov 2026, 09:00', 'summarise #ops'],
  ['every other Monday at 9 what happened?', 'Every other Monday at 09:00', 'what happened?'],
  ['every second Friday at 16:00 post the numbers', 'Every other Friday at 16:00', 'post the numbers'],
  ['every 2 weeks on Monday at 9 summarise #ops', 'Every other Monday at 09:00', 'summarise #ops'],
  ['every 3 weeks on Monday at 9 summarise #ops', 'Every Monday at 09:00, every 3 weeks', 'summarise #ops'],
  ['every other day at 9 what is new?', 'Every other day at 09:00', 'what is new?'],
  ['every 3 days at 9 what is new?', 'Every 3 days at 09:00', 'what is new?'],
  [
    'every last Friday of the month at 16 what was paid?',
    'On the last Friday of each month at 16:00',
    'what was paid?',
  ],
  ['last Friday of the month at 16 what was paid?', 'On the last Friday of each month at 16:00', 'what was paid?'],
  ['every first Monday at 9 post the numbers', 'On the first Monday of each month at 09:00', 'post the numbers'],
  ['every day at noon and midnight what is new?', 'Every day at 00:00 and 12:00', 'what is new?'],
  ['every day at 9 and at 17 what is new?', 'Every day at 09:00 and 17:00', 'what is new?'],
  ['every Monday at 9 and 17:30 what is new?', 'Every Monday at 09:00 and every Monday at 17:30', 'what is new?'],
  ['every Monday at 9 and Wednesday at 10 list all', 'Every Monday at 09:00 and every Wednesday at 10:00', 'list all'],
])('%s is read', (text, when, question) => {
  const [shown, , asked] = told(text)
  expect([shown, asked ?? told(text).at(-1)]).toEqual([`${when} ${BERLIN}`, question])
})

test.each([
  'every day at 9 the server crashes, why?',
  'every day at 9 the server crashes. What can we do?',
  'every weekday at 8:30 our build fails - any idea?',
  'at 5pm the server crashed, why?',
  'at 5pm what is open?',
  'on Monday at 9 the server crashed, why?',
  'remind me what we decided on Monday',
  'remind me how to rebase',
  'tomorrow at 8 I fly to Rome. What is the weather there?',
])('%s is a question', (text) => expect(told(text)).toEqual(['a question']))

test('every other week keeps its weeks over months, years and the change of the clock', () => {
  const parsed = parse('every other Monday at 9 what is new?')
  const times = parsed && 'when' in parsed ? nextTimes(parsed.when, now, 30) : []
  const days = times.map((at) => describeTime(at, 'Europe/Berlin'))
  expect(days.slice(0, 3)).toEqual([
    'Mon, 30 Nov 2026, 09:00 (Europe/Berlin)',
    'Mon, 14 Dec 2026, 09:00 (Europe/Berlin)',
    'Mon, 28 Dec 2026, 09:00 (Europe/Berlin)',
  ])
  expect(days.every((day) => day.startsWith('Mon,') && day.includes(' 09:00 '))).toBe(true)
  const gaps = times.slice(1).map((time, i) => Math.round((time - times[i]!) / 86_400_000))
  expect(new Set(gaps)).toEqual(new Set([14]))
})

test('further times of a day are merged, and too many of them are refused', () => {
  const parsed = parse('every weekday at 9:00 and 17:30 what is open?')
  const times = parsed && 'when' in parsed ? nextTimes(parsed.when, now, 3) : []
  expect(times.map((at) => describeTime(at, 'Europe/Berlin').slice(0, 23))).toEqual([
    'Thu, 26 Nov 2026, 17:30',
    'Fri, 27 Nov 2026, 09:00',
    'Fri, 27 Nov 2026, 17:30',
  ])
  expect(told('every day at 9:00 and 9:10 what is open?')[0]).toContain('too often')
})
