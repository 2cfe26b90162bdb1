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
