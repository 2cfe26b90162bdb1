import { stepOfCalls, type Episode } from './episodes.ts'
import type { ReplayedEpisode } from './replay.ts'

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
export function differenceOf(episode: Episode, replayed: ReplayedEpisode, isRight: boolean): Difference | undefined {
  const recorded = { answer: episode.recorded.answer ?? '', right: Boolean(episode.recorded.em) }
  const here = { answer: replayed.outcome.answer ?? '', right: isRight }
  if (recorded.right === here.right && recorded.answer.trim() === here.answer.trim()) return undefined
  const why = reasonOf(episode, recorded.answer.trim(), replayed)
  return { id: episode.id, counts: recorded.right !== here.right, gold: episode.gold, recorded, replayed: here, why }
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
    lastCall + 1 < episode.calls.length ? `the recording went on after ${call}, having said ${shorten(said ?? '')}` : ''
  return `${before || `the recording took another answer from ${call}`}; here ${wrote} reads as the answer ${shorten(outcome.answer)}.`
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return JSON.stringify(line.length > 160 ? `…${line.slice(-160)}` : line)
}
