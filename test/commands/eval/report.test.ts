import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { chart } from '../../../src/commands/eval/chart.ts'
import { Progress } from '../../../src/commands/eval/progress.ts'
import { writeReport } from '../../../src/commands/eval/report.ts'
import { quantile, type Summary } from '../../../src/commands/eval/eval-summary.ts'
import { markdownTable } from '../../../src/commands/eval/table.ts'
import { temporaryFolder } from '../../harness/command.ts'

function summary(name: string, given: Partial<Summary> = {}): Summary {
  return {
    name,
    questions: 10,
    right: 5,
    em: 0.5,
    f1: 0.625,
    steps: 2.25,
    seconds: { median: 1.25, p95: 4 },
    tokens: { in: 700.4, out: 80, estimated: false },
    costUsd: 0.000123456,
    figures: { total: 20, unsupported: 3 },
    ends: { steps: 1, answered: 9 },
    ...given,
  }
}

test('the table has a row per variant and aligned columns', () => {
  const lines = markdownTable([
    summary('text · small'),
    summary('json · a model with a long name', { right: 10, em: 1 }),
  ]).split('\n')
  expect(new Set(lines.map((line) => line.length)).size).toBe(1)
  expect(lines[2]).toMatch(
    /\| text · small +\| 5 of 10 +\| 50\.0 % +\| 62\.5 % \| 2\.3 +\| 1\.3, 4\.0 +\| 700 \/ 80 +\| \$0\.000123 \| answered 9, steps 1 \| 3 of 20 +\|/,
  )
})

test('estimated tokens are marked, an unknown cost is not a number, and no name breaks the table', () => {
  const unpriced = summary('text · a|b', { tokens: { in: 700, out: 80, estimated: true } })
  delete unpriced.costUsd
  const table = markdownTable([unpriced])
  expect(table).toContain('~700 / ~80')
  expect(table).toContain('| unknown |')
  expect(table).toContain('a\\|b')
})

test('a cost of nothing is $0, not unknown', () => {
  expect(markdownTable([summary('text · local', { costUsd: 0 })])).toContain('| $0 ')
})

test('the chart is well-formed for any model name and shows every variant’s name and value', () => {
  const svg = chart('set & "title" <x>', [summary('text · <b>&"'), summary('json · other', { em: 0.25 })])
  expect(XMLValidator.validate(svg)).toBe(true)
  const texts = JSON.stringify(new XMLParser({ ignoreAttributes: false }).parse(svg))
  for (const shown of [
    'set & \\"title\\" <x>',
    'text · <b>&\\"',
    '50.0 %',
    '25.0 %',
    'Cost a question',
    '$0.000123',
    '1.3',
  ])
    expect(texts).toContain(shown)
})

test('bars of shares are relative to the whole, others to the longest', () => {
  const svg = chart('t', [summary('a', { em: 0.5, steps: 2 }), summary('b', { em: 0.25, steps: 4 })])
  const widths = [...svg.matchAll(/width="([\d.]+)" height="14" rx="2" fill="#3b6fb6"/g)].map(([, width]) =>
    Number(width),
  )
  expect(widths.slice(0, 3)).toEqual([150, 187.5, 150])
})

test('a replay’s chart shows no seconds, tokens or cost', () => {
  const replayed = summary('bracket · recording', { tokens: { in: 0, out: 0, estimated: false } })
  expect(chart('t', [replayed])).not.toContain('Tokens')
  expect(markdownTable([replayed])).not.toContain('cost')
})

test('the report’s last line counts all variants', async (t) => {
  const folder = join(await temporaryFolder(t), 'deep', 'er')
  const sides = [summary('a'), summary('b', { right: 7 })].map((one) => ({ summary: one, questions: [] }))
  expect(writeReport(folder, { title: 'set', at: 'now', sides })).toMatch(/\n12 of 20 right$/)
  expect(await readFile(join(folder, 'results.md'), 'utf8')).toContain('](chart.svg)')
})

test('a terminal shows one progress bar', () => {
  const { written, progress, clock } = bar({ isTTY: true, total: 2 })
  clock.seconds = 10
  progress.add({ isRight: true, hasFailed: false })
  progress.add({ isRight: false, hasFailed: true })
  progress.end()
  expect(written.join('')).toBe(
    `\rset ${'█'.repeat(12)}${'░'.repeat(12)} 1/2, 1 right, 10 s left\u001b[K` +
      `\rset ${'█'.repeat(24)} 2/2, 1 right, 1 failed, 0 s left\u001b[K\n`,
  )
})

test('a log gets a line per tenth, and skipped questions take no time', () => {
  const { written, progress, clock } = bar({ isTTY: false, total: 40 })
  for (let i = 0; i < 20; i++) progress.skip(true)
  clock.seconds = 40
  for (let i = 0; i < 20; i++) progress.add({ isRight: true, hasFailed: false })
  progress.end()
  expect(written).toHaveLength(5)
  expect(written[0]).toContain('24/40, 24 right, 3 min left')
})

test('long durations are in hours', () => {
  const { written, progress, clock } = bar({ isTTY: true, total: 3 })
  clock.seconds = 3_600
  progress.add({ isRight: true, hasFailed: false })
  expect(written[0]).toContain('1/3, 1 right, 2.0 h left')
})

function bar({ isTTY, total }: { isTTY: boolean; total: number }) {
  const written: string[] = []
  const clock = { seconds: 0 }
  const options = { label: 'set', total, now: () => clock.seconds * 1000 }
  return { written, clock, progress: new Progress({ isTTY, write: (text) => written.push(text) }, options) }
}

test('a quantile is a value that occurred', () => {
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2)
  expect(quantile([1, 2, 3, 4], 0.95)).toBe(4)
  expect(quantile([], 0.5)).toBe(0)
})
