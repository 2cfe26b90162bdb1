import type { OnButton } from '../intake/bolt-types.ts'
import { SHOW_ARGUMENTS } from '../format/action-ids.ts'
import { PRESS } from '../approvals/approval-words.ts'
import { argumentsView } from '../views/arguments-view.ts'
import { inBackground, pressedCall, showOrTell } from '../intake/button-press.ts'
import type { Services } from '../services.ts'

/** "Show all" on the card of a waiting call: a modal with all arguments, for the presser alone. */
export function showArguments(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    await ack()
    inBackground(SHOW_ARGUMENTS, services, async () => {
      const pressed = await pressedCall(action.value ?? '', { body, context }, services)
      if (!pressed) return
      const call = pressed.run?.call
      if (!call) return pressed.tell(PRESS.gone)
      const args = { trigger_id: pressed.trigger, view: argumentsView(call) }
      await showOrTell(pressed, () => pressed.installation.client.call('views.open', args, { effort: 'once' }))
    })
  }
}
