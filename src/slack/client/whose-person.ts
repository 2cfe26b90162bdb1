/** Decides whether a person is of the bot's workspace or organisation, or of another company. */
import { inTime } from '../../base/async.ts'
import type { NamedInTeam } from '../../base/place.ts'
import type { Presser } from '../../stores/runs/audience.ts'
import { isNamesakes } from './people-and-channels.ts'
import type { Installation, Installations } from './installations.ts'

interface PersonOptions {
  installation: Installation
  installations: Installations
  /** Waits as long as any look-up of a person. No delivery waits for its ack. */
  isPatient?: true
}

/**
 * The time limit for looking a person up, because Slack waits three seconds for an ack. A press may ask for the channel
 * and for whether the person may ask there too. Milliseconds.
 */
export const PATIENCE_MS = 700

/**
 * Returns a person with the workspaces in which their id is theirs (`homes`), if they are of the organisation that has
 * installed the app: there a person has one id in all workspaces. A delivery for an organisation can come from a person
 * of a connected company.
 */
export async function whosePerson(
  { team, user, userTeam }: NamedInTeam,
  { installation, installations, isPatient }: PersonOptions,
): Promise<Presser> {
  const person = { user, ...(userTeam === undefined ? {} : { userTeam }) }
  if (!installation.isOrgWide) return person
  const home = userTeam ?? team
  const asking = installation.directory.factsOf(team, user)
  const answer = await (isPatient ? asking : inTime(PATIENCE_MS, asking, 'unreachable' as const))
  if (typeof answer !== 'string' && answer.isExternal && home === team) return person
  const facts = typeof answer === 'string' || answer.isExternal ? undefined : answer
  const isOurs = facts !== undefined && !isNamesakes(facts, { team, userTeam: home })
  if (home !== team && !isOurs && !(await isOfOrganisation(home, { installation, installations, isPatient })))
    return person
  return { ...person, homes: [...new Set([team, home, ...(facts?.homes ?? [])])] }
}

/** Returns whether Slack has named a workspace as one of the organisation whose installation this is. */
async function isOfOrganisation(team: string, options: PersonOptions): Promise<boolean> {
  const { installation, installations, isPatient } = options
  const asking = installations.of(team).catch(() => undefined)
  const there = await (isPatient ? asking : inTime(PATIENCE_MS, asking, undefined))
  return there?.signingKey === installation.signingKey
}

/**
 * Returns whether what is kept under an asker's id is theirs. Ids are unique within a workspace or an organisation
 * only, so a person of another company may have the id of somebody here.
 */
export async function isOfOurs(asker: NamedInTeam, options: PersonOptions): Promise<boolean> {
  if (asker.userTeam === undefined || asker.userTeam === asker.team) return true
  return (await whosePerson(asker, { ...options, isPatient: true })).homes !== undefined
}
