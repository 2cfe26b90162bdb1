/** Figures take linear time on hostile text: ten times the length takes about ten times as long. */
import { expect, test } from 'vitest'
import { judgeFigures } from '../../src/question/check-figures/judge-figures.ts'
import { cpuSeconds } from '../harness/cpu-clock.ts'

const UNITS = [
  ...[
    '1',
    '1,',
    '1.',
    '1 ',
    '1 234',
    '1,234 ',
    '12:30 ',
    '1-',
    '(1) ',
    '1. x\n',
    '- 1\n',
    '| 1 ',
    '[1',
    '5%',
    '1e9 ',
    '0.1 ',
  ],
  ...['"', '“', '„a', '«', '`', '```', '```\n', '$$', '\\[', '\\(', '#', '# 1', '> ', ' ', '\n', '\u0001', '~'],
  ...[
    'a',
    'a.',
    'a/',
    'a@',
    'a@b.',
    'x.pdf ',
    'http://',
    'https://a.b/',
    'A-',
    'AB-1',
    'v1.2.',
    'May ',
    'May 1',
    '1 May ',
    '2026-',
    '1/1/',
    'Jan',
    'step 1, ',
  ],
  ...[
    '[{"a":',
    '[1,',
    'seven ',
    'one two three',
    'about ',
    '字',
    '5 km ',
    '1.5 h ',
    '1h30m ',
    '1h',
    '1 day, ',
    '24.12.',
    'a year ',
    '9 Uhr ',
    'half a dozen ',
    ...['1万', '１', '１．', 'P1Y', 'P', '15:30Z ', '15:30 in Aa Bb ', '1795219200 ', '2026年1月2日', '3時'],
    ...[
      'février ',
      '3 février ',
      '3 a',
      '(415) ',
      '415-555-',
      '10^6',
      '1 × 10',
      'a: 1\n',
      'a_ms: 1 ',
      '2½',
      '2 1/2 ',
      '2019 and ',
    ],
  ],
]
/** The CPU seconds that a garbage collection or compilation may take. */
const PAUSE = 0.1

function seconds(answer: string, text: string, limit = Infinity): number {
  const asked = { question: text.slice(0, 1000), read: [{ place: 'step 1', text }], today: new Date(0) }
  return cpuSeconds(() => judgeFigures(answer, asked), limit)
}

const of = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length))

// Linear time takes 10 times as long, quadratic time 100 times.
test.each(UNITS)('an answer and an observation of repeated %j: linear time', (unit) => {
  const limit = 30 * seconds(of(unit, 2_000), of(unit, 20_000)) + PAUSE
  expect(seconds(of(unit, 20_000), of(unit, 200_000), limit)).toBeLessThan(limit)
})

test('3,000 figures that are nowhere in megabytes of other figures: under five seconds', () => {
  const numbers = (n: number, of: (i: number) => string) => Array.from({ length: n }, (_, i) => of(i)).join(' and ')
  const answer = numbers(3_000, (i) => `${(i * 7_919.37).toFixed(2)} km, “words that ${i} nobody said”`)
  expect(
    seconds(
      answer,
      numbers(200_000, (i) => `${i * 104_729}.5`),
    ),
  ).toBeLessThan(5)
})
