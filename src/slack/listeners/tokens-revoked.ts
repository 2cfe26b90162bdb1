import type { OnEvent } from '../intake/bolt-types.ts'
import { forgetWorkspace } from '../intake/forget-workspace.ts'
import type { ListenerOptions } from '../intake/to-question.ts'

/** `tokens_revoked`: without its bot token the app counts as removed. User tokens are not used here. */
export function tokensRevoked(options: ListenerOptions): OnEvent<'tokens_revoked'> {
  return async ({ event, context }) => {
    if ((event.tokens.bot ?? []).length > 0) await forgetWorkspace('tokens_revoked', context, options)
  }
}
