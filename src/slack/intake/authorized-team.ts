/** Decides which workspace a delivery is authorized for, before anything else of it is read. */
import type { AuthorizeSourceData } from '@slack/bolt'
import { z } from 'zod'
import { TransientError } from '../../base/errors.ts'
import type { Installation } from '../client/installations.ts'
import type { Services } from '../services.ts'
import { ownTeamsOf } from './channel-team.ts'

/** The workspace that a delivery is for, and the bot there. */
export interface DeliveryRecipient {
  team: string
  installation: Installation
}

const text = z.string().optional().catch(undefined)
const teamSchema = z.object({ id: text, enterprise_id: text }).optional().catch(undefined)

/** The fields of a delivery that name a team for the app itself. */
const bodySchema = z.object({
  event: z.unknown().optional(),
  command: z.unknown().optional(),
  authorizations: z
    .array(z.object({ team_id: text }))
    .optional()
    .catch(undefined),
  is_ext_shared_channel: z.boolean().optional().catch(undefined),
  team_id: text,
  team: teamSchema,
  view: z.object({ app_installed_team_id: text }).optional().catch(undefined),
  actions: z
    .array(z.object({ value: text }))
    .optional()
    .catch(undefined),
})
type DeliveryBody = z.infer<typeof bodySchema>

/**
 * Returns the workspace of a delivery. An organisation's delivery may name other companies: that of whoever presses a
 * button, or the other side of a connected channel. Only a workspace that Slack names for the app itself, or that is
 * known already, counts; else the channel tells, or it is the organisation.
 * @returns undefined if the bot is not installed there
 * @throws TransientError if only the channel tells, and Slack is too slow. It sends an event again that is not acked
 */
export async function authorizedTeam(
  { teamId, enterpriseId, isEnterpriseInstall, conversationId }: AuthorizeSourceData<boolean>,
  body: unknown,
  services: Services,
): Promise<DeliveryRecipient | undefined> {
  const { installations } = services
  const at = async (team: string | undefined, enterprise?: string) => {
    const installation = team ? await installations.of(team, enterprise) : undefined
    return team && installation ? { team, installation } : undefined
  }
  if (!isEnterpriseInstall || !enterpriseId) return at(teamId || installations.defaultTeam)
  const read = bodySchema.safeParse(body).data ?? {}
  const named = teamForApp(read, enterpriseId)
  if (named !== undefined) return at(named, enterpriseId)
  const whole = await at(enterpriseId, enterpriseId)
  const known = async (team: string | undefined) => {
    const found = await at(team)
    return found?.installation.signingKey === whole?.installation.signingKey ? found : undefined
  }
  const { event, team: presser, actions: [action] = [] } = read
  const [, pressed] = PLACE.exec(action?.value ?? '') ?? []
  const place = await known(pressed)
  // Slack does not say whether this workspace is of the organisation.
  const isOpen = event === undefined && presser?.id !== undefined && presser.enterprise_id === undefined
  if (place || isOpen) return place ?? known(presser?.id)
  const isPlaced = whole && conversationId && !conversationId.startsWith('D')
  const channel = { channel: conversationId ?? '', organisation: enterpriseId }
  const own = isPlaced ? await ownTeamsOf(channel, whole.installation, services) : []
  if (own === undefined && event !== undefined)
    throw new TransientError(`Slack does not tell in which workspace of the organisation ${conversationId} is.`)
  for (const team of own ?? []) {
    const served = await at(team, enterpriseId)
    if (served) return served
  }
  // The envelope of an event may name whoever wrote, who may be of another company.
  return (event === undefined ? await known(teamId) : undefined) ?? whole
}

/** The team in the value of a button that names a question. */
const PLACE = /^(?:\d+ )?([TE][A-Z\d]+):[CDG]/

function teamForApp(read: DeliveryBody, enterprise: string): string | undefined {
  const { event, command, authorizations: [own] = [], is_ext_shared_channel: isShared, team_id, team, view } = read
  if (event !== undefined) return own?.team_id ?? (isShared ? undefined : team_id)
  if (command !== undefined) return team_id
  return view?.app_installed_team_id ?? (team?.enterprise_id === enterprise ? team.id : undefined)
}
