import { isForAsker, stepCount, stepsForAll } from '../../agent/run-progress.ts'
import { withoutPrior } from './types.ts'
import { scanKeys, threadKey, type RedisKeyspace } from '../../base/redis/redis-keys.ts'
import { escapeGlob } from '../kv/kv.ts'
import { parseRun, type RunStatus, type StoredRun } from './stored-run.ts'

/** Yields every run that Redis still has, in no order; finished ones expire after a day. Slow: it scans all keys. */
export async function* listRuns({ redis, prefix }: RedisKeyspace, id?: string): AsyncGenerator<StoredRun> {
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

/**
 * Returns the runs with this question id: one, or two for a slash command, which is accepted again under its real
 * thread.
 */
export async function findRuns(place: RedisKeyspace, id: string): Promise<StoredRun[]> {
  const runs: StoredRun[] = []
  for await (const run of listRuns(place, id)) runs.push(run)
  return runs
}

const TYPED = '(what a person typed for a tool is not shown)'

/**
 * Returns a run for an operator, without people's inputs for tools, and without content that only the asker may see.
 */
export function shownRun(given: StoredRun): object {
  const run = given.saved.steps.some(isForAsker) ? withoutPrivateParts(given) : given
  const { steps, decisions, ...saved } = run.saved
  const hide = <Answer extends object>(answer: Answer) => ('content' in answer ? { ...answer, content: TYPED } : answer)
  const shown = steps.map((step) =>
    step.kind === 'tool' && step.answers ? { ...step, answers: step.answers.map(hide) } : step,
  )
  const decided = Object.entries(decisions).map(([key, decision]) => [key, hide(decision)])
  const done = (saved.answer?.done ?? []).map(({ outcome, tool, what, by }) => ({ outcome, tool, what, by }))
  return { ...run, done, saved: { ...saved, steps: shown, decisions: Object.fromEntries(decided) } }
}

function withoutPrivateParts(run: StoredRun): StoredRun {
  const question = withoutPrior(run.question)
  const { answer, ...saved } = { ...run.saved, steps: stepsForAll(run.saved.steps), memory: {} }
  return { ...run, question, saved: answer ? { ...saved, answer: { text: FOR_ASKER, sources: [] } } : saved }
}

const FOR_ASKER = '(The answer is for the asker alone.)'

const SHOWN: Partial<Record<RunStatus, string>> = {
  parked: 'waiting for a person',
  'dead-lettered': 'dead-lettered (given up)',
}

/** Returns one line for an operator: ids, counts and the last error, without people's texts. */
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
