/** A call that waits for a person, as the run holds it. */
import type { Awaited } from '../../agent/types.ts'
import { waitKey, type Decision, type Question, type SavedRun } from '../../stores/runs/types.ts'

export type Approval = Extract<Awaited, { kind: 'approval' }>

/** A call that waits for a person. `asker`: whom it may mention; absent for a bot. */
export interface AskedCall {
  tool: string
  approval: Approval
  asker?: string
}

/** What became of it. `ended`: the question did, before anybody decided. `by` is a name, and `at` in ms since the epoch. */
export type Verdict =
  | { outcome: 'expired' }
  | { outcome: 'ended' }
  | {
      outcome: 'allowed' | 'denied'
      by: string
      at?: number | undefined
      reason?: string | undefined
      always?: true | undefined
    }

/** The call as the run holds it; undefined where its step has gone on to wait for something else, or is not known. */
export function savedCall(question: Question, { steps }: Pick<SavedRun, 'steps'>, key: string): AskedCall | undefined {
  const n = Number.parseInt(key, 10)
  const step = steps[n - 1]
  if (step?.kind !== 'tool' || step.waiting?.for?.kind !== 'approval') return undefined
  if (waitKey(n, step.waiting) !== key) return undefined
  const asker = question.bot === undefined ? { asker: question.user } : {}
  return { tool: step.action.tool, approval: step.waiting.for, ...asker }
}

/** The key of a card's post. */
export function cardKey(key: string): string {
  return `approval-${key}`
}

/** The waits of which the run has posted a card, or was about to. */
export function cardsOf({ posts }: Pick<SavedRun, 'posts'>): string[] {
  return Object.keys(posts).flatMap((post) => /^approval-(\d+(?:\.\d+)?)$/.exec(post)?.[1] ?? [])
}

/** What was decided, as the card tells it. */
export function verdictOf(decision: Decision | undefined, by: string): Verdict {
  if (decision?.outcome === 'expired') return { outcome: 'expired' }
  if (decision?.outcome !== 'allowed' && decision?.outcome !== 'denied') return { outcome: 'ended' }
  const { outcome, reason, at, always } = decision
  return { outcome, by, at, reason, always }
}
