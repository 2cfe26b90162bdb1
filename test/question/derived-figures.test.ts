/** Figures that a model calculates from tables, records and times: right ones are accepted, wrong ones are found. */
import { describe, expect, test } from 'vitest'
import { judgeFigures } from '../../src/question/check-figures/judge-figures.ts'

const TODAY = new Date('2026-11-26T12:00:00Z')

/** @returns the figures without a source */
function missing(answer: string, text: string): string[] {
  const question = 'What do we know?'
  const read = [
    { place: 'the question', text: question },
    { place: 'step 1', text },
  ]
  const judged = judgeFigures(answer, { question, read, today: TODAY, askedAt: TODAY })!
  return judged.filter((one) => one.in.length === 0).map((one) => one.text)
}

const SALES = `| month | units | revenue_eur |
|---|---|---|
| April | 1,204 | 48,160.00 |
| May | 1,187 | 47,480.00 |
| June | 1,350 | 54,000.00 |
| July | 1,412 | 56,480.00 |
| August | 1,298 | 51,920.00 |
| September | 1,506 | 60,240.00 |`
const SURVEY = 'file survey.csv\nscore,count\n5,148\n4,121\n3,72\n2,43\n1,28'
const STRIPE = '{"data":[{"name":"Nordwind","currency":"eur","amount_paid":1249900}],"note":"amounts in cents"}'
const WEATHER = '{"tz":"Europe/Oslo","daily":[{"t_max_c":3.4,"t_min_c":-2.1},{"t_max_c":1.0,"t_min_c":-6.5}]}'
const RUN = '{"distance_m": 12400, "moving_time_s": 3906}'
const FLIGHT = '{"dep":"2026-12-05T13:25:00+01:00","arr":"2026-12-06T09:55:00+09:00"}'
const FOOD =
  'Date;Payee;Category;Amount\n02.11.2026;REWE;Food;-48,37\n09.11.2026;REWE;Food;-72,15\n14.11.2026;Stadtwerke;Energy;-129,00\n19.11.2026;Roma;Food;-54,80'
const COSTS =
  'service | sep | oct\nEC2 | 18420.10 | 21903.55\nRDS | 7310.00 | 7295.40\nS3 | 3984.62 | 4410.08\nCDN | 1205.77 | 988.31\nLambda | 412.09 | 655.90\nOther | 1630.42 | 1702.76'
const BACKUPS =
  'name         size_bytes   day\npg-a.dump    53687091200  22\npg-b.dump    54760833024  23\npg-c.dump    55834574848  24\npg-d.dump    57982058496  25\nQuota: 500 GiB'
const SLO =
  '{"target":99.9,"sli":99.952,"error_budget_total_min":43.2,"error_budget_used_min":20.7,"requests_total":182500000,"requests_failed":87600,"p50_ms":42,"p95_ms":188,"p99_ms":611}'
const REPORT =
  'Employees at year-end: 6,842 (2024: 6,510), of whom 44 % are women. 18 sites in 11 countries.\nEmissions: 48,300 tonnes, down 12 % on 2024.'
const SOUP =
  'Lentil soup (serves 6)\n450 g lentils, 2 onions, 3 carrots, 30 ml oil, 1.8 l stock. For the whole pot: 2,190 kcal, 126 g protein, 48 g fat.'
const VOTES = 'Alvarez has 512,338 votes (48.9%), Brandt 467,105 (44.6%). Counted: 98.7 %.'

/** What was read, a right answer and a wrong one. */
const DERIVED: [kind: string, read: string, right: string, wrong: string][] = [
  ['the sum of a part of a column', SALES, 'July to September: €168,640.', 'July to September: €168,460.'],
  ['a price per unit', SALES, 'May: €40 each, from €47,480.', 'May: €47 each, from €47,480.'],
  ['a difference within a column', SALES, 'September beat August by €8,320.', 'September beat August by €8,230.'],
  ['a mean of a part', SALES, 'On average 1,405 units from July on.', 'On average 1,450 units from July on.'],
  ['comma-separated cells', SURVEY, '148 gave a 5, 121 a 4.', '184 gave a 5, 121 a 4.'],
  ['a column’s total', SURVEY, 'There are 412 answers.', 'There are 421 answers.'],
  ['a weighted mean', SURVEY, 'The average is 3.77.', 'The average is 3.87.'],
  ['rows that share a word', FOOD, 'Food: €175.32.', 'Food: €157.32.'],
  ['minor units of a currency', STRIPE, 'Nordwind paid €12,499.00.', 'Nordwind paid €12,949.00.'],
  ['the same, in other scales', STRIPE, '1.25万', '1.52万'],
  ['percentage points', VOTES, 'Alvarez leads by 4.3 percentage points.', 'Alvarez leads by 3.4 percentage points.'],
  ['points, in Chinese', VOTES, '领先4.3个百分点', '领先3.4个百分点'],
  ['the rest of 100 %', VOTES, '1.3 % are not counted yet.', '1.7 % are not counted yet.'],
  ['one in so many', '17.2 % failed.', 'About one in six failed.', 'About one in nine failed.'],
  ['a fraction in words', '65.3 % agree.', 'Two thirds agree.', 'Four fifths agree.'],
  ['a fraction in words, tenths', '92 % is gone.', 'Nine tenths are gone.', 'Seven tenths are gone.'],
  ['a temperature under zero', WEATHER, 'At night 20 °F.', 'At night 44 °F.'],
  ['a difference in degrees', WEATHER, 'It is 2.4 degrees colder.', 'It is 2.9 degrees colder.'],
  ['an area', 'The park covers 75,575 ha.', 'It covers 756 km².', 'It covers 765 km².'],
  ['square feet of a key', '{"size_m2": 118}', 'about 1,270 square feet', 'about 1,720 square feet'],
  ['sizes of Kubernetes', 'node-a 3250m 24576Mi', '3.25 cores, 24 GiB', '3.52 cores, 24 GiB'],
  ['a duration on a clock', RUN, 'You took 1:05:06.', 'You took 1:06:05.'],
  ['a pace', RUN, '5:15 min/km', '5:35 min/km'],
  ['a speed', RUN, '11.4 km/h', '14.1 km/h'],
  ['the time between two zones', FLIGHT, 'It takes 12 h 30 min.', 'It takes 12 h 50 min.'],
  ['hours between two dates', 'from 2026-11-19 08:00 to 2026-11-21 14:30', '54.5 hours', '56.5 hours'],
  ['the days to a date', 'Launch: Dec 3', 'in 7 days', 'in 9 days'],
  [
    'an age between dates',
    'Born 7 January 1981. Final on 18 December 2022.',
    'He was 41 years old.',
    'He was 43 years old.',
  ],
  ['months after a date', 'Since 1 March 2024, for 24 months.', 'until 1 March 2026', 'until 1 March 2027'],
  ['a part of a period', 'The fee is 48,000 a year.', 'It is 4,000 a month.', 'It is 4,400 a month.'],
  ['the periods of a rate', 'There were 20100000 in a week.', 'That is 33 a second.', 'That is 48 a second.'],
  ['a rough number after another', '$1,299.99 and $1,599.00', 'about $1,300 and $1,600', 'about $1,300 and $1,800'],
  ['a number beside an x', 'Display 2880x1800', '2880 × 1800 pixels', '2880 × 1880 pixels'],
  ['a roman number', 'Article XIV says so.', 'Article 14 says so.', 'Article 17 says so.'],
  ['a unit of another kind is no source', 'It is 63 km long and 48 kg.', '39 miles', '48 miles'],
  ['a size of the same unit', 'Backup storage 5 TB', '5 TB', '5.5 TB'],
  ['the same in both sizes', 'Backup storage 5 TB', '5 TB, or 5,000 GB, or 5,120 GB', '5.4 TB'],
  ['a long id in groups', 'Pay to NL91 ABNA 0417 1643 00.', 'NL91ABNA0417164300', 'NL91ABNA0417146300'],
  [
    'an amount for each hour',
    '{"growth_gb_per_hour":7.7}',
    'It grows by 7.7 GB per hour.',
    'It grows by 7.9 GB per hour.',
  ],
  ['a range in percent', 'They won 4–2. It holds 22–23% of it.', 'It holds 22–23 %.', 'It holds 32–33 %.'],
  ['an offset to UTC', 'From 11:00 to 12:30 (UTC-5).', 'From 11:00 (UTC−5).', 'From 11:10 (UTC−5).'],
  ['a unit behind a scale', 'It is 149,597,870,700 m.', 'It is 93 million miles.', 'It is 39 million miles.'],
  ['a scale of a year', 'It makes $114,502.8 a month.', 'About $1.37M a year.', 'About $1.73M a year.'],
  ['a pace in words', RUN, '5:15 per kilometre', '5:51 per kilometre'],
  ['a time over midnight', 'dep 21:40, arr 07:52', 'It takes 10 h 12 min.', 'It takes 10 h 21 min.'],
  ['weeks in words', 'It expires on 2027-01-08.', 'In about six weeks.', 'In about nine weeks.'],
  ['the last day of weeks', 'It starts on 30 Nov, for two weeks.', 'Until 13 December.', 'Until 18 December.'],
  ['a date after days', '3 November 2026, payable within 30 days.', 'Due on 3 December.', 'Due on 8 December.'],
  ['two in so many', '40 % opened it.', 'Two in five opened it.', 'Two in nine opened it.'],
  ['one in thousands', '{"requests":182500000,"failed":87600}', 'One in 2,000 failed.', 'One in 5,000 failed.'],
  ['days in Russian', 'с 3 по 29 октября 2026', 'from 3 to 29 October 2026', 'from 3 to 28 October 2026'],
  [
    'a point of thousands',
    'Umsatz 48,7 Mio. Von 1.284 Personen 217 hier.',
    '217 hier, 1.067 dort.',
    '217 hier, 1.076 dort.',
  ],
  [
    'so many times, in one row',
    'The rate was 7.8 % (normally 0.3 %).',
    '26 times the normal rate',
    '62 times the normal rate',
  ],
  ['a rounded total of a column', COSTS, '$33.0k in September', '$31.5k in September'],
  ['a unit of a column', BACKUPS, '50 GiB and 54 GiB, 207 GiB together', '50 GiB and 54 GiB, 270 GiB together'],
  ['a unit behind the last of some', BACKUPS, '50, 51, 52 and 54 GiB', '50, 51, 57 and 54 GiB'],
  [
    'a unit of the same sentence',
    'Reply: 2 h 10 min, target 3 h.',
    '130 minutes; the target is 180',
    '130 minutes; the target is 170',
  ],
  ['inches of a column', 'model | screen_in\nA | 14.0\nB | 13.3', '35.6 and 33.8 cm', '36.5 and 33.8 cm'],
  ['a minimum that is no minute', '{"temp_min": 3, "temp_max": 8}', 'from 3 to 8 °C', 'from 6 to 8 °C'],
  ['a share of numbers of one name', SLO, '52 % of the error budget is left.', '54 % of the error budget is left.'],
  ['so much for each', REPORT, 'About seven tonnes per employee.', 'About nine tonnes per employee.'],
  [
    'a part for each serving',
    SOUP,
    'The pot has 2,190 kcal: 365 per serving.',
    'The pot has 2,190 kcal: 385 per serving.',
  ],
  [
    'the rest of a whole',
    'invited 240. Now 148 yes, 55 no. 12 speakers.',
    'Of 240, 148 come, 55 do not, 37 are open.',
    'Of 240, 148 come, 55 do not, 73 are open.',
  ],
  ['a rate of a total', '[{"n":4821},{"n":1633},{"n":746}]', 'There were 300 an hour.', 'There were 320 an hour.'],
  ['a price of another area', '{"eur_per_sqm": 5610}', '€521 per square foot', '€512 per square foot'],
  ['a year of an era', '令和4年度の都内総生産', '2022年度', '2024年度'],
  ['a long id with a point', 'arXiv:2610.04417v2', 'arXiv:2610.04417', 'arXiv:2610.04471'],
  [
    'a month and the year of the text',
    'Published 14 October 2026. Surveyed from March to August.',
    'until August 2026',
    'until July 2026',
  ],
  ['a scaled table', 'In CHF million: net sales 2,314.7, net income 211.9.', 'CHF 2.31bn', 'CHF 2.41bn'],
  ['a century', 'Emmy was born in 1882.', 'the 19th century', 'the 17th century'],
  ['a zone behind a range', 'December 10, 11:00 AM – 12:30 PM EST', '16:00–17:30 UTC', '15:00–17:30 UTC'],
  [
    'a part of a quantity',
    '27 days for everyone, 80 % for part-time staff.',
    'At 80 % that is 21.6 days.',
    'At 80 % that is 26.1 days.',
  ],
  ['a seat', '{"seat": "27A"}', 'Seat 27A.', 'Seat 72A.'],
  [
    'a result of two steps',
    'Hotel Linde: €164 a night. 26 people, 2 nights.',
    'Linde for 26 people, 2 nights: €8,528.',
    'Linde for 26 people, 2 nights: €8,258.',
  ],
  [
    'a step after that',
    'Linde €164 a night. 26 people, 2 nights. Bus €940.',
    'Linde €8,528, with bus €9,468.',
    'Linde €8,528, with bus €9,648.',
  ],
  [
    'the amounts of a row',
    'Hardware: 4 laptops at $1,950, 2 screens at $420.',
    'Hardware: $8,640.',
    'Hardware: $8,460.',
  ],
  [
    'a rest of what a sentence lists',
    '{"e2e":{"tests":186,"failed":3,"skipped":11}}',
    'In e2e, 172 tests passed, 3 failed, 11 were skipped.',
    'In e2e, 127 tests passed, 3 failed, 11 were skipped.',
  ],
  ['a percent sign in front', 'Kullanıcı: 47 %', 'Kullanıcıların %47’si', 'Kullanıcıların %74’ü'],
  ['a scale of a scale', 'Value: ₹1,231,900,000,000', '₹1.23 lakh crore', '₹1.32 lakh crore'],
  ['a list of days', 'On 2026-11-04, 2026-11-11 and 2026-11-18.', '4, 11 and 18 November', '4, 12 and 18 November'],
  [
    'a zone behind other words',
    'December 10, 2026, 11:00 AM EST',
    '1 AM the next day in Tokyo',
    '3 AM the next day in Tokyo',
  ],
  ['a gap between clock times', 'Ann 2:02:16, Bob 2:04:38', 'Bob was 2:22 behind Ann.', 'Bob was 2:42 behind Ann.'],
  ['the hash of a commit', '{"commit":"9f3ac1e"}', 'commit 9f3ac1e', 'commit 9f3ca1e'],
  ['a column of so much a day', 'herd,litres_day\nNorth,1856\nSouth,1296', '1,856 litres', '1,586 litres'],
  ['a length in another one', 'A passage every 325 m, over 57 km.', 'about 175 passages', 'about 157 passages'],
  ['a phone number and its short form', '+31 20 794 7300', '+31 20 794 7300 (020 794 7300)', '020 794 7800'],
]

test.for(DERIVED)('%s', ([, read, right, wrong]) => {
  expect([missing(right, read), missing(wrong, read).length > 0]).toEqual([[], true])
})

/** The zone may be named first, in a word of its own or after the start of a sentence. */
test.for([
  ['In Tokyo it starts at 00:30.', 'In Tokyo it starts at 01:30.'],
  ['For Tokyo that was 00:30 on the 22nd.', 'For Tokyo that was 07:30 on the 22nd.'],
  ['The team in New York joins at 10:30.', 'The team in New York joins at 11:30.'],
  ['In German time you begin at 16:30.', 'In German time you begin at 17:30.'],
  ['In New York that is 10:30 a.m., in Berlin 16:30.', 'In New York that is 11:30 a.m., in Berlin 16:30.'],
])('a zone before a time: %s', ([right, wrong]) => {
  const read = 'It starts at 2026-11-21T15:30:00Z.'
  expect([missing(right!, read), missing(wrong!, read).length]).toEqual([[], 1])
})

describe('an answer that contradicts itself or what was read', () => {
  test.for([
    ['an equation', '237, 28.8, 24.5, 291.3 and 290.3', '237 + 28.8 + 24.5 = 290.3', '237 + 28.8 + 24.5 = 291.3'],
    ['a percentage of a number', '441 or 451 of 2450', '2450 × 18 % = 441', '2450 × 18 % = 451'],
    ['a weekday', 'On 2026-12-04.', 'On Friday, 4 December.', 'On Tuesday, 4 December.'],
    ['a weekday behind the date', 'Am 2026-12-04.', 'am 4. Dezember 2026 (Freitag)', 'am 4. Dezember 2026 (Dienstag)'],
    ['a score', 'They drew 3–3 and won 4–2.', 'It was 3:3, then 4:2.', 'It was 3:2, then 4:2.'],
    ['the second of a time', '2026-11-26T08:17:45.203Z', 'at 08:17:45 UTC', 'at 08:17:54 UTC'],
  ])('%s', ([, read, right, wrong]) => {
    const all = `${read!} 18 %`
    expect([missing(right!, all), missing(wrong!, all).length > 0]).toEqual([[], true])
  })

  test('ranges, dates and versions are no scores and no equations', () => {
    const read = 'It takes 3–5 days, from 2026-11-24 to 2026-11-28, and they won 4–2.'
    expect(missing('3-5 days, or 2026-11-24 to 2026-11-28; they won 4-2.', read)).toEqual([])
  })
})

test.for([
  '<@U000000003> it is, in <#C0GENERAL1|general>.',
  'Ask <@W12AB34CD5> or <!subteam^S0123ABCD>.',
  '<!date^1700000000^{date}|then> it ends.',
])('ids of people, channels and groups are no figures: %s', (answer) => expect(missing(answer, 'nothing')).toEqual([]))
