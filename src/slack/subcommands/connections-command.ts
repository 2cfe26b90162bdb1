/** `/ask connections`: the accounts that a person can connect or has connected. */
import { messageOf } from '../../base/errors.ts'
import type { Person } from '../../base/place.ts'
import type { Question } from '../../stores/runs/types.ts'
import { sendEphemeral } from '../client/ephemeral.ts'
import type { Installation } from '../client/installations.ts'
import { noteContent } from '../format/blocks.ts'
import { CONNECTIONS } from '../format/messages.ts'
import type { Services } from '../services.ts'
import { connectionsContent, type ConnectableAccount } from '../views/connection-blocks.ts'

/** Shows the asker their connections in an ephemeral message. Never rejects. */
export async function showConnections(
  { command }: { command: Question },
  { client }: Installation,
  services: Services,
): Promise<void> {
  const { fetch } = services
  const log = services.log.child({ question: command.id })
  const content = await connectionsOf(command, services).then(connectionsContent, (error: unknown) => {
    log.warn({ error: messageOf(error) }, 'a person’s connections could not be shown')
    return noteContent(CONNECTIONS.failed)
  })
  const { responseUrl, channel, user } = command
  await sendEphemeral({ responseUrl, channel, user }, [content], { client, fetch, log }).catch((error: unknown) =>
    log.warn({ error: messageOf(error) }, 'could not show a person their connections'),
  )
}

/** A person's connections, with new links. @throws if the store fails */
export async function connectionsOf({ team, user }: Person, { connections }: Services): Promise<ConnectableAccount[]> {
  const person = { team, user }
  return Promise.all(
    (connections?.accounts ?? []).map(async ({ name, look }) => {
      const connected = await look(person)
      return { name, connected, link: connected ? undefined : await connections?.link(person, name) }
    }),
  )
}
