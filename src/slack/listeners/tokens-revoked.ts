import type { OnEvent } from '../intake/bolt-types.ts'
import { forgetWorkspace } from '../intake/forget-workspace.ts'
import type { Services } from '../services.ts'

/** `tokens_revoked`: without the bot's token the app is as good as removed. Those of people are not used here. */
export function tokensRevoked(services: Services): OnEvent<'tokens_revoked'> {
  return async ({ event, context }) => {
    if ((event.tokens.bot ?? []).length > 0) await forgetWorkspace('tokens_revoked', context, services)
  }
}
