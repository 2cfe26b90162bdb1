import type { KnownBlock, View } from '@slack/web-api'
import { toolTitle } from '../../agent/tool-title.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import { briefOf } from '../../mcp/tools/clean-text.ts'
import type { RunRecord } from '../../stores/archive/types.ts'
import type { Allowance } from '../../stores/limits/usage-limits.ts'
import { HOME_EXAMPLE } from '../format/action-ids.ts'
import { section } from '../format/blocks.ts'
import { button, plainSection } from '../format/plain-elements.ts'
import { shorten } from '../format/escape.ts'
import { COMMAND, count, helpText, inWords, type HelpSettings } from '../format/messages.ts'
import { connectionBlocks, type ConnectableAccount } from './connection-blocks.ts'
import { bulletList, facts, header, questionLine, sections } from './plain-blocks.ts'
import { STEPS_WORDS } from './settings-view.ts'

/** Questions to try, unless EXAMPLES_FILE names others. They need only tools that are always available. */
export const EXAMPLES = ['What is 15% of 240, and half of it?', 'How many days until Christmas?', 'Who founded Slack?']

/** The settings of a place that a Home shows. */
interface ShownSettings extends HelpSettings {
  model: { name: string }
  tools: Pick<Tool, 'name' | 'title' | 'server' | 'brief' | 'description'>[]
  skills?: string[]
}

/** The content of a person's Home. A part is absent if it could not be loaded in time or is not for that person. */
export interface HomeContent {
  /** The direct message in which an example is asked. */
  channel: string
  settings?: ShownSettings | undefined
  /** Questions to try; `EXAMPLES` unless given. */
  examples?: readonly string[] | undefined
  maySeeSettings: boolean
  /** Absent for people who are not admins. */
  toolsOff?: { name: string; why: string }[]
  /** The person's last questions, newest first, with their URLs in Slack if they have one. */
  asked?: { record: RunRecord; text: string; url: string | undefined }[] | undefined
  /** The accounts that the person can connect; absent if there are none. */
  connections?: readonly ConnectableAccount[] | undefined
  /** Absent if there are no limits. */
  left?: Allowance[] | undefined
  /** The schedules that the person may see, with their heading: schedule-blocks.ts. */
  schedules?: KnownBlock[] | undefined
  /** Only for admins: home-tools.ts. */
  admin?: KnownBlock[] | undefined
}

/** Slack's limit for a view. */
const MAX_BLOCKS = 100

/** A person's Home: the bot's abilities, and the person's own questions, limits and settings. */
export function homeView(parts: HomeContent): View {
  const {
    settings,
    examples = EXAMPLES,
    toolsOff,
    connections,
    asked,
    left,
    maySeeSettings,
    schedules = [],
    admin,
  } = parts
  const blocks = [
    header('Ask me anything'),
    ...(settings ? [section(helpText(settings))] : []),
    header('Try asking'),
    ...examples.map((question) => plainSection(question, button(HOME_EXAMPLE, 'Ask', { value: question }))),
    ...(settings ? [header('Tools'), ...toolBlocks(settings, toolsOff ?? [])] : []),
    ...schedules,
    ...(settings?.skills?.length ? [header('Skills'), ...skillBlocks(settings.skills)] : []),
    ...(connections?.length ? [header('Your connections'), ...connectionBlocks(connections)] : []),
    ...(asked ? [header('Your latest questions'), ...askedBlocks(asked)] : []),
    ...(left?.length ? [header('Your limits'), ...sections(left.map(leftLine).join('\n'))] : []),
    ...(settings && maySeeSettings ? [header('Settings here'), ...settingBlocks(settings)] : []),
    ...(admin ?? []),
  ]
  const rest = [facts('Not everything fits here.')]
  const shown = blocks.length > MAX_BLOCKS ? [...blocks.slice(0, MAX_BLOCKS - 1), ...rest] : blocks
  return { type: 'home', private_metadata: parts.channel, blocks: shown }
}

/** Limits the list, because there can be any number of custom tools. */
const TOOLS_SHOWN = 60
const TOOL_CHARS = 150

function toolBlocks({ tools }: ShownSettings, off: NonNullable<HomeContent['toolsOff']>): KnownBlock[] {
  const on = tools.map((tool) => `✅ ${toolTitle(tool)}: ${briefOf(tool.brief ?? tool.description)}`)
  const lines = [...on, ...off.map(({ name, why }) => `➖ ${name}: ${why}`)].map((line) => shorten(line, TOOL_CHARS))
  const more = lines.length > TOOLS_SHOWN ? [`and ${lines.length - TOOLS_SHOWN} more`] : []
  return sections([...lines.slice(0, TOOLS_SHOWN), ...more].join('\n'))
}

function skillBlocks(skills: string[]): KnownBlock[] {
  return sections(skills.map((name) => `• ${toolTitle({ name })}`).join('\n'))
}

function askedBlocks(asked: NonNullable<HomeContent['asked']>): KnownBlock[] {
  if (asked.length === 0) return [facts('Nothing yet.')]
  const lines = asked.map(({ record, text, url }) => {
    const words = questionLine(text)
    const shown =
      url === undefined ? { type: 'text' as const, text: words } : { type: 'link' as const, url, text: words }
    return [shown, { type: 'text' as const, text: ` ${ENDS[record.end]}` }]
  })
  return [bulletList(lines)]
}

const ENDS: Record<RunRecord['end'], string> = {
  answered: '✓ answered',
  gave_up: '– no answer',
  stopped: '– stopped',
  failed: '– failed',
}

const UNITS: Record<Allowance['limit'], (left: number, allowed: number) => string> = {
  userHour: (left, allowed) => `Your questions per hour: ${left} of ${allowed}`,
  userDayTokens: (left, allowed) => `Your tokens per day: ${number(left)} of ${number(allowed)}`,
  teamDayTokens: (left, allowed) => `The workspace’s tokens per day: ${number(left)} of ${number(allowed)}`,
  teamDayUsd: (left, allowed) => `The workspace’s dollars per day: $${left.toFixed(2)} of $${allowed}`,
}

/**
 * The rest of a budget. Budgets refill evenly, so it says when the next question is possible and when the budget is
 * full.
 */
function leftLine({ limit, allowed, left, nextInMs, fullInMs }: Allowance): string {
  const next = nextInMs > 0 ? `; next question in ${inWords(nextInMs)}` : ''
  const full = fullInMs > 0 ? `; full again in ${inWords(fullInMs)}` : ''
  return `${UNITS[limit](left, allowed)} left${next}${full}`
}

function number(n: number): string {
  return Math.floor(n).toLocaleString('en-US')
}

function settingBlocks({ steps, followUps, model, dmMemoryMinutes }: ShownSettings): KnownBlock[] {
  const follow = followUps === 'thread' ? 'answered without a mention' : 'answered where I am mentioned'
  const lines = [
    `How I show my work: ${STEPS_WORDS[steps]}`,
    `Follow-ups are ${follow}`,
    `Model: ${model.name}`,
    dmMemoryMinutes > 0
      ? `Direct messages sent within ${count(dmMemoryMinutes, 'minute')} of each other are one conversation.`
      : 'Each direct message starts its own conversation.',
  ]
  return [
    ...sections(lines.join('\n')),
    facts(`These apply in this direct message. Type ${COMMAND} settings in a channel to change them there.`),
  ]
}
