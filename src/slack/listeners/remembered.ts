import { foreignTeam } from '../../stores/runs/audience.ts'
import { whosePerson } from '../client/whose-person.ts'
import { isWritten, readContent } from '../content/message-content.ts'
import { FORGET_CANCEL, FORGET_DELETE, FORGET_REMEMBERED, MEMORY_PAGES, REMEMBER } from '../format/action-ids.ts'
import { noteContent } from '../format/blocks.ts'
import { FORGET_CANCELLED } from '../format/forget-words.ts'
import { MEMORY } from '../format/messages.ts'
import { answerPress, inBackground, pressedOn } from '../presses/button-press.ts'
import { presserOf, recipientIn, recipientOf } from '../intake/find-recipient.ts'
import { forgetNow } from '../forgetting/forget-command.ts'
import { remember, tellOutcome, toRemember } from '../intake/remember.ts'
import { forgetRemembered, memoryOf } from '../subcommands/remembered-command.ts'
import { memoryContent, readMemoryRef } from '../views/remembered-content.ts'
import { onButton, onShortcut } from './listener.ts'

/** "Remember", in a message's menu: remembers a person's message by any author, but not a bot's. */
export const rememberShortcut = onShortcut(REMEMBER, (services) => async ({ ack, shortcut, context }) => {
  await ack()
  const recipient = await recipientIn(shortcut.channel.id, context, services)
  if (!recipient) return
  const { channel, message, message_ts: ts, user, response_url: responseUrl } = shortcut
  const { team, installation } = recipient
  const { botUser } = installation.identity
  const place = { team, channel: channel.id, user: user.id, responseUrl }
  const thread = message.thread_ts ?? ts
  const at = services.now().getTime()
  const id = `${team}:${channel.id}:${ts}`
  const question = { kind: 'asked', ...place, id, thread, text: '', surface: 'shortcut', at } as const
  const isPersons = message.user !== undefined && message.user !== botUser && !message.bot_id
  const from = [message['user_team'], message.team].find((one) => typeof one === 'string')
  const { words, attached } = readContent(message, botUser)
  const text = [toRemember({ text: words }) ?? words, attached].filter((part) => part !== '').join('\n')
  const wanted = { id: ts, text, by: message.user ?? '', at: Number(ts) * 1000 }
  inBackground('remember', services, async () => {
    const keep = async () => {
      const author = { team, user: wanted.by, userTeam: from }
      const { installations } = services
      const ofOthers = foreignTeam(await whosePerson(author, { installation, installations, isPatient: true }), team)
      return remember({ question, ...wanted, ...ofOthers }, installation, services)
    }
    const outcome =
      isPersons && isWritten({ subtype: message.subtype as string | undefined })
        ? await keep().catch(() => ({ refusal: MEMORY.failed }))
        : { refusal: MEMORY.notPerson }
    const told = outcome === 'known' ? { refusal: MEMORY.known } : outcome
    await tellOutcome(told, question, { installation, services })
  })
})

/**
 * *Forget*, in the confirmation of `remember: …` and in the list of `/ask memory`, which only the user sees. Also
 * turns the list's pages.
 */
export const forgetButton = onButton(
  [FORGET_REMEMBERED, MEMORY_PAGES],
  (services) =>
    async ({ ack, action, body, context }) => {
      const ref = readMemoryRef(action.value)
      const pressed = ref && (await pressedOn(action.value ?? '', { body, context }, services))
      await ack()
      if (!pressed) return
      const { team, user, userTeam, homes, installation } = pressed
      const place = { team, channel: ref.channel, user, userTeam, homes }
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
    },
)

/** "Delete" and "Cancel" on the card of `/ask forget`. */
export const forgetButtons = onButton(
  [FORGET_DELETE, FORGET_CANCEL],
  (services) =>
    async ({ ack, action, body, context }) => {
      await ack()
      const recipient = await recipientOf({ context, id: action.value }, services)
      const channel = body.channel?.id
      if (!recipient || !channel) return
      const { team, installation } = recipient
      const isWanted = action.action_id === FORGET_DELETE
      inBackground(action.action_id, services, async () => {
        const wish = { team, channel, ...(await presserOf(body, installation, services)) }
        const content = isWanted ? await forgetNow(wish, installation, services) : noteContent(FORGET_CANCELLED)
        await answerPress({ body, installation, services }, content, { replaces: true })
      })
    },
)
