/** Returns the workspace and the person of a delivery that is already authorized (authorized-team.ts). */
import type { AllMiddlewareArgs } from '@slack/bolt'
import { inTime } from '../../base/async.ts'
import type { Presser } from '../../stores/runs/audience.ts'
import type { Installation } from '../client/installations.ts'
import { PATIENCE_MS, whosePerson } from '../client/whose-person.ts'
import type { Services } from '../services.ts'
import type { DeliveryRecipient } from './authorized-team.ts'
import { ownTeamsOf } from './channel-team.ts'

export type Context = AllMiddlewareArgs['context']

/** The fields of a message's envelope that are read here. */
export interface Incoming {
  body: { event_id: string; is_ext_shared_channel?: boolean; team_id?: string | null; context_team_id?: string | null }
  context: Context
}

/**
 * Returns the recipient of a delivery. Bolt takes the team from the delivery's authorization. A
 * delivery without a team, or over Slack Connect with a foreign team, goes to the default team. In an organisation
 * Slack names the workspace of whoever presses a button or sends a form, and not that of the place: `id` (`team:…`)
 * does.
 * @returns undefined, with a log line, if the bot is not installed
 */
export async function recipientOf(
  { context, isShared = false, id = '' }: { context: Context; isShared?: boolean; id?: string | undefined },
  { installations, log }: Services,
): Promise<DeliveryRecipient | undefined> {
  const { defaultTeam } = installations
  // Bolt passes on the `null` of an organisation's event.
  const team = context.teamId || (context.isEnterpriseInstall && context.enterpriseId) || defaultTeam
  const installation = await installations.of(team)
  const [named = ''] = id.split(':')
  const there = installation && context.isEnterpriseInstall && named !== '' ? await installations.of(named) : undefined
  if (there && there.signingKey === installation?.signingKey) return { team: named, installation: there }
  if (installation) return { team, installation }
  const own = isShared ? await installations.of(defaultTeam) : undefined
  if (own) return { team: defaultTeam, installation: own }
  log.warn({ team }, 'no installation for this team: delivery ignored')
  return undefined
}

/** Returns who pressed a button or sent a form. */
export function presserOf(
  body: { user: { id: string; team_id?: string } },
  installation: Installation,
  { installations }: Services,
): Promise<Presser> {
  const { id: user, team_id: userTeam } = body.user
  return whosePerson({ team: installation.identity.team, user, userTeam }, { installation, installations })
}

/**
 * Returns the recipient of a shortcut on a channel's message. In an organisation Slack names the user's workspace:
 * it is asked for one that the channel belongs to.
 */
export async function recipientIn(
  channel: string,
  context: Context,
  services: Services,
): Promise<DeliveryRecipient | undefined> {
  const recipient = await recipientOf({ context }, services)
  if (!recipient || !context.isEnterpriseInstall) return recipient
  const place = { channel, organisation: context.enterpriseId ?? '' }
  const teams = (await ownTeamsOf(place, recipient.installation, services)) ?? []
  if (teams.includes(recipient.team)) return recipient
  for (const team of teams)
    if (await services.installations.of(team, context.enterpriseId))
      return recipientOf({ context, id: `${team}:` }, services)
  return recipient
}

/** Returns the installation in the team of a question's id, if the delivery is for it. */
export async function installationFor(
  id: string,
  context: Context,
  services: Services,
): Promise<Installation | undefined> {
  const recipient = await recipientOf({ context, isShared: true, id }, services)
  return recipient && id.startsWith(`${recipient.team}:`) ? recipient.installation : undefined
}

/**
 * Returns the recipient of a message. In a channel that two of the bot's workspaces share, Slack may authorize one
 * workspace and address the other. The workspace whose bot is mentioned gets the message, and the claims on its id let
 * only one of several deliveries through.
 */
export async function recipientOfMessage(
  message: { text?: string; team?: string; user_team?: string },
  { body, context }: Incoming,
  services: Services,
): Promise<DeliveryRecipient | undefined> {
  const isShared = body.is_ext_shared_channel === true
  const recipient = await recipientOf({ context, isShared }, services)
  const names = ({ identity }: Installation) => message.text?.includes(`<@${identity.botUser}`) === true
  if (!isShared || (recipient && names(recipient.installation))) return recipient
  const teams = new Set([body.team_id, body.context_team_id, message.team, message.user_team])
  // A workspace of which Slack does not tell in time is not ours.
  const asking = [...teams].map(async (team) =>
    team ? await inTime(PATIENCE_MS, services.installations.of(team), undefined).catch(() => undefined) : undefined,
  )
  const other = (await Promise.all(asking)).find((one) => one && names(one))
  return other ? { team: other.identity.team, installation: other } : recipient
}
