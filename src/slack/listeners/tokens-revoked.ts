import type { OnEvent } from '../intake/bolt-types.ts'
import { forgetWorkspace, installedAs } from '../intake/forget-workspace.ts'
import type { Services } from '../services.ts'

/**
 * `tokens_revoked`: without the bot's own token the app counts as removed. A person's token ends only that person's
 * search.
 */
export function tokensRevoked(services: Services): OnEvent<'tokens_revoked'> {
  return async ({ event, body, context }) => {
    const { installations } = services
    await endGrants(event.tokens.oauth ?? [], context, services)
    const bots = event.tokens.bot ?? []
    if (bots.length === 0) return
    const installation = await installations.of(installedAs(context) ?? installations.defaultTeam)
    if (installation && !bots.includes(installation.identity.botUser)) return
    await forgetWorkspace({ name: 'tokens_revoked', context, eventTime: body.event_time }, services)
  }
}

async function endGrants(
  people: string[],
  context: Parameters<typeof installedAs>[0],
  { slackAccount, installations }: Services,
): Promise<void> {
  const teams = context.teamId ? [context.teamId] : installations.teams()
  for (const user of people) for (const team of teams) await slackAccount?.forget({ team, user })
}
