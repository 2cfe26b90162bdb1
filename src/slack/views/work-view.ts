import type { KnownBlock, View } from '@slack/web-api'
import { shownThought } from '../../agent/shown-thought.ts'
import { stepCount, totalOf, waitedMs, workMs } from '../../agent/run-progress.ts'
import { inputForPeople } from '../../agent/tool-input.ts'
import { actionTitle } from '../../agent/tool-title.ts'
import type { MessageStep, Step, StopReason, ToolStep, UnreadableStep } from '../../agent/contracts/run-events.ts'
import { changeLines } from '../../question/change-lines.ts'
import type { RunEnd, RunRecord } from '../../stores/archive/types.ts'
import { SHOW_WORK, WORK_NEXT, WORK_PREVIOUS } from '../format/action-ids.ts'
import { count, unreadableTitle, WITHOUT_WORDS } from '../format/messages.ts'
import { promptNotes } from '../format/left-out-of-prompt.ts'
import { button } from '../format/plain-elements.ts'
import { SOURCES_SHOWN } from '../format/answer-messages.ts'
import { shorten } from '../format/escape.ts'
import { usedBlocks, type ShownMemory } from './remembered-content.ts'
import { facts, header, modal, noteModal, sections } from './plain-blocks.ts'

/**
 * Size of a page without its buttons. Slack limits a modal: 100 blocks, 250,000 bytes
 * (https://docs.slack.dev/reference/views).
 */
const PAGE_BLOCKS = 60
const PAGE_CHARS = 30_000

const TITLE = 'How I worked'

/**
 * One page about a run: the question, its cost and every step in full. If the page number is too high, the last page.
 */
export function workView(
  record: RunRecord,
  page: number,
  nameOf: (user: string) => string,
  remembered: ShownMemory[] = [],
): View {
  const done = record.answer?.done && changeLines(record.answer.done, nameOf)
  const used = remembered.length > 0 ? usedBlocks(remembered, record.question) : []
  const pages = inPages([[...questionBlocks(record, done), ...used], ...record.steps.map(stepBlocks)])
  const at = Math.min(Math.max(0, Number.isInteger(page) ? page : 0), pages.length - 1)
  const blocks = [...(pages[at] ?? []), ...pageButtons(at, pages.length)]
  return modal(TITLE, blocks, { callback_id: SHOW_WORK, private_metadata: record.question.id })
}

export const WORK_LOADING = noteModal(TITLE, 'Loading …')

export const WORK_GONE = noteModal(TITLE, 'I no longer have this run. Ask again to see how I work on the question.')

export const WORK_UNREADABLE = noteModal(TITLE, 'I could not load this. Please try again in a minute.')

function questionBlocks(record: RunRecord, done: string[] | undefined): KnownBlock[] {
  const { question, standalone, steps, model, dialect } = record
  const understood = standalone !== undefined && standalone !== question.text
  return [
    ...sections(`❓ ${question.text || WITHOUT_WORDS}`),
    ...(understood ? sections(`Understood as: ${standalone}`) : []),
    facts([ending(record), timing(record)].join(' · ')),
    facts([`model ${model}`, `dialect ${dialect}`, ...spent(record)].join(' · ')),
    ...promptNotes(record.usage).map((note) => facts(note)),
    ...(done ? [header('What was done'), ...sections(done.join('\n'))] : []),
    ...figureBlocks(record),
    ...(stepCount(steps) === 0 ? [facts('The run ended before its first step.')] : []),
  ]
}

/** The figures of the answer, each with its sources, and the sources by their numbers. */
function figureBlocks({ answer }: RunRecord): KnownBlock[] {
  const { figures = [], sources = [] } = answer ?? {}
  if (figures.length === 0) return []
  const lines = figures.map((figure) => `• ${oneLine(figure.text)}: ${placesText(figure.in)}`)
  const numbered = sources.slice(0, SOURCES_SHOWN).map(({ title }, i) => `[${i + 1}] ${oneLine(title)}`)
  return [
    header('Where the figures come from'),
    ...sections(lines.join('\n')),
    ...(numbered.length > 0 ? [facts(numbered.join(' · '))] : []),
  ]
}

const FIGURE_CHARS = 200
/** Further sources of one figure are only counted. */
const PLACES_SHOWN = 5

function placesText(places: string[]): string {
  if (places.length === 0) return 'not in any source'
  const more = places.length - PLACES_SHOWN
  return `${places.slice(0, PLACES_SHOWN).join('; ')}${more > 0 ? ` and ${number(more)} more` : ''}`
}

function oneLine(text: string): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), FIGURE_CHARS)
}

function timing({ question, steps, startedAt, endedAt }: RunRecord): string {
  const inLineMs = startedAt - question.at
  const forPeopleMs = waitedMs(steps, endedAt)
  return [
    count(stepCount(steps), 'step'),
    `${seconds(workMs({ steps, startedAt }, endedAt))} of work`,
    ...(inLineMs >= 100 ? [`waited ${seconds(inLineMs)} in the queue`] : []),
    ...(forPeopleMs >= 100 ? [`waited ${longDuration(forPeopleMs)} for people`] : []),
  ].join(' · ')
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
}

/** A duration that may be hours long, because people take their time to decide. */
function longDuration(ms: number): string {
  const minutes = ms / 60_000
  if (minutes < 2) return seconds(ms)
  return minutes < 120 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`
}

function spent({ usage }: RunRecord): string[] {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, costUsd } = totalOf(usage)
  if (usage.length === 0) return []
  const about = usage.some(({ estimated }) => estimated) ? '~' : ''
  const cached = cachedTokens > 0 ? ` (${number(cachedTokens)} cached)` : ''
  const reasoning = reasoningTokens > 0 ? ` (${number(reasoningTokens)} reasoning)` : ''
  const tokens = `${about}${number(inputTokens)} tokens in${cached}, ${about}${number(outputTokens)} out${reasoning}`
  const isPriced = usage.every((one) => one.costUsd !== undefined)
  return [count(usage.length, 'model call'), tokens, ...(isPriced ? [`${about}$${costUsd.toPrecision(2)}`] : [])]
}

function number(n: number): string {
  return n.toLocaleString('en-US')
}

const ENDS: Record<RunEnd, string> = {
  answered: 'answered',
  gave_up: 'ended without an answer',
  stopped: 'stopped by a person',
  failed: 'failed',
}

/** Shown in "How I worked". Above the answer it is `STOPPED` (format/messages.ts). */
const WHY: Record<StopReason, string> = {
  steps: 'the step limit was reached',
  time: 'the time limit was reached',
  tokens: 'the token limit was reached',
  cost: 'the cost limit was reached',
  loop: 'the model was repeating itself',
  unreadable: 'the model’s output could not be read',
  stopped: 'a person asked to stop',
}

function ending({ end, answer }: RunRecord): string {
  const why = answer?.stopped
  return why && end !== 'stopped' ? `${ENDS[end]}, because ${WHY[why]}` : ENDS[end]
}

/** The blocks of a step. Numbers count in the order of events, including messages that a person added. */
function stepBlocks(step: Step, i: number): KnownBlock[] {
  if (step.kind === 'message') return messageBlocks(step)
  if (step.kind === 'unreadable') return unreadableBlocks(step, i + 1)
  return toolBlocks(step, i + 1)
}

function toolBlocks(step: ToolStep, n: number): KnownBlock[] {
  const { action, observation, ms } = step
  const input = inputForPeople(action.input)
  return [
    header(`Step ${n}: ${actionTitle(action)}`),
    ...thoughtBlocks(step),
    ...sections(`🔧 ${action.tool}${input.trim() ? `\n${input}` : ''}`),
    ...(observation
      ? sections(`${observation.ok ? '👁' : '⚠️'} ${observation.text}`)
      : [facts('This step did not finish.')]),
    ...(observation?.note ? [facts(`⚠️ ${observation.note}`)] : []),
    ...(ms === undefined ? [] : [facts(`Took ${ms < 100 ? `${Math.round(Math.max(0, ms))} ms` : seconds(ms)}`)]),
  ]
}

function unreadableBlocks(step: UnreadableStep, n: number): KnownBlock[] {
  const { text, observation, isAnswer } = step
  return [
    header(`Step ${n}: ${isAnswer ? 'answer rejected' : 'unreadable output'}`),
    ...thoughtBlocks(step),
    ...sections(`⚠️ ${unreadableTitle(step)}: ${text}`),
    ...sections(`The model was told: ${observation.text}`),
  ]
}

function thoughtBlocks(step: ToolStep | UnreadableStep): KnownBlock[] {
  const thought = shownThought(step)
  return thought.trim() ? sections(`💭 ${thought}`) : []
}

function messageBlocks({ user, text }: MessageStep): KnownBlock[] {
  return [header('Added while I worked'), ...sections(`✍️ ${user}: ${text}`)]
}

/** A part that fits on a page is not broken between two. */
function inPages(parts: KnownBlock[][]): KnownBlock[][] {
  const pages: KnownBlock[][] = [[]]
  const add = (blocks: KnownBlock[]) => {
    const page = pages.at(-1)!
    const isFull = page.length + blocks.length > PAGE_BLOCKS || charsOf([...page, ...blocks]) > PAGE_CHARS
    if (isFull && page.length > 0) pages.push([...blocks])
    else page.push(...blocks)
  }
  for (const part of parts) {
    const isLonger = part.length > PAGE_BLOCKS || charsOf(part) > PAGE_CHARS
    for (const piece of isLonger ? part.map((block) => [block]) : [part]) add(piece)
  }
  return pages
}

function charsOf(blocks: KnownBlock[]): number {
  return blocks.reduce((sum, block) => sum + (block.type === 'section' ? (block.text?.text.length ?? 0) : 0), 0)
}

function pageButtons(at: number, pages: number): KnownBlock[] {
  if (pages === 1) return []
  const buttons = [
    ...(at > 0 ? [button(WORK_PREVIOUS, 'Previous', { value: String(at - 1) })] : []),
    ...(at < pages - 1 ? [button(WORK_NEXT, 'Next', { value: String(at + 1) })] : []),
  ]
  return [facts(`Page ${at + 1} of ${pages}`), { type: 'actions', elements: buttons }]
}
