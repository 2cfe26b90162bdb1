import type { KnownBlock } from '@slack/web-api'
import type { Place } from '../../base/place.ts'
import type { Remembered } from '../../stores/remembered/types.ts'
import { FORGET_REMEMBERED, FORGET_USED, MEMORY_PAGE } from '../format/action-ids.ts'
import { cardContent, clipSection, noteContent, section, type Content } from '../format/blocks.ts'
import { escapeText } from '../format/escape.ts'
import { COMMAND, count } from '../format/messages.ts'
import { button, plainSection } from '../format/plain-elements.ts'
import { facts, header } from './plain-blocks.ts'

/** A remembered item, with names instead of ids. */
export interface ShownMemory extends Pick<Remembered, 'id' | 'text' | 'at'> {
  who: string
  mayForget: boolean
}

/** The state of the buttons below. `page`: of the list; absent elsewhere. */
interface MemoryRef {
  team: string
  channel: string
  page?: number
  /** The item to forget; '' on the buttons that turn a page. */
  id: string
}

function memoryRef({ team, channel, page, id }: MemoryRef): string {
  return `${team}:${channel}:${page ?? ''} ${id}`
}

/** Reads a button's value. Undefined for anything but a `memoryRef`. */
export function readMemoryRef(value = ''): MemoryRef | undefined {
  const [, team, channel, page, id] = /^([A-Z0-9]+):([A-Z0-9]+):(\d{0,3}) (.{0,300})$/.exec(value) ?? []
  if (team === undefined || channel === undefined || id === undefined) return undefined
  return { team, channel, id, ...(page ? { page: Number(page) } : {}) }
}

/** `this channel`, `our direct messages`. */
function memoryPlace(channel: string): string {
  return channel.startsWith('D') ? 'our direct messages' : 'this channel'
}

/** `refusal`: why something is not remembered, as mrkdwn. `kept`: the item, with names instead of ids. */
export type RememberOutcome = 'known' | { refusal: string } | { kept: { id: string; text: string } }

/** Returns what only the person sees. Undefined if it was known already: they saw that then. */
export function outcomeContent(outcome: RememberOutcome, place: Place): Content | undefined {
  if (outcome === 'known') return undefined
  return 'kept' in outcome ? keptContent(outcome.kept, place) : noteContent(outcome.refusal)
}

/** Confirms to a person that something is remembered. */
function keptContent({ id, text }: Pick<ShownMemory, 'id' | 'text'>, place: Place): Content {
  const line = `🧠 Remembered for ${memoryPlace(place.channel)}: ${text}`
  const forget = button(FORGET_REMEMBERED, 'Forget', { value: memoryRef({ ...place, id }) })
  const blocks = [plainSection(escapeText(line)), { type: 'actions' as const, elements: [forget] }]
  return { text: clipSection(escapeText(line)), blocks }
}

/** Slack accepts 50 blocks a message. */
const A_PAGE = 20

/** One page of the remembered items of a place, newest first. If the page number is too high, the last page. */
export function memoryContent(all: ShownMemory[], place: Place, page = 0): Content {
  const where = memoryPlace(place.channel)
  if (all.length === 0) {
    const line = `I remember nothing for ${where} yet. Tell me with \`${COMMAND} remember our fiscal year starts in May\`.`
    return cardContent(line)
  }
  const pages = Math.ceil(all.length / A_PAGE)
  const at = Math.min(page, pages - 1)
  const line = `I remember ${count(all.length, 'thing')} for ${where}, the newest first. You can forget what you said; admins can forget everything.`
  const shown = all.toReversed().slice(at * A_PAGE, (at + 1) * A_PAGE)
  const turn = (to: number, name: string) =>
    button(`${MEMORY_PAGE}_${to}`, name, { value: memoryRef({ ...place, page: to, id: '' }) })
  const turns = [...(at > 0 ? [turn(at - 1, 'Newer')] : []), ...(at < pages - 1 ? [turn(at + 1, 'Older')] : [])]
  return {
    text: clipSection([line, ...shown.map(({ text }) => escapeText(text))].join('\n')),
    blocks: [
      section(line),
      ...shown.flatMap((one) => blocksOf(one, FORGET_REMEMBERED, { ...place, page: at })),
      ...(turns.length > 0 ? [{ type: 'actions' as const, elements: turns }] : []),
    ],
  }
}

/** Shows the remembered items that the model got, in *How I worked*. */
export function usedBlocks(used: ShownMemory[], place: Place): KnownBlock[] {
  return [header('Remembered'), ...used.flatMap((one) => blocksOf(one, FORGET_USED, place))]
}

function blocksOf({ id, text, who, at, mayForget }: ShownMemory, action: string, ref: Omit<MemoryRef, 'id'>) {
  const forget = button(action, 'Forget', { value: memoryRef({ ...ref, id }) })
  const words = plainSection(escapeText(text), mayForget ? forget : undefined)
  return [words, facts(`${who} · ${new Date(at).toISOString().slice(0, 10)}`)]
}
