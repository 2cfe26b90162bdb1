import { isForAsker } from '../../agent/run-progress.ts'
import { isDirect, isPrivate, type Question, type SavedRun } from './types.ts'

/**
 * Returns whether only the asker may see what follows in a run. That holds once the run has found something private.
 */
export function isForAskerAlone(question: Question, run: Pick<SavedRun, 'steps'>): boolean {
  return isPrivate(question) || hasLeftThread(question, run)
}

/** Returns whether a run that started in public has become one for its asker alone. */
export function hasLeftThread(question: Question, { steps }: Pick<SavedRun, 'steps'>): boolean {
  return !isPrivate(question) && !isDirect(question) && steps.some(isForAsker)
}

/**
 * `isColleague`: they are of the organisation that has installed the app, where a person has one id in all workspaces.
 */
export interface Presser {
  user: string
  userTeam?: string | undefined
  isColleague?: boolean | undefined
}

/** Returns the workspace of a person of another company, as a field of their questions; nothing for people here. */
export function foreignTeam(
  { userTeam, isColleague }: Pick<Presser, 'userTeam' | 'isColleague'>,
  team: string,
): Pick<Presser, 'userTeam'> {
  return userTeam === undefined || userTeam === team || isColleague ? {} : { userTeam }
}

/** Returns whether the presser asked the question, in the same workspace or organisation. */
export function isSamePerson(
  { user, userTeam, isColleague = false }: Presser,
  question: { team: string; user: string; userTeam?: string | undefined },
): boolean {
  const { team, userTeam: askers = team } = question
  return question.user === user && (isColleague || (userTeam ?? team) === askers)
}
