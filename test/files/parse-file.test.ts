/** Files by real tools and people, as text. */
import { expect, test } from 'vitest'
import { createFileParsers } from '../../src/files/parse-file.ts'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import type { FileBytes } from '../../src/files/types.ts'
import {
  fixture,
  outcomeOf,
  parsed,
  parsedHere,
  pdfOf,
  pptxOf,
  sheetRow,
  textFile,
  xlsxOf,
} from '../harness/file-corpus.ts'

const textOf = async (name: string) => (await parsed(fixture(name))).sections.map(({ text }) => text)

const HANDBOOK_HEADINGS = ['Handbook', 'Holidays', 'Expenses']

test.each(['handbook.docx', 'handbook.odt', 'handbook.html'])(
  'a document keeps its headings, tables and lists, and is plain JSON: %s',
  async (name) => {
    const file = await parsed(fixture(name))
    const lines = file.sections[0]?.text.split('\n') ?? []
    expect(file.headings?.map(({ text }) => text)).toEqual(HANDBOOK_HEADINGS)
    for (const { line, level, text } of file.headings ?? [])
      expect(lines[line - 1]).toBe(`${'#'.repeat(level)} ${text}`)
    expect(lines).toContain('Everyone has 30 days a year, not counting December 24.')
    expect(lines).toContain('Sales | Anna Kovács')
    expect(lines).toContain('- Hotels: up to 140 € a night')
    expect(file.sections[0]?.lines).toBe(lines.length)
    expect(JSON.parse(JSON.stringify(file))).toEqual(file)
  },
)

test('a pdf has its pages, its title and its bookmarks', async () => {
  const file = await parsed(fixture('handbook.pdf'))
  expect(file.title).toBe('Handbook of Müller & Söhne')
  expect(file.headings?.map(({ text, section }) => [text, section])).toEqual(HANDBOOK_HEADINGS.map((one) => [one, 1]))
  expect(file.sections[0]?.text).toContain('Support Zoë Åström')
})

test('a pdf of 300 pages is read page by page', async () => {
  const pages = Array.from({ length: 300 }, (_, i) => [`Chapter ${i + 1}`, `The number of this chapter is ${i * 37}.`])
  const { sections } = await parsed(textFile('long.pdf', pdfOf(pages)))
  expect(sections.map(({ text }) => text)).toEqual(pages.map((lines) => lines.join('\n')))
})

test.each(['rollout.pptx', 'rollout.odp'])('slides keep tables and speaker’s notes: %s', async (name) => {
  expect(await textOf(name)).toEqual([
    'Rollout 2027\nThe pilot begins in Oslo.\nNotes: Mention the budget of 48,000 euros.',
    'Risks\nRisk | Owner\nLate delivery | Ingrid',
  ])
})

test('slides are in presentation order, under their titles, without their numbers', async () => {
  const shape = (type: string, text: string) =>
    `<p:sp><p:nvPr><p:ph type="${type}"/></p:nvPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
  const slides = [
    shape('ctrTitle', 'First') + shape('sldNum', '7'),
    shape('title', 'Second') + shape('body', 'A &amp; B'),
  ]
  const { sections } = await parsed(textFile('order.pptx', pptxOf(slides)))
  expect(sections.map(({ name, text }) => [name, text])).toEqual([
    ['First', 'First'],
    ['Second', 'Second\nA & B'],
  ])
})

test.each(['sales.xlsx', 'sales.ods'])('a workbook has its sheets with all rows: %s', async (name) => {
  expect((await parsed(fixture(name))).sections).toEqual([
    {
      name: 'Sales 2026',
      text: 'City\tRevenue\tClosed\nZürich\t1250.5\t2026-03-31\n\n\nTotal\t2501',
      lines: 5,
      columns: 3,
    },
    { name: 'Plan', text: 'Kyoto next', lines: 1, columns: 1 },
  ])
})

test('a sheet of 100,000 rows is read whole', async () => {
  const rows = Array.from({ length: 100_000 }, (_, i) => sheetRow(i + 1, [i + 1, `Customer ${i + 1}`, (i + 1) * 2.5]))
  const [sheet] = (await parsed(textFile('big.xlsx', xlsxOf(rows.join(''))))).sections
  expect(sheet).toMatchObject({ name: 'Data', lines: 100_000, columns: 3 })
  expect(sheet?.text.split('\n')[76_999]).toBe('77000\tCustomer 77000\t192500')
})

test('a latin1 csv with semicolons, quotes and line breaks in cells has a line per row', async () => {
  const text = 'Stadt;Umsatz;Notiz\r\nZürich;"1;5";"zwei\r\nZeilen"\r\n;;\r\nKöln;2;"ein ""Wort"""\r\n'
  const { kind, sections } = await parsed({ name: 'umsatz.csv', bytes: Buffer.from(text, 'latin1') })
  expect(kind).toBe('csv')
  expect(sections[0]?.text.split('\n')).toEqual([
    'Stadt\tUmsatz\tNotiz',
    'Zürich\t1;5\tzwei Zeilen',
    '',
    'Köln\t2\tein "Wort"',
  ])
})

test('a csv with an unclosed quote is read line by line', async () => {
  const { sections } = await parsed(textFile('open.csv', 'a,b\n1,"2\n3,4\n5,6\n'))
  expect(sections[0]?.text).toBe('a\tb\n1\t"2\n3\t4\n5\t6')
})

const GREETING = 'Grüße aus Łódź, привет, こんにちは\nzweite Zeile'
const utf16be = Buffer.from(`\ufeff${GREETING}`, 'utf16le').swap16()

test.each([
  ['UTF-8', Buffer.from(GREETING)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${GREETING}`)],
  ['UTF-16, little end first', Buffer.from(`\ufeff${GREETING}`, 'utf16le')],
  ['UTF-16, big end first', utf16be],
])('a text in %s is read as it was written', (_, bytes) => {
  const { sections } = parsedHere({ name: 'note.txt', bytes })
  expect(sections[0]).toEqual({ text: GREETING, lines: 2 })
})

test.each([
  ['Windows-1252', 'Caf\xe9 \x80 5 \x96 \xfcber alles', 'Café € 5 – über alles'],
  ['UTF-16 without a mark', Buffer.from('Plain words', 'utf16le').toString('latin1'), 'Plain words'],
  // "Привет, как дела? Все хорошо, спасибо большое." in Windows-1251.
  [
    'Windows-1251',
    '\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0? \xc2\xf1\xe5 \xf5\xee\xf0\xee\xf8\xee, \xf1\xef\xe0\xf1\xe8\xe1\xee \xe1\xee\xeb\xfc\xf8\xee\xe5.',
    'Привет, как дела? Все хорошо, спасибо большое.',
  ],
  // "これは日本語の文章です。" twice, in Shift_JIS.
  [
    'Shift_JIS',
    '\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81\x42'.repeat(2),
    'これは日本語の文章です。'.repeat(2),
  ],
])('a text in %s is recognised', (_, bytes, text) => {
  const { sections } = parsedHere({ name: 'note.txt', bytes: Buffer.from(bytes, 'latin1') })
  expect(sections[0]?.text).toBe(text)
})

test('a web page loses scripts, styles and markup', async () => {
  const html =
    '<!doctype html><title>News &amp; more</title><style>p{}</style><p>One&nbsp;two<br>three</p><script>alert("<p>x</p>")</script><pre>a\n  b</pre>'
  const { title, sections } = await parsed(textFile('page', html))
  expect(title).toBe('News & more')
  expect(sections[0]?.text).toBe('One two\nthree\n\na\n  b')
})

test('a web page is decoded as it declares', async () => {
  const html = '<html><head><meta charset="iso-8859-2"></head><p>\xa3\xf3d\xbc</p></html>'
  const { sections } = await parsed({ name: 'page.html', bytes: Buffer.from(html, 'latin1') })
  expect(sections[0]?.text).toBe('Łódź')
})

test('JSON in one line is formatted, and invalid JSON is text', () => {
  const items = Array.from({ length: 200 }, (_, i) => ({ id: i, name: `item ${i}` }))
  const laidOut = parsedHere(textFile('data.json', JSON.stringify(items)))
  expect(laidOut.sections[0]?.text.split('\n')[2]).toBe('  "id": 0,')
  const broken = parsedHere(textFile('data.json', '{"a": [1, 2'))
  expect(broken).toMatchObject({ kind: 'json', sections: [{ text: '{"a": [1, 2' }] })
})

test('Markdown has its headings outside code, and code its declarations', async () => {
  const markdown = await parsed(textFile('notes.md', '# One\n\n```\n# no\n```\n## Two ##\n'))
  expect(markdown.headings).toEqual([
    { text: 'One', level: 1, section: 1, line: 1 },
    { text: 'Two', level: 2, section: 1, line: 6 },
  ])
  const code = parsedHere(textFile('a.ts', 'const a = 1\nexport async function run(x: number) {\n}\nclass B {\n}\n'))
  expect(code.headings?.map(({ text, line }) => [text, line])).toEqual([
    ['export async function run(x: number)', 2],
    ['class B', 4],
  ])
})

test('captions become one line per cue, with time and speaker', async () => {
  const vtt =
    'WEBVTT\n\nNOTE by hand\n\n1\n00:00:01.000 --> 00:00:04.000\n<v Anna>Good <b>morning</b>\nall</v>\n\n01:02:03.500 --> 01:02:05.000\nBye'
  expect((await parsed(textFile('clip.vtt', vtt))).sections[0]?.text).toBe(
    '[0:00:01] Anna: Good morning all\n[1:02:03] Bye',
  )
  const srt = '1\r\n00:00:05,000 --> 00:00:06,000\r\nHello\r\n'
  expect((await parsed(textFile('clip.srt', srt))).sections[0]?.text).toBe('[0:00:05] Hello')
})

test('a text that is too long is cut, and says so', async () => {
  const file = await parsed(textFile('long.txt', 'word '.repeat(10_000)), { maxChars: 5000 })
  expect(file.notes).toEqual(['The file is too long to keep whole. Its end is missing.'])
  expect(file.sections[0]?.text.length).toBeLessThanOrEqual(5000)
  expect(Math.max(...(file.sections[0]?.text.split('\n').map(({ length }) => length) ?? []))).toBeLessThanOrEqual(2000)
})

test('an abort ends the worker and rejects with its reason', async () => {
  const reason = new Error('the run was stopped')
  const controller = new AbortController()
  const parsing = createFileParsers().forQuestion('U0', Date.now).parse(fixture('handbook.pdf'), controller.signal)
  controller.abort(reason)
  await expect(parsing).rejects.toBe(reason)
})

test('a waiting file leaves at once when aborted, without delaying others', async () => {
  const parser = createFileParsers({ atOnce: 1 }).forQuestion('U0', Date.now)
  const controller = new AbortController()
  const first = parser.parse(fixture('handbook.pdf'))
  const second = parser.parse(textFile('b.txt', 'b'), controller.signal)
  const third = parser.parse(textFile('c.txt', 'c'))
  controller.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  expect((await Promise.all([first, third])).map(({ file }) => file?.kind)).toEqual(['pdf', 'text'])
})

test('more files than workers wait, and people take turns: another person waits for at most one file', async () => {
  const parsers = createFileParsers({ atOnce: 1 })
  const ended: string[] = []
  const read = async (person: string, name: string) => {
    const { file } = await parsers.forQuestion(person, Date.now).parse(textFile(`${name}.txt`, name))
    ended.push(name)
    return file?.sections[0]?.text
  }
  const texts = await Promise.all([
    ...['a1', 'a2', 'a3'].map((name) => read('U1', name)),
    ...['b1', 'b2'].map((name) => read('U2', name)),
    read('U3', 'c1'),
  ])
  expect(texts).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
  expect(ended).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('one person uses one reader, even if another is free', async () => {
  const parsers = createFileParsers({ atOnce: 2 })
  const ended: string[] = []
  const read = async (person: string, file: FileBytes) => {
    await parsers.forQuestion(person, Date.now).parse(file)
    ended.push(file.name)
  }
  const slow = textFile('a.pdf', pdfOf(Array.from({ length: 100 }, () => ['one', 'two'])))
  await Promise.all([read('U1', slow), read('U1', textFile('b.txt', 'b')), read('U2', textFile('c.txt', 'c'))])
  expect(ended.filter((name) => name !== 'c.txt')).toEqual(['a.pdf', 'b.txt'])
})

test('the files of a question share a time limit; another question has its own', async () => {
  const slow = textFile(
    'a.pdf',
    pdfOf([['']], () => Buffer.from('q '.repeat(500_000))),
  )
  const parsers = createFileParsers({ limits: { ...PARSE_LIMITS, questionMs: 1000 } })
  const parser = parsers.forQuestion('U1', Date.now)
  expect((await parser.parse(slow)).fault).toContain('takes more than 1 seconds to read')
  expect((await parser.parse(textFile('b.txt', 'b'))).fault).toBe(
    'The files of this question take more than 1 seconds to read, so this one was not read.',
  )
  expect((await outcomeOf(textFile('b.txt', 'b'))).file?.sections[0]?.text).toBe('b')
})

test.each([
  ['a list on one line', 'list.json', (rows: string[]) => `[${rows.join(', ')}]`],
  ['an object on one line', 'rows.json', (rows: string[]) => `{"note":"said 12.10","rows":[${rows.join(',')}]}`],
  [
    'GeoJSON',
    'places.geojson',
    (rows: string[]) =>
      `{"type":"FeatureCollection","features":[${rows.map((row) => `{"type":"Feature","properties":${row}}`).join(',')}]}`,
  ],
])('%s keeps the digits of its numbers', (_what, name, write) => {
  const ids = Array.from({ length: 20 }, (_, i) => `1234567890123456${String(780 + i)}`)
  const json = write(ids.map((id) => `{"id":${id},"price":12.10,"share":0.1000000000000000055}`))
  const text = parsedHere(textFile(name, json))
    .sections.map((section) => section.text)
    .join('\n')
  expect(text.split('\n').length).toBeGreaterThan(60)
  for (const id of ids) expect(text).toContain(`"id": ${id}`)
  expect(text).toContain('"price": 12.10')
  expect(text).toContain('"share": 0.1000000000000000055')
  expect(JSON.parse(text)).toEqual(JSON.parse(json))
})

test('a JSON file with short lines stays as it is', () => {
  const json = '{\n  "id": 1234567890123456789,\n  "price": 12.10\n}'
  expect(parsedHere(textFile('short.json', json)).sections.map(({ text }) => text)).toEqual([json])
})
