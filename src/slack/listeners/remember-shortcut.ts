import type { OnShortcut } from '../intake/bolt-types.ts'
import { MEMORY } from '../format/messages.ts'
import { inBackground } from '../intake/button-press.ts'
import { remember, tellOutcome, toRemember } from '../intake/remember.ts'
import { isWritten, readContent } from '../content/message-content.ts'
import { recipientIn } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** "Remember", in a message's menu: remembers a person's message by any author, but not a bot's. */
export function rememberShortcut(services: Services): OnShortcut {
  return async ({ ack, shortcut, context }) => {
    await ack()
    const recipient = await recipientIn(shortcut.channel.id, { context }, services)
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
    const userTeam = from !== undefined && from !== team && !context.isEnterpriseInstall ? { userTeam: from } : {}
    const { words, attached } = readContent(message, botUser)
    const text = [toRemember({ text: words }) ?? words, attached].filter((part) => part !== '').join('\n')
    const wanted = { id: ts, text, by: message.user ?? '', at: Number(ts) * 1000, ...userTeam }
    inBackground('remember', services, async () => {
      const keep = () => remember({ question, ...wanted }, installation, services)
      const outcome =
        isPersons && isWritten({ subtype: message.subtype as string | undefined })
          ? await keep().catch(() => ({ refusal: MEMORY.failed }))
          : { refusal: MEMORY.notPerson }
      const told = outcome === 'known' ? { refusal: MEMORY.known } : outcome
      await tellOutcome(told, question, { installation, services })
    })
  }
}
