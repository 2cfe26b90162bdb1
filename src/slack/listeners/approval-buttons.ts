import type { App, BlockAction, ButtonAction } from '@slack/bolt'
import { ALLOW_ALWAYS, ALLOW_ONCE, DENY, SHOW_ARGUMENTS } from '../format/action-ids.ts'
import type { ListenerOptions } from './to-question.ts'

/** The buttons on the card of a call that waits for a person. What they do is loaded when the first is pressed. */
export function listenToApprovalButtons(app: App, options: ListenerOptions): void {
  for (const action of [ALLOW_ONCE, ALLOW_ALWAYS, DENY])
    app.action<BlockAction<ButtonAction>>(action, async (press) => {
      const { decide } = await import('./decide-call.ts')
      await decide(press, options)
    })
  app.action<BlockAction<ButtonAction>>(SHOW_ARGUMENTS, async (press) => {
    const { showArguments } = await import('./show-arguments.ts')
    await showArguments(press, options)
  })
}
