import { SHOW_ARGUMENTS } from '../format/action-ids.ts'
import { PRESS } from '../format/approval-words.ts'
import { argumentsView } from '../views/arguments-view.ts'
import { pressedCall, type CallPress } from './pressed-call.ts'
import { inBackground } from './pressed.ts'
import type { ListenerOptions } from './to-question.ts'

/** "Show all": a modal for the presser alone, with all that the tool would be sent. */
export async function showArguments({ ack, ...press }: CallPress, options: ListenerOptions): Promise<void> {
  await ack()
  inBackground(SHOW_ARGUMENTS, options, async () => {
    const pressed = await pressedCall(press, options)
    if (!pressed) return
    const call = pressed.run?.call
    if (!call) return pressed.tell(PRESS.gone)
    const args = { trigger_id: pressed.trigger, view: argumentsView(call) }
    try {
      await pressed.installation.client.call('views.open', args, { effort: 'once' })
    } catch (error) {
      await pressed.tell('Slack did not let me show this in time. Please press the button again.')
      throw error
    }
  })
}
