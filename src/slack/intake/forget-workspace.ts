import type { AllMiddlewareArgs } from '@slack/bolt'
import { recipientOf } from './to-question.ts'
import type { Services } from '../services.ts'

/**
 * Forgets a workspace, or every workspace of an organisation that removed the app without naming one. The ack waits for
 * this: if it fails, Slack sends the event again.
 */
export async function forgetWorkspace(
  event: string,
  context: AllMiddlewareArgs['context'],
  services: Services,
): Promise<void> {
  for (const team of await teamsOf(context, services)) {
    await services.forgetting.forgetTeam(team)
    const installation = await services.installations.of(team)
    installation?.directory.forget(team)
    services.log.warn({ team, event }, 'the app is removed from the workspace: what was kept of it is forgotten')
  }
}

async function teamsOf(context: AllMiddlewareArgs['context'], services: Services): Promise<string[]> {
  const { installations, forgetting } = services
  if (!context.teamId && installations.isOrgWide)
    return [...new Set([...installations.teams(), ...(await forgetting.teams())])]
  const recipient = await recipientOf({ context }, services)
  return recipient ? [recipient.team] : []
}
