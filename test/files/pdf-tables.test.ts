/** Tables that a pdf draws as words at places. The reader guesses them, so what is no table for certain is none. */
import { describe, expect, test } from 'vitest'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import { parsePdf } from '../../src/files/parsers/pdf-pages.ts'
import { fileTables } from '../../src/files/run-tables.ts'
import { queryTables } from '../../src/files/tables/query-tables.ts'
import { parsed, pdfOf } from '../harness/file-corpus.ts'

/** Draws a word at a place, in points from the lower left. `size` of its letters. */
function word(x: number, y: number, text: string, size = 10): string {
  return `BT /F1 ${size} Tf ${x} ${y} Td (${text.replace(/[()\\]/g, '\\$&').replaceAll('€', '\x80')}) Tj ET`
}
/** The widths of Helvetica's letters that numbers have. */
const LETTERS: Record<string, number> = { '.': 2.78, ',': 2.78, ' ': 2.78, '-': 3.33, '%': 8.89, '(': 3.33, ')': 3.33 }
const widthOf = (text: string) => [...text].reduce((sum, letter) => sum + (LETTERS[letter] ?? 5.56), 0)

/** Draws a row. A column to the right of its place has a negative one. */
function row(y: number, columns: readonly number[], cells: readonly string[]): string[] {
  return columns.flatMap((x, i) => (cells[i] ? [word(x < 0 ? -x - widthOf(cells[i]) : x, y, cells[i])] : []))
}
/** Draws rows below each other. */
const rows = (y: number, columns: readonly number[], cells: readonly (readonly string[])[], step = 16) =>
  cells.flatMap((one, i) => row(y - i * step, columns, one))

const pdf = (...pages: string[][]) => new Uint8Array(pdfOf(pages, (lines) => Buffer.from(lines.join('\n'), 'latin1')))

async function tablesIn(...pages: string[][]) {
  const file = await parsePdf({ kind: 'pdf', name: 'a.pdf', bytes: pdf(...pages), limits: PARSE_LIMITS })
  return (file.tables ?? []).map(({ text, ...table }) => ({
    ...table,
    rows: text.split('\n').map((one) => one.split('\t')),
  }))
}
const rowsIn = async (...pages: string[][]) => (await tablesIn(...pages)).map((table) => table.rows)

test('SQL sums a table of a pdf with German numbers at the right of their column, and says that it was guessed', async () => {
  const page = [
    word(50, 740, 'Umsatz nach Region'),
    ...row(715, [50, 180, 300], ['Region', 'Umsatz', 'Datum']),
    ...rows(
      700,
      [50, -240, 300],
      [
        ['Nord', '1.234,56', '01.02.2024'],
        ['Ost', '12.345.678,90', '03.02.2024'],
        ['Süd', '98,00', '02.02.2024'],
        ['Gesamt', '12.347.011,46', ''],
      ],
    ),
    word(50, 560, 'Der Bericht endet hier.'),
  ]
  const file = await parsed({ name: 'bericht.pdf', bytes: pdf(page) })
  const tables = fileTables({ name: 'bericht.pdf' }, file)
  expect(tables.map(({ name, from }) => [name, from])).toEqual([['bericht', 'bericht.pdf, table "Umsatz nach Region"']])
  const sql = "SELECT sum(Umsatz) AS s, max(Datum) AS d FROM bericht WHERE Datum > '2024-02-01'"
  const { result } = await queryTables({ sql, tables, timeoutMs: 5000 }, Date.now)
  expect(result?.rows).toEqual([['12345776.9', '2024-02-03']])
  expect(result?.notes.join('\n')).toContain(
    'on page 1 is guessed from aligned columns, with the heading Region / Umsatz',
  )
  expect(result?.notes.join('\n')).toContain('Rows of totals are left out (row 5: Gesamt 12.347.011,46).')
})

describe('wrapped cells are one cell', () => {
  test.each([
    [
      'figures in the first line, all lines equally far apart',
      [
        ...row(700, [50, -330], ['A long description of a thing that', '12.50']),
        word(50, 688, 'goes over two lines'),
        ...row(676, [50, -330], ['Short thing', '3.00']),
        ...row(664, [50, -330], ['Another long description of a thing', '1,204.00']),
        word(50, 652, 'as well'),
      ],
    ],
    [
      'figures in the middle of rows with room between them',
      [
        word(50, 694, 'A long description of a thing that'),
        ...row(688, [-330], ['12.50']),
        word(50, 682, 'goes over two lines'),
        ...row(662, [50, -330], ['Short thing', '3.00']),
        word(50, 642, 'Another long description of a thing'),
        ...row(636, [-330], ['1,204.00']),
        word(50, 630, 'as well'),
      ],
    ],
  ])('%s', async (_, lines) => {
    const [table] = await tablesIn([...row(715, [50, 300], ['Item', 'Price']), ...lines])
    expect(table?.rows).toEqual([
      ['Item', 'Price'],
      ['A long description of a thing that goes over two lines', '12.50'],
      ['Short thing', '3.00'],
      ['Another long description of a thing as well', '1,204.00'],
    ])
    expect(table?.notes?.join(' ')).toMatch(/\d lines are read as part of the row beside it/)
  })
})

test('two tables below each other are two, with the captions above them', async () => {
  const costs = [
    ['Oslo', '1.5', '2020'],
    ['Bergen', '-2.5', '2021'],
    ['Kiel', '(30.5)', '2022'],
  ]
  const found = await tablesIn([
    ...[word(50, 740, 'Table 1: Sales'), ...row(720, [50, 150], ['Region', 'Sales'])],
    ...rows(
      704,
      [50, -190],
      [
        ['North', '10'],
        ['South', '200'],
        ['West', '3000'],
      ],
    ),
    ...[word(50, 640, 'Table 2: Costs by city'), ...row(620, [50, 150, 250], ['City', 'Cost', 'Since'])],
    ...rows(604, [50, -190, 250], costs),
  ])
  expect(found.map(({ name, rows: all }) => [name, all])).toEqual([
    [
      'Table 1: Sales',
      [
        ['Region', 'Sales'],
        ['North', '10'],
        ['South', '200'],
        ['West', '3000'],
      ],
    ],
    ['Table 2: Costs by city', [['City', 'Cost', 'Since'], ...costs]],
  ])
})

describe('a table over pages', () => {
  const orders = (from: number, count: number) =>
    rows(
      700,
      [50, -240],
      Array.from({ length: count }, (_, i) => [`Order ${from + i}`, `${(from + i) * 10}.00`]),
    )
  const above = [word(50, 770, 'ACME Report 2024')]
  const heading = row(720, [50, 200], ['Order', 'Amount'])
  const below = (page: number) => [word(300, 30, `Page ${page}`)]

  test('is one if its heading is repeated', async () => {
    const [table, ...others] = await tablesIn(
      [...above, ...heading, ...orders(1, 30), ...below(1)],
      [...above, ...heading, ...orders(31, 30), ...below(2)],
      [...above, ...heading, ...orders(61, 3), word(50, 600, 'Nothing more was ordered.'), ...below(3)],
    )
    expect(others).toEqual([])
    expect(table?.rows).toHaveLength(64)
    expect(table?.rows.at(-1)).toEqual(['Order 63', '630.00'])
    expect(table?.notes?.[0]).toContain('pages 1, 2, 3')
  })

  test('is one if its rows go on in the same columns, which is said', async () => {
    const [table] = await tablesIn([...above, ...heading, ...orders(1, 30), ...below(1)], [...above, ...orders(31, 5)])
    expect(table?.rows).toHaveLength(36)
    expect(table?.notes?.at(-1)).toBe('On page 2 its heading is not repeated; the rows stand in the same columns.')
  })

  test('is refused if its rows go on in other columns', async () => {
    const moved = rows(
      700,
      [90, -190, -240],
      [
        ['Order 31', '1', '310.00'],
        ['Order 32', '2', '320.00'],
      ],
    )
    const [table] = await tablesIn([...above, ...heading, ...orders(1, 30), ...below(1)], [...above, ...moved])
    expect(table).toMatchObject({ refused: 'it may go on on page 2, whose columns are not the same', rows: [['']] })
  })

  test('is another one under another caption', async () => {
    const month = (name: string) => [word(50, 740, name), ...heading, ...orders(1, 3)]
    const found = await tablesIn(month('January'), month('February'))
    expect(found.map(({ name, rows: all }) => [name, all.length])).toEqual([
      ['January', 4],
      ['February', 4],
    ])
  })
})

test('names over groups of columns, signs beside amounts, and names over numbers at the other side are read', async () => {
  const groups = [
    ...[word(150, 735, '2023'), word(270, 735, '2024')],
    ...row(720, [50, 120, 180, 240, 300], ['City', 'Plan', 'Actual', 'Plan', 'Actual']),
    ...rows(
      704,
      [50, -145, -210, -265, -330],
      [
        ['Oslo', '1', '2', '3', '4'],
        ['Kiel', '5', '6', '7', '8'],
      ],
    ),
  ]
  expect((await rowsIn(groups))[0]?.[0]).toEqual(['City', '2023 Plan', '2023 Actual', '2024 Plan', '2024 Actual'])
  const signs = [
    ...row(720, [50, 200, 300], ['Item', 'Count', 'Amount']),
    ...rows(
      704,
      [50, -260, 320, -390],
      [
        ['Pen', '2', '$', '10.00'],
        ['Ink', '3', '$', '1,210.00'],
      ],
    ),
  ]
  expect(await rowsIn(signs)).toEqual([
    [
      ['Item', 'Count', 'Amount'],
      ['Pen', '2', '$ 10.00'],
      ['Ink', '3', '$ 1,210.00'],
    ],
  ])
})

test('sums below their rows are rows of totals, and the mark of a footnote is no digit', async () => {
  const [table] = await rowsIn([
    ...row(720, [50, 200, 300], ['Item', 'Count', 'Amount']),
    ...rows(
      704,
      [50, -220, -340],
      [
        ['Pen', '2', '10,00 €'],
        ['Ink', '1', '30,00 €'],
      ],
    ),
    word(220.5, 708, '1', 6),
    ...rows(
      672,
      [240, -340],
      [
        ['Subtotal', '40,00 €'],
        ['VAT 19 %', '7,60 €'],
        ['Total', '47,60 €'],
      ],
    ),
    word(50, 600, '1 Without the blue ones'),
  ])
  expect(table?.slice(1)).toEqual([
    ['Pen', '2', '10,00 €'],
    ['Ink', '1', '30,00 €'],
    ['Subtotal', '', '40,00 €'],
    ['VAT 19 %', '', '7,60 €'],
    ['Total', '', '47,60 €'],
  ])
  const tables = [{ name: 't', text: table!.map((cells) => cells.join('\t')).join('\n'), hasHeading: true as const }]
  const { result } = await queryTables({ sql: 'SELECT sum(Amount) AS s FROM t', tables, timeoutMs: 5000 }, Date.now)
  expect(result?.rows).toEqual([['40']])
})

describe('what is refused, or is no table', () => {
  const prose = [
    ...['The committee met in', 'March and decided that', 'the budget of 2023 was', 'too small. It asked for'],
    ...['more money, which the', 'board refused to give.', 'In April 12 members had', 'left, so the rest of them'],
  ]
  const beside = (one: readonly string[], other: readonly string[]) =>
    rows(
      700,
      [50, 300],
      one.map((text, i) => [text, other[i] ?? '']),
      12,
    )

  test.each([
    ['a page of two columns of text', [word(50, 740, 'Annual report'), ...beside(prose, prose.toReversed())]],
    [
      'the same with a year at the end of its lines',
      beside(prose, ['It was good.', '2021', 'was better.', '2022', 'so', 'so']),
    ],
    [
      'a form',
      rows(
        700,
        [50, 150],
        [
          ['Name:', 'Ann Lee'],
          ['Born:', '1990-01-02'],
          ['No.:', '4711'],
          ['Size:', '3.5'],
        ],
      ),
    ],
    [
      'a form without colons',
      rows(
        700,
        [50, 150],
        [
          ['Name', 'Ann Lee'],
          ['Born', '1990-01-02'],
          ['Number', '4711'],
        ],
      ),
    ],
    [
      'contents',
      rows(
        700,
        [50, -400],
        [
          ['Contents', 'Page'],
          ['1 Why ...........', '1'],
          ['2 How ...........', '5'],
        ],
      ),
    ],
    [
      'a numbered list',
      [
        word(50, 740, 'Three parts'),
        ...rows(
          720,
          [50, 70],
          [
            ['1.', 'Do this'],
            ['2.', 'Do that'],
            ['3.', 'Do not'],
          ],
        ),
      ],
    ],
    [
      'names below names',
      rows(
        700,
        [50, 200, 350],
        [
          ['Ann Lee', 'Bob Ray', 'Cy Dow'],
          ['CEO', 'CFO', 'CTO'],
          ['Oslo', 'Rome', 'Bonn'],
        ],
      ),
    ],
    [
      'a table with text beside it',
      rows(
        700,
        [50, -150, 200],
        [
          ['Region', 'Sales', 'The board'],
          ['North', '12', 'met in May and said that it'],
          ['South', '13', 'was not time to go on with'],
          ['West', '14', 'what it had decided before'],
        ],
        12,
      ),
    ],
  ])('%s', async (_, page) => {
    expect(await tablesIn(page)).toEqual([])
  })

  test.each([
    [
      'two tables may stand side by side in it',
      rows(
        700,
        [50, 110, 350, 410],
        [
          ['Region', 'Sales', 'City', 'Cost'],
          ['North', '12', 'Oslo', '99'],
          ['South', '13', 'Kiel', '98'],
        ],
      ),
    ],
    [
      'one of its rows cannot be divided into its columns',
      [
        ...rows(
          720,
          [50, 200, 300],
          [
            ['Item', 'Sold', 'Left'],
            ['Cups', '10', '20'],
            ['Pens', '11', '21'],
          ],
        ),
        ...row(672, [50, 300], ['A very long name of an item that reaches far', '3']),
        ...rows(
          656,
          [50, 200, 300],
          [
            ['Land', '30', '40'],
            ['Cars', '3', '4'],
          ],
        ),
      ],
    ],
    [
      'no words stand below its heading "Note"',
      rows(
        700,
        [50, 150, 350],
        [
          ['Item', 'Sold', 'Note'],
          ['Cups', '10', ''],
          ['Pens', '11', ''],
        ],
      ),
    ],
  ])('refused: %s', async (refused, page) => {
    expect(await tablesIn(page)).toMatchObject([{ refused, rows: [['']] }])
  })

  test('a page of many words in one place, and one of many lines, end at once', async () => {
    const stacked = Array.from({ length: 9000 }, (_, i) =>
      word(50 + (i % 3) * 150, 790 - Math.floor(i / 3) / 4, i % 2 ? 'a' : '1'),
    )
    const pairs = Array.from({ length: 3000 }, (_, i) => row(790 - i / 4, [50, 100], ['a', i % 2 ? 'b' : '1'])).flat()
    expect(await tablesIn(stacked, pairs)).toEqual([])
  })
})
