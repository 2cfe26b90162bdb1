/** Tables by the separator that divides them, whatever else their cells contain. */
import { expect, test } from 'vitest'
import { parseCsv } from '../../src/files/parsers/csv-rows.ts'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'

function rows(text: string): string[][] {
  const bytes = Buffer.from(text)
  const { sections } = parseCsv({ kind: 'csv', name: 'a.csv', bytes, encoding: 'utf-8', limits: PARSE_LIMITS })
  return (sections[0]?.text ?? '').split('\n').map((row) => row.split('\t'))
}

test.each([
  [
    'dates with commas',
    'April 15, 2026;402;25.00;Ray;pending;\nApril 14, 2026;444;25.00;Scott;pending;\nApril 9, 2026;678;25.00;Lonny;\n',
    ['April 15, 2026', '402', '25.00', 'Ray', 'pending'],
  ],
  ['numbers with commas', '1,1;1,2\n2,1;2,2\n', ['1,1', '1,2']],
  ['a thousand, with pipes', '1,000|a\n2,500|b\n', ['1,000', 'a']],
  ['names with commas and tabs', 'Lee, Ann\t5\nRay, Bob\t6\n', ['Lee, Ann', '5']],
  ['French numbers', 'Ville;Prix\nParis;1,50\nLyon;2,75\n', ['Ville', 'Prix']],
  ['commas in a header', 'Name, first;Age\nAnn;5\nBob;6\n', ['Name, first', 'Age']],
  ['commas beside semicolons in text', 'a,b,c\n1,x; y,3\n2,z,4\n', ['a', 'b', 'c']],
  ['commas and spaces', 'a, b, c\n1, 2, 3\n', ['a', 'b', 'c']],
  ['sep=', 'sep=;\na;b,c,d\n1;2,3,4\n', ['a', 'b,c,d']],
  ['sep= and quotes', 'sep=,\r\n"x;1","y;2"\r\n', ['x;1', 'y;2']],
  ['a quoted sep=', '"sep=;"\n1,5;"2,5"\n', ['1,5', '2,5']],
])('%s', (_, text, first) => {
  expect(rows(text)[0]).toEqual(first)
})

test.for([
  ['prices', 'Price\n1,20\n0,95\n'],
  ['thousands', 'Amount\n1,200\n25,000\n'],
  ['names', 'Name\nMüller, Anna\nMeier, Bernd\n'],
  ['sentences', 'Comment\nWell done, thanks\nNo way, never, ever\nfine\n'],
  ['few commas', 'Note\nfirst,then\nfine\nfine\n'],
  ['tags', 'Tags\na;b\nc;d;e\nf\n'],
] as [string, string][])('a file of one column has one: %s', ([, text]) => {
  expect(rows(text)).toEqual(
    text
      .trim()
      .split('\n')
      .map((line) => [line]),
  )
})

test.for([
  ['a title', 'Report\n1,2,3\n4,5,6\n', ['1', '2', '3']],
  [
    'a title and a ragged row',
    'Export 2024\nid,name,city\n1,Anna,Berlin\n2,Bob,Paris, France\n3,Cy,Rome\n',
    ['1', 'Anna', 'Berlin'],
  ],
  ['a title and an optional last field', 'Export\nid,name,note\n1,Anna\n2,Bob,new\n3,Cy\n', ['1', 'Anna']],
  [
    'a title and a semicolon in a text',
    'Umsatzliste\n\nDatum;Text;Betrag\n1.3.;Kauf; rot;7\n',
    ['Datum', 'Text', 'Betrag'],
  ],
  ['years', 'Year results\n2020,15\n2021,17\n', ['2020', '15']],
  ['lines of an account', 'Account 7\nFrom 1 to 30 November\n\nDay;Sum\n1.11.;5,00\n', ['Day', 'Sum']],
] as [string, string, string[]][])('a table below other lines has its columns: %s', ([, text, row]) => {
  expect(rows(text)).toContainEqual(row)
})

test('an unclosed quote is a character, however much follows it', () => {
  const more = 'x;1\n'.repeat(400_000)
  const all = rows(`"open;5\n${more}`)
  expect([all[0], all[1], all.length]).toEqual([['"open', '5'], ['x', '1'], 400_001])
})
