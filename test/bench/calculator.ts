/**
 * `npm run bench -- calculator`: the cost of hostile input in ms, as the median (target: 50) and the maximum of several
 * runs (which depends on the machine's load), and the number of ordinary sums per second.
 */
import { messageOf } from '../../src/base/errors.ts'
import { calculate } from '../../tools/calculator.ts'

const RUNS = 25
const LIMIT_MS = 50

const HOSTILE: Record<string, string> = {
  '9^9^9^9': '9^9^9^9',
  'a million terms': `${'1+'.repeat(1_000_000)}1`,
  'a recursive function': 'f(n) = f(n - 1) + f(n - 2); f(100)',
  'a loop': 'while(true) { x = x + 1 }',
  'a million open brackets': '('.repeat(1_000_000),
  'brackets at the cap': `${'('.repeat(49)}1${')'.repeat(49)}`,
  'brackets beyond the cap': `${'('.repeat(450)}1${')'.repeat(450)}`,
  'signs at the cap': `${'-'.repeat(249)}1`,
  'a tower of powers': Array(250).fill('9').join('^'),
  'a row of factorials': `170${'!'.repeat(200)}`,
  'factorials of fractions': Array(150).fill('9.5!').join('+'),
  'nested functions': `${'sqrt('.repeat(49)}2${')'.repeat(49)}`,
  'a function of many values': `max(${Array(450).fill('1').join(',')})`,
  'quotes and fences': '`"'.repeat(500),
  'spaces and equals signs': ' ='.repeat(490),
  prototypes: 'constructor.constructor("return process")().exit()',
}

const ORDINARY = ['29^0.23', '(54-32)*5/9', 'sqrt(2) + ln(10) * round(3.14159, 2)', '1,234.5 * 15% of 200']

export async function run(): Promise<void> {
  const rows = Object.entries(HOSTILE).map(([name, sum]) => ({ name, ...measure(sum) }))
  console.log('  median     worst  input: what it gets')
  for (const { name, median, worst, outcome } of rows)
    console.log(`${shown(median)} ${shown(worst)}  ${name}: ${outcome}`)
  const slowest = Math.max(...rows.map(({ median }) => median))
  console.log(`slowest ${slowest.toFixed(2)} ms (to hold: ${LIMIT_MS}); ordinary sums: ${sumsASecond()} a second`)
  if (slowest > LIMIT_MS) throw new Error(`An expression took longer than ${LIMIT_MS} ms.`)
}

function shown(ms: number): string {
  return `${ms.toFixed(2)} ms`.padStart(9)
}

function measure(sum: string): { median: number; worst: number; outcome: string } {
  const runs = Array.from({ length: RUNS }, () => timed(sum))
  const times = runs.map(({ ms }) => ms).sort((a, b) => a - b)
  return { median: times[RUNS >> 1] ?? 0, worst: times.at(-1) ?? 0, outcome: runs[0]?.outcome ?? '' }
}

function timed(sum: string): { ms: number; outcome: string } {
  const from = performance.now()
  let outcome: string
  try {
    outcome = String(calculate(sum))
  } catch (error) {
    outcome = messageOf(error)
  }
  return { ms: performance.now() - from, outcome }
}

function sumsASecond(): number {
  const from = performance.now()
  let done = 0
  while (performance.now() - from < 500) {
    ORDINARY.forEach((sum) => timed(sum))
    done += ORDINARY.length
  }
  return Math.round((done * 1000) / (performance.now() - from))
}
