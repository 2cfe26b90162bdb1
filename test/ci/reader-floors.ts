/** `tsx test/ci/reader-floors.ts FILE`: the reader over recorded completions; no share may fall below its floor. */
import { scoreCases, scoreTable, type Score } from '../../src/eval/score-parser.ts'
import { check, summary } from './facts.ts'

const [file] = process.argv.slice(2)
if (!file) throw new Error('Which recordings? tsx test/ci/reader-floors.ts FILE')

/** Percent of the recorded cases (tiers R and RS) that must be read right, by dialect. */
const RECORDED = { text: 99, json: 97.5, docstore: 99.5 }
/** The same for what was made from them by mutation, over all dialects. */
const MUTATED = 97

const scores = await scoreCases(file)
console.log(scoreTable(scores))
for (const [dialect, floor] of Object.entries(RECORDED))
  await atLeast(
    floor,
    `recorded, ${dialect}`,
    scores.filter((score) => score.dialect === dialect && score.tier.startsWith('R')),
  )
await atLeast(
  MUTATED,
  'mutated',
  scores.filter((score) => score.tier === 'M'),
)
summary()

async function atLeast(floor: number, name: string, some: Score[]): Promise<void> {
  const sum = (key: 'right' | 'total') => some.reduce((all, score) => all + score[key], 0)
  const percent = (100 * sum('right')) / sum('total')
  await check(`${name}: ${percent.toFixed(2)} % right of ${sum('total')}, at least ${floor}`, () => percent >= floor)
}
