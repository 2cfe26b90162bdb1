import type { ContainerBlock, ContextBlock, KnownBlock, TaskCardBlock } from '@slack/web-api'
import { shownThought } from '../../agent/shown-thought.ts'
import type { ToolStep, UnreadableStep } from '../../agent/contracts/run-events.ts'
import type { Source } from '../../agent/contracts/evidence.ts'
import { inputForPeople } from '../../agent/tool-input.ts'
import { actionTitle } from '../../agent/tool-title.ts'
import { cutText } from '../../base/cut-text.ts'
import { STOP } from './action-ids.ts'
import { clipSection, context, type Content } from './blocks.ts'
import { count, unreadableTitle } from './messages.ts'
import { button, plainTextElement, richTextBlock } from './plain-elements.ts'
import { codeSpan, escapeText, escapeWithin, isBlank, shorten, withoutLinks } from './escape.ts'

/** A step as the card shows it. `n` counts from 1. */
export interface CardStep {
  n: number
  step: ToolStep | UnreadableStep
}

/** Steps shown in full: a container holds ten blocks. */
const MAX_SHOWN = 10
/** Tasks in a plan; older steps are left out. The text of a whole message has to stay under 13,000 characters. */
const MAX_TASKS = 30
const TITLE_CHARS = 120
/** Slack accepts at most 256 characters in a task's texts, as tried on a live workspace. In a stream it cuts them. */
export const TASK_CHARS = 240
const GIST = { max: 200, maxEscaped: 400 }
const SOURCES_A_TASK = 3
const ADDRESS_CHARS = 1500

/** Builds the card of a run that is still working. `id` is the question's, for the Stop button. */
export function workingCard(steps: CardStep[], id: string): Content {
  const title = workingTitle(steps)
  const tasks = steps.slice(-MAX_TASKS).map((one, i, all) => taskOf(one, i >= all.length - MAX_SHOWN))
  const plan: KnownBlock = { type: 'plan', title, tasks }
  const more = steps.length - MAX_SHOWN
  const earlier = more > 0 ? [context([`_${count(more, 'earlier step')}_`])] : []
  const shown = steps.slice(-MAX_SHOWN)
  const simpler = new Map<KnownBlock, KnownBlock[]>([
    [plan, [context([`*${title}*`]), ...earlier, ...tasks.slice(-MAX_SHOWN)]],
    ...shown.map((one, i): [KnownBlock, KnownBlock[]] => [tasks.slice(-MAX_SHOWN)[i]!, [stepBlock(one)]]),
  ])
  return { text: clipSection([title, ...shown.map(lineOf)].join('\n')), blocks: [plan, stopButton(id)], simpler }
}

/** Builds the collapsed card of a run that has ended. `hasFailed`: the run has no answer. */
export function foldedCard(steps: CardStep[], { ms, hasFailed }: { ms: number; hasFailed: boolean }): Content {
  const title = [count(steps.length, 'step'), durationWords(ms), ...(hasFailed ? ['not finished'] : [])].join(', ')
  if (steps.length === 0) return { text: title, blocks: [context([`_${title}_`])] }
  const fits = steps.length <= MAX_SHOWN
  const shown = fits ? steps : steps.slice(0, MAX_SHOWN - 1)
  const rest = fits ? [] : [context([`_${count(steps.length - shown.length, 'more step')}: press Show work_`])]
  const children: ContextBlock[] = [...shown.map(stepBlock), ...rest]
  const container: ContainerBlock = {
    type: 'container',
    title: { type: 'plain_text', text: title },
    is_collapsible: true,
    default_collapsed: true,
    child_blocks: children,
  }
  return {
    text: clipSection([title, ...shown.map(lineOf)].join('\n')),
    blocks: [container],
    simpler: new Map([[container, [context([`*${title}*`]), ...children]]]),
  }
}

function workingTitle(steps: CardStep[]): string {
  const last = steps.at(-1)
  if (!last) return 'Thinking …'
  return isWaiting(last) ? 'Waiting for a person' : `Working: ${count(steps.length, 'step')} so far`
}

/** Returns whether a step waits for a person: an approval or an answer. */
export function isWaiting({ step }: CardStep): boolean {
  return step.kind === 'tool' && step.waiting !== undefined && step.begun === undefined && !step.observation
}

function taskOf({ n, step }: CardStep, isFull: boolean): TaskCardBlock {
  const { observation } = step
  const isDetailed = isFull && step.kind === 'tool'
  const details = isDetailed ? plain(oneLine(shownThought(step)), GIST.max) : ''
  const output = isDetailed ? plain(gistOf(step), GIST.max) : ''
  const status = observation ? 'complete' : isWaiting({ n, step }) ? 'pending' : 'in_progress'
  const sources = isFull ? (observation?.sources ?? []).flatMap(sourceOf).slice(0, SOURCES_A_TASK) : []
  return {
    type: 'task_card',
    task_id: `step-${n}`,
    title: titleOf(step),
    // Never `error`, which shows a red triangle: a tool's ordinary failure is not a fault of the bot.
    status,
    ...(isBlank(details) ? {} : { details: richTextBlock(details) }),
    ...(isBlank(output) ? {} : { output: richTextBlock(output) }),
    ...(sources.length > 0 ? { sources } : {}),
  }
}

/** The title of a task, as plain text. */
function titleOf(step: ToolStep | UnreadableStep): string {
  if (step.kind === 'unreadable') return unreadableTitle(step)
  const { action } = step
  const failed = step.observation?.ok === false ? ' (failed)' : ''
  const written = oneLine(inputForPeople(action.input))
  const title = plain(`${oneLine(actionTitle(action))}${written === '' ? '' : `: ${written}`}`, TITLE_CHARS)
  return `${isBlank(title) ? '…' : cutText(title, TASK_CHARS)}${failed}`
}

function gistOf({ observation }: ToolStep): string {
  return oneLine([observation?.note ?? '', observation?.text ?? ''].join(' '))
}

/** The link to a source that a tool returned; none if its address is unsafe or too long. */
function sourceOf({ title, url }: Source) {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (!address || !/^https?:$/.test(address.protocol) || address.username !== '' || address.password !== '') return []
  if (url.includes('\\') || address.href.length > ADDRESS_CHARS) return []
  const text = plain(oneLine(title), 60)
  return [{ type: 'url' as const, url: address.href, text: isBlank(text) ? address.host : text }]
}

/** A step as one context block: the tool with its input, and its result as plain text, which Slack does not format. */
function stepBlock({ n, step }: CardStep): ContextBlock {
  const { observation } = step
  if (step.kind === 'unreadable')
    return { type: 'context', elements: [plainTextElement(`⚠️ ${n}. ${unreadableTitle(step)}`)] }
  const name = escapeWithin(oneLine(actionTitle(step.action)), { max: 60, maxEscaped: 120 })
  const action = `🔧 ${n}. *${name}* ${codeSpan(cutText(inputForPeople(step.action.input), 120))}`
  const state = isWaiting({ n, step }) ? '⏳ waiting for a person' : '⏳ running …'
  const gist = observation ? `${observation.ok ? '👁' : '⚠️'} ${escapeWithin(gistOf(step), GIST)}` : state
  return {
    type: 'context',
    elements: [{ type: 'mrkdwn', text: action.trimEnd(), verbatim: true }, plainTextElement(gist)],
  }
}

/** A step in the text for notifications and screen readers. */
function lineOf({ n, step }: CardStep): string {
  return `${n}. ${escapeText(titleOf(step))}`
}

function stopButton(id: string): KnownBlock {
  return { type: 'actions', elements: [button(STOP, 'Stop', { value: id })] }
}

function durationWords(ms: number): string {
  return ms < 119_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}

function oneLine(text: string): string {
  return text.slice(0, 5000).replace(/\s+/g, ' ').trim()
}

/** Text for a field that Slack does not format. Anything that looks like a ping or a link is broken up anyway. */
function plain(text: string, max: number): string {
  return withoutLinks(shorten(text, max)).replace(/<(?=[!@#])/g, '‹')
}
