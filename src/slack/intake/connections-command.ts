/** `/ask connections`: what a person can connect with a login of their own, and has. */
import { messageOf } from '../../base/errors.ts'
import type { Person } from '../../base/place.ts'
import type { Question } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { respond } from '../client/response-url.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { CONNECTIONS } from '../format/messages.ts'
import type { Services } from '../services.ts'
import { connectionBlocks, type Connection } from '../views/connection-blocks.ts'

/** Whether the text of `/ask` is `connections` alone, in any case, with optional punctuation behind it. */
export function isConnectionsCommand(text: string): boolean {
  return /^connections[\s\p{P}]*$/iu.test(text)
}

/** Shows the asker alone their connections. Never rejects. */
export async function showConnections(
  { command }: { command: Question },
  { client }: Installation,
  services: Services,
): Promise<void> {
  const { log, fetch = globalThis.fetch } = services
  const warn = (fields: object, line: string) => log.warn({ question: command.id, ...fields }, line)
  const content = await connectionsContent(command, services).catch((error: unknown) => {
    warn({ error: messageOf(error) }, 'a person’s connections could not be shown')
    return noteContent(CONNECTIONS.failed)
  })
  const message = { response_type: 'ephemeral', ...content, parse: 'none' }
  await respond(command.responseUrl ?? '', message, { apiUrl: client.apiUrl, fetch, log: warn })
}

/** @throws if the store fails */
export async function connectionsContent(person: Person, services: Services): Promise<Content> {
  const connections = await connectionsOf(person, services)
  if (connections.length === 0) return noteContent(CONNECTIONS.none)
  const { text, blocks } = noteContent(CONNECTIONS.head)
  return { text, blocks: [...blocks, ...connectionBlocks(connections)] }
}

/** What a person can connect, with new links. @throws if the store fails */
export async function connectionsOf({ team, user }: Person, { connections }: Services): Promise<Connection[]> {
  const person = { team, user }
  return Promise.all(
    (connections?.accounts ?? []).map(async ({ name, look }) => {
      const connected = await look(person)
      return { name, connected, link: connected ? undefined : await connections?.link(person, name) }
    }),
  )
}
