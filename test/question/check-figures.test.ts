/**
 * The rule behind the footer's `1 of 6 figures is not in any source`: few false alarms, and planted figures are found.
 */
import { describe, expect, test } from 'vitest'
import {
  figuresText,
  judgeFigures,
  unsupported,
  type FoundFigure,
} from '../../src/question/check-figures/judge-figures.ts'
import { readTexts } from '../../src/question/check-figures/read-texts.ts'
import { shippedPages } from '../../playground/wiki/wiki-pages.ts'
import { measureFigures } from '../harness/planted-figures.ts'

const TODAY = new Date('2026-11-26T12:00:00Z')

function judge(answer: string, text: string, question = 'What do we know?'): FoundFigure[] {
  const read = [
    { place: 'the question', text: question },
    { place: 'step 1', text },
  ]
  return judgeFigures(answer, { question, read, today: TODAY }) ?? []
}

const missing = (...[answer, text, question]: Parameters<typeof judge>) =>
  judge(answer, text, question)
    .filter((figure) => figure.in.length === 0)
    .map((figure) => figure.text)

describe('a figure is found in the read texts in any form:', () => {
  const READ =
    'Revenue was 1,234,567.89 in Q3. The share is 0.42, growth 7.25 %, population 3,769,495, twelve offices. ' +
    'Founded on 21 November 1996. Latency 1234 ms. It ran 42.195 km. See https://example.com/a/b?c=1 and notes/plan.pdf. ' +
    'She said: “We ship it on Friday, whatever happens.” From 14:05 to 14:40 it was down. Version 2.14.1, ticket INC-4521, call +49 (30) 1234 567.'
  const FORMS = [
    'separators: 1.234.567,89 and 1 234 567.89 and 1’234’567.89 and 1234567.89',
    'rounding: about 1.2 million, 1.23M, $1,234,568, 3.8 million, 3.77m, over 3 million, roughly 3,800,000',
    'percent: 42 %, 42%, 42 percent, 0.42, 7.25 percent, 7.3 %, about 7 %',
    'words: 12 offices, twelve offices',
    'dates: 1996-11-21, 21 November 1996, Nov 21, 1996, November 21st, 21.11.1996, 11/21/1996, November 1996, in 1996',
    'units: 1.2 s, 1.234 seconds, 42.2 km, 42,195 m, 26.2 miles',
    'time: 14:05, 2:05 pm, 35 minutes',
    'addresses: https://example.com/a/b?c=1 and [here](http://www.example.com/a/b?c=1), plan.pdf, `notes/plan.pdf`',
    'quotations: “we ship it on Friday… whatever happens”, "We ship it"',
    'ids: v2.14.1, 2.14.1, INC-4521, +49 30 1234-567',
    'ages: founded 30 years ago',
  ]
  test.each(FORMS)('%s', (answer) => {
    expect(judge(answer, READ).length).toBeGreaterThan(0)
    expect(missing(answer, READ)).toEqual([])
  })
})

describe('durations and short dates are found in any parts and units:', () => {
  const SAME: [read: string, ...answers: string[]][] = [
    ['It takes 90 minutes.', '1 h 30 min', '1h30m', '1h30', '1 hour and 30 minutes', '1.5 h', '1 Stunde 30 Minuten'],
    ['It takes 1h 30m.', '90 minutes', '5400 s', '1 hour, 30 minutes'],
    ['Queued for 2 days and 4 hours.', '52 hours', '2d 4h'],
    ['{"duration_min": 90}', '1 h 30 min'],
    ['One step takes 1 hour, the other 30 minutes.', '1 hour and 30 minutes for the two'],
    ['The term is 1.5 years.', '18 months', 'an 18-month term', '1 year and 6 months', '18 Monate'],
    ['Die Laufzeit beträgt 1 Jahr und 6 Monate.', '18 months', '1.5 years', '1,5 Jahre'],
    ['It lasts a year and a half, or two years.', '18 months', '24 months'],
    [
      'Closed on 2026-12-24 and 26 December 2026.',
      'on 24.12. and 26.12.',
      'the 24th and the 26th',
      'vom 24. bis 26.12.',
    ],
    ['It ran from 2026-05-26 to 2026-11-26.', '6 months', 'half a year, or 6 months'],
    [
      'Half of them came at 14:00, a dozen left at 9:30, two thirds returned.',
      '50 %',
      'um 14 Uhr',
      '12 at 9.30 Uhr',
      '67 %',
    ],
    ['There are 25 of them.', 'twenty-five people, 25'],
    ['Am 24.12. geschlossen.', '24 December', 'December 24, 2026', '24.12.2026', 'am 24.12.'],
  ]
  test.each(SAME)('%s', (read, ...answers) => {
    for (const answer of answers)
      expect([answer, judge(answer, read).length > 0, missing(answer, read)]).toEqual([answer, true, []])
  })

  test('a different duration or day is reported', () => {
    expect(missing('It takes 1 h 40 min.', 'It takes 90 minutes.')).toEqual(['1 h 40 min'])
    expect(missing('It takes 95 minutes.', 'It takes 1h30m.')).toEqual(['95 minutes'])
    expect(missing('The term is 19 months, or 2.5 years.', 'The term is 1.5 years.')).toEqual([
      '19 months',
      '2.5 years',
    ])
    expect(missing('A term of 1 year.', 'The term is 15 months.')).toEqual(['1 year'])
    expect(missing('On 25.12., not the 23rd.', 'Closed on 2026-12-24.')).toEqual(['25.12', '23rd'])
    expect(missing('It ran for 7 months.', 'From 2026-05-26 to 2026-11-26.')).toEqual(['7 months'])
    expect(missing('Um 15 Uhr, 60 %.', 'Half of them came at 14:00.')).toEqual(['15 Uhr', '60 %'])
    expect(missing('On 25 December.', 'Am 24.12. geschlossen.')).toEqual(['25 December'])
  })
})

describe('a figure without a source is reported:', () => {
  const READ =
    'Revenue was 1,234,567 in 2019, 42 % of it abroad. It began on 21 November 1996. He said: “We ship it on Friday.”'
  const PLANTED: [answer: string, ...planted: string[]][] = [
    ['Revenue was 1,243,567.', '1,243,567'],
    ['43 % of it was abroad in 2019, and 2018 was worse.', '43 %', '2018'],
    ['It began on 1996-11-22, or 12 November 1996.', '1996-11-22', '12 November 1996'],
    ['He said: “We ship it on Monday.”', 'We ship it on Monday.'],
    [
      'See https://example.com/other and secrets.csv, or write to a@b.example.',
      'https://example.com/other',
      'secrets.csv',
      'a@b.example',
    ],
    ['It has seventeen offices and 1.5 million users since 10:30.', '10:30', 'seventeen', '1.5 million'],
  ]
  test.each(PLANTED)('%s', (answer, ...planted) => {
    expect(missing(answer, READ).sort()).toEqual(planted.sort())
  })
})

test('figures of the question and results of arithmetic are not reported', () => {
  const read = 'Berlin has 3,769,495 people and Hamburg 1,906,411. Prices rose from 120 to 150.'
  expect(
    missing('Berlin has 1,863,084 more, 5,675,906 together; prices rose by 30, or 25 %; their mean is 135.', read),
  ).toEqual([])
  expect(missing('Half of 84 is 42.', 'There are 84.')).toEqual([])
  expect(missing('15 % of 240 is 36.', 'nothing', 'What is 15 % of 240?')).toEqual([])
  expect(missing('Berlin has 1,863,184 more; prices rose by 26 %.', read)).toEqual(['1,863,184', '26 %'])
})

test('list markers, steps, citations and code are ignored; counts of listed items are accepted', () => {
  const answer = [
    'There are 4 ways [1][2]:',
    '1. Step 1 is to wait.',
    '2. Use `sleep(250)`.',
    '3) See option 2.',
    '4. Write:',
    '```js',
    'const x = 99',
    '```',
    'The 3 authors are Ada, Bob and Cy.',
  ].join('\n')
  expect(judge(answer, 'nothing')).toEqual([
    { text: '4', in: ['counted in the answer'] },
    { text: '3', in: ['counted in the answer'] },
  ])
})

test('sources are steps, pages of files, the thread and earlier turns', () => {
  const sources = [{ title: 'Dune', url: 'https://wiki.example/Dune' }]
  const tool = (name: string, text: string, more = {}) =>
    ({
      kind: 'tool',
      turn: 1,
      thought: '',
      action: { tool: name, input: '' },
      observation: { ok: true, text, ...more },
    }) as const
  const read = readTexts({
    question: 'And 7?',
    said: '@Bob: 11 of them',
    remembered: 'Our limit is 41. (Bob, 2026-11-20)\nWe are 43. (Bob, 2026-11-20)',
    turns: [{ id: '1', question: 'q', standalone: 'q', answer: '13 it is', user: 'U1', at: 0 }],
    filesText: 'File plan.pdf, all of it: PDF, 2 pages.\n\n[page 1]\n17 people\n[page 2]\n19 rooms',
    steps: [
      tool('wikipedia', '23 books', { sources }),
      tool('read_file', 'big.pdf, pages 3-4:\n[page 3]\n29 figures\n[page 4]\n31 tables'),
      tool('calculator', 'You did that already: 37.', { hint: true }),
    ],
    sources,
  })
  const answer = '7, 11, 13, 17, 19, 23, 29, 31, 43, 3737'
  expect(judgeFigures(answer, { question: 'And 7?', read: read!, today: TODAY })).toEqual([
    { text: '7', in: ['the question'] },
    { text: '11', in: ['the thread'] },
    { text: '13', in: ['earlier in this conversation'] },
    { text: '17', in: ['plan.pdf, page 1'] },
    { text: '19', in: ['plan.pdf, page 2'] },
    { text: '23', in: ['step 1 [1]'] },
    { text: '29', in: ['big.pdf, page 3 (step 2)'] },
    { text: '31', in: ['big.pdf, page 4 (step 2)'] },
    { text: '43', in: ['remembered thing 2'] },
    { text: '3737', in: [] },
  ])
  expect(readTexts({ question: 'Hi', steps: [], sources: [], turns: [] })).toBeUndefined()
})

test('sentences of the wiki’s pages raise at most 2 % false alarms, and 90 % of changed figures are found', () => {
  const episodes = shippedPages().map(({ title, text }) => ({
    question: `What is ${title}?`,
    observations: text.match(/[^]{1,2000}/g) ?? [],
  }))
  const { answers, alarms, planted, missed } = measureFigures(Array.from({ length: 10 }, () => episodes).flat())
  expect([answers, planted].every((count) => count > 200)).toBe(true)
  expect([alarms.length <= 0.02 * answers, missed.length <= 0.1 * planted, alarms.slice(0, 5)]).toEqual([
    true,
    true,
    expect.anything(),
  ])
})

test('the footer counts', () => {
  const figures = (good: number, bad: number) =>
    Array.from({ length: good + bad }, (_, i) => ({ text: String(i), in: i < good ? ['step 1'] : [] }))
  expect(figuresText(figures(5, 1))).toBe('⚠ 1 of 6 figures is not in any source')
  expect(figuresText(figures(4, 2))).toBe('⚠ 2 of 6 figures are not in any source')
  expect([figuresText(figures(6, 0)), figuresText(undefined)]).toEqual([undefined, undefined])
})

describe('beside a query of a table, the rows that open its file', () => {
  const rows = Array.from({ length: 120 }, (_, i) => `${i + 1} | ${['North', 'South'][i % 2]} | ${(i + 1) * 97.31}`)
  const opening = (name: string) =>
    `File ${name}, not all of it: A table of 20,000 rows.\n\nid | region | revenue\n${rows.join('\n')}`
  const result = '2 rows:\nregion | total\nNorth | 9731042.5\nSouth | 9812773.25'
  const judged = (answer: string, { file = 'sales.csv', title = 'sales.csv, query: SELECT region' } = {}) => {
    const source = { title, url: 'https://slack.example/F1' }
    const action = { tool: 'query_table', input: '{"sql":"SELECT region, sum(revenue) AS total"}' }
    const observation = { ok: true, text: result, sources: [source] }
    const steps = [{ kind: 'tool', turn: 1, thought: '', action, observation }] as const
    const read = readTexts({ question: 'Which region?', filesText: opening(file), steps, sources: [source] })!
    return unsupported(judgeFigures(answer, { question: 'Which region?', read, today: TODAY }))
  }

  test.each([
    ['a cell', 'South has 9,812,773.25.'],
    ['a rounded cell', 'South has about 9.8 million, North 9.73 million.'],
    ['a difference', 'South is 81,730.75 ahead.'],
    ['the total', 'Both have 19,543,815.75 together.'],
    ['a figure that stands in a row', 'The first order was 97.31.'],
  ])('%s has a source', (_, answer) => {
    expect(judged(answer)).toBe(0)
  })

  test.each([
    ['a rounding of a row', 'South has about 9.7 thousand.'],
    ['another', 'The average is 11,400.'],
    ['the sum of the rows', 'The regions have 706,470.6 together.'],
  ])('%s has none', (_, answer) => {
    expect(judged(answer)).toBe(1)
  })

  test('other files keep theirs, and a file whose name only begins alike', () => {
    expect(judged('About 9.7 thousand.', { file: 'costs.csv' })).toBe(0)
    expect(judged('About 9.7 thousand.', { file: 'sales' })).toBe(0)
    expect(judged('About 9.7 thousand.', { title: 'sales.csv, sheet "Orders", query: SELECT region' })).toBe(1)
  })
})
