import type { KnownBlock, RichTextElement } from '@slack/web-api'
import { z } from 'zod'
import { decidedWords, AUDIT_OUTCOMES } from '../../stores/audit/audit-words.ts'
import type { AuditEntry } from '../../stores/audit/types.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { LoginNeeded } from '../../mcp/tools/mcp-admin.ts'
import type { OffTool } from '../../mcp/tools/available-tools.ts'
import { TAKE_TOOL } from '../format/action-ids.ts'
import { button, plainSection } from '../format/plain-elements.ts'
import { escapeWithin, isBlank, plainLine, shorten } from '../format/escape.ts'
import { bulletList, facts, header } from './plain-blocks.ts'

/**
 * The extra content of an admin's Home: the team's last writes, newest first, the MCP servers that need a login, and
 * the tools that wait for an admin's approval. A part is absent if it could not be loaded in time or is not set up.
 * `nameOf` returns a person's name, or the id if the name is unknown.
 */
export function adminBlocks(
  writes: AuditEntry[] | undefined,
  nameOf: NameOf,
  needLogin: LoginNeeded[] = [],
  off: OffTool[] = [],
): KnownBlock[] {
  return [
    ...(writes ? [header('Latest changes by tools'), ...writeBlocks(writes, nameOf)] : []),
    ...(needLogin.length > 0
      ? [header('MCP servers that need a login'), bulletList(needLogin.slice(0, MAX_SHOWN).map(loginLine))]
      : []),
    ...(off.length > 0 ? [header('MCP tools that are off'), ...offBlocks(off)] : []),
  ]
}

type NameOf = (id: string) => string

function text(words: string): RichTextElement {
  return { type: 'text', text: words }
}

function code(words: string): RichTextElement {
  return { type: 'text', text: words, style: { code: true } }
}

function writeBlocks(writes: AuditEntry[], nameOf: NameOf): KnownBlock[] {
  if (writes.length === 0) return [facts('Nothing yet.')]
  return [bulletList(writes.map((write) => writeLine(write, nameOf))), facts('For more, run npm run runs -- audit')]
}

function writeLine(entry: AuditEntry, nameOf: NameOf): RichTextElement[] {
  const { tool, server, at, askedBy, decidedBy, outcome } = entry
  const [before, after] = decidedWords(entry)
  const decided = `${before}${decidedBy === undefined ? '' : nameIn(nameOf(decidedBy))}${after}`
  const of = server === undefined ? '' : ` of ${nameIn(server)}`
  const when = { timestamp: Math.floor(at / 1000), format: '{date_short_pretty} at {time}' }
  return [
    code(nameIn(tool)),
    text(`${of}: ${AUDIT_OUTCOMES[outcome]}; asked by ${nameIn(nameOf(askedBy))}, ${decided}; `),
    { type: 'date', ...when, fallback: new Date(at).toISOString() },
  ]
}

function loginLine({ server, why }: LoginNeeded): RichTextElement[] {
  const reason = shorten(plainLine(why), WHY_CHARS)
  return [text(`${nameIn(server)}: ${reason} `), code(`npm run mcp -- login ${nameIn(server)}`)]
}

const NAME_CHARS = 100
const WHY_CHARS = 400
/** Slack accepts 100 blocks in a Home, and 2,000 characters in a button's value. */
const MAX_SHOWN = 25
const VALUE_CHARS = 2000

function nameIn(name: string): string {
  const line = plainLine(name).replace(/\p{Cf}/gu, '')
  // Slack refuses empty texts.
  return isBlank(line) ? '(no name)' : shorten(line, NAME_CHARS)
}

function offBlocks(off: OffTool[]): KnownBlock[] {
  const shown = off.slice(0, MAX_SHOWN).map(offBlock)
  const more = off.length > MAX_SHOWN ? [facts(`${off.length - MAX_SHOWN} more: npm run mcp -- tools lists all.`)] : []
  return [...shown, ...more]
}

/** A tool that no admin can take has no button. */
function offBlock(off: OffTool): KnownBlock {
  const { server, tool, why } = off
  const what = tool === '' ? `${nameIn(server)}:` : `${nameIn(tool)} of ${nameIn(server)}`
  const words = escapeWithin(`${what} ${plainLine(why)}`, { max: WHY_CHARS, maxEscaped: 2900 })
  const value = valueOf(off)
  return plainSection(words, value === undefined ? undefined : button(TAKE_TOOL, 'Turn on', { value }))
}

function valueOf({ server, tool, fingerprint }: OffTool): string | undefined {
  if (fingerprint === undefined) return undefined
  const value = JSON.stringify([server, tool, fingerprint])
  return value.length <= VALUE_CHARS ? value : undefined
}

const valueSchema = z.tuple([z.string(), z.string(), z.string()])

/** Reads the value of a *Turn on* button: the tool, and its fingerprint at that time. Undefined if invalid. */
export function toolToTake(value = ''): { server: string; tool: string; fingerprint: string } | undefined {
  const read = valueSchema.safeParse(parseJson(value)).data
  return read && { server: read[0], tool: read[1], fingerprint: read[2] }
}
