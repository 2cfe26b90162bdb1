import type { OnButton } from '../intake/bolt-types.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import { ASK_ALONE } from '../format/action-ids.ts'
import { noteContent } from '../format/blocks.ts'
import { AUDIENCE } from '../format/audience-words.ts'
import { inPrivate, readAudienceValue } from '../intake/asked-audience.ts'
import { pressedOn } from '../intake/button-press.ts'
import { tellWorkingLater } from '../intake/tell-queue-position.ts'
import { enqueue } from '../intake/to-question.ts'
import type { Services } from '../services.ts'

/**
 * *Only me* and *Everyone here*, on the card about a question of `/ask`. Both ask the question with the id of the
 * command, so only the first press counts.
 */
export function askAudience(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    const asked = readAudienceValue(action.value)
    const pressed = asked && (await pressedOn(asked.id, { body, context }, services))
    if (!asked || !pressed?.channel) return ack()
    const { team, channel, user, userTeam } = pressed
    const presser = { user, ...(userTeam ? { userTeam } : {}) }
    const at = services.now().getTime()
    const command: Question = {
      kind: 'asked',
      ...asked,
      ...presser,
      team,
      channel,
      surface: 'ask',
      responseUrl: body.response_url,
      at,
    }
    const question = action.action_id === ASK_ALONE ? inPrivate(command) : command
    await enqueue(question, services)
    await ack()
    // A private answer takes the card's place.
    if (isPrivate(question)) tellWorkingLater(question, services)
    else void pressed.replace(noteContent(AUDIENCE.everyone))
  }
}
