import { describe, expect, test } from 'vitest'
import { tableCharacters } from '../../playground/slack/blocks/block-tables.ts'
import { answerContents } from '../../src/slack/format/answer-messages.ts'
import { blocksIn, type Content, type ShownBlock } from '../../src/slack/format/blocks.ts'
import { accept, textsOf } from '../harness/slack-content.ts'

type DataTable = Extract<ShownBlock, { type: 'data_table' }>

function contentsOf(text: string, view: Partial<Parameters<typeof answerContents>[0]> = {}): Content[] {
  const contents = answerContents({
    text,
    sources: [],
    question: '',
    allowedHosts: ['example.com'],
    footer: 'F',
    ...view,
  })
  for (const content of contents) accept(content)
  return contents
}

function tablesOf(contents: Content[]): DataTable[] {
  return contents.flatMap(({ blocks }) => blocks.filter((block): block is DataTable => block.type === 'data_table'))
}

/** Returns the cells of the block, by row. */
function cells(text: string): unknown[][] {
  return tablesOf(contentsOf(text))[0]?.rows ?? []
}

const raw = (text: string) => ({ type: 'raw_text', text })
const table = (rows: string[][]) =>
  [rows[0], rows[0]?.map(() => '---'), ...rows.slice(1)].map((row) => `| ${row?.join(' | ')} |`).join('\n')
const filled = (rows: number, columns: number, text: string) =>
  table(Array.from({ length: rows }, (_, y) => Array.from({ length: columns }, (__, x) => `${text}${y}.${x}`)))

describe('a table', () => {
  test('is a data_table, whose cells are plain text, numbers, or allowed links', () => {
    const rows = cells(
      table([
        ['**Name**', 'Born', 'Page'],
        ['`Ada` *L.*', '1,815', '[Ada](https://example.com/ada)'],
      ]),
    )
    const link = { type: 'link', url: 'https://example.com/ada', text: 'Ada' }
    expect(rows).toEqual([
      [raw('Name'), raw('Born'), raw('Page')],
      [
        raw('Ada L.'),
        { type: 'raw_number', value: 1815, text: '1,815' },
        { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [link] }] },
      ],
    ])
  })

  test('stays as text if it is meant to be copied', () => {
    const row = cells(
      table([
        ['a', 'b', 'c'],
        ['ada@example.com', 'Node.js', '= 1 + 2'],
      ]),
    )[1]
    expect(row).toEqual([raw('ada@example.com'), raw('Node.js'), raw('= 1 + 2')])
  })

  test('has no empty cell, no ping and no forbidden link', () => {
    const rows = cells(
      table([
        ['', 'b', 'c'],
        ['\u200b', '<!channel> <@U0BOB000001>', '[x](https://evil.example/?q=1)'],
      ]),
    )
    expect(rows[0]?.[0]).toEqual(raw('–'))
    expect(rows[1]).toEqual([
      raw('–'),
      raw('‹!channel> ‹@U0BOB000001>'),
      raw(expect.stringMatching(/^x \(https:\u200b/)),
    ])
  })

  test.each([
    ['data_table', ['table']],
    ['data_table table', ['section', 'context']],
  ])('where %s is refused it is the next simpler form', (types, [first]) => {
    const [content] = contentsOf(
      table([
        ['Name', 'Born'],
        ['Frank', '1920'],
        ['[Ada](https://example.com/ada)', '1815'],
      ]),
    )
    const blocks = blocksIn(content!, (type) => types.split(' ').includes(type))
    expect(blocks[0]?.type).toBe(first)
    if (first === 'section')
      expect(textsOf({ text: '', blocks })[0]).toBe(
        '```\nName                          | Born\n------------------------------|-----\nFrank                         | 1920\nAda (https://example.com/ada) | 1815\n```',
      )
  })

  test('keeps the alignment of its columns in the older form', () => {
    const [content] = contentsOf('| a | b |\n|--:|:-:|\n| 1 | 2 |')
    const [block] = blocksIn(content!, (type) => type === 'data_table')
    expect(block).toMatchObject({ type: 'table', column_settings: [{ align: 'right' }, { align: 'center' }] })
  })

  test.each([
    ['of 101 rows', filled(101, 2, 'c')],
    ['of 21 columns', filled(2, 21, 'c')],
    ['of more than 10,000 characters', filled(50, 5, 'word '.repeat(10))],
    ['of a head alone', '| a | b |\n|---|---|'],
  ])('%s is text', (_, text) => {
    expect(tablesOf(contentsOf(text))).toEqual([])
  })

  test('of 100 rows and of 20 columns is a block', () => {
    expect(tablesOf(contentsOf(filled(100, 2, 'c')))[0]?.rows).toHaveLength(100)
    expect(tablesOf(contentsOf(filled(2, 20, 'c')))[0]?.rows[0]).toHaveLength(20)
  })

  test('in a long answer stays whole and in place', () => {
    const words = 'Some words of it. '.repeat(500)
    const contents = contentsOf(`${words}\n\n${filled(90, 3, 'a cell ')}\n\n${words}`)
    expect(tablesOf(contents).map(({ rows }) => rows.length)).toEqual([90])
    const at = contents.findIndex(({ blocks }) => blocks.some(({ type }) => type === 'data_table'))
    expect(textsOf(contents[at]!).join('')).not.toBe('')
    expect(contents.slice(0, at).flatMap(textsOf).concat(contents.slice(at).flatMap(textsOf)).join(' ')).toContain(
      'Some words',
    )
  })

  test('with others has at most 10,000 characters per message', () => {
    const contents = contentsOf(
      Array.from({ length: 6 }, (_, i) => `## T${i}\n\n${filled(30, 4, 'some words ')}`).join('\n\n'),
    )
    expect(tablesOf(contents)).toHaveLength(6)
    const sums = contents.map((content) =>
      tablesOf([content]).reduce((sum, block) => sum + tableCharacters({ ...block }), 0),
    )
    expect(sums.length).toBeGreaterThan(1)
    expect(Math.max(...sums)).toBeLessThan(10_000)
  })

  test('may have formulas with bars in its cells', () => {
    expect(cells('| a | b |\n|---|---|\n| $|x|$ | $x^2$ |')[1]).toEqual([raw('|x|'), raw('x²')])
  })

  test('in a list or a quote is a table too', () => {
    expect(tablesOf(contentsOf('> | a |\n> |---|\n> | 1 |'))).toHaveLength(1)
  })
})

describe('a series', () => {
  const series = (points: [string, number][]) => [
    { title: 'Sales <!channel>', points: points.map(([label, value]) => ({ label, value })) },
  ]
  const chartsOf = (contents: Content[]) =>
    contents.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'data_visualization'))

  test('is a chart below the answer: bars, or a line over time; code if it is refused', () => {
    const [content] = contentsOf('Sold.', {
      series: series([
        ['A', 1],
        ['B', 2000],
      ]),
    })
    expect(chartsOf([content!])).toMatchObject([{ title: 'Sales ‹!channel>', chart: { type: 'bar' } }])
    const blocks = blocksIn(content!, (type) => type === 'data_visualization')
    expect(textsOf({ text: '', blocks })).toContain('```\nSales ‹!channel&gt;\nA  1\nB  2,000\n```')
    const inTime = contentsOf('Sold.', {
      series: series([
        ['2024', 1],
        ['2025', 2],
      ]),
    })
    expect(chartsOf(inTime)).toMatchObject([{ chart: { type: 'line', axis_config: { categories: ['2024', '2025'] } } }])
  })

  test.each<[string, [string, number][]]>([
    ['one point', [['A', 1]]],
    ['over 20 points', Array.from({ length: 21 }, (_, i) => [`p${i}`, i])],
    [
      'two points of one label',
      [
        ['A', 1],
        ['A', 2],
      ],
    ],
    [
      'no number',
      [
        ['A', NaN],
        ['B', 2],
      ],
    ],
  ])('of %s is not drawn', (_, points) => {
    expect(chartsOf(contentsOf('Sold.', { series: series(points) }))).toEqual([])
  })

  test('of several kinds is drawn by Slack’s own blocks, and as a table in text for other clients', () => {
    const points = ['North', 'South'].map((label, i) => ({ label, value: i + 1.5 }))
    const [pie] = contentsOf('Sold.', { series: [{ title: 'Sales', kind: 'pie', points }] })
    expect(chartsOf([pie!])).toMatchObject([{ chart: { type: 'pie', segments: points } }])
    const more = Array.from({ length: 11 }, (_, i) => ({ name: `y${i}`, values: [i, -i] }))
    const [area] = contentsOf('Sold.', {
      series: [{ title: 'All', kind: 'area', name: 'first', points, more, axes: { x: 'region' } }],
    })
    const [chart] = chartsOf([area!])
    expect(chart).toMatchObject({
      chart: { type: 'area', axis_config: { categories: ['North', 'South'], x_label: 'region' } },
    })
    expect(chart).toHaveProperty('chart.series.length', 12)
    expect(area!.text).toMatch(/^Sold\.\n\n```\nAll\n +first +y0 .*\nNorth +1\.5 +0 .*\nSouth +2\.5 +0 +-1 /s)
    const twelve = [...more, { name: 'z', values: [1, 2] }]
    expect(chartsOf(contentsOf('Sold.', { series: [{ title: 'All', points, more: twelve }] }))).toEqual([])
  })

  test('keeps labels apart that are the same when they are cut', () => {
    const points = ['Warehouse of the north, one', 'Warehouse of the north, two'].map((label) => ({ label, value: 1 }))
    const [content] = contentsOf('Sold.', { series: [{ title: 'Sales', points }] })
    expect(chartsOf([content!])).toMatchObject([
      { chart: { axis_config: { categories: ['Warehouse of the no…', 'Warehouse of the… 2'] } } },
    ])
  })

  test('with long names is cut, with empty ones is shown, and there are at most two charts', () => {
    const long = series([
      ['l'.repeat(500), 1],
      [' ', 2],
    ])
    expect(chartsOf(contentsOf('Sold.', { series: [...long, ...long, ...long] }))).toHaveLength(2)
  })
})
