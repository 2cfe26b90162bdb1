import type { KnownBlock } from '@slack/web-api'
import type { StopReason, Usage } from '../../agent/types.ts'
import { totalOf } from '../../agent/usage.ts'
import { clip, context, section, understoodLine, type AnswerView, type Content } from './blocks.ts'
import { parseMarkdown } from './bounded-lexer.ts'
import { escapeText, headOf, isBlank, shorten } from './escape.ts'
import { linkPolicy, renderLink, type LinkPolicy } from './links.ts'
import { fence, toMrkdwn, type Piece, type RenderLink } from './markdown.ts'

/** Slack's limits (https://docs.slack.dev/reference/block-kit/blocks), with some room. */
const SECTION_CHARS = 2900
const SECTIONS_A_MESSAGE = 4
const MESSAGES_AN_ANSWER = 5
/** Of an answer in Markdown so much is read: a little more than fits into its messages. */
const ANSWER_CHARS = 60_000

/** The final answer: one message, or several where it is too long for one. The last carries the footer. */
export function answerContents(view: AnswerView): Content[] {
  const link = linkWriter(view)
  const texts = packPieces(piecesOf(view.text, link), SECTION_CHARS)
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
      blocks: isLast ? [...blocks, ...cut.map((line) => context([line])), ...footerBlocks(view, link)] : blocks,
    }
  })
}

/** Writes the links of one answer. Which of them open is worked out at the first. */
function linkWriter({ sources, question, allowedHosts: allowed }: AnswerView): RenderLink {
  let policy: LinkPolicy | undefined
  return (link) =>
    renderLink(link, (policy ??= linkPolicy({ sources: sources.map(({ url }) => url), question, allowed })))
}

function piecesOf(markdown: string, link: RenderLink): Piece[] {
  return toMrkdwn(parseMarkdown(headOf(markdown, ANSWER_CHARS)), link)
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

function footerBlocks(view: AnswerView, link: RenderLink): KnownBlock[] {
  const links = view.sources
    .slice(0, SOURCES_SHOWN)
    .map((source) => link({ label: shorten(source.title, 80), href: source.url }))
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

/**
 * Packs pieces into texts of at most `max` characters: whole pieces where they fit, else split at lines, sentences or
 * words. A code block that must be split becomes several whole ones. Nothing is lost and no entity or link is cut in two.
 */
export function packPieces(pieces: Piece[], max: number): string[] {
  const out: string[] = []
  for (const piece of pieces.flatMap((p) => splitPiece(p, max))) {
    const last = out.at(-1)
    if (last !== undefined && last.length + 2 + piece.length <= max) out[out.length - 1] = `${last}\n\n${piece}`
    else out.push(piece)
  }
  return out
}

function splitPiece(piece: Piece, max: number): string[] {
  if (piece.kind === 'code') return splitText(piece.text, max - FENCE, ['\n']).map(fence)
  return splitText(piece.text, max, ['\n', '. ', '。', ' '])
}

const FENCE = fence('').length

function splitText(text: string, max: number, places: string[]): string[] {
  const out: string[] = []
  let rest = text
  while (rest.length > max) {
    const at = cutAt(rest, max, places)
    out.push(rest.slice(0, at).trimEnd())
    rest = places.includes(' ') ? withoutGap(rest.slice(at)) : rest.slice(at).replace(/^\n/, '')
  }
  return [...out, rest].filter((part) => !isBlank(part))
}

/** A new text begins with words; the indent of a new line is kept. */
function withoutGap(text: string): string {
  return text.startsWith('\n') ? text.replace(/^\s*\n/, '') : text.trimStart()
}

/** The last good place before `max`: not in the first third, where it would leave a stub. */
function cutAt(text: string, max: number, places: string[]): number {
  const window = text.slice(0, max)
  for (const place of places) {
    const at = window.lastIndexOf(place)
    if (at > max / 3 && !insideMark(text, at + place.length)) return at + (place === '\n' ? 0 : place.length)
  }
  const mark = markStart(text, max)
  return mark > 0 ? mark : isLowSurrogate(text, max) ? max - 1 : max
}

/** Whether a cut here would fall inside `<link|label>` or `&entity;`. */
function insideMark(text: string, at: number): boolean {
  return markStart(text, at) >= 0
}

/** Where the `<link|label>` or `&entity;` begins in which a cut here would fall; -1 where it would fall in none. */
function markStart(text: string, at: number): number {
  const from = Math.max(0, at - MARK_CHARS)
  const before = text.slice(from, at)
  const open = before.lastIndexOf('<')
  if (open >= 0 && before.indexOf('>', open) < 0) return from + open
  const entity = /&[a-z]{0,4}$/.exec(before.slice(-5))
  return entity ? at - entity[0].length : -1
}

/** More than the longest link has. */
const MARK_CHARS = 2500

function isLowSurrogate(text: string, at: number): boolean {
  return text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) <= 0xdfff
}
