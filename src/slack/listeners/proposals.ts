import type { Question } from '../../stores/runs/types.ts'
import { OPEN_SETTINGS, PROPOSED_NO, PROPOSED_REMEMBER } from '../format/action-ids.ts'
import { noteContent } from '../format/blocks.ts'
import { unescapeText } from '../format/escape.ts'
import { MEMORY, PROPOSED, SETTINGS_WORDS } from '../format/messages.ts'
import {
  answerPress,
  inBackground,
  isInDirect,
  pressedOn,
  showOrTell,
  type ButtonPress,
} from '../presses/button-press.ts'
import { remember } from '../intake/remember.ts'
import { openSettings } from '../subcommands/settings-command.ts'
import type { Services } from '../services.ts'
import { outcomeContent } from '../views/remembered-content.ts'
import { onButton } from './listener.ts'

/** The buttons of the cards that the model opens for the asker alone. */
export const proposalButton = onButton(
  [PROPOSED_REMEMBER, PROPOSED_NO, OPEN_SETTINGS],
  (services) =>
    async ({ ack, action, body, context }) => {
      await ack()
      const [, id = '', text = ''] = /^(\S+)(?: ([^]*))?$/.exec(action.value ?? '') ?? []
      const pressed = await pressedOn(id, { body, context, isAnywhere: isInDirect(body) }, services)
      if (!pressed) return
      const command = questionAt(pressed, services)
      const { installation, trigger } = pressed
      inBackground(action.action_id, services, async () => {
        if (action.action_id === OPEN_SETTINGS) {
          const open = () => openSettings({ command, trigger }, { installation, services })
          const refusal = await showOrTell(pressed, open, SETTINGS_WORDS.failed)
          return refusal && answerPress({ body, installation, services }, refusal)
        }
        if (action.action_id !== PROPOSED_REMEMBER) return pressed.replace(noteContent(PROPOSED.no))
        const wanted = { question: command, id: `${command.thread}-proposed`, text: unescapeText(text) }
        const outcome = await remember(wanted, installation, services).catch(() => ({ refusal: MEMORY.failed }))
        await pressed.replace(outcomeContent(outcome, command) ?? noteContent(MEMORY.known))
      })
    },
)

/** A question by the user who pressed, in the place of the question that the card is about. */
function questionAt({ id, team, user, userTeam, responseUrl }: ButtonPress, { now }: Services): Question {
  const [, channel = '', thread = ''] = id.split(':')
  return {
    kind: 'asked',
    id,
    team,
    channel,
    thread,
    user,
    userTeam,
    responseUrl,
    text: '',
    surface: 'shortcut',
    at: now().getTime(),
  }
}
