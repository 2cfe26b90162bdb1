/** The parts of a file for the model: its opening, the parts that it requests, the passages that it searches. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openingOf, outlineOf } from '../../src/files/outline.ts'
import { searchPassages } from '../../src/files/passages.ts'
import { readPart } from '../../src/files/read-part.ts'
import type { FileKind, ParsedFile, Section } from '../../src/files/types.ts'

function section(text: string, more: Partial<Section> = {}): Section {
  return { text, lines: text === '' ? 0 : text.split('\n').length, ...more }
}

const CITIES = ['Oslo', 'Kyoto', 'Lima']

const pages = Array.from({ length: 300 }, (_, i) =>
  section(
    `Chapter ${i + 1}\nThe invoices of ${CITIES[i % 3]} came to ${i * 37} euros.\n${'More words follow here. '.repeat(20)}`,
  ),
)
pages[216] = section('Chapter 217\nThe office in Reykjavík has a sauna.')
const pdf: ParsedFile = { kind: 'pdf', title: 'The years', sections: pages }

const rows = ['City\tRevenue', ...Array.from({ length: 5000 }, (_, i) => `${CITIES[i % 3]} ${i}\t${i * 2}`)]
const workbook: ParsedFile = {
  kind: 'xlsx',
  sections: [section(rows.join('\n'), { name: 'Sales 2026', columns: 2 }), section('', { name: 'Notes' })],
}

const poem: ParsedFile = {
  kind: 'markdown',
  sections: [section('# One\na\nb\n# Two\nc')],
  headings: [
    { text: 'One', level: 1, section: 1, line: 1 },
    { text: 'Two', level: 1, section: 1, line: 4 },
  ],
}

test('a short file is given whole', () => {
  expect(openingOf(poem, 500)).toEqual({ text: 'A Markdown text of 5 lines.\n\n# One\na\nb\n# Two\nc', isWhole: true })
})

test('of a long file the outline comes first, then its beginning', () => {
  const { text, isWhole } = openingOf(pdf, 3000)
  expect(isWhole).toBe(false)
  expect(text).toMatch(/^A PDF of 300 pages\. Title: The years\.\npage 1: Chapter 1 The invoices/)
  expect(text).toContain('It begins:\n[page 1]\nChapter 1\nThe invoices of Oslo came to 0 euros.')
  expect(text.length).toBeGreaterThan(2500)
})

test('an outline names every page that fits, and says when it leaves some out', () => {
  expect(outlineOf(pdf, 40_000).match(/^page \d+: /gm)).toHaveLength(300)
  const short = outlineOf(pdf, 1500)
  expect(short.match(/^page \d+: /gm)?.length).toBeGreaterThan(20)
  expect(short).toMatch(/\(1 of every \d+ entries is shown\)$/)
})

test('an outline of a workbook has the sheets with their ranges and first rows', () => {
  expect(outlineOf(workbook, 1000)).toBe(
    'A workbook of 2 sheets.\nsheet 1 "Sales 2026": A1:B5001 (5,001 rows), first row: City | Revenue\nsheet 2 "Notes": empty',
  )
})

test('an outline of a text has its headings with lines, and says what is missing of the file', () => {
  expect(outlineOf({ ...poem, notes: ['Its end is missing.'] }, 1000)).toBe(
    'A Markdown text of 5 lines. Its end is missing.\nline 1: One\nline 4: Two',
  )
})

test.each([
  ['217', 'page 217', '[page 217]\nChapter 217\nThe office in Reykjavík has a sauna.'],
  ['pages 217-217', 'page 217', '[page 217]\nChapter 217\nThe office in Reykjavík has a sauna.'],
  [217, 'page 217', '[page 217]\nChapter 217\nThe office in Reykjavík has a sauna.'],
])('a page is read by its number, written as %s', (wanted, place, text) => {
  expect(readPart(pdf, { pages: wanted }, 1000)).toEqual({ text, place, sections: [217] })
})

test('cut pages say how to read on, and that works', () => {
  const first = readPart(pdf, { pages: '3–9' }, 1500)
  expect(first).toMatchObject({
    place: 'pages 3-5',
    sections: [3, 4, 5],
    more: 'It is cut in page 5, at line 3: name that page and lines.',
  })
  const rest = readPart(pdf, { pages: 5, lines: '3-' }, 1000)
  expect(rest).toMatchObject({ place: 'page 5, line 3', sections: [5] })
  expect(rest.text).toMatch(/^More words/)
})

test.each([
  [pdf, { pages: 301 }, 'There is no page 301: it has 300 pages.'],
  [pdf, { pages: 'the last' }, '"the last" names no page: write 3 or 3-5; it has 300 pages.'],
  [pdf, { sheet: 'Sales' }, 'There are no sheets in it: it has 300 pages.'],
  [pdf, { pages: 217, lines: '9-12' }, 'There is no line 9: the last is 2.'],
  [poem, { pages: 4 }, 'There are no pages in it: it has 5 lines. Name lines, as in 1-100.'],
  [poem, { lines: '6' }, 'There is no line 6: the last is 5.'],
  [workbook, { sheet: 'Plan' }, 'There is no sheet "Plan": its sheets are "Sales 2026", "Notes".'],
  [workbook, { sheet: 2 }, 'The sheet is empty.'],
  [workbook, { range: 'Z1:Z9' }, 'These cells are empty: the sheet is A1:B5001.'],
  [workbook, { range: 'everything' }, '"everything" is no range: write A1:C20, B:D or 10:20; the sheet is A1:B5001.'],
])('what is not there is answered with what is: %#', (file, wanted, missing) => {
  expect(readPart(file, wanted, 1000)).toEqual({ missing })
})

test.each([
  [{ sheet: 'sales 2026', range: 'A3:B4' }, 'A3:B4', 'row\tA\tB\n3\tKyoto 1\t2\n4\tLima 2\t4'],
  [{ sheet: 1, range: '$B$3' }, 'B3:B3', 'row\tB\n3\t2'],
  [{ range: "'Sales 2026'!B5000:B9000" }, 'B5000:B5001', 'row\tB\n5000\t9996\n5001\t9998'],
  [{ sheet: 1, lines: '5001-6000' }, 'A5001:B5001', 'row\tA\tB\n5001\tKyoto 4999\t9998'],
])('cells are read by sheet and range, as spreadsheets write them: %#', (wanted, place, text) => {
  expect(readPart(workbook, wanted, 1000)).toMatchObject({ text, place: `sheet "Sales 2026", ${place}`, sections: [1] })
})

test('of a column as many rows are read as fit', () => {
  const part = readPart(workbook, { sheet: 1, range: 'B:B' }, 40)
  expect(part).toMatchObject({
    text: 'row\tB\n1\tRevenue\n2\t0\n3\t2\n4\t4\n5\t6\n6\t8\n7\t10',
    more: 'It goes on at row 8 of 5001.',
  })
})

test('lines are read by their numbers', () => {
  expect(readPart(poem, { lines: '2-3' }, 100)).toEqual({ text: 'a\nb', place: 'lines 2-3', sections: [1] })
  expect(readPart(poem, { lines: '2-' }, 3)).toMatchObject({ text: 'a\nb', more: 'It goes on at line 4 of 5.' })
})

const anything = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.string({ unit: fc.constantFrom(..."A1:-$! 9Zz'"), maxLength: 12 }),
  fc.constant(undefined),
)
const wantedPart = fc.record({
  pages: anything,
  sheet: anything,
  lines: anything,
  range: fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'AZ19:$!') }), fc.constant(undefined)),
})

test('any part that a model names gives a text that fits or a sentence', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(pdf, workbook, poem),
      wantedPart,
      fc.integer({ min: 0, max: 3000 }),
      (file, { range, ...wanted }, room) => {
        const part = readPart(file, { ...wanted, ...(range !== undefined && { range }) }, room)
        expect(part.text?.length ?? 0).toBeLessThanOrEqual(room)
        expect(part.text ?? part.missing).toBeDefined()
        expect(openingOf(file, room).text.length).toBeLessThanOrEqual(room)
      },
    ),
    { seed: 7, numRuns: 300 },
  )
})

test('a search finds the page that a question is about, with its lines', async () => {
  const [best] = await searchPassages(pdf, 'Which office has a sauna?')
  expect(best).toMatchObject({
    section: 217,
    firstLine: 1,
    lastLine: 2,
    place: 'page 217, lines 1-2',
    text: pages[216]?.text,
  })
  const [other] = await searchPassages(pdf, 'REYKJAVIK')
  expect(other?.section).toBe(217)
})

test('a rare word outweighs many common ones', async () => {
  const [best] = await searchPassages(pdf, 'the invoices of the chapter with the sauna')
  expect(best?.section).toBe(217)
})

test('a search in a sheet gives the rows, and the singular finds the plural', async () => {
  const [row] = await searchPassages(workbook, 'kyoto 4321')
  expect(row).toMatchObject({ section: 1, place: expect.stringMatching(/^sheet "Sales 2026", rows \d+-\d+$/) })
  expect(row?.text).toContain('Kyoto 4321\t8642')
  expect(rows[(row?.firstLine ?? 0) - 1]).toBe(row?.text.split('\n')[0])
  expect(await searchPassages(pdf, 'invoice', 3)).toHaveLength(3)
  expect(await searchPassages(pdf, 'invoices', 3)).toHaveLength(3)
})

test.each([
  ['Japanese', '休暇は三十日です。\n会議室は二階にあります。\n経費は月末に精算します。', '経費の精算', 3],
  ['Chinese', '公司在上海。\n年假三十天。\n报销在月底。', '年假有几天', 2],
  ['Thai', 'บริษัทอยู่ในกรุงเทพ\nวันลาพักร้อนสามสิบวัน\nเบิกค่าใช้จ่ายสิ้นเดือน', 'วันลาพักร้อนกี่วัน', 2],
  ['Russian', 'Офис в Осло.\nОтпуск тридцать дней.\nРасходы в конце месяца.', 'сколько дней отпуск', 2],
  ['Turkish', 'Ofis Oslo.\nİzin otuz gündür.\nMasraflar ay sonunda.', 'izin', 2],
])('a search in %s finds the line', async (...row) => {
  const [, text, query, line] = row
  const long = text
    .split('\n')
    .map((one) => `${one}${' '.repeat(900)}`)
    .join('\n')
  const [best] = await searchPassages({ kind: 'text', sections: [section(long)] }, query)
  expect(best).toMatchObject({ firstLine: line, lastLine: line, place: `line ${line}` })
})

test('nothing is found without a matching word, and a short word does not match inside another', async () => {
  expect(await searchPassages(pdf, 'aubergine')).toEqual([])
  expect(await searchPassages(pdf, '!?')).toEqual([])
  expect(await searchPassages({ kind: 'text', sections: [section('an article')] }, 'art')).toEqual([])
})

test('every line of a file is in one passage of a search', async () => {
  const kinds: FileKind[] = ['text', 'pdf']
  for (const kind of kinds) {
    const text = Array.from({ length: 400 }, (_, i) => `word ${'x'.repeat((i * 37) % 300)}`).join('\n')
    const found = await searchPassages({ kind, sections: [section(text), section(''), section('word')] }, 'word', 1000)
    const inOrder = found.sort((a, b) => a.section - b.section || a.firstLine - b.firstLine)
    const [last, ...others] = inOrder.toReversed()
    expect(last).toMatchObject({ section: 3, text: 'word' })
    expect(
      others
        .toReversed()
        .map((one) => one.text)
        .join('\n'),
    ).toBe(text)
    expect(others[0]?.lastLine).toBe(400)
  }
})
