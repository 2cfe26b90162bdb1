import type { KnownBlock } from '@slack/web-api'
import type { ConnectedAccount } from '../../mcp/login/connectable-account.ts'
import { connectWords } from '../approvals/tool-question-card.ts'
import { CONNECT, DISCONNECT } from '../format/action-ids.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { escapeWithin, plainLine, shorten } from '../format/escape.ts'
import { CONNECTIONS, utcTime } from '../format/messages.ts'
import { button, plainSection } from '../format/plain-elements.ts'

/** An account that a person can connect. `link`: the page for connecting it; absent if it is connected. */
export interface ConnectableAccount {
  name: string
  connected?: ConnectedAccount | undefined
  link?: string | undefined
}

/** The list of a person's connections. */
export function connectionsContent(connections: readonly ConnectableAccount[]): Content {
  if (connections.length === 0) return noteContent(CONNECTIONS.none)
  const { text, blocks } = noteContent(CONNECTIONS.head)
  return { text, blocks: [...blocks, ...connectionBlocks(connections)] }
}

const NAME_CHARS = 60
const MAY_CHARS = 400
/** Slack accepts 100 blocks in a Home, and there are others. */
const MAX_SHOWN = 25

/** A person's connections, each with the rights that the bot has, and a button. */
export function connectionBlocks(connections: readonly ConnectableAccount[]): KnownBlock[] {
  return connections.slice(0, MAX_SHOWN).map(({ name, connected, link }) => {
    const text = escapeWithin(lineOf(name, connected), { max: 800, maxEscaped: 2_900 })
    if (connected) return plainSection(text, button(DISCONNECT, 'Disconnect', { value: name, style: 'danger' }))
    return plainSection(text, { ...button(CONNECT, connectWords(name), { value: name }), url: link })
  })
}

function lineOf(name: string, connected: ConnectedAccount | undefined): string {
  const shown = shorten(plainLine(name), NAME_CHARS)
  if (!connected) return `${shown}: not connected.`
  const { may, usedAt } = connected
  const what = may.length === 0 ? '' : ` I may: ${shorten(may.map(plainLine).join(', '), MAY_CHARS)}.`
  const used = usedAt === undefined ? 'Not used yet.' : `Last used ${utcTime(usedAt)}.`
  return `✅ ${shown}: connected as you.${what} ${used}`
}
