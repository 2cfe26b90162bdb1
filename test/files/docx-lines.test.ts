/** Word documents as people really write them: tables, ticks, fields, numbers, equations, comments, headers. */
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { parseDocx } from '../../src/files/parsers/docx-lines.ts'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import type { ParsedFile } from '../../src/files/types.ts'
import { docxOf, zipOf } from '../harness/file-corpus.ts'

function read(body: string, parts: Record<string, string> = {}): ParsedFile {
  const bytes = zipOf({ ...unzipSync(docxOf(body)), ...parts })
  return parseDocx({ kind: 'docx', name: 'a.docx', bytes, limits: PARSE_LIMITS })
}
const textOf = (body: string, parts: Record<string, string> = {}) => read(body, parts).sections[0]?.text

const run = (text: string, format = '') =>
  `<w:r>${format && `<w:rPr>${format}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`
const p = (text: string, format = '') => `<w:p>${format && `<w:pPr>${format}</w:pPr>`}${text && run(text)}</w:p>`
const cell = (text: string, format = '') => `<w:tc>${format && `<w:tcPr>${format}</w:tcPr>`}${p(text)}</w:tc>`
const table = (...rows: string[]) => `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`

test.each([
  [
    'an empty first cell',
    table(cell('') + cell('2023') + cell('2024'), cell('N') + cell('1') + cell('2')),
    '| 2023 | 2024\nN | 1 | 2',
  ],
  [
    'merged downwards and across',
    table(
      cell('EU', '<w:gridSpan w:val="2"/><w:vMerge w:val="restart"/>') + cell('1'),
      cell('', '<w:gridSpan w:val="2"/><w:vMerge/>') + cell('2'),
      cell('a') + cell('b') + cell('3'),
    ),
    'EU | EU | 1\nEU | EU | 2\na | b | 3',
  ],
  [
    'a row that begins later',
    table(cell('a') + cell('b'), '<w:trPr><w:gridBefore w:val="1"/></w:trPr>' + cell('c')),
    'a | b\n| c',
  ],
  [
    'a table in a cell',
    table(cell('A') + `<w:tc>${p('in')}${table(cell('1') + cell('2'))}${p('')}</w:tc>` + cell('C')),
    'A | in | C\n1 | 2',
  ],
])('a table keeps its columns: %s', (_, body, text) => {
  expect(textOf(body)).toBe(text)
})

const raised = '<w:vertAlign w:val="superscript"/>'
const tick = (isOn: string) =>
  `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="${isOn}"/></w14:checkbox></w:sdtPr><w:sdtContent>${run('?')}</w:sdtContent></w:sdt>`
const field = (data: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`

const sign = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`
const dropDown = (result: string) =>
  `<w:ddList>${result}<w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/></w:ddList>`
const formula = (instruction: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
const linked = (instruction: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('here')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`

test.each([
  ['raised digits', run('10') + run('6', raised) + run(' or 10') + run('-', raised) + run('3', raised), '10⁶ or 10⁻³'],
  ['lowered digits', run('H') + run('2', '<w:vertAlign w:val="subscript"/>') + run('O'), 'H₂O'],
  [
    'struck words',
    run('costs ') + run('10', '<w:strike/>') + run('0', '<w:dstrike/>') + run(' 12'),
    'costs ~~100~~ 12',
  ],
  ['a tick', tick('1') + run(' I agree'), '☒ I agree'],
  ['a tick of Wingdings', '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' + run(' paid'), '☒ paid'],
  ['no tick', tick('0') + run(' news'), '☐ news'],
  ['an old form field', field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>') + run(' yes'), '☒ yes'],
  [
    'letters that stand for numbers',
    run('2') + run('n', raised) + run(' and the 5') + run('e', raised),
    '2ⁿ and the 5e',
  ],
  ['an old fraction', run('x = ') + formula('EQ \\f(1;2)'), 'x = (1)/(2)'],
  ['an old word with its pronunciation', formula('EQ \\* jc2 \\o\\ad(\\s\\up 9(とうきょう),東京)'), '東京'],
  ['another old equation', run('x = ') + formula('EQ \\r(3,y)'), 'x = [equation]'],
  [
    'a simple field',
    run('Total: ') + `<w:fldSimple w:instr=" DOCPROPERTY x ">${run('1,250 EUR')}</w:fldSimple>`,
    'Total: 1,250 EUR',
  ],
  [
    'an equation',
    run('The fee is ') +
      '<m:oMath><m:f><m:num><m:r><m:t>P</m:t></m:r></m:num><m:den><m:r><m:t>12</m:t></m:r></m:den></m:f></m:oMath>' +
      run(' a month.'),
    'The fee is (P)/(12) a month.',
  ],
  [
    'deleted and inserted text',
    `<w:del>${run('old')}<w:r><w:delText>x</w:delText></w:r></w:del><w:ins>${run('new')}</w:ins>`,
    'new',
  ],
  ['a content control', `<w:sdt><w:sdtContent>${run('kept')}</w:sdtContent></w:sdt>`, 'kept'],
  ['digits that are raised by points', run('10') + run('9', '<w:position w:val="6"/>'), '10⁹'],
  ['digits that points only adjust', run('10') + run('9', '<w:position w:val="2"/>'), '109'],
  ['a choice of an old form', field(dropDown('<w:result w:val="1"/>')), 'Blue'],
  ['the first choice of an old form', field(dropDown('')), 'Red'],
  ['a link’s target in a field', linked('HYPERLINK "https://a.example/x" \\o "tip"'), 'here (https://a.example/x)'],
  ['a link inside the document', linked('HYPERLINK \\l "part2"'), 'here'],
  ['a total in a field', linked('=SUM(ABOVE)'), 'here'],
  ['a root', `<m:oMath><m:rad><m:deg>${sign('3')}</m:deg><m:e>${sign('y')}</m:e></m:rad></m:oMath>`, '^(3)√(y)'],
  ['a square root', `<m:oMath><m:rad><m:deg/><m:e>${sign('y')}</m:e></m:rad></m:oMath>`, '√(y)'],
  [
    'a sum',
    `<m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${sign('i=1')}</m:sub><m:sup>${sign('n')}</m:sup><m:e>${sign('i')}</m:e></m:nary></m:oMath>`,
    '∑_(i=1)^(n) i',
  ],
  [
    'other brackets',
    `<m:oMath><m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${sign('a')}</m:e><m:e>${sign('b')}</m:e></m:d></m:oMath>`,
    '[a|b]',
  ],
  [
    'a matrix',
    `<m:oMath><m:m>${[1, 2].map((n) => `<m:mr><m:e>${sign(`a${n}`)}</m:e><m:e>${sign(`b${n}`)}</m:e></m:mr>`).join('')}</m:m></m:oMath>`,
    '[a1, b1; a2, b2]',
  ],
  [
    'a word’s reading',
    `<w:r><w:ruby><w:rt>${run('とうきょう')}</w:rt><w:rubyBase>${run('東京')}</w:rubyBase></w:ruby></w:r>`,
    '東京 (とうきょう)',
  ],
  [
    'an old equation’s place',
    run('E is ') + '<w:r><w:object><o:OLEObject ProgID="Equation.3"/></w:object></w:r>' + run(' a year'),
    'E is [equation] a year',
  ],
])('a paragraph keeps %s', (_, runs, text) => {
  expect(textOf(`<w:p>${runs}</w:p>`)).toBe(text)
})

test('steps and headings have their numbers', () => {
  const level = (at: number, form: string, text: string) =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${form}"/><w:lvlText w:val="${text}"/></w:lvl>`
  const numbering =
    `<w:numbering><w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%1.%2)')}</w:abstractNum>` +
    `<w:abstractNum w:abstractNumId="1">${level(0, 'bullet', '•')}</w:abstractNum>` +
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>'
  const styles =
    '<w:styles><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>'
  const item = (text: string, at: number, list = 1) =>
    p(text, `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`)
  const body =
    p('Scope', '<w:pStyle w:val="H1"/>') + item('first', 1) + item('second', 1) + p('Fees', '<w:pStyle w:val="H1"/>')
  const file = read(body + item('third', 1) + item('dot', 0, 2), {
    'word/numbering.xml': numbering,
    'word/styles.xml': styles,
  })
  expect(file.sections[0]?.text.split('\n').filter((line) => line !== '')).toEqual([
    '# 1. Scope',
    '1.a) first',
    '1.b) second',
    '# 2. Fees',
    '2.a) third',
    '- dot',
  ])
  expect(file.headings?.map(({ text }) => text)).toEqual(['1. Scope', '2. Fees'])
})

test('links, comments, notes, headers and other parts are there once', () => {
  const relation = (...[id, type, target, more = '']: string[]) =>
    `<Relationship Id="${id}" Type="x/${type}" Target="${target}" ${more}/>`
  const parts = {
    'word/_rels/document.xml.rels': `<Relationships>${relation('r1', 'hyperlink', 'https://a.example/terms', 'TargetMode="External"')}${relation('r2', 'aFChunk', 'chunk.htm')}</Relationships>`,
    'word/chunk.htm': '<p>From <b>another</b> file</p>',
    'word/comments.xml': `<w:comments><w:comment w:id="4" w:author="Ann Lee">${p('Too high?')}</w:comment></w:comments>`,
    'word/footnotes.xml': `<w:footnotes><w:footnote w:id="1">${p('without Norway')}</w:footnote></w:footnotes>`,
    'word/header1.xml': `<w:hdr>${p('Confidential')}</w:hdr>`,
    'word/header2.xml': `<w:hdr>${p('Confidential')}</w:hdr>`,
    'word/footer1.xml': `<w:ftr>${p('ACME Ltd')}</w:ftr>`,
  }
  const body =
    `<w:p><w:hyperlink r:id="r1">${run('Terms')}</w:hyperlink>${run(': 12')}<w:r><w:footnoteReference w:id="1"/></w:r><w:r><w:commentReference w:id="4"/></w:r></w:p>` +
    '<w:altChunk r:id="r2"/><w:p><w:r><w:object/></w:r></w:p>'
  const file = read(body, parts)
  expect(file.sections[0]?.text.split('\n').filter((line) => line !== '')).toEqual([
    'Header: Confidential',
    'Terms (https://a.example/terms): 12[1]',
    'Comment by Ann Lee: Too high?',
    'From another file',
    '[embedded object]',
    '[1] without Norway',
    'Footer: ACME Ltd',
  ])
  expect(file.notes).toEqual(['Not read: 1 embedded object.'])
})

test('a text box stands once, behind its paragraph', () => {
  const box = (text: string) => `<w:txbxContent>${p(text)}</w:txbxContent>`
  const both = `<mc:AlternateContent><mc:Choice>${box('boxed')}</mc:Choice><mc:Fallback>${box('boxed')}</mc:Fallback></mc:AlternateContent>`
  expect(textOf(`<w:p>${run('before ')}<w:r>${both}</w:r>${run('after')}</w:p>`)).toBe('before after\n\nboxed')
  const older = `<mc:AlternateContent><mc:Choice><w:drawing/></mc:Choice><mc:Fallback>${box('old')}</mc:Fallback></mc:AlternateContent>`
  expect(textOf(`<w:p><w:r>${older}</w:r></w:p>`)).toBe('old')
})

test('charts and diagrams are read where they stand, or counted', () => {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`
  const parts = {
    'word/_rels/document.xml.rels': `<Relationships>${relation('r1', 'chart', 'charts/chart1.xml')}${relation('r2', 'diagramData', 'diagrams/data1.xml')}${relation('r3', 'chart', 'charts/chart2.xml')}</Relationships>`,
    'word/charts/chart1.xml':
      '<c:chart><c:title><a:t>Sales</a:t></c:title><c:ser><c:tx><c:v>North</c:v></c:tx><c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>11</c:v></c:pt></c:val></c:ser></c:chart>',
    'word/charts/chart2.xml': '<c:chart/>',
    'word/diagrams/data1.xml':
      '<dgm:dataModel><dgm:pt><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:pt><dgm:pt><a:p><a:r><a:t>Build</a:t></a:r></a:p></dgm:pt></dgm:dataModel>',
  }
  const drawing = (inner: string) => `<w:p><w:r><w:drawing>${inner}</w:drawing></w:r></w:p>`
  const file = read(
    p('Before') +
      drawing('<c:chart r:id="r1"/>') +
      p('Between') +
      drawing('<dgm:relIds r:dm="r2" r:lo="r9"/>') +
      drawing('<c:chart r:id="r3"/>') +
      p('After'),
    parts,
  )
  const lines = file.sections[0]?.text.split('\n').filter((line) => line !== '')
  expect(lines).toEqual([
    'Before',
    'Chart: Sales',
    '| North',
    'Q1 | 11',
    'Between',
    'Plan',
    'Build',
    '[chart]',
    'After',
  ])
  expect(file.notes).toEqual(['Not read: 1 chart.'])
})

test('a part that is named a thousand times is read once', () => {
  const parts = {
    'word/_rels/document.xml.rels':
      '<Relationships><Relationship Id="r1" Type="x/aFChunk" Target="chunk.htm"/></Relationships>',
    'word/chunk.htm': '<p>Once</p>',
  }
  expect(textOf('<w:altChunk r:id="r1"/>'.repeat(1000), parts)?.trim()).toBe('Once')
})

test('a document that is longer than the limit is cut, not called damaged', () => {
  const words = Array.from(
    { length: 40_000 },
    (_, i) => `<w:p><w:r><w:t>${i} ${(i * 7919) % 104_729}</w:t></w:r></w:p>`,
  )
  const limits = { ...PARSE_LIMITS, maxChars: 10_000 }
  const { sections } = parseDocx({ kind: 'docx', name: 'a.docx', bytes: docxOf(words.join('')), limits })
  expect(sections[0]?.text).toMatch(/^0 0\n\n1 7919\n/)
  expect(sections[0]?.text.length).toBeGreaterThan(9_000)
})

test('what a character style raises or strikes stays so, unless the run says otherwise', () => {
  const style = (id: string, format: string, parent = '') =>
    `<w:style w:type="character" w:styleId="${id}"><w:basedOn w:val="${parent}"/><w:rPr>${format}</w:rPr></w:style>`
  const styles = `<w:styles>${style('Up', raised)}${style('Note', '<w:b/>', 'Up')}${style('Old', '<w:strike/>')}</w:styles>`
  const styled = (id: string, text: string, more = '') => run(text, `<w:rStyle w:val="${id}"/>${more}`)
  const body = `<w:p>${run('10')}${styled('Up', '6')}${run(' 412')}${styled('Note', '1')}${run(' ')}${styled('Old', 'void')}</w:p>`
  expect(textOf(body, { 'word/styles.xml': styles })).toBe('10⁶ 412¹ ~~void~~')
  const plain = `<w:p>${run('10')}${styled('Up', '6', '<w:vertAlign w:val="baseline"/>')}</w:p>`
  expect(textOf(plain, { 'word/styles.xml': styles })).toBe('106')
})

test('numbers of lists that point to a style, and of legal texts', () => {
  const level = (n: number, form: string, text: string, more = '') =>
    `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="${form}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`
  const levels =
    level(0, 'upperRoman', 'Article %1') + level(1, 'decimal', '%1.%2', '<w:isLgl/>') + level(2, 'ordinal', '%3')
  const numbering = `<w:numbering><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum><w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="Clauses"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`
  const styles = `<w:styles><w:style w:type="numbering" w:styleId="Clauses"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>`
  const clause = (text: string, at: number) => p(text, `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="2"/></w:numPr>`)
  const body =
    clause('Fees', 0) + clause('Due', 1) + clause('Late', 1) + clause('Month', 2) + clause('Term', 0) + clause('End', 1)
  expect(
    textOf(body, { 'word/numbering.xml': numbering, 'word/styles.xml': styles })?.split('\n').filter(Boolean),
  ).toEqual([...['Article I Fees', '1.1 Due', '1.2 Late', '1st Month', 'Article II Term', '2.1 End']])
})
