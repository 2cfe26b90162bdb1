/** Workbooks by other programs than Excel, and cells whose value is not what is stored. */
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import { parseXlsx } from '../../src/files/parsers/xlsx-sheets.ts'
import type { ParsedFile } from '../../src/files/types.ts'
import { xlsxOf, zipOf } from '../harness/file-corpus.ts'

function read(rows: string, parts: Record<string, string> = {}): ParsedFile {
  const bytes = zipOf({ ...unzipSync(xlsxOf(rows)), ...parts })
  return parseXlsx({ kind: 'xlsx', name: 'a.xlsx', bytes, limits: PARSE_LIMITS })
}
const rowsOf = (rows: string, parts: Record<string, string> = {}) => read(rows, parts).sections[0]?.text.split('\n')

test.each([
  ['nowhere', '<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>', ['1\t2', '3']],
  ['on rows only', '<row r="2"><c><v>1</v></c><c><v>2</v></c></row>', ['', '1\t2']],
  [
    'on the first cell only',
    '<row r="1"><c r="B1"><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>',
    ['\t1\t2', '3'],
  ],
  ['on no styled cell', '<row><c s="0"/><c s="0"><v>5</v></c></row>', ['\t5']],
])('cells are counted where references stand %s', (_, rows, expected) => {
  expect(rowsOf(rows)).toEqual(expected)
})

/** Returns how a value is read in a format, in a workbook that counts from 1900 or from 1904. */
function shown(value: string, format: string | number, date1904 = '0'): string | undefined {
  const id = typeof format === 'number' ? format : 170
  const styles = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="${typeof format === 'string' ? format : ''}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="${id}"/></cellXfs></styleSheet>`
  const workbook = `<workbook xmlns:r="r"><workbookPr date1904="${date1904}"/><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`
  return rowsOf(`<row><c s="1"><v>${value}</v></c></row>`, {
    'xl/styles.xml': styles,
    'xl/workbook.xml': workbook,
  })?.[0]
}

test.each([
  ['1.5', '[h]:mm', '36:00'],
  ['1.0104166666666667', '[h]:mm', '24:15'],
  ['-0.5', '[hh]:mm:ss', '-12:00:00'],
  ['0.1', '[mm]:ss', '144:00'],
  ['0.354166666666667', 'hh:mm', '08:30'],
  ['0.75', 'h:mm AM/PM', '18:00'],
  ['0.01', 47, '14:24'],
  ['0.000978009259259259', 'mm:ss.0', '01:24.5'],
  ['1.5', 46, '36:00:00'],
  ['0.5', '[m]', '720'],
  ['0.5', '[mm]&quot; min&quot;', '720'],
  ['0.0001', '[ss].00', '8.64'],
  ['0.5', 20, '12:00'],
  ['45366', 14, '2024-03-15'],
  ['45366.75', 22, '2024-03-15 18:00:00'],
  ['45366', '[$-407]d. mmmm yyyy', '2024-03-15'],
  ['45366', '[Red]#,##0.00', '45366'],
  ['45', '0&quot; days&quot;', '45'],
  ['1', 14, '1900-01-01'],
  ['1234567890123456789', '0', '1234567890123456789'],
  ['0.30000000000000004', '0.0', '0.30000000000000004'],
  ['1.234567890123456789E+18', '0', '1234567890123456789'],
  ['1.5E+18', 'General', '1500000000000000000'],
  ['-1.2E-4', '0.00E+00', '-0.00012'],
  ['12345678901234567890.5', '0', '12345678901234567890.5'],
  ['1.7976931348623157E+308', '0', '1.7976931348623157E+308'],
  ['0.47', '0%', '47%'],
  ['7.0000000000000007E-2', '0.0%', '7%'],
  ['-0.4725', 10, '-47.25%'],
  ['1234', '00000', '01234'],
  ['12', '00', '12'],
  ['7', '0', '7'],
  ['7', '00', '7'],
  ['7', '000', '7'],
  ['7', '0000', '0007'],
  ['1234.5', '&quot;R$&quot;\\ #,##0.00', '1234.5'],
  ['1234.5', '&quot;US$&quot;#,##0', '1234.5'],
  ['1234.5', 'R\\$ #,##0', '1234.5'],
  ['1234.5', '[$HK$-C04] #,##0', '1234.5'],
  ['1234.5', '[$฿-41E]#,##0', '1234.5'],
  ['1234.5', '#,##0 [$kr.-406]', '1234.5 kr.'],
  ['1234.5', '[$Rp-421]#,##0', '1234.5'],
  ['1234.5', '[$-409]$#,##0', '$1234.5'],
  ['1234.5', '#,##0\\ €', '1234.5 €'],
  ['1250.5', '&quot;€&quot;#,##0.00', '€1250.5'],
  ['-3', '#,##0.00\\ [$zł-415]', '-3 zł'],
  ['-500', '$#,##0;[Red]-$#,##0', '-$500'],
  ['1000', '_-[$CHF-807]* #,##0_-;-[$CHF-807]* #,##0_-', 'CHF 1000'],
])('%s in the format %s is read as %s', (value, format, text) => {
  expect(shown(value, format)).toBe(text)
})

test.each([
  ['43904', 14, '2024-03-15'],
  ['0.5', 'h:mm', '12:00'],
  ['1.25', '[h]:mm', '30:00'],
])('a workbook that counts from 1904: %s in %s is %s', (value, format, text) => {
  expect(shown(value, format, '1')).toBe(text)
})

test('formulas without values and errors do not disappear', () => {
  const file = read(
    '<row><c><f>SUM(B1:B3)</f></c><c t="e"><v>#DIV/0!</v></c><c><f>1+1</f><v>2</v></c><c t="str"><f>""</f><v></v></c><c t="b"><v>1</v></c></row>',
  )
  expect(file.sections[0]?.text).toBe('=SUM(B1:B3)\t#DIV/0!\t2\t\tTRUE')
  expect(file.notes).toEqual(['1 formula has no stored value, so the formula is shown.'])
})

test.for([
  ['a line break', 'a_x000D_\nb', 'a b'],
  ['an underscore', '_x005F_x0041_', '_x0041_'],
  ['a name of that form', 'dim_x10_y', 'dim_x10_y'],
])('what XML cannot hold is decoded: %s', ([, written, shown]) => {
  expect(rowsOf(`<row><c t="inlineStr"><is><t>${written}</t></is></c></row>`)).toEqual([shown])
})

test.each(['XFD1048550', 'ZZ900000', 'A1048576'])('a far cell is read: %s', (place) => {
  const row = /\d+/.exec(place)?.[0] ?? ''
  const file = read(`<row r="1"><c r="A1"><v>1</v></c></row><row r="${row}"><c r="${place}"><v>0.5</v></c></row>`)
  expect(file.sections[0]?.lines).toBe(Number(row))
  expect(file.sections[0]?.text.endsWith('0.5')).toBe(true)
})

test('half a sheet is read, and the note says so', () => {
  const parts = { 'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c><v>1</v></c></row><row><c><v>2' }
  expect(read('', parts).notes).toEqual(['Sheet "Data" is damaged: its end is missing.'])
})
