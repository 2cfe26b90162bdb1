import { basename } from 'node:path'
import { DIALECTS } from '../../agent/dialects/index.ts'
import { loadPrompts } from '../../base/prompts.ts'
import { differenceOf, type Difference } from './differences.ts'
import { loadEpisodes } from './episodes.ts'
import type { EvalOptions } from './options.ts'
import { replayEpisode, toolsIn } from './replay.ts'
import { writeReport } from './report.ts'
import { isRight } from './ask-all.ts'
import { scoreAll, summarise } from './eval-summary.ts'

/**
 * Replays a file of recorded episodes and writes the report, with every episode that ended differently than recorded,
 * and why.
 * @returns the text for stdout.
 * @throws ConfigError for a file without episodes.
 */
export async function evalReplay(options: Extract<EvalOptions, { kind: 'replay' }>, now: () => Date): Promise<string> {
  const episodes = await loadEpisodes(options.file, options.limit)
  const dialect = DIALECTS[options.dialect].create({ prompts: loadPrompts(), examples: '' })
  const tools = toolsIn(episodes, dialect)
  const outcomes = []
  const differences: Difference[] = []
  for (const episode of episodes) {
    const replayed = await replayEpisode(episode, tools, { dialect, now })
    const difference = differenceOf(episode, replayed, isRight(episode, replayed.outcome))
    if (difference) differences.push(difference)
    outcomes.push(replayed.outcome)
  }
  const recorded = episodes.filter((episode) => episode.recorded.em).length
  const scored = scoreAll(episodes, outcomes)
  const summary = summarise({ dialect: options.dialect, model: 'recording' }, scored)
  const report = { title: `${basename(options.file)}, replayed`, at: now().toISOString() }
  const side = { summary, questions: scored, details: { recordedRight: recorded, differences } }
  return `${summaryOf(recorded, differences)}\n\n${writeReport(options.out, { ...report, sides: [side] })}`
}

/** Further differences are only in the JSON file. */
const MAX_LISTED = 20

function summaryOf(recorded: number, differences: Difference[]): string {
  const changed = differences.filter((difference) => difference.counts)
  const lines = changed
    .slice(0, MAX_LISTED)
    .map(({ id, replayed, why }) => `- ${id}, ${replayed.right ? 'right' : 'wrong'} here: ${why}`)
  const more = changed.length > MAX_LISTED ? [`- and ${changed.length - MAX_LISTED} more in results.json`] : []
  return [`Recorded: ${recorded} right. Scored otherwise here: ${changed.length || 'none'}.`, ...lines, ...more].join(
    '\n',
  )
}
