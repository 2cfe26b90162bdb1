/** Which results of a query are drawn, and how. */
import { expect, test } from 'vitest'
import { chartOf } from '../../src/files/chart-series.ts'

/** Rows are divided by `/`, cells by `|`; an empty cell is null. The first row names the columns. */
function result(text: string) {
  const [columns = [], ...rows] = text.split(' / ').map((row) => row.split('|'))
  const cells = rows.map((row) => row.map((cell) => (cell === '' ? null : cell)))
  return { columns, rows: cells, count: rows.length, isMore: false, notes: [] }
}

test('each further column is a series', () => {
  expect(chartOf(result('month|plan|is / 2024-01|1|2.5 / 2024-02|3|-4'), 'line').series).toEqual({
    title: 'plan, is',
    kind: 'line',
    name: 'plan',
    points: [
      { label: '2024-01', value: 1 },
      { label: '2024-02', value: 3 },
    ],
    more: [{ name: 'is', values: [2.5, -4] }],
    axes: { x: 'month' },
  })
})

test('a second column of names makes a series of each name, and a missing point is said', () => {
  const { series, note } = chartOf(result('month|region|sum / 1|N|5 / 1|S|6 / 2|N|7'), undefined)
  expect(series).toMatchObject({ title: 'sum', name: 'N', more: [{ name: 'S', values: [6, 0] }] })
  expect(series?.points.map(({ value }) => value)).toEqual([5, 7])
  expect(note).toBe('1 of 4 points have no row and are drawn as 0.')
})

test('a pie that Slack would refuse is drawn as bars, which is said', () => {
  const { series, note } = chartOf(result('a|n / x|1 / y|-1'), 'pie')
  expect(series?.kind).toBe('pie')
  expect(note).toContain('Bars are drawn')
})

const many = (rows: number, columns: number) =>
  [
    ['l', ...Array.from({ length: columns }, (_, i) => `c${i}`)].join('|'),
    ...Array.from({ length: rows }, (_, i) => [`p${i}`, ...Array.from({ length: columns }, () => '1')].join('|')),
  ].join(' / ')

test('twelve series of twenty points are drawn, and no more', () => {
  expect(chartOf(result(many(20, 12)), 'bar').series?.more).toHaveLength(11)
  expect(chartOf(result(many(21, 1)), 'bar').note).toMatch(/^It is not drawn: a chart has 2 to 20 different labels/)
  expect(chartOf(result(many(2, 13)), 'bar').note).toMatch(/at most 12 series/)
})

test.each([
  ['one column', 'a / 1 / 2', /labels in the first column/],
  ['one row', 'a|b / x|1', /2 to 20 different labels/],
  ['labels that repeat', 'a|b / x|1 / x|2', /labels repeat/],
  ['an empty number', 'a|b / x|1 / y|', /"b" has a cell that is no number; coalesce/],
  ['a word in a column of numbers before another one', 'a|b|c / x|1|2 / y|n/a|3 / z|5|6', /"b" has a cell that is no/],
  ['a number that is only about right', 'a|b / x|1 / y|about 1e17', /"b" has a cell that is no number/],
  ['the same name twice for a label', 'a|b|c / x|N|1 / x|N|2 / y|N|3', /labels repeat/],
])('%s is not drawn, with the reason', (_, rows, why) => {
  const { series, note } = chartOf(result(rows), undefined)
  expect(series).toBeUndefined()
  expect(note).toMatch(why)
})
