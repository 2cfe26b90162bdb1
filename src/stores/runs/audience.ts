import { isForAsker } from '../../agent/run-progress.ts'
import { isOf, type NamedInTeam, type NamedPerson } from '../../base/place.ts'
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
 * `homes`: the workspaces in which the id is theirs, for a person of the organisation that has installed the app, where
 * a person has one id in all workspaces. `userTeam` alone if absent.
 */
export interface Presser extends NamedPerson {
  homes?: readonly string[] | undefined
}

/** Returns the workspace of a person of another company, as a field of their questions; nothing for people here. */
export function foreignTeam(
  { userTeam, homes = [] }: Pick<Presser, 'userTeam' | 'homes'>,
  team: string,
): Pick<Presser, 'userTeam'> {
  return userTeam === undefined || userTeam === team || homes.includes(team) ? {} : { userTeam }
}

/** Returns whether the presser asked the question, in the same workspace or organisation. */
export function isSamePerson({ user, userTeam, homes }: Presser, question: NamedInTeam): boolean {
  const { team } = question
  return isOf({ team, user, homes: homes ?? [userTeam ?? team] }, question)
}
