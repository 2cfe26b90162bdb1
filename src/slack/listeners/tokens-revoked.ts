import type { OnEvent } from '../intake/bolt-types.ts'
import { forgetWorkspace, installedAs, teamsOfPerson } from '../intake/forget-workspace.ts'
import type { Services } from '../services.ts'

/**
 * `tokens_revoked`: without the bot's own token the app counts as removed. A person's token ends only that person's
 * search.
 */
export function tokensRevoked(services: Services): OnEvent<'tokens_revoked'> {
  return async ({ event, body, context }) => {
    const { installations, slackAccount } = services
    const people = event.tokens.oauth ?? []
    // The event names a whole second.
    const endedAt = body.event_time * 1_000 + 999
    const teams = people.length > 0 && slackAccount ? await teamsOfPerson(context, services) : []
    for (const user of people) for (const team of teams) await slackAccount?.forget({ team, user }, endedAt)
    const bots = event.tokens.bot ?? []
    if (bots.length === 0) return
    const installation = await installations.of(installedAs(context) ?? installations.defaultTeam)
    if (installation && !bots.includes(installation.identity.botUser)) return
    await forgetWorkspace({ name: 'tokens_revoked', context, eventTime: body.event_time }, services)
  }
}
