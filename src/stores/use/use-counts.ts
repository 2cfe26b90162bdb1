/** Counts the use of questions, and sums up the counts of some days. */
import { totalOf } from '../../agent/run-progress.ts'
import type { Usage } from '../../agent/contracts/model.ts'
import type { Step } from '../../agent/contracts/run-events.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import type { PersonInPlace } from '../../base/place.ts'
import type { RunEnd } from '../archive/types.ts'
import type { Question } from '../runs/types.ts'
import { utcDay, type Counts, type UseStore } from './types.ts'

export interface Amounts {
  questions: number
  inputTokens: number
  outputTokens: number
  costUsd: number
}

/** The questions that called each tool, with all that they cost, and how often it was called. */
interface ToolAmounts extends Amounts {
  calls: number
}

/**
 * A question counts once it has ended; tokens and calls count when they are paid and made. By id, the most questions
 * first.
 */
export interface UseSummary extends Amounts {
  /** How the questions ended, and how many answers people rated down. */
  ends: Record<RunEnd | 'rated_down', number>
  byChannel: Record<string, Amounts>
  byPerson: Record<string, Amounts>
  byTool: Record<string, ToolAmounts>
}

/** Dollars are counted in millionths, as whole numbers. */
const MICRO = 1_000_000

/**
 * The name of a field: a kind, an id and a unit, with spaces between, such as `channel C1 inputTokens`. Fields of the
 * whole are named `all - questions`, those of ends `all - answered`.
 */
const field = (kind: string, id: string, unit: string) => `${kind} ${id} ${unit}`

/** Returns a question's cost so far, and the tools that it has called. */
export function costCounts(question: Question, usage: readonly Usage[], calls: ReadonlyMap<string, number>): Counts {
  const { inputTokens, outputTokens, costUsd } = totalOf(usage)
  const cost = { inputTokens, outputTokens, microUsd: Math.round(costUsd * MICRO) }
  const counts: Counts = {}
  const add = (kind: string, id: string, amounts: object) => {
    for (const [unit, number] of Object.entries(amounts)) if (number !== 0) counts[field(kind, id, unit)] = number
  }
  for (const [kind, id] of placesOf(question)) add(kind, id, cost)
  for (const [tool, times] of calls) add('tool', tool, { ...cost, questions: 1, calls: times })
  return counts
}

/** Returns what the end of a question adds. */
export function endCounts(question: Question, end: RunEnd): Counts {
  const counted = placesOf(question).map(([kind, id]) => [field(kind, id, 'questions'), 1])
  return { ...Object.fromEntries(counted), [field('all', '-', end)]: 1 }
}

export function ratedCounts(isDown: boolean): Counts {
  return isDown ? { [field('all', '-', 'rated_down')]: 1 } : {}
}

function placesOf({ channel, user }: Question): [kind: string, id: string][] {
  return [
    ['all', '-'],
    ['channel', channel],
    ['person', user],
  ]
}

/**
 * Returns how often each tool was called. Calls that were not made do not count: the tool did not exist, or a person
 * did not allow it.
 */
export function callsOf(steps: readonly Step[], tools: readonly Tool[]): Map<string, number> {
  const calls = new Map<string, number>()
  for (const step of steps) {
    if (step.kind !== 'tool') continue
    const { observation, begun, waiting, action } = step
    const tool = tools.find(({ name }) => name === action.tool)
    const hasRead = observation?.ok || (observation && tool?.effects === 'read' && !waiting)
    const isMade = begun !== undefined || (hasRead && !observation?.hint && tool?.effects !== 'write')
    if (isMade && !action.tool.includes(' ')) calls.set(action.tool, (calls.get(action.tool) ?? 0) + 1)
  }
  return calls
}

/** Forgets a person's use, and that of their direct messages with the bot. The sums stay. */
export async function forgetPersonsUse(use: UseStore, person: PersonInPlace, now: number): Promise<void> {
  const { team, user, channel } = person
  const direct = channel.startsWith('D') ? [field('channel', channel, '')] : []
  await use.drop(team, lastDays(now, 32), [field('person', user, ''), ...direct])
}

/** Today (UTC) and the days before it. */
function lastDays(now: number, n: number): string[] {
  return Array.from({ length: n }, (_, i) => utcDay(now - i * 86_400_000))
}

/** Returns the use of the last 7 and 30 days, including today (UTC). */
export async function readUse(
  use: UseStore,
  teams: readonly string[],
  now: number,
): Promise<{ days7: UseSummary; days30: UseSummary }> {
  const days = lastDays(now, 30)
  const counts = await Promise.all(teams.map((team) => use.days(team, days)))
  return { days7: summaryOf(counts.flatMap((all) => all.slice(0, 7))), days30: summaryOf(counts.flat()) }
}

function summaryOf(days: readonly Counts[]): UseSummary {
  const by = { all: new Sums(), channel: new Sums(), person: new Sums(), tool: new Sums() }
  for (const day of days)
    for (const [name, number] of Object.entries(day)) {
      const [kind = '', id = '', unit = ''] = name.split(' ')
      if (Object.hasOwn(by, kind)) by[kind as keyof typeof by].add(id, unit, number)
    }
  const all = by.all.of('-')
  const ends = ['answered', 'gave_up', 'stopped', 'failed', 'rated_down'].map((name) => [name, all.get(name) ?? 0])
  return {
    ...amountsOf(all),
    ends: Object.fromEntries(ends),
    byChannel: by.channel.each(amountsOf),
    byPerson: by.person.each(amountsOf),
    byTool: by.tool.each((units) => ({ ...amountsOf(units), calls: units.get('calls') ?? 0 })),
  }
}

type UseUnits = ReadonlyMap<string, number>

function amountsOf(units: UseUnits): Amounts {
  const of = (unit: string) => units.get(unit) ?? 0
  return {
    questions: of('questions'),
    inputTokens: of('inputTokens'),
    outputTokens: of('outputTokens'),
    costUsd: of('microUsd') / MICRO,
  }
}

/** Numbers by id and unit. */
class Sums {
  readonly #sums = new Map<string, Map<string, number>>()

  add(id: string, unit: string, number: number): void {
    const units = this.#sums.get(id) ?? new Map<string, number>()
    this.#sums.set(id, units.set(unit, (units.get(unit) ?? 0) + number))
  }

  of(id: string): UseUnits {
    return this.#sums.get(id) ?? new Map()
  }

  /** Lists the sums by id, those with the most questions first, without ids that have no use left. */
  each<T extends Amounts>(make: (units: UseUnits) => T): Record<string, T> {
    const all = [...this.#sums].map(([id, units]) => [id, make(units)] as const)
    const some = all.filter(([, one]) => one.questions + one.inputTokens + one.outputTokens > 0)
    return Object.fromEntries(some.sort(([, a], [, b]) => b.questions - a.questions || b.inputTokens - a.inputTokens))
  }
}
