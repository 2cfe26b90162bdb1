/**
 * Renders the messages of a thread between the questions as text: the oldest first, `@Name: words`, one message a
 * line. Further lines of a message are indented, so that no message passes for two.
 */
import { uniqueSources } from '../../agent/contracts/evidence.ts'
import { cutMiddle } from '../../agent/observation.ts'
import { SAID_CHARS } from '../../agent/prompt-size.ts'
import { isKeyOf, isOf, type ForgottenPerson } from '../../base/place.ts'
import type { ThreadContext, Turn } from './types.ts'

/** Returns the newest messages within these bounds, as text that says how many are left out. */
export function newestMessages(
  messages: readonly ContextMessage[],
  max: { count: number; chars: number },
): ThreadContext {
  let left = max.chars - LEFT_OUT_CHARS
  let first = messages.length
  while (first > Math.max(0, messages.length - max.count)) {
    left -= (messages[first - 1]?.line.length ?? 0) + 1
    if (left < 0) break
    first -= 1
  }
  const kept = messages.slice(first)
  const all = first > 0 ? [{ line: leftOut(first), by: '' }, ...kept] : kept
  return { text: all.map(({ line }) => line).join('\n'), by: all.map(({ by }) => by) }
}

/** One message as a line of the text, and the id of its author. */
export interface ContextMessage {
  line: string
  by: string
}

function messagesIn({ text, by }: ThreadContext): ContextMessage[] {
  return text.split(/\n(?! )/).map((line, i) => ({ line, by: by[i] ?? '' }))
}

/**
 * Returns a turn without a person's texts, and without the tables if it had any. If the authors are unknown, all texts
 * are removed.
 * @returns undefined for the person's own turn
 */
export function withoutPerson(turn: Turn, person: ForgottenPerson): Turn | undefined {
  if (isOf(person, turn)) return undefined
  if (turn.said === undefined) return turn
  const { said, saidBy = [] } = turn
  const rest = withoutMessages(turn)
  const messages = messagesIn({ text: said, by: saidBy })
  if (messages.length !== saidBy.length) return rest
  const kept = messages.filter(({ by }) => !isKeyOf(person, by))
  if (kept.length === messages.length) return turn
  const text = kept.map(({ line }) => line).join('\n')
  return text === '' ? rest : { ...rest, said: text, saidBy: kept.map(({ by }) => by) }
}

function withoutMessages({ said: _, saidBy: __, tables: ___, ...turn }: Turn): Turn {
  return turn
}

/** Room for the line that says how many messages are left out. */
const LEFT_OUT_CHARS = 60

function leftOut(count: number): string {
  return count === 1 ? '(1 earlier message is left out)' : `(${count} earlier messages are left out)`
}

/** Indents the further lines of a message. */
export function indented(message: string): string {
  return message.replace(/\n(?! )/g, '\n  ')
}

/**
 * Returns the turns and the messages since then, with as many of people's newest messages as a prompt may carry. The
 * first message stays, because the thread is about it.
 */
export function trimToBudget(turns: readonly Turn[], said: string): { turns: Turn[]; said: string } {
  const oldest = turns.find((turn) => turn.said)
  const isWhole = turns.reduce((sum, turn) => sum + (turn.said?.length ?? 0), said.length) <= SAID_CHARS
  const [first] = isWhole || !oldest?.said ? [] : messagesIn({ text: oldest.said, by: [] })
  const began = first ? `${indented(cutMiddle(first.line, BEGINNING_CHARS))}\n` : ''
  let left = SAID_CHARS - began.length
  const keep = (text: string): string => {
    const kept = text.length <= left ? text : newest(text, left)
    left = Math.max(0, left - kept.length)
    return kept
  }
  const since = keep(said)
  const kept = turns.toReversed().map((turn) => {
    if (!turn.said) return turn
    const newest = keep(turn.said)
    return { ...turn, said: turn === oldest && newest !== turn.said ? began + newest : newest }
  })
  return { turns: kept.reverse(), said: since }
}

const BEGINNING_CHARS = SAID_CHARS / 4

function newest(text: string, chars: number): string {
  return newestMessages(messagesIn({ text, by: [] }), { count: Infinity, chars }).text
}

/** Joins people's messages, oldest first, and the newest sources of the answers between them. */
export function joinMessages({ turns, said }: { turns: readonly Turn[]; said: string }): string {
  return [...turns.map((turn) => turn.said ?? ''), said, sourcesLine(turns)].filter((text) => text !== '').join('\n')
}

const SHOWN_SOURCES = 10
const SOURCE_CHARS = 100

function sourcesLine(turns: readonly Turn[]): string {
  const all = turns.flatMap(({ sources = [] }) => sources)
  const unique = uniqueSources(all).slice(-SHOWN_SOURCES)
  const shown = unique.map(({ title, url }) => `${title.replace(/\s+/g, ' ').slice(0, SOURCE_CHARS)} ${url}`)
  return shown.length > 0 ? `(sources of earlier answers: ${shown.join(' · ')})` : ''
}
