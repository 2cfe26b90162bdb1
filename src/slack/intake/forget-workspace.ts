import type { AllMiddlewareArgs } from '@slack/bolt'
import { recipientOf, type ListenerOptions } from './to-question.ts'

/**
 * Forgets a workspace, or every workspace of an organisation that removed the app without naming one. The ack waits for
 * this: if it fails, Slack sends the event again.
 */
export async function forgetWorkspace(
  event: string,
  context: AllMiddlewareArgs['context'],
  options: ListenerOptions,
): Promise<void> {
  for (const team of await teamsOf(context, options)) {
    await options.forgetting.forgetTeam(team)
    const installation = await options.installations.of(team)
    installation?.directory.forget(team)
    options.log.warn({ team, event }, 'the app is removed from the workspace: what was kept of it is forgotten')
  }
}

async function teamsOf(context: AllMiddlewareArgs['context'], options: ListenerOptions): Promise<string[]> {
  const { installations, forgetting } = options
  if (!context.teamId && installations.isOrgWide)
    return [...new Set([...installations.teams(), ...(await forgetting.teams())])]
  const recipient = await recipientOf({ context }, options)
  return recipient ? [recipient.team] : []
}
