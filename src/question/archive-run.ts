import { withoutAnswers } from '../agent/run-progress.ts'
import { messageOf } from '../base/errors.ts'
import type { RunEnding, RunRecord } from '../stores/archive/types.ts'
import { hasLeftThread } from '../stores/runs/audience.ts'
import { withoutPrior, endOf, isUnrooted, type Question, type Run, type SavedRun } from '../stores/runs/types.ts'
import { needsNoModel } from './usage-admission.ts'
import { recordEnd } from './book-use.ts'
import type { RunWork } from './services.ts'

/** Keeps the record of a run that has ended. A failure is only logged, because the run has ended in any case. */
export async function archiveRun(work: RunWork, { hasFailed }: { hasFailed: boolean }): Promise<void> {
  const { question, run, settings, services } = work
  await forgetFinds(run)
  const { model, dialect } = settings
  const ending = { model: model.name, dialect: dialect.name, endedAt: services.now().getTime(), hasFailed }
  const record = recordOf(question, run.saved, ending)
  await services.archive.keep(record).catch((error: unknown) => {
    services.log.warn({ question: question.id, error: messageOf(error) }, 'the record of a run could not be saved')
  })
  await recordEnd(work, record.end)
}

/**
 * Returns whether the archive has a record of the question. It has none of canned replies, or before the thread is
 * open.
 */
export function isArchived({ question, signal }: RunWork): boolean {
  return !needsNoModel(question) && !isUnrooted(question) && question.kind !== 'share' && !signal.aborted
}

/** Returns the archive's record of a run, without the parts that were valid only while it ran. */
export function recordOf(
  { responseUrl: _, traceparent: __, ...given }: Question,
  saved: SavedRun,
  { hasFailed, ...ending }: RunEnding,
): RunRecord {
  const question = withoutPrior(given)
  const { spoken, standalone, remembered, steps, usage, answer, posts, startedAt } = saved
  const asked = spoken === undefined ? question : { ...question, text: spoken }
  const { named = asked.text } = saved
  return {
    question: hasLeftThread(question, saved) ? { ...asked, forAsker: true } : asked,
    steps: steps.map(withoutAnswers),
    usage,
    posts,
    startedAt,
    ...ending,
    // The words for the model may say more than the asker did.
    standalone: standalone === named ? undefined : standalone,
    ...(remembered?.length ? { remembered } : {}),
    answer,
    end: hasFailed ? 'failed' : endOf(answer),
    feedback: [],
  }
}

/** Replaces a tool's workspace results. */
const NOT_KEPT = '(What was found is not kept.)'

/**
 * Removes a tool's findings in the workspace from a run that is over: Slack's terms let an app use them, but not store
 * them.
 */
export async function forgetFinds(run: Run): Promise<void> {
  const parts = run.saved.steps.flatMap((step, i) => {
    if (step.kind !== 'tool' || !step.observation?.passing) return []
    const value = { ...step, observation: { ...step.observation, text: NOT_KEPT } }
    return [{ part: 'step' as const, n: i + 1, value }]
  })
  if (parts.length > 0) await run.save(...parts)
}
