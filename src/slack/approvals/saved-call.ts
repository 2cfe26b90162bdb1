import type { AwaitedDecision, Step, ToolStep } from '../../agent/contracts/run-events.ts'
import { isDirect, isPrivate, type Decision, type Question, type SavedRun } from '../../stores/runs/types.ts'
import { directPostsIn, type DirectPost } from '../client/direct-posts.ts'
import { waitKey } from '../../stores/runs/wait-keys.ts'

export type Approval = Extract<AwaitedDecision, { kind: 'approval' }>

/** A call that waits for approval. `asker`: the person whom its card may mention; absent for a bot. */
export interface AskedCall {
  tool: string
  approval: Approval
  asker?: string
  /** The scope of "always". */
  place: 'thread' | 'conversation'
}

/**
 * The outcome of a wait. `ended`: the question ended before anybody decided. `by` is a name; `at` is in ms since the
 * epoch.
 */
export type Verdict =
  | { outcome: 'expired' }
  | { outcome: 'ended' }
  | {
      outcome: 'allowed' | 'denied'
      by: string
      at: number
      reason?: string | undefined
      always?: true | undefined
    }

/** Returns the call of a saved step, or undefined if the step is unknown or waits for something else by now. */
export function savedCall(question: Question, steps: readonly Step[], key: string): AskedCall | undefined {
  const n = Number.parseInt(key, 10)
  const step = steps[n - 1]
  return step?.kind === 'tool' && waitKey(n, step.waiting) === key ? askedCall(question, step) : undefined
}

/** Returns the call of a step that waits for approval. */
export function askedCall(question: Question, step: ToolStep): AskedCall | undefined {
  if (step.waiting?.for?.kind !== 'approval') return undefined
  const asker = question.kind !== 'bot' ? { asker: question.user } : {}
  const place = isDirect(question) || isPrivate(question) ? 'conversation' : 'thread'
  return { tool: step.action.tool, approval: step.waiting.for, place, ...asker }
}

/** The post key of a card. */
export function cardKey(key: string): string {
  return `approval-${key}`
}

/** The post key of a card's copy in the direct messages of somebody who may decide. */
export function copyKey(key: string, user: string): string {
  return `${cardKey(key)}-to-${user}`
}

/** Returns the copies of a card in direct messages. */
export function copiesOf({ posts }: Pick<SavedRun, 'posts'>, key: string): DirectPost[] {
  const prefix = copyKey(key, '')
  return Object.entries(posts).flatMap(([post, place]) => (post.startsWith(prefix) ? directPostsIn(place) : []))
}

/** The keys of the waits whose card, or a copy of it, was posted or was about to be. */
export function cardsOf({ posts }: Pick<SavedRun, 'posts'>): string[] {
  return [...new Set(Object.keys(posts).flatMap((post) => /^approval-(\d+(?:\.\d+)?)(?:-to-|$)/.exec(post)?.[1] ?? []))]
}

/** Returns the decision in the form that the card shows. */
export function verdictOf(decision: Decision | undefined, by: string): Verdict {
  if (decision?.outcome === 'expired') return { outcome: 'expired' }
  if (decision?.outcome !== 'allowed' && decision?.outcome !== 'denied') return { outcome: 'ended' }
  const { outcome, reason, at, always } = decision
  return { outcome, by, at, reason, always }
}
