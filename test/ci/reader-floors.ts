/**
 * `tsx test/ci/reader-floors.ts FILE …`: the reader over recorded and generated completions. No share may fall below
 * its floor.
 */
import { scoreCases, scoreTable, type Score } from '../../src/commands/eval/score-parser.ts'
import { check, summary } from './facts.ts'

const files = process.argv.slice(2)
if (files.length === 0) throw new Error('Which recordings? tsx test/ci/reader-floors.ts FILE …')

/** Percent of the recorded cases (tiers R and RS) that must be parsed correctly, by dialect. */
const RECORDED = { text: 99, json: 97.5, docstore: 99.5 }
/** The same for their mutations, over all dialects. */
const MUTATED = 97
/** The same for hand-written shapes of the models of 2025-2026, in each dialect. */
const MADE = 95

for (const file of files) {
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
  for (const dialect of new Set(scores.map((score) => score.dialect)))
    await atLeast(
      MADE,
      `made by hand, ${dialect}`,
      scores.filter((score) => score.tier === 'W2' && score.dialect === dialect),
    )
}
summary()

/** Checks the share. A file without cases of a kind is skipped. */
async function atLeast(floor: number, name: string, some: Score[]): Promise<void> {
  if (some.length === 0) return
  const sum = (key: 'right' | 'total') => some.reduce((all, score) => all + score[key], 0)
  const percent = (100 * sum('right')) / sum('total')
  await check(`${name}: ${percent.toFixed(2)} % right of ${sum('total')}, at least ${floor}`, () => percent >= floor)
}
