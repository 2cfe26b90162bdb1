/** Parsers of files take linear time on repeated and hostile content: sixteen times as much takes about as many times. */
import { strToU8, unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { fileTypeOf } from '../../src/files/file-type.ts'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import { parseCanvas } from '../../src/files/parsers/canvas-tags.ts'
import { parseCsv } from '../../src/files/parsers/csv-rows.ts'
import { parseDocx } from '../../src/files/parsers/docx-lines.ts'
import { parseHtml } from '../../src/files/parsers/html-lines.ts'
import { parseNamedText } from '../../src/files/parsers/named-texts.ts'
import { parseOdf } from '../../src/files/parsers/odf-text.ts'
import { UnreadableFile, type Parser } from '../../src/files/parsers/parser.ts'
import { parsePdf } from '../../src/files/parsers/pdf-pages.ts'
import { parsePlain } from '../../src/files/parsers/plain-lines.ts'
import { parsePptx } from '../../src/files/parsers/pptx-slides.ts'
import { parseTranscript } from '../../src/files/parsers/transcript-lines.ts'
import { parseWebPage } from '../../src/files/parsers/web-page.ts'
import { parseXlsx } from '../../src/files/parsers/xlsx-sheets.ts'
import { cpuClock } from '../harness/cpu-clock.ts'
import { docxOf, pdfOf, pptxOf, xlsxOf, zipOf } from '../harness/file-corpus.ts'

/** The bytes of the long content, before it is packed, and of the short one. */
const LONG = 1_000_000
const SHORT = LONG / 16
/** The CPU seconds that a megabyte may take, and those that a garbage collection or compilation may take. */
const BOUND = 6
const PAUSE = 0.3

/** A kind of file: its parser, its name, how it is made of repeated units, and the units. */
interface Format {
  parse: Parser
  name: string
  file: (units: string) => string | Uint8Array
  units: string[]
  page?: boolean
}

const odf = (kind: string) => (content: string) =>
  zipOf({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:draw="d"><office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`,
  })
const page = (units: string) => `<html><head><title>t</title></head><body><p>begin</p>${units}</body></html>`

const HTML = [
  ...[
    '<p>word',
    '<div>',
    '</div>',
    '<td>',
    '<tr><td>a',
    '<table>',
    '<table><tr><td>',
    '<td rowspan=900 colspan=900>a</td>',
  ],
  ...[
    '<tr><td rowspan=5>a<td>b',
    '<li>a',
    '<ol><li>',
    '<li value=7>a',
    '<b>',
    '<sup>2</sup>',
    '<sup>',
    '<a href="x">a',
  ],
  ...[
    '<input type=checkbox>',
    '<select><option>a',
    '<option selected>a</option>',
    '<textarea>',
    '<img alt="',
    '<img alt=a>',
  ],
  ...[
    '<!--',
    '<!-- a -->',
    '<script>',
    '<style>a',
    '<![CDATA[',
    '&amp;',
    '&',
    '&#',
    '&#x1F600;',
    '<',
    '>',
    '"',
    '<a b="',
    '<a ',
  ],
  ...[
    '\n',
    ' ',
    'word ',
    '<br>',
    '<pre>\n',
    '<del>a',
    '<h1>a',
    '<section><p>a. ',
    '<math>',
    '<svg>',
    '<template>',
    '<noscript>',
  ],
]
const PARAGRAPH = '<w:p><w:r><w:t>word</w:t></w:r></w:p>'
const CELL = `<w:tc>${PARAGRAPH}</w:tc>`

const FORMATS: Record<string, Format> = {
  'txt in an encoding that is guessed': {
    parse: parsePlain,
    name: 'a.txt',
    file: (units) => Buffer.from(`caf\xe9 ${units}`, 'latin1'),
    units: [
      '\xe9',
      'a',
      '\xe1a',
      '\x93',
      '\x95 ',
      '\xc1\xe1\xe9',
      '\xb0\xa1',
      '\x82\xa0',
      '\xe9\n',
      '\xc3\xa9\n',
      '\xe9,',
    ],
  },
  txt: {
    parse: parsePlain,
    name: 'a.txt',
    file: String,
    units: ['a', ' ', '\n', 'word ', 'a\r', '\u3000', '字', '\f', '```\n'],
  },
  markdown: {
    parse: parsePlain,
    name: 'a.md',
    file: (units) => `# A\n${units}`,
    units: [
      '# a\n',
      '#',
      '- ',
      '> ',
      '| a | b |\n',
      '|',
      '```\n',
      '[a](',
      '![',
      '*',
      '_',
      '`',
      '<a',
      '---\n',
      '    a\n',
      '1. a\n',
    ],
  },
  json: {
    parse: parsePlain,
    name: 'a.json',
    file: (units) => `[${units}1]`,
    units: [
      '1,',
      '[',
      '{"a":',
      '"a",',
      '12345678901234567890,',
      '1.0,',
      '"\\"",',
      '{"a":1},',
      '"',
      '\\',
      '-',
      '1e9,',
      '[1,',
      ' ',
    ],
  },
  ipynb: {
    parse: parseNamedText,
    name: 'a.ipynb',
    file: (units) => `{"nbformat":4,"cells":[${units}{"cell_type":"markdown","source":["end"]}]}`,
    units: [
      '{"cell_type":"code","source":["a"],"outputs":[{"data":{"image/png":"AAAA","text/plain":["x"]}}]},',
      '{"cell_type":"markdown","source":["![a](data:image/png;base64,AAAA)"]},',
      '{"cell_type":"code","source":"a","outputs":[{"text":["x\\u001b[31m\\n"]}]},',
    ],
  },
  'one cell of a notebook': {
    parse: parseNamedText,
    name: 'a.ipynb',
    file: (units) => `{"nbformat":4,"cells":[{"cell_type":"markdown","source":[${JSON.stringify(units)}]}]}`,
    units: [
      'data:image/png;base64,',
      '![a](',
      '![a](data:',
      'data:',
      'AAAA',
      '<img src="data:',
      '\u001b[',
      '[',
      '(',
      '\n',
      '```\n',
      ' ',
    ],
  },
  eml: {
    parse: parseNamedText,
    name: 'a.eml',
    file: (units) => `From: a@b.example\nSubject: x\nContent-Type: text/plain\n\n${units}`,
    units: ['word ', '\n', '\n\n', '=', '=\n', '> ', '--a\n', '=?utf-8?B?YQ==?= ', 'From: x\n', '\r'],
  },
  'quoted-printable mail': {
    parse: parseNamedText,
    name: 'a.eml',
    file: (units) => `From: a@b.example\nSubject: x\nContent-Transfer-Encoding: quoted-printable\n\n${units}`,
    units: ['=', '=\n', '=4', '=41', ' \n', ' ', '= \n', '==', '=C3=A4'],
  },
  'base64 mail': {
    parse: parseNamedText,
    name: 'a.eml',
    file: (units) => `From: a@b.example\nSubject: x\nContent-Transfer-Encoding: base64\n\n${units}`,
    units: ['YWFh', '=', '\n', '!', 'YQ==\n', ' '],
  },
  'mail of parts': {
    parse: parseNamedText,
    name: 'a.eml',
    file: (units) => `From: a@b.example\nSubject: x\nContent-Type: multipart/mixed; boundary="b"\n\n${units}\n--b--\n`,
    units: [
      ...[
        '--b\n\na\n',
        '--b\n',
        '--b--\n',
        '--b',
        '--b\nContent-Type: multipart/mixed; boundary="b"\n\n',
        '--b\nContent-Type: text/html\n\n<p>a\n',
      ],
      ...[
        '--b\nContent-Type: message/rfc822\n\nSubject: y\n\n',
        '--b\nContent-Type: application/pdf; name="=?utf-8?Q?a?="\n\nx\n',
      ],
    ],
  },
  'headers of a mail': {
    parse: parseNamedText,
    name: 'a.eml',
    file: (units) => `From: a@b.example\nSubject: ${units}\n\nbody`,
    units: [
      '=?utf-8?B?YQ==?= ',
      '=?',
      '=?utf-8?Q?',
      '=?utf-8?Q?a',
      '\n x',
      ' ',
      '"',
      ';',
      '; a="',
      '(',
      '\\',
      '=?utf-8?B?YQ==?=',
    ],
  },
  csv: {
    parse: parseCsv,
    name: 'a.csv',
    file: (units) => `a,b\n${units}`,
    units: [
      '1,2\n',
      ',',
      ';',
      '"',
      '""',
      '",',
      '"\n',
      'a\t',
      '\n',
      '1;2,5\n',
      '|',
      'sep=;\n',
      '"a"b,',
      '\r',
      "'",
      ' ,',
    ],
  },
  html: { parse: parseHtml, name: 'a.html', file: page, units: HTML },
  'web page': { parse: parseWebPage, name: 'a.html', file: page, units: HTML, page: true },
  canvas: { parse: parseCanvas, name: 'a.canvas', file: (units) => `<h1>a</h1>${units}`, units: HTML.slice(0, 20) },
  vtt: {
    parse: parseTranscript,
    name: 'a.vtt',
    file: (units) => `WEBVTT\n\n${units}`,
    units: [
      '00:01.000 --> 00:02.000\na\n\n',
      '<v ',
      '<v A>a</v>',
      '-->',
      '00:',
      '\n',
      '<',
      '&amp;',
      'NOTE\n',
      'a: b\n',
      '1\n',
    ],
  },
  docx: {
    parse: parseDocx,
    name: 'a.docx',
    file: (units) => docxOf(units + PARAGRAPH),
    units: [
      ...[
        PARAGRAPH,
        '<w:p/>',
        '<w:p><w:r><w:tab/><w:br/></w:r></w:p>',
        `<w:tbl><w:tr>${CELL}${CELL}</w:tr></w:tbl>`,
        `<w:tbl><w:tr>${CELL.repeat(60)}</w:tr></w:tbl>`,
      ],
      ...[
        '<w:p><w:fldSimple w:instr="X"><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p>',
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>',
      ],
      ...[
        '<w:p><w:hyperlink r:id="r1"><w:r><w:t>a</w:t></w:r></w:hyperlink></w:p>',
        '<w:p><w:ins><w:r><w:t>a</w:t></w:r></w:ins><w:del><w:r><w:delText>b</w:delText></w:r></w:del></w:p>',
      ],
      ...[
        '<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent><w:p/></w:sdtContent></w:sdt>',
      ],
      ...[
        '<w:p><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></w:p>',
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>',
      ],
      ...[
        '<w:p><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r></w:p>',
        '<w:p><w:r><w:commentReference w:id="1"/></w:r></w:p>',
        '<w:altChunk r:id="r9"/>',
      ],
    ],
  },
  'one table of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: (units) => docxOf(`<w:tbl>${units}</w:tbl>${PARAGRAPH}`),
    units: [
      ...[`<w:tr>${CELL}</w:tr>`, `<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>${PARAGRAPH}</w:tc>${CELL}</w:tr>`],
      ...[
        `<w:tr><w:tc><w:tcPr><w:gridSpan w:val="9999"/></w:tcPr>${PARAGRAPH}</w:tc></w:tr>`,
        '<w:gridCol/>',
        `<w:tr><w:trPr><w:gridBefore w:val="9999"/></w:trPr>${CELL}</w:tr>`,
      ],
    ],
  },
  'one row of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: (units) => docxOf(`<w:tbl><w:tr>${units}</w:tr><w:tr>${CELL}</w:tr></w:tbl>`),
    units: [CELL, `<w:tc><w:tcPr><w:vMerge/></w:tcPr>${PARAGRAPH}</w:tc>`],
  },
  'one run of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: (units) => docxOf(`<w:p><w:r><w:t>${units}</w:t></w:r></w:p>`),
    units: ['a', ' ', '&amp;', '\n', '字'],
  },
  'one paragraph of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: (units) => docxOf(`<w:p>${units}<w:r><w:t>end</w:t></w:r></w:p>`),
    units: [
      '<w:r><w:t>a</w:t></w:r>',
      '<w:r><w:t xml:space="preserve"> </w:t></w:r>',
      '<w:r><w:br/></w:r>',
      '<w:r><w:tab/></w:r>',
      '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
      '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
      '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>EQ \\f(1;2)</w:instrText><w:fldChar w:fldCharType="end"/></w:r>',
      '<w:r><w:rPr><w:strike/></w:rPr><w:t>a</w:t></w:r>',
      '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r>',
      '<w:commentReference w:id="1"/>',
      '<w:hyperlink w:anchor="a"><w:r><w:t>a</w:t></w:r></w:hyperlink>',
      '<w:sdt><w:sdtContent><w:r><w:t>a</w:t></w:r></w:sdtContent></w:sdt>',
    ],
  },
  xlsx: {
    parse: parseXlsx,
    name: 'a.xlsx',
    file: xlsxOf,
    units: [
      '<row><c><v>1</v></c></row>',
      '<row/>',
      '<row><c r="XFD1"><v>1</v></c></row>',
      '<row r="1"><c r="A1"><v>1</v></c></row>',
      '<row><c t="e"><v>#N/A</v></c></row>',
      '<row><c><f>A1</f></c></row>',
      '<row><c t="s"><v>9</v></c></row>',
      '<row><c t="inlineStr"><is><r><t>a</t></r></is></c></row>',
      '<row r="1048576"><c/></row>',
      '<row><c s="3"><v>45000.5</v></c></row>',
      '<row><c t="inlineStr"><is><t>_x000D__x</t></is></c></row>',
    ],
  },
  'one row of xlsx': {
    parse: parseXlsx,
    name: 'a.xlsx',
    file: (units) => xlsxOf(`<row r="1">${units}</row>`),
    units: [
      '<c><v>1</v></c>',
      '<c r="XFD1"><v>1</v></c>',
      '<c r="A1"><v>1</v></c>',
      '<c/>',
      '<c t="inlineStr"><is><t>a</t></is></c>',
    ],
  },
  'shared strings of xlsx': {
    parse: parseXlsx,
    name: 'a.xlsx',
    file: (units) =>
      zipOf({
        '[Content_Types].xml': '<Types/>',
        'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c t="s"><v>0</v></c></row></sheetData></worksheet>',
        'xl/sharedStrings.xml': `<sst>${units}</sst>`,
      }),
    units: ['<si><t>a</t></si>', '<si><r><t>a</t></r><r><t>b</t></r></si>', '<si/>', '<si><rPh><t>a</t></rPh></si>'],
  },
  pptx: {
    parse: parsePptx,
    name: 'a.pptx',
    file: (units) => pptxOf([units]),
    units: [
      '<p:sp><p:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></p:txBody></p:sp>',
      '<a:p><a:r><a:t>a</a:t></a:r></a:p>',
      '<a:p/>',
      '<a:tbl><a:tr><a:tc><a:p><a:r><a:t>a</a:t></a:r></a:p></a:tc></a:tr></a:tbl>',
      '<mc:AlternateContent><mc:Choice><a:p><a:r><a:t>a</a:t></a:r></a:p></mc:Choice><mc:Fallback><a:p><a:r><a:t>a</a:t></a:r></a:p></mc:Fallback></mc:AlternateContent>',
      '<p:grpSp></p:grpSp>',
      '<a:p><a:r><a:rPr baseline="30000"/><a:t>2</a:t></a:r></a:p>',
      '<p:pic><p:nvPr><p:cNvPr descr="a"/></p:nvPr></p:pic>',
    ],
  },
  'one paragraph of pptx': {
    parse: parsePptx,
    name: 'a.pptx',
    file: (units) =>
      zipOf({
        ...members(pptxOf([`<a:p>${units}</a:p>`])),
        'ppt/slides/_rels/slide1.xml.rels':
          '<Relationships><Relationship Id="r9" Type="x/hyperlink" Target="https://a.example" TargetMode="External"/></Relationships>',
      }),
    units: [
      '<a:r><a:rPr><a:hlinkClick r:id="r9"/></a:rPr><a:t>a</a:t></a:r>',
      '<a:r><a:rPr><a:hlinkClick r:id="r9"/></a:rPr><a:t>a</a:t></a:r><a:r><a:t>b</a:t></a:r>',
      '<a:r><a:rPr strike="sngStrike"/><a:t>a</a:t></a:r>',
      '<a:r><a:rPr baseline="30000"/><a:t>2</a:t></a:r>',
      '<m:oMath><m:r><m:t>a</m:t></m:r></m:oMath>',
      '<m:oMath>',
    ],
  },
  ods: {
    parse: parseOdf,
    name: 'a.ods',
    file: odf('spreadsheet'),
    units: [
      '<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table>',
      '<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>',
      '<table:table-row table:number-rows-repeated="1048576"><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>',
      '<table:table-row><table:table-cell table:number-columns-repeated="16384"><text:p>a</text:p></table:table-cell></table:table-row>',
      '<table:table-cell/>',
      '<table:covered-table-cell/>',
      '<table:table-row><table:table-cell table:number-columns-repeated="16384"/><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>',
    ],
  },
  odt: {
    parse: parseOdf,
    name: 'a.odt',
    file: odf('text'),
    units: [
      '<text:p>a</text:p>',
      '<text:h text:outline-level="1">a</text:h>',
      '<text:list><text:list-item><text:p>a</text:p></text:list-item></text:list>',
      '<text:p><text:s text:c="99999"/>a</text:p>',
      '<text:p><text:tab/></text:p>',
      '<text:p><text:note><text:note-body><text:p>a</text:p></text:note-body></text:note></text:p>',
      '<table:table><table:table-row><table:table-cell table:number-columns-spanned="999"><text:p>a</text:p></table:table-cell></table:table-row></table:table>',
    ],
  },
  odp: {
    parse: parseOdf,
    name: 'a.odp',
    file: odf('presentation'),
    units: [
      '<draw:page><draw:frame><draw:text-box><text:p>a</text:p></draw:text-box></draw:frame></draw:page>',
      '<draw:page/>',
      '<draw:frame><draw:text-box><text:p>a</text:p></draw:text-box></draw:frame>',
    ],
  },
  pdf: {
    parse: parsePdf,
    name: 'a.pdf',
    file: (units) => pdfOf([['x']], () => Buffer.from(`BT /F1 10 Tf 12 TL 50 740 Td ${units} ET`)),
    units: [
      '(a) Tj ',
      '(word) Tj T* ',
      '0 -1 Td ',
      '[(a) -300 (b)] TJ ',
      'q Q ',
      '(a) Tj 1 0 Td ',
      '3 Ts (2) Tj 0 Ts ',
      '/F1 6 Tf 3 Ts (2) Tj 0 Ts /F1 10 Tf (a) Tj ',
      '( ) Tj ',
      '(a) Tj -5 0 Td ',
    ],
  },
}

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const rels = (...types: [string, string][]) =>
  `<Relationships>${types.map(([type, target], i) => `<Relationship Id="r${i}" Type="x/${type}" Target="${target}"/>`).join('')}</Relationships>`

/** A document whose body refers to the parts. */
const withPart = (part: string, root: string) => (units: string) =>
  zipOf({
    ...members(
      docxOf(
        '<w:p><w:pPr><w:pStyle w:val="a"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t><w:commentReference w:id="1"/><w:footnoteReference w:id="1"/></w:r></w:p>',
      ),
    ),
    'word/_rels/document.xml.rels': rels([part, `${part}.xml`]),
    [`word/${part}.xml`]: `<w:${root} xmlns:w="${WORD}">${units}</w:${root}>`,
  })
const members = (zip: Uint8Array): Record<string, Uint8Array> => unzipSync(zip)

const slideWith = (type: string, folder: string) => (units: string) =>
  zipOf({
    ...members(pptxOf(['<a:p><a:r><a:t>a</a:t></a:r></a:p>'])),
    'ppt/slides/_rels/slide1.xml.rels': rels([type, `../${folder}/one.xml`]),
    [`ppt/${folder}/one.xml`]: `<x>${units}</x>`,
  })

/** A page of pdf with these annotations, as objects of their own. */
const pdfWith = (units: string) => {
  const pdf = Buffer.from(pdfOf([['x']])).toString('latin1')
  return Buffer.from(pdf.replace('/MediaBox', `/Annots[${units}]/MediaBox`), 'latin1')
}

const PARTS: Record<string, Format> = {
  'comments of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: withPart('comments', 'comments'),
    units: [
      '<w:comment w:id="1" w:author="A"><w:p><w:r><w:t>a</w:t></w:r></w:p></w:comment>',
      '<w:p><w:r><w:t>a</w:t></w:r></w:p>',
    ],
  },
  'footnotes of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: withPart('footnotes', 'footnotes'),
    units: ['<w:footnote w:id="1"><w:p><w:r><w:t>a</w:t></w:r></w:p></w:footnote>'],
  },
  'header of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: withPart('header', 'hdr'),
    units: ['<w:p><w:r><w:t>a</w:t></w:r></w:p>'],
  },
  'numbering of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: withPart('numbering', 'numbering'),
    units: [
      '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>',
      '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>',
      '<w:lvl w:ilvl="0">',
    ],
  },
  'styles of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: withPart('styles', 'styles'),
    units: [
      '<w:style w:styleId="a"><w:basedOn w:val="a"/></w:style>',
      '<w:style w:styleId="b"><w:basedOn w:val="a"/></w:style>',
    ],
  },
  'relations of docx': {
    parse: parseDocx,
    name: 'a.docx',
    file: (units) =>
      zipOf({
        ...members(docxOf(PARAGRAPH)),
        'word/_rels/document.xml.rels': `<Relationships>${units}</Relationships>`,
      }),
    units: [
      '<Relationship Id="r1" Type="x/header" Target="header1.xml"/>',
      '<Relationship Id="r1" Type="x/aFChunk" Target="../../../a"/>',
    ],
  },
  'a chart of pptx': {
    parse: parsePptx,
    name: 'a.pptx',
    file: slideWith('chart', 'charts'),
    units: [
      '<c:ser><c:cat><c:pt idx="0"><c:v>a</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>1</c:v></c:pt></c:val></c:ser>',
      '<c:pt idx="99999999"><c:v>1</c:v></c:pt>',
      '<c:ser>',
      '<c:ser><c:val><c:pt idx="1000000"><c:v>1</c:v></c:pt></c:val></c:ser>',
    ],
  },
  'SmartArt of pptx': {
    parse: parsePptx,
    name: 'a.pptx',
    file: slideWith('diagramData', 'diagrams'),
    units: ['<dgm:pt><dgm:t><a:p><a:r><a:t>a</a:t></a:r></a:p></dgm:t></dgm:pt>'],
  },
  'notes of pptx': {
    parse: parsePptx,
    name: 'a.pptx',
    file: slideWith('notesSlide', 'notesSlides'),
    units: ['<a:p><a:r><a:t>a</a:t></a:r></a:p>'],
  },
  'styles of xlsx': {
    parse: parseXlsx,
    name: 'a.xlsx',
    file: (units) =>
      zipOf({
        ...members(xlsxOf('<row><c s="1"><v>1</v></c></row>')),
        'xl/_rels/workbook.xml.rels': rels(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']).replace(
          'r0',
          'r1',
        ),
        'xl/styles.xml': `<styleSheet>${units}</styleSheet>`,
      }),
    units: [
      '<numFmt numFmtId="200" formatCode="[h]:mm"/>',
      '<cellXfs><xf numFmtId="200"/></cellXfs>',
      '<xf numFmtId="14"/>',
    ],
  },
  'one format of xlsx': {
    parse: parseXlsx,
    name: 'a.xlsx',
    file: (units) =>
      zipOf({
        ...members(xlsxOf('<row><c s="0"><v>1.5</v></c></row>')),
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="x/styles" Target="styles.xml"/></Relationships>',
        'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${units}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
      }),
    units: ['[', 'h', '[h]', '&quot;', '\\', 'yy-', '0', ';', '_', '[$-409]', '[$a', '&quot;€', '%'],
  },
  'many sheets of xlsx': {
    parse: parseXlsx,
    name: 'a.xlsx',
    file: (units) =>
      zipOf({
        ...members(xlsxOf('<row><c><v>1</v></c></row>')),
        'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${units}</sheets></workbook>`,
      }),
    units: ['<sheet name="a" sheetId="1" r:id="r1"/>', '<sheet name="a" sheetId="1" r:id="r9"/>'],
  },
  'notes of pdf': {
    parse: parsePdf,
    name: 'a.pdf',
    file: pdfWith,
    units: [
      '<</Type/Annot/Subtype/Text/Rect[0 0 1 1]/Contents(a)>>',
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(n)/V(v)/Rect[0 0 1 1]>>',
      '<</Type/Annot/Subtype/Widget/FT/Btn/T(n)/V/Yes/Rect[0 0 1 1]>>',
      '<</Type/Annot/Subtype/Link/Rect[0 0 1 1]/A<</S/URI/URI(http://a)>>>>',
    ],
  },
}
Object.assign(FORMATS, PARTS)

const CASES = Object.entries(FORMATS).flatMap(([name, format]) =>
  format.units.map((unit): [string, string] => [name, unit]),
)

/** The bytes of a file, its zip without compression: repeated units would be refused as a zip bomb. */
function unpacked(file: string | Uint8Array): Uint8Array {
  const bytes = typeof file === 'string' ? strToU8(file) : Uint8Array.from(file)
  return bytes[0] === 0x50 && bytes[1] === 0x4b ? zipSync(unzipSync(bytes), { level: 0 }) : bytes
}

async function parsedOrRefused(parse: () => unknown): Promise<void> {
  try {
    await parse()
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableFile)
  }
}

/** The CPU seconds of parsing a file with this many characters of the unit. A refusal counts as well. */
async function secondsFor({ parse, name, file, page }: Format, unit: string, length: number): Promise<number> {
  const bytes = unpacked(file(unit.repeat(Math.ceil(length / unit.length))))
  const clock = cpuClock()
  const type = fileTypeOf({ name, bytes })
  const web = page ? { page: { address: 'https://a.example/x', isWhole: false } } : {}
  const toParse = { name, bytes, limits: PARSE_LIMITS, ...web }
  if ('kind' in type) await parsedOrRefused(() => parse({ ...toParse, ...type }))
  return clock() / 1000
}

test.each(CASES)('%s: %s', { timeout: 300_000 }, async (name, unit) => {
  const format = FORMATS[name]!
  await secondsFor(format, unit, 1_000)
  const long = await secondsFor(format, unit, LONG)
  expect(long).toBeLessThan(BOUND)
  if (long < PAUSE) return
  const short = await secondsFor(format, unit, SHORT)
  expect(long).toBeLessThan(32 * short + PAUSE)
})
