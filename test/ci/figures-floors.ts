/**
 * `tsx test/ci/figures-floors.ts FILE …`: the rule about figures over recorded episodes: false alarms, and planted
 * figures that are found.
 */
import { loadEpisodes } from '../../src/commands/eval/episodes.ts'
import { measureFigures } from '../harness/planted-figures.ts'
import { check, summary } from './facts.ts'

const files = process.argv.slice(2)
if (files.length === 0) throw new Error('Which recordings? tsx test/ci/figures-floors.ts FILE …')

/** Percent of the answers whose figures are all from their steps, and of the changed figures. */
const MAX_ALARMS = 2
const MIN_FOUND = 90

for (const file of files) {
  const { answers, alarms, planted, missed } = measureFigures(await loadEpisodes(file))
  const [alarmed, found] = [(100 * alarms.length) / answers, 100 - (100 * missed.length) / planted]
  const name = file.replace(/^.*\//, '')
  await check(
    `${name}: ${alarmed.toFixed(2)} % false alarms in ${answers} answers, at most ${MAX_ALARMS}`,
    () => alarmed <= MAX_ALARMS,
  )
  await check(
    `${name}: ${found.toFixed(2)} % of ${planted} planted figures found, at least ${MIN_FOUND}`,
    () => found >= MIN_FOUND,
  )
}
summary()
