/** The buttons of a person's connections, on the Home and below `/ask connections`. */
import type { OnButton } from '../intake/bolt-types.ts'
import type { Person } from '../../base/place.ts'
import { LINK_MS } from '../../question/connections/connections.ts'
import { CONNECT, DISCONNECT } from '../format/action-ids.ts'
import { connectionsOf } from '../intake/connections-command.ts'
import { answerPress, inBackground } from '../intake/button-press.ts'
import type { PublishHome } from '../intake/publish-home.ts'
import { readMetadata } from '../intake/signed-metadata.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'
import { connectionsContent } from '../views/connection-blocks.ts'

/** *Connect* opens its link in the browser by itself; here, an old list gets new links. *Disconnect* disconnects. */
export function connectionButton(services: Services, publishHome: PublishHome): OnButton {
  return async ({ ack, action, body, context }) => {
    const recipient = await recipientOf({ context }, services)
    await ack()
    if (!recipient) return
    const { team, installation } = recipient
    const person = { team, user: body.user.id }
    const { action_id: id, value = '' } = action
    const showAgain = async () => {
      const channel = readMetadata(body.view?.private_metadata ?? '', { ...person, installation })
      if (channel !== undefined) return publishHome({ ...person, channel, installation })
      const content = connectionsContent(await connectionsOf(person, services))
      await answerPress({ body, installation, services }, content, { replaces: true })
    }
    const shownAt = Number(body.container['message_ts'] ?? 0) * 1000
    const isOld = services.now().getTime() - shownAt > LINK_MS
    inBackground(id, services, async () => {
      if (id === DISCONNECT) await disconnect(value, person, services)
      if (id !== CONNECT || isOld) await showAgain()
    })
  }
}

async function disconnect(name: string, person: Person, { connections, log }: Services): Promise<void> {
  const revoke = await connections?.accounts.find((one) => one.name === name)?.disconnect(person)
  await revoke?.()
  log.info({ account: name, ...person }, 'a person has disconnected an account')
}
