/**
 * Additions to a run in memory, as `accept` and `finish` handle them in Redis (lua/add-to-run, lua/settle-additions).
 */
import { MAX_SIGNALS, type Signal } from '../stores/runs/run-control.ts'
import { sendToRun, type ControlledQuestion } from './memory-run-control.ts'
import { questionSchema } from '../stores/runs/question.ts'
import type { Question } from '../stores/runs/types.ts'

/** A question in an inbox, its run, and the messages that were added to it instead of becoming questions. */
export interface AddableRun extends ControlledQuestion {
  additions: Question[]
}

/**
 * Returns the run that a message adds to: that of the person's newest question under the same root, if it still accepts
 * additions.
 */
export function runToAddTo<Run extends AddableRun>(inbox: readonly Run[], message: Question): Run | undefined {
  const { user, userTeam, thread } = message
  const isTheirs = (one: Question) => one.user === user && one.userTeam === userTeam
  const newest = inbox.findLast(({ question }) => isTheirs(question) && question.thread === thread)
  if (!newest || newest.saved.answer || isWrittenBefore(message, newest.question)) return undefined
  if (newest.signals.length >= MAX_SIGNALS || newest.signals.some(isStop)) return undefined
  return newest
}

export function addToRun(run: AddableRun, message: Question): void {
  const { id, user, text } = message
  run.additions.push(structuredClone(message))
  sendToRun(run, { type: 'message', id, user, text })
}

/**
 * Returns the messages that a run did not hear before it ended, unless people have stopped it since. They become
 * questions; for a question that was edited they go to the run that replaces it.
 */
export function unreadAdditions(run: AddableRun, inbox: readonly AddableRun[]): Question[] {
  const stops = run.signals.filter(isStop)
  const successorId = stops.flatMap(({ withdrawn }) => withdrawn?.again?.id ?? []).at(-1)
  const successor = inbox.find(({ question }) => question.id === successorId)
  if (successor) for (const message of run.additions) addToRun(successor, message)
  if (stops.length > 0) return []
  const read = new Set(run.saved.steps.map((step) => (step.kind === 'message' ? step.id : '')))
  return run.additions
    .filter(({ id }) => !read.has(id))
    .map((message) => questionSchema.parse({ ...message, wasAddition: true }))
}

function isStop(signal: Signal): signal is Extract<Signal, { type: 'stop' }> {
  return signal.type === 'stop'
}

/** Compares by ts, which is a message's time. A slash command has none and is the first of its thread. */
export function isWrittenBefore(one: Question, other: Question): boolean {
  return one.ts !== undefined && other.ts !== undefined && Number(one.ts) < Number(other.ts)
}
