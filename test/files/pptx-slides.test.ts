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
  ['both', paragraph('boxed'), paragraph('boxed'), 'boxed'],
  ['the newer', paragraph('new'), '<p:pic/>', 'new'],
  ['the older', '<p:pic/>', paragraph('old'), 'old'],
])('of alternatives one is read: text in %s', (...[, choice, fallback, text]) => {
  const both = `<mc:AlternateContent><mc:Choice>${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`
  expect(slide(`<p:sp>${both}</p:sp><p:sp>${paragraph('after')}</p:sp>`)).toBe(`${text}\nafter`)
})
