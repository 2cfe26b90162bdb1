import { isForAsker } from '../../agent/run-progress.ts'
import { isDirect, isPrivate, type Question, type SavedRun } from './types.ts'

/**
 * Returns whether only the asker may see what follows in a run. That holds once the run has found something private.
 */
export function isForAskerAlone(question: Question, run: Pick<SavedRun, 'steps'>): boolean {
  return isPrivate(question) || hasLeftThread(question, run)
}

/** Returns whether a run that began before everybody's eyes has become one for its asker alone. */
export function hasLeftThread(question: Question, { steps }: Pick<SavedRun, 'steps'>): boolean {
  return !isPrivate(question) && !isDirect(question) && steps.some(isForAsker)
}
