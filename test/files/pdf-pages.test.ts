/** Pdfs with form fields and notes, and with East Asian fonts that they do not embed. */
import { expect, test } from 'vitest'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import { parsePdf } from '../../src/files/parsers/pdf-pages.ts'

/** Returns a pdf of these objects, the first of which is the catalogue. pdf.js finds them without a table. */
function pdfWith(objects: string[]): Uint8Array {
  const all = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`).join('')
  return new Uint8Array(
    Buffer.from(`%PDF-1.7\n${all}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\n%%EOF\n`, 'latin1'),
  )
}
const page = (more: string) =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R/F2 6 0 R>>>>/Contents 4 0 R ${more}>>`
const drawn = (text: string) => `<</Length ${text.length}>>\nstream\n${text}\nendstream`
const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
const read = (bytes: Uint8Array) => parsePdf({ kind: 'pdf', name: 'a.pdf', bytes, limits: PARSE_LIMITS })

test('values of form fields and notes stand below the text of their page', async () => {
  const widget = (more: string) => `<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/P 3 0 R ${more}>>`
  const fields = [
    widget('/FT/Tx/T(name)/V(Ann Lee)'),
    widget('/FT/Btn/T(accept)/V/Yes/AS/Yes'),
    widget('/FT/Btn/T(news)/V/Off/AS/Off'),
    widget('/FT/Ch/T(city)/V(Oslo)/Opt[(Oslo)(Bergen)]'),
    widget('/FT/Ch/T(country)/V(DE)/Opt[[(DE)(Germany)][(FR)(France)]]'),
    widget('/FT/Ch/Ff 2097152/T(langs)/V[(en)(de)]/Opt[(en)(de)(fr)]'),
    widget('/FT/Tx/Ff 8192/T(pin)/V(1234)'),
    widget('/FT/Tx/T(empty)'),
    '<</Type/Annot/Subtype/Text/Contents(Approved on 3 May)/T(Bob)/Rect[0 0 9 9]>>',
  ]
  const refs = fields.map((_, i) => `${7 + i} 0 R`).join(' ')
  const file = await read(
    pdfWith([
      `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[${refs}]>>>>`,
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      page(`/Annots[${refs}]`),
      drawn('BT /F1 12 Tf 72 700 Td (Name:) Tj ET'),
      HELVETICA,
      HELVETICA,
      ...fields,
    ]),
  )
  expect(file.sections[0]?.text.split('\n')).toEqual([
    'Name:',
    'Form fields: name = Ann Lee; accept = yes; news = no; city = Oslo; country = Germany; langs = en, de',
    'Note by Bob: Approved on 3 May',
  ])
})

function asian(encoding: string, ordering: string, { hex, latin = '' }: { hex: string; latin?: string }): Uint8Array {
  return pdfWith([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    page(''),
    drawn(`BT /F1 12 Tf 72 760 Td (${latin}) Tj ET BT /F2 14 Tf 72 700 Td <${hex}> Tj ET`),
    HELVETICA,
    `<</Type/Font/Subtype/Type0/BaseFont/SimSun/Encoding/${encoding}/DescendantFonts[7 0 R]>>`,
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/SimSun/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/FontDescriptor 8 0 R/DW 1000>>`,
    '<</Type/FontDescriptor/FontName/SimSun/Flags 6/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 700/StemV 80>>',
  ])
}

test.each([
  ['UniGB-UCS2-H', 'GB1', '53d1796891d1989d', '发票金额'],
  ['UniJIS-UTF16-H', 'Japan1', '67714eac0031', '東京1'],
  ['90ms-RKSJ-H', 'Japan1', '938c8b9e3132', '東京12'],
  ['UniKS-UCS2-H', 'Korea1', 'c11cc6b8', '서울'],
  ['KSCms-UHC-H', 'Korea1', 'b1e8c3b6', '김철'],
  ['GBK-EUC-H', 'GB1', 'd5c5c8fd', '张三'],
  ['ETen-B5-H', 'CNS1', 'a4fda470', '王小'],
  ['H', 'Japan1', '32713544', '会議'],
  ['V', 'Japan1', '456c323d', '東化'],
  ['UniJIS-UTF32-H', 'Japan1', '00004f1a00008b70', '会議'],
])('the text of a font that is not embedded is read: %s', async (...[encoding, ordering, hex, text]) => {
  expect((await read(asian(encoding, ordering, { hex }))).sections[0]?.text).toBe(text)
})

test.each(['Identity-H', 'Hankaku', 'UniJIS-UTF8-H'])(
  'what is not read is said, and is no scan: %s',
  async (encoding) => {
    const beside = await read(asian(encoding, 'Japan1', { hex: 'b1e8', latin: 'Invoice' }))
    expect(beside.sections[0]?.text).toBe('Invoice\n[Not read: text in a font that is not embedded]')
    expect(beside.notes).toEqual(['Not read: text in fonts that are not embedded, from page 1.'])
  },
)

test('what is not read is said on each page where it stands', async () => {
  const of = (number: number, fonts: string) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<<${fonts}>>>>/Contents ${number} 0 R>>`
  const text = (words: string, hex = '') =>
    drawn(`BT /F1 12 Tf 72 760 Td (${words}) Tj ET${hex && ` BT /F2 14 Tf 72 700 Td <${hex}> Tj ET`}`)
  const file = await read(
    pdfWith([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R 9 0 R 11 0 R]/Count 3>>',
      of(4, '/F1 5 0 R/F2 6 0 R'),
      text('One', 'b1e8'),
      HELVETICA,
      '<</Type/Font/Subtype/Type0/BaseFont/SimSun/Encoding/Hankaku/DescendantFonts[7 0 R]>>',
      '<</Type/Font/Subtype/CIDFontType2/BaseFont/SimSun/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 8 0 R/DW 1000>>',
      '<</Type/FontDescriptor/FontName/SimSun/Flags 6/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 700/StemV 80>>',
      of(10, '/F1 5 0 R'),
      text('Two'),
      of(12, '/F1 5 0 R/F2 6 0 R'),
      text('Three', 'b1e8'),
    ]),
  )
  const note = '[Not read: text in a font that is not embedded]'
  expect(file.sections.map((section) => section.text)).toEqual([`One\n${note}`, 'Two', `Three\n${note}`])
  expect(file.notes).toEqual(['Not read: text in fonts that are not embedded, from pages 1, 3.'])
})

test.for([
  ['a power', '(10) Tj /F1 7 Tf 5 Ts (6) Tj 0 Ts /F1 12 Tf ( units) Tj', '10⁶ units'],
  ['a footnote, by its place', '(412) Tj /F1 7 Tf 20.5 4.5 Td (1) Tj /F1 12 Tf 5 -4.5 Td (million) Tj', '412¹ million'],
  ['a scaled font', '/F1 1 Tf 7 0 0 7 63.4 705 Tm (3) Tj', '10³', '12 0 0 12 50 700 Tm (10) Tj'],
  ['a formula', '(CO) Tj /F1 7 Tf -3 Ts (2) Tj 0 Ts /F1 12 Tf ( and more) Tj', 'CO₂ and more'],
  ['smaller digits on the line', '(Total 10) Tj /F1 8 Tf (5) Tj', 'Total 105'],
  ['a footnote of a year', '(Revenue 2023) Tj /F1 7 Tf 5 Ts (1) Tj', 'Revenue 2023¹'],
  ['a sign and its digits', '(10) Tj /F1 7 Tf 5 Ts (-) Tj /F2 7 Tf (6) Tj', '10⁻⁶'],
  ['a value beside its label', '(Total) Tj /F1 10 Tf 36 -1 Td (1,250.00) Tj', 'Total 1,250.00'],
  ['a value behind a space', '(Menge ) Tj /F1 9 Tf -2 Ts (250) Tj', 'Menge 250'],
  ['a small cell that stands higher', '(Ann) Tj /F1 8 Tf 40 2 Td (42) Tj', 'Ann 42'],
  ['a small date', '(Agenda) Tj /F1 9 Tf 48 2 Td (12.03.2024) Tj', 'Agenda 12.03.2024'],
  ['a badge', '/F1 20 Tf (Orders) Tj /F1 10 Tf 75 4 Td (128) Tj', 'Orders 128'],
  ['a number behind its sign', '/F1 20 Tf (Invoice) Tj /F1 12 Tf 76 4 Td (#4711) Tj', 'Invoice #4711'],
  ['a smaller line below', '(Total 10) Tj /F1 8 Tf 0 -12 Td (5 of it) Tj', 'Total 10\n5 of it'],
])('raised and lowered digits are not glued to their line: %s', async ([, text = '', shown, before = '']) => {
  const start = before === '' ? '/F1 12 Tf 50 700 Td' : `/F1 1 Tf ${before}`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    page(''),
    drawn(`BT ${start} ${text} ET`),
    HELVETICA,
    HELVETICA,
  ]
  expect((await read(pdfWith(objects))).sections[0]?.text).toBe(shown)
})
