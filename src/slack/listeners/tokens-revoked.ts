import type { App } from '@slack/bolt'
import { forgetWorkspace } from '../intake/forget-workspace.ts'
import type { ListenerOptions } from '../intake/to-question.ts'

/** `tokens_revoked`: without the bot's token the app is as good as removed. Those of people are not used here. */
export function listenToTokensRevoked(app: App, options: ListenerOptions): void {
  app.event('tokens_revoked', async ({ event, context }) => {
    if ((event.tokens.bot ?? []).length > 0) await forgetWorkspace('tokens_revoked', context, options)
  })
}
