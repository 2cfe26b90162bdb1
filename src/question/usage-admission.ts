import type { Question } from '../stores/runs/types.ts'
import type { Allowance, LimitRefusal, UsageLimits } from '../stores/limits/usage-limits.ts'
import { recordCost } from './book-use.ts'
import type { AnswerServices, Release, RunWork } from './services.ts'

/**
 * Returns whether a question is answered without a model: it is empty, or the word `help` alone, in any case and with
 * a few punctuation marks after it. Files, forwards and tables without text are a question.
 */
export function needsNoModel({ text, files = [], attached }: Question): boolean {
  if (text === '') return attached === undefined && !files.some(({ id }) => id !== '')
  return /^help[\s\p{P}]{0,20}$/iu.test(text)
}

/**
 * Counts a question against the usage limits, or one that needs no model against that of free requests.
 * @returns the limit that it exceeds, if any
 */
export async function admit(
  question: Question,
  { usage }: Pick<AnswerServices, 'usage'>,
): Promise<LimitRefusal | undefined> {
  return isLimited(question) ? usage.limits?.admit(question) : usage.freeRequests.admit(question)
}

/** Books a question's cost, and frees its slot among the team's runs. */
export async function release(
  work: Pick<RunWork, 'question' | 'run' | 'settings' | 'services'>,
  { refund = false, usage = work.run.saved.usage }: Release = {},
): Promise<void> {
  const { question, services } = work
  if (!isLimited(question)) return
  await Promise.all([services.usage.limits?.release(question, usage, { refund }), recordCost(work, usage)])
}

/** Canned replies and sharing an answer cost nothing. */
function isLimited(question: Question): boolean {
  return !needsNoModel(question) && question.kind !== 'share'
}

/** A budget that is mostly used. `of`: who gets the notice. */
interface NearlyUsed {
  of: 'asker' | 'admins'
  allowance: Allowance
}

/** Other limits are reported only when they are reached. */
const BUDGETS: Partial<Record<Allowance['limit'], NearlyUsed['of']>> = {
  userDayTokens: 'asker',
  teamDayTokens: 'admins',
  teamDayUsd: 'admins',
}

/** The share of a budget at which people get a notice. Budgets refill during a run: half a percent in seven minutes. */
const SHARE = 0.8
const REFILLED = 0.005

/** Returns the budgets of the asker and the workspace that are nearly used up. */
export async function nearlyUsedBudgets(question: Question, limits: UsageLimits): Promise<NearlyUsed[]> {
  const left = await limits.left(question)
  return left.flatMap((allowance) => {
    const of = BUDGETS[allowance.limit]
    const isNearlyUsed = (allowance.allowed - allowance.left) / allowance.allowed >= SHARE - REFILLED
    return of && isNearlyUsed ? [{ of, allowance }] : []
  })
}
