import type { KnownBlock } from '@slack/web-api'
import { toolTitle } from '../../agent/tool-title.ts'
import type { Amounts, UseSummary } from '../../stores/use/use-counts.ts'
import { HOME_WORK } from '../format/action-ids.ts'
import { escapeWithin } from '../format/escape.ts'
import { count } from '../format/messages.ts'
import { button, plainSection } from '../format/plain-elements.ts'
import { facts, header, questionLine, sections } from './plain-blocks.ts'

/** A question that could not be answered, for an admin who may read it. */
export interface UnansweredQuestion {
  id: string
  /** With names instead of ids. */
  text: string
  /** The place where it was asked, in words. */
  place: string
  why: 'gave_up' | 'failed' | 'rated_down'
}

/** The figures about the use on an admin's Home. */
export interface TeamUse {
  days7: UseSummary
  days30: UseSummary
  /** Names a person, without pinging them. */
  nameOf(user: string): string
  /** Names a channel that everybody in the workspace may see. All other channels share one name. */
  channelNameOf(channel: string): string
  /** `hidden`: how many more there are in places that this admin cannot see. Undefined if they could not be loaded. */
  unanswered: { shown: UnansweredQuestion[]; hidden: number } | undefined
}

/** The headings *Use* and *Could not answer* of an admin's Home. */
export function useBlocks(parts: TeamUse): KnownBlock[] {
  const { days7, days30, unanswered } = parts
  return [
    header('Use'),
    ...periodBlocks('Last 7 days', days7, parts),
    ...periodBlocks('Last 30 days', days30, parts),
    header('Could not answer'),
    ...(unanswered ? unansweredBlocks(unanswered) : [facts('I could not load this list. Please open this tab again.')]),
  ]
}

function unansweredBlocks({ shown, hidden }: NonNullable<TeamUse['unanswered']>): KnownBlock[] {
  const more = `${count(hidden, 'question')} in private channels and direct messages that you cannot see.`
  return [
    ...shown.map(unansweredBlock),
    ...(hidden > 0 ? [facts(shown.length > 0 ? `And ${more}` : more)] : []),
    ...(shown.length + hidden === 0 ? [facts('Nothing in the last 30 days.')] : []),
  ]
}

/** The maximum number of listed channels, people and tools. */
const MAX_LINES = 5

function periodBlocks(title: string, use: UseSummary, { nameOf, channelNameOf }: TeamUse): KnownBlock[] {
  const { answered, gave_up, stopped, failed, rated_down } = use.ends
  const ends = `${answered} answered, ${gave_up} without an answer, ${stopped} stopped, ${failed} failed, ${rated_down} rated down`
  if (use.questions + use.inputTokens === 0) return [facts(`${title}: nothing yet.`)]
  const lists = [
    ['By channel', merged(use.byChannel, channelNameOf)],
    ['By person', merged(use.byPerson, nameOf)],
    ['By tool', merged(use.byTool, (name) => toolTitle({ name }))],
  ] as const
  const lines = lists.flatMap(([name, amounts]) => (amounts.length === 0 ? [] : ['', `${name}:`, ...linesOf(amounts)]))
  return sections([`${title}: ${amountsText(use)}`, ends, ...lines].join('\n'))
}

/** Adds up the amounts of ids with the same name, the most questions first. */
function merged(by: Record<string, Amounts>, nameOf: (id: string) => string): [string, Amounts][] {
  const all = new Map<string, Amounts>()
  for (const [id, one] of Object.entries(by)) {
    const before = all.get(nameOf(id))
    all.set(nameOf(id), before ? sumOf(before, one) : one)
  }
  return [...all].sort(([, one], [, other]) => other.questions - one.questions)
}

function sumOf(one: Amounts, other: Amounts): Amounts {
  return {
    questions: one.questions + other.questions,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd + other.costUsd,
  }
}

function linesOf(amounts: [string, Amounts][]): string[] {
  const rest = amounts.slice(MAX_LINES)
  const lines = amounts.slice(0, MAX_LINES).map(([name, one]) => `• ${name}: ${amountsText(one)}`)
  const left = rest.map(([, one]) => one).reduce(sumOf, { questions: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 })
  return rest.length === 0 ? lines : [...lines, `• ${rest.length} more: ${amountsText(left)}`]
}

function amountsText({ questions, inputTokens, outputTokens, costUsd }: Amounts): string {
  const tokens = (inputTokens + outputTokens).toLocaleString('en-US')
  const dollars = costUsd > 0 ? `, $${costUsd.toFixed(costUsd < 1 ? 4 : 2)}` : ''
  return `${count(questions, 'question')}, ${tokens} tokens${dollars}`
}

const WHY: Record<UnansweredQuestion['why'], string> = {
  gave_up: 'no answer',
  failed: 'failed',
  rated_down: 'rated down',
}

function unansweredBlock({ id, text, place, why }: UnansweredQuestion): KnownBlock {
  const shown = escapeWithin(`${questionLine(text)} (${place}, ${WHY[why]})`, { max: 400, maxEscaped: 2900 })
  return plainSection(shown, button(HOME_WORK, 'Show work', { value: id }))
}
