/** Slides whose words stand in diagrams, charts and alternatives. */
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import { parsePptx } from '../../src/files/parsers/pptx-slides.ts'
import { pptxOf, zipOf } from '../harness/file-corpus.ts'

const paragraph = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`

function slide(shapes: string, parts: Record<string, string> = {}): string | undefined {
  const bytes = zipOf({ ...unzipSync(pptxOf([shapes])), ...parts })
  return parsePptx({ kind: 'pptx', name: 'a.pptx', bytes, limits: PARSE_LIMITS }).sections[0]?.text
}

const relation = (type: string, target: string) => ({
  'ppt/slides/_rels/slide1.xml.rels': `<Relationships><Relationship Id="r2" Type="x/${type}" Target="${target}"/></Relationships>`,
})

test.each(['', `<p:sp>${paragraph('Our process')}</p:sp>`])('the text of SmartArt is read: beside %j', (shapes) => {
  const data = `<dgm:dataModel><dgm:pt><dgm:t>${paragraph('Intake, 5 days')}</dgm:t></dgm:pt><dgm:pt><dgm:t>${paragraph('Approval')}</dgm:t></dgm:pt></dgm:dataModel>`
  const text = slide(shapes, { ...relation('diagramData', '../diagrams/data1.xml'), 'ppt/diagrams/data1.xml': data })
  expect(text).toBe(`${shapes ? 'Our process\n' : ''}Intake, 5 days\nApproval`)
})

test('a chart is a table of its stored values', () => {
  const points = (values: string[]) => values.map((value, i) => `<c:pt idx="${i}"><c:v>${value}</c:v></c:pt>`).join('')
  const series = (name: string, values: string[]) =>
    `<c:ser><c:tx><c:strRef><c:strCache>${points([name])}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:f>A!A1</c:f><c:strCache>${points(['Q1', 'Q2'])}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${points(values)}</c:numCache></c:numRef></c:val></c:ser>`
  const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich>${paragraph('Sales')}</c:rich></c:tx></c:title>${series('2025', ['1', '2'])}${series('2026', ['3', '4'])}</c:chart></c:chartSpace>`
  const text = slide('', { ...relation('chart', '../charts/chart1.xml'), 'ppt/charts/chart1.xml': chart })
  expect(text).toBe('Chart: Sales\n| 2025 | 2026\nQ1 | 1 | 3\nQ2 | 2 | 4')
})

test.each([
  [
    'levels of labels',
    'chart',
    '<c:chartSpace><c:ser><c:tx><c:v>Sold</c:v></c:tx><c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl><c:pt idx="0"><c:v>Q1</c:v></c:pt><c:pt idx="1"><c:v>Q2</c:v></c:pt></c:lvl><c:lvl><c:pt idx="0"><c:v>2026</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat><c:val><c:numLit><c:pt idx="0"><c:v>1</c:v></c:pt><c:pt idx="1"><c:v>2</c:v></c:pt></c:numLit></c:val></c:ser></c:chartSpace>',
    '| Sold\n2026, Q1 | 1\n2026, Q2 | 2',
  ],
  [
    'a waterfall of Office 2016',
    'chartEx',
    '<cx:chartSpace><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl><cx:pt idx="0">North</cx:pt><cx:pt idx="1">South</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl><cx:pt idx="0">5</cx:pt><cx:pt idx="1">6</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData></cx:chartSpace>',
    '| Series 1\nNorth | 5\nSouth | 6',
  ],
  [
    'points of a scatter chart',
    'chart',
    '<c:chartSpace><c:ser><c:xVal><c:numLit><c:pt idx="0"><c:v>1.5</c:v></c:pt></c:numLit></c:xVal><c:yVal><c:numLit><c:pt idx="0"><c:v>9</c:v></c:pt></c:numLit></c:yVal></c:ser></c:chartSpace>',
    '| Series 1\n1.5 | 9',
  ],
])('a chart with %s is a table', (_, type, chart, text) => {
  const parts = { ...relation(type, '../charts/part1.xml'), 'ppt/charts/part1.xml': chart }
  expect(slide('', parts)).toBe(text)
})

test.each([
  ['both', paragraph('boxed'), paragraph('boxed'), 'boxed'],
  ['the newer', paragraph('new'), '<p:pic/>', 'new'],
  ['the older', '<p:pic/>', paragraph('old'), 'old'],
])('of alternatives one is read: text in %s', (...[, choice, fallback, text]) => {
  const both = `<mc:AlternateContent><mc:Choice>${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`
  expect(slide(`<p:sp>${both}</p:sp><p:sp>${paragraph('after')}</p:sp>`)).toBe(`${text}\nafter`)
})

const run = (text: string, properties = '', inner = '') =>
  `<a:r><a:rPr ${properties}>${inner}</a:rPr><a:t>${text}</a:t></a:r>`
const power = '<m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>'
const click = '<a:hlinkClick r:id="r2"/>'

test.for([
  ['a power', run('10') + run('6', 'baseline="30000"') + run(' units'), '10⁶ units'],
  ['a formula', run('CO') + run('2', 'baseline="-25000"'), 'CO₂'],
  ['a footnote', run('412') + run('1', 'baseline="30000"') + run(' million', 'baseline="0"'), '412¹ million'],
  ['struck words', run('10', 'strike="sngStrike"') + run('0', 'strike="dblStrike"') + run(' 12'), '~~100~~ 12'],
  ['words that are not struck', run('10', 'strike="noStrike"'), '10'],
  ['a link of two runs', run('our ', '', click) + run('page', '', click) + run('.'), 'our page (https://a.example/x).'],
  ['an address', run('https://a.example/x', '', click), 'https://a.example/x'],
  ['an equation', `${run('E=')}<a14:m><m:oMath>${power}</m:oMath></a14:m>`, 'E=c^(2)'],
  ['a field', `${run('On ')}<a:fld type="datetime1"><a:rPr/><a:t>30.11.2026</a:t></a:fld>`, 'On 30.11.2026'],
])('what a slide raises, strikes and links is marked: %s', ([, runs, text]) => {
  const rels = `<Relationships><Relationship Id="r2" Type="x/hyperlink" Target="https://a.example/x" TargetMode="External"/></Relationships>`
  expect(slide(`<p:sp><a:p>${runs}</a:p></p:sp>`, { 'ppt/slides/_rels/slide1.xml.rels': rels })).toBe(text)
})

test('a picture’s description is read, and that of a shape is not', () => {
  const named = (element: string) =>
    `<p:${element}><p:nvPr><p:cNvPr id="4" name="x" descr="Sales by month"/></p:nvPr></p:${element}>`
  expect(slide(`<p:sp>${paragraph('Q1')}</p:sp>${named('pic')}${named('sp')}`)).toBe('Q1\n[Image: Sales by month]')
})

test.for([
  ['days and percents', 'm/d/yyyy', ['46356', '46357'], '0%', ['0.5', '0.25'], '2026-11-30 | 50%\n2026-12-01 | 25%'],
  ['durations', 'General', ['1', '2'], '[h]:mm', ['1.5', '0.25'], '1 | 36:00\n2 | 06:00'],
  ['plain numbers', 'General', ['2025', '2026'], 'General', ['1.5', '2'], '2025 | 1.5\n2026 | 2'],
] as [string, string, string[], string, string[], string][])(
  'a chart shows its numbers in their format: %s',
  ([, labelCode, labels, code, values, rows]) => {
    const numbers = (format: string, all: string[]) =>
      `<c:numRef><c:numCache><c:formatCode>${format}</c:formatCode>${all.map((one, i) => `<c:pt idx="${i}"><c:v>${one}</c:v></c:pt>`).join('')}</c:numCache></c:numRef>`
    const chart = `<c:chartSpace><c:ser><c:tx><c:v>S</c:v></c:tx><c:cat>${numbers(labelCode, labels)}</c:cat><c:val>${numbers(code, values)}</c:val></c:ser></c:chartSpace>`
    const parts = { ...relation('chart', '../charts/chart1.xml'), 'ppt/charts/chart1.xml': chart }
    expect(slide('', parts)).toBe(`| S\n${rows}`)
  },
)
