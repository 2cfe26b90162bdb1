import type { KnownBlock, MrkdwnElement } from '@slack/web-api'
import type { Action, Observation, Source, StopReason, Usage } from '../../agent/types.ts'
import { inputText } from '../../agent/tool-input.ts'
import { totalOf } from '../../agent/usage.ts'
import { codeSpan, escapeText, escapeWithin, headOf, shorten } from './escape.ts'
import { linkPolicy, renderLink, type LinkPolicy } from './links.ts'
import { toMrkdwn } from './markdown.ts'
import { packPieces } from './split.ts'

/** What one Slack message shows: blocks, and the text for notifications and screen readers. */
export interface Content {
  text: string
  blocks: KnownBlock[]
}

/** Slack's limits (https://docs.slack.dev/reference/block-kit/blocks), with some room. */
const SECTION_CHARS = 2900
const SECTIONS_A_MESSAGE = 4
/** `chat.update` takes 4,000 characters of text, `chat.postMessage` 40,000. */
const TEXT_CHARS = 3900

const THOUGHT = { max: 1200, most: 2800 }
const INPUT_CHARS = 600
const OBSERVATION = { max: 500, most: 2800 }

export interface StepView {
  thought: string
  unreadable?: boolean
  action?: Action
  observation?: Observation
  /** How a follow-up was understood; shown with the first step. */
  understood?: string | undefined
}

/** One reasoning step: the thought, the tool with its input, and the observation once it is there. */
export function stepContent(view: StepView): Content {
  const lines = [
    ...(view.understood ? [understoodLine(view.understood)] : []),
    ...(view.thought ? [`💭 ${escapeWithin(view.thought, THOUGHT)}`] : []),
    ...(view.action ? [actionLine(view.action)] : []),
    observationLine(view),
  ]
  return { text: clip(lines.join('\n')), blocks: lines.map((line, i) => lineBlock(line, i, view)) }
}

/** The thought reads as text; what the machine did stands small and grey below it. */
function lineBlock(line: string, i: number, view: StepView): KnownBlock {
  const isThought = view.thought !== '' && i === (view.understood ? 1 : 0)
  return isThought ? section(line) : context([line])
}

function understoodLine(question: string): string {
  return `_Understood as:_ ${escapeWithin(question, THOUGHT)}`
}

function actionLine({ tool, input }: Action): string {
  return `🔧 *${escapeText(shorten(tool, 80))}* ${codeSpan(inputText(input), INPUT_CHARS)}`.trimEnd()
}

function observationLine({ observation, action, unreadable }: StepView): string {
  if (unreadable) return '⚠️ The model’s output could not be read; it was asked again.'
  if (!observation) return action ? '⏳ running …' : '…'
  return `${observation.ok ? '👁' : '⚠️'} ${escapeWithin(observation.text.trim(), OBSERVATION)}`
}

export interface AnswerView {
  text: string
  sources: Source[]
  stopped?: StopReason | undefined
  /** The text is no answer but what is known. */
  gaveUp?: boolean
  question: string
  understood?: string | undefined
  allowedHosts: string[]
  footer: string
}

/** The final answer: one message, or several where it is too long for one. The last carries the footer. */
export function answerContents(view: AnswerView): Content[] {
  const policy = linkPolicy({
    sources: view.sources.map((s) => s.url),
    question: view.question,
    allowed: view.allowedHosts,
  })
  const texts = packPieces(toMrkdwn(view.text, policy), SECTION_CHARS)
  const head = view.understood ? [understoodLine(view.understood)] : []
  if (view.stopped) head.push(`_${STOPPED[view.stopped]}${view.gaveUp ? '' : ` ${BEST_ANSWER}`}_`)
  const messages = inGroups(texts.length > 0 ? texts : ['(The answer is empty.)'], SECTIONS_A_MESSAGE)
  return messages.map((group, i) => {
    const isLast = i === messages.length - 1
    const blocks = [...(i === 0 && head.length > 0 ? [context(head)] : []), ...group.map(section)]
    return {
      text: clip([...(i === 0 ? head : []), ...group].join('\n\n')),
      blocks: isLast ? [...blocks, ...footerBlocks(view, policy)] : blocks,
    }
  })
}

const STOPPED: Record<StopReason, string> = {
  steps: 'I reached the limit of steps.',
  time: 'I reached the time limit.',
  tokens: 'I reached the token limit.',
  cost: 'I reached the cost limit.',
  loop: 'I was repeating myself and stopped.',
  unreadable: 'The model did not keep to its format and I stopped.',
  stopped: 'I was asked to stop.',
}

const BEST_ANSWER = 'This is my best answer from what I found.'

const SOURCES_SHOWN = 5

function footerBlocks(view: AnswerView, policy: LinkPolicy): KnownBlock[] {
  const links = view.sources
    .slice(0, SOURCES_SHOWN)
    .map((source) => renderLink({ label: shorten(source.title, 80), href: source.url }, policy))
  while (links.join(' · ').length > SECTION_CHARS - 'Sources: '.length) links.pop()
  return [context([...(links.length > 0 ? [`Sources: ${links.join(' · ')}`] : []), escapeText(view.footer)])]
}

/** `2 steps · 3.4 s · gpt-5-mini · 1,234 tokens · $0.0021`, with ~ before what is estimated. */
export function footerText(run: { steps: number; ms: number; usage: Usage[] }): string {
  const { steps, usage } = run
  const { tokens, costUsd } = totalOf(usage)
  const about = usage.some((u) => u.estimated) ? '~' : ''
  const isPriced = usage.length > 0 && usage.every((u) => u.costUsd !== undefined)
  const parts = [
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    `${(run.ms / 1000).toFixed(1)} s`,
    [...new Set(usage.map((u) => u.model))].join(', '),
  ]
  if (tokens > 0) parts.push(`${about}${tokens.toLocaleString('en-US')} tokens`)
  if (isPriced) parts.push(`${about}$${costUsd.toPrecision(2)}`)
  return parts.filter((part) => part !== '').join(' · ')
}

/** Each line of it costs two characters more as a quote. */
const ROOT_QUESTION = { max: 900, most: 1800 }

/** The message that `/ask` opens its thread with. The asker is the one person that may be mentioned. */
export function rootContent(user: string, question: string): Content {
  const quoted = escapeWithin(question.replace(/\n\s*\n/g, '\n'), ROOT_QUESTION).replace(/^/gm, '> ')
  const lines = `<@${user}> asked:\n${quoted}`
  return { text: clip(lines), blocks: [section(lines)] }
}

/** A short word of the bot's own: help, a failure. mrkdwn that the caller has escaped. */
export function noteContent(text: string): Content {
  return { text: clip(text), blocks: [section(text)] }
}

/** The same without its blocks, for a Slack that refuses them: all the words, as long as the method takes them. */
export function withoutBlocks(content: Content, method: 'chat.postMessage' | 'chat.update'): Content {
  const texts = content.blocks.flatMap((block) => {
    if (block.type === 'section') return block.text ? [block.text.text] : []
    return block.type === 'context'
      ? block.elements.flatMap((element) => ('text' in element ? [element.text] : []))
      : []
  })
  return { text: method === 'chat.update' ? content.text : texts.join('\n\n'), blocks: [] }
}

function section(text: string): KnownBlock {
  return { type: 'section', expand: true, text: mrkdwn(text) }
}

function context(texts: string[]): KnownBlock {
  return { type: 'context', elements: texts.map(mrkdwn) }
}

/** `verbatim`: Slack makes no links or pings of its own from what it finds in the text. */
function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true }
}

function clip(text: string): string {
  return text.length > TEXT_CHARS ? `${headOf(text, TEXT_CHARS).replace(/[&<][^;>]{0,2500}$/, '')}…` : text
}

function inGroups<T>(items: T[], size: number): T[][] {
  return items.length <= size ? [items] : [items.slice(0, size), ...inGroups(items.slice(size), size)]
}
