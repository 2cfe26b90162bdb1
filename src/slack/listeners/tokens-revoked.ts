import type { OnEvent } from '../intake/bolt-types.ts'
import { forgetWorkspace, installedAs } from '../intake/forget-workspace.ts'
import type { Services } from '../services.ts'

/** `tokens_revoked`: without the bot's own token the app is as good as removed. Those of people are not used here. */
export function tokensRevoked(services: Services): OnEvent<'tokens_revoked'> {
  return async ({ event, body, context }) => {
    const { installations } = services
    const bots = event.tokens.bot ?? []
    if (bots.length === 0) return
    const installation = await installations.of(installedAs(context) ?? installations.defaultTeam)
    if (installation && !bots.includes(installation.identity.botUser)) return
    await forgetWorkspace({ name: 'tokens_revoked', context, eventTime: body.event_time }, services)
  }
}
