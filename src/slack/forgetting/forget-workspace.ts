import type { AllMiddlewareArgs } from '@slack/bolt'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** An event that ends an installation, or a part of it. */
interface EndingEvent {
  /** Its type. */
  name: string
  /** Seconds since the epoch. */
  eventTime: number
  /** Those of the organisation that lose the app; all that it served if absent. */
  teams?: string[]
  /** The workspace or organisation whose installation it is; the delivery's if absent. */
  id?: string | undefined
}

/**
 * Forgets a workspace, or every workspace of an organisation that removed the app without naming one. An event that is
 * older than the installation does nothing. The ack waits for this: if it fails, Slack sends the event again.
 * @returns whether the event counts
 */
export async function forgetWorkspace(
  { name, eventTime, teams, ...event }: EndingEvent,
  context: AllMiddlewareArgs['context'],
  services: Services,
): Promise<boolean> {
  const { installations, log } = services
  const forget = (team: string) => forgetTeam(team, name, services)
  if (!installations.end) {
    for (const team of teams ?? (await teamsOf(context, services))) {
      if (installations.owns?.(team) ?? true) await forget(team)
      else log.warn({ team, event: name, app: installations.app }, 'an app named a workspace of another one: ignored')
    }
    return true
  }
  const id = event.id ?? installedAs(context)
  if (id === undefined) return false
  const outcome = await installations.end({ id, eventTime, forget, teams })
  if (outcome === 'newer') log.info({ team: id, event: name }, 'an event of an earlier installation was ignored')
  return outcome !== 'newer'
}

/** The workspace or organisation whose installation a delivery belongs to. */
export function installedAs(context: AllMiddlewareArgs['context']): string | undefined {
  return (context.isEnterpriseInstall ? context.enterpriseId : context.teamId) || undefined
}

/**
 * The teams that know a person: in an organisation that has installed the app, a person has one id in all of its teams.
 */
export async function teamsOfPerson(context: AllMiddlewareArgs['context'], services: Services): Promise<string[]> {
  const { installations, forgetting } = services
  const recipient = await recipientOf({ context }, services)
  if (!recipient || !context.isEnterpriseInstall) return recipient ? [recipient.team] : []
  const teams: string[] = []
  const stored = (await forgetting.teams()).filter((team) => installations.owns?.(team) ?? true)
  for (const team of new Set([recipient.team, ...installations.teams(), ...stored]))
    if ((await installations.of(team))?.signingKey === recipient.installation.signingKey) teams.push(team)
  return teams
}

async function forgetTeam(team: string, event: string, services: Services): Promise<void> {
  await services.connections?.end({ team })
  await services.forgetting.forgetTeam(team)
  const installation = await services.installations.of(team)
  installation?.directory.forget(team)
  services.log.warn({ team, event }, 'the app was removed from the workspace: its data was deleted')
}

async function teamsOf(context: AllMiddlewareArgs['context'], services: Services): Promise<string[]> {
  const { installations, forgetting } = services
  if (!context.teamId && installations.isOrgWide) {
    // The store holds the data of other apps too.
    const stored = (await forgetting.teams()).filter((team) => installations.owns?.(team) ?? true)
    return [...new Set([...installations.teams(), ...stored])]
  }
  const recipient = await recipientOf({ context }, services)
  return recipient ? [recipient.team] : []
}
