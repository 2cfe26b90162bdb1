import { stepCount } from '../../agent/run-progress.ts'
import { escapeGlob, scanKeys, threadKey, type RedisClient } from '../../base/redis/redis.ts'
import { parseRun, type RunStatus, type StoredRun } from './stored-run.ts'

/** Where runs are looked for. */
export interface RunsPlace {
  redis: RedisClient
  /** Before every key. */
  prefix: string
}

/** Every run that Redis still has, in no order; `done` ones expire after a day. It scans all keys, so it is slow. */
export async function* listRuns({ redis, prefix }: RunsPlace, id?: string): AsyncGenerator<StoredRun> {
  const seen = new Set<string>()
  const pattern = threadKey(prefix, '*', `run:${id === undefined ? '*' : escapeGlob(id)}`)
  for await (const keys of scanKeys(redis, pattern)) {
    const fresh = keys.filter((key) => !seen.has(key))
    for (const key of fresh) seen.add(key)
    const hashes = await Promise.all(fresh.map((key) => redis.hgetall(key)))
    for (const hash of hashes) {
      const run = parseRun(hash)
      if (run) yield run
    }
  }
}

/** The runs with this question id: one, or two for a slash command, which is taken in again under its real thread. */
export async function findRuns(place: RunsPlace, id: string): Promise<StoredRun[]> {
  const runs: StoredRun[] = []
  for await (const run of listRuns(place, id)) runs.push(run)
  return runs
}

const TYPED = '(what a person typed for a tool is not shown)'

/** A run as an operator reads it: all of it, but what people typed for a tool. */
export function shownRun(run: StoredRun): object {
  const { steps, decisions, ...saved } = run.saved
  const hide = <Answer extends object>(answer: Answer) => ('content' in answer ? { ...answer, content: TYPED } : answer)
  const shown = steps.map((step) =>
    step.kind === 'tool' && step.answers ? { ...step, answers: step.answers.map(hide) } : step,
  )
  const decided = Object.entries(decisions).map(([key, decision]) => [key, hide(decision)])
  return { ...run, saved: { ...saved, steps: shown, decisions: Object.fromEntries(decided) } }
}

const SHOWN: Partial<Record<RunStatus, string>> = {
  parked: 'waiting for a person',
  'dead-lettered': 'dead-lettered (given up)',
}

/** One line for an operator: ids and counts, and the last error, but nothing that people wrote. */
export function summaryOf({ question, state, saved, losses, failures, lastError }: StoredRun): string {
  const fields = [
    question.id,
    SHOWN[state] ?? state,
    `asked ${new Date(question.at).toISOString()}`,
    `${stepCount(saved.steps)} steps`,
    `${saved.attempts} attempts`,
    `${losses} workers lost in a row`,
    `${failures} failures`,
  ]
  if (lastError !== undefined) fields.push(JSON.stringify(lastError))
  return fields.join('  ')
}
