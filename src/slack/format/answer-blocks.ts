import type { KnownBlock } from '@slack/web-api'
import type { StopReason, Usage } from '../../agent/types.ts'
import { totalOf } from '../../agent/run-progress.ts'
import { clip, context, section, understoodLine, type AnswerView, type Content } from './blocks.ts'
import { parseMarkdown } from './bounded-lexer.ts'
import { escapeText, headOf, shorten } from './escape.ts'
import { linkPolicy, renderLink, type LinkPolicy } from './links.ts'
import { toMrkdwn } from './markdown.ts'
import { packPieces } from './split.ts'

/** Slack's limits (https://docs.slack.dev/reference/block-kit/blocks), with some room. */
const SECTION_CHARS = 2900
const SECTIONS_A_MESSAGE = 4
const MESSAGES_AN_ANSWER = 5
/** Of an answer in Markdown so much is read: a little more than fits into its messages. */
const ANSWER_CHARS = 60_000

/** The final answer: one message, or several where it is too long for one. The last carries the footer. */
export function answerContents(view: AnswerView): Content[] {
  const policy = linkPolicy({
    sources: view.sources.map((s) => s.url),
    question: view.question,
    allowed: view.allowedHosts,
  })
  const texts = packPieces(piecesOf(view.text, policy), SECTION_CHARS)
  const head = view.understood ? [understoodLine(view.understood)] : []
  if (view.stopped) head.push(`_${STOPPED[view.stopped]}${view.gaveUp ? '' : ` ${BEST_ANSWER}`}_`)
  const messages = inGroups(texts.length > 0 ? texts : ['(The answer is empty.)'], SECTIONS_A_MESSAGE)
  const cut = cutLine(view, messages.slice(MESSAGES_AN_ANSWER).flat())
  const sent = messages.slice(0, MESSAGES_AN_ANSWER)
  return sent.map((group, i) => {
    const isLast = i === sent.length - 1
    const blocks = [...(i === 0 && head.length > 0 ? [context(head)] : []), ...group.map(section)]
    return {
      text: clip([...(i === 0 ? head : []), ...group].join('\n\n')),
      blocks: isLast ? [...blocks, ...cut.map((line) => context([line])), ...footerBlocks(view, policy)] : blocks,
    }
  })
}

function piecesOf(markdown: string, policy: LinkPolicy) {
  return toMrkdwn(parseMarkdown(headOf(markdown, ANSWER_CHARS)), (link) => renderLink(link, policy))
}

/** Says how much of an answer is not shown, where that is so. */
function cutLine(view: AnswerView, rest: string[]): string[] {
  const more = Math.max(0, view.text.length - ANSWER_CHARS) + rest.reduce((sum, text) => sum + text.length, 0)
  if (more === 0) return []
  return [
    `✂️ _This answer is too long for Slack: about ${more.toLocaleString('en-US')} more characters are not shown._`,
  ]
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

function inGroups<T>(items: T[], size: number): T[][] {
  return items.length <= size ? [items] : [items.slice(0, size), ...inGroups(items.slice(size), size)]
}
