import { basename } from 'node:path'
import { DIALECTS } from '../../agent/dialects/index.ts'
import { loadPrompts } from '../../base/prompts.ts'
import { loadEpisodes, stepOfCalls, type Episode } from './episodes.ts'
import { isRight } from './score-answer.ts'
import type { EvalOptions } from './options.ts'
import { replayEpisode, toolsIn, type ReplayedEpisode } from './replay.ts'
import { writeReport } from './report.ts'
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
    const replayed = await replayEpisode(episode, tools, dialect, now)
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

/**
 * An episode that ended differently than it was recorded, and why. `counts`: the score changed between right and wrong.
 */
export interface Difference {
  id: string
  counts: boolean
  gold: string[]
  recorded: { answer: string; right: boolean }
  replayed: { answer: string; right: boolean }
  why: string
}

/** Compares a replay with its recording. Returns undefined if answer and score are the same. */
function differenceOf(episode: Episode, replayed: ReplayedEpisode, isRight: boolean): Difference | undefined {
  const recorded = { answer: episode.recorded.answer ?? '', right: Boolean(episode.recorded.em) }
  const result = { answer: replayed.outcome.answer ?? '', right: isRight }
  if (recorded.right === result.right && recorded.answer.trim() === result.answer.trim()) return undefined
  const why = reasonOf(episode, recorded.answer.trim(), replayed)
  return {
    id: episode.id,
    counts: recorded.right !== result.right,
    gold: episode.gold,
    recorded,
    replayed: result,
    why,
  }
}

function reasonOf(episode: Episode, recorded: string, { outcome, lastCall }: ReplayedEpisode): string {
  const [call, said] = [`call ${lastCall + 1}`, episode.observations[stepOfCalls(episode)[lastCall] ?? -1]]
  const wrote = shorten(episode.calls[lastCall]?.completion ?? '')
  if (outcome.error !== undefined) return `The replay failed: ${outcome.error}`
  if (outcome.answer === undefined)
    return `No answer was read (${outcome.stopped ?? 'no more calls'}); ${call} was ${wrote}.`
  if (outcome.answer.trim() === recorded) return 'The same answer, scored otherwise by the recording.'
  if (outcome.stopped) return `At the limit (${outcome.stopped}) ${call} was taken for the answer: ${wrote}.`
  const before =
    lastCall + 1 < episode.calls.length
      ? `the recording continued after ${call} with the observation ${shorten(said ?? '')}`
      : ''
  return `${before || `the recording took another answer from ${call}`}; the replay read ${wrote} as the answer ${shorten(outcome.answer)}.`
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return JSON.stringify(line.length > 160 ? `…${line.slice(-160)}` : line)
}
