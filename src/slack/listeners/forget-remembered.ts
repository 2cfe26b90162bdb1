import type { OnButton } from '../intake/bolt-types.ts'
import { noteContent } from '../format/blocks.ts'
import { MEMORY } from '../format/messages.ts'
import { memoryContent, readMemoryRef } from '../views/remembered-content.ts'
import { forgetRemembered, memoryOf } from '../intake/remembered-command.ts'
import { inBackground, pressedOn } from '../intake/button-press.ts'
import type { Services } from '../services.ts'

/**
 * *Forget*, in the confirmation of `remember: …` and in the list of `/ask memory`, which only the presser sees. Also
 * turns the list's pages.
 */
export function forgetButton(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    const ref = readMemoryRef(action.value)
    const pressed = ref && (await pressedOn(action.value ?? '', { body, context }, services))
    await ack()
    if (!pressed) return
    const { team, user, installation } = pressed
    const place = { team, channel: ref.channel, user }
    const deps = { installation, services }
    inBackground(action.action_id, services, async () => {
      const refusal = ref.id === '' ? undefined : await forgetRemembered(ref.id, place, deps)
      if (refusal !== undefined) return pressed.tell(refusal)
      const content =
        ref.page === undefined
          ? noteContent(MEMORY.forgotten)
          : memoryContent(await memoryOf(place, deps), place, ref.page)
      await pressed.replace(content)
    })
  }
}
