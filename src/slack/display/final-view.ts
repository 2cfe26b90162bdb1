import { randomBytes } from 'node:crypto'
import type { Usage } from '../../agent/contracts/model.ts'
import { stepCount, toolsDown, totalOf, workMs, type RunProgress } from '../../agent/run-progress.ts'
import type { Log } from '../../base/log.ts'
import { changeLines } from '../../question/change-lines.ts'
import type { DoneCall } from '../../stores/runs/types.ts'
import type { Mentions } from '../client/mentions.ts'
import type { Outbox } from '../client/outbox.ts'
import type { AnswerView } from '../format/blocks.ts'
import { count, PICTURES_UNSEEN, toolsDownText, usedMemory } from '../format/messages.ts'
import { promptNotes } from '../format/prompt-notes.ts'

export interface FinalText extends Pick<AnswerView, 'text' | 'sources' | 'stopped' | 'gaveUp'> {
  unseen?: true
}

/** What stands below an answer. `warning`: about its figures; `used`: how many remembered texts it uses; `end`: mrkdwn. */
export interface Footnotes {
  warning?: string | undefined
  used?: number
  end?: string
}

interface FinalParts {
  progress: RunProgress
  /** The run's writes; undefined if none of its tools could write. */
  done: DoneCall[] | undefined
  footnotes: Footnotes
  outbox: Outbox
  mentions: Mentions
  hasFullFooter: boolean
  log: Log
  now(): Date
}

/**
 * Returns the parts of an answer's view that are known once it is complete: its text, charts, writes and footer. Logs
 * the tools that were down, with the reference in the footer.
 */
export function finalView({ unseen, ...final }: FinalText, parts: FinalParts) {
  const { progress, footnotes, outbox, mentions, now, hasFullFooter } = parts
  const { steps, usage } = progress
  const { saved } = outbox.run
  const ms = workMs({ steps, startedAt: saved.startedAt }, now().getTime())
  const spent = footerText({ steps: stepCount(steps), ms, usage })
  // A reply to what one person alone sees would be public.
  const end = outbox.isForAsker ? undefined : footnotes.end
  const facts = [hasFullFooter && spent, usedMemory(footnotes.used), end]
  const footer = footerLines([unseen && PICTURES_UNSEEN, ...promptNotes(usage), ...downLines(parts)], facts)
  const { warning } = footnotes
  const series = steps.flatMap((step) => (step.kind === 'tool' ? (step.observation?.series ?? []) : []))
  const done = parts.done && changeLines(parts.done, (user) => mentions.nameOf(user))
  const again = outbox.question.isRepeat ? { againBy: mentions.nameOf(outbox.question.user) } : {}
  return { ...final, ...again, series, footer, spent, ...(warning ? { warning } : {}), ...(done ? { done } : {}) }
}

type MaybeText = string | false | undefined

/** Joins the lines below an answer. The facts share the last one. */
export function footerLines(lines: readonly MaybeText[], facts: readonly MaybeText[]): string {
  return [...lines, facts.filter(Boolean).join(' · ')].filter(Boolean).join('\n')
}

/** Returns footer lines about tools that are down. They are part of the answer because the steps may be hidden. */
function downLines({ progress, outbox, log }: FinalParts): string[] {
  const down = toolsDown(progress.steps)
  if (down.length === 0) return []
  const reference = randomBytes(4).toString('hex')
  const tools = down.map(({ tool }) => tool)
  log.warn({ question: outbox.question.id, reference, tools }, 'answered without tools that are down')
  return [toolsDownText(down, reference)]
}

/** `2 steps · 3.4 s · gpt-5-mini · 1,234 tokens (800 cached, 120 reasoning) · $0.0021`, with `~` before estimates. */
export function footerText({ steps, ms, usage }: { steps: number; ms: number; usage: readonly Usage[] }): string {
  const { tokens, cachedTokens, reasoningTokens, costUsd } = totalOf(usage)
  const about = usage.some((u) => u.estimated) ? '~' : ''
  const isPriced = usage.length > 0 && usage.every((u) => u.costUsd !== undefined)
  const parts = [
    steps > 0 ? count(steps, 'step') : '',
    `${(ms / 1000).toFixed(1)} s`,
    [...new Set(usage.map((u) => u.model))].join(', '),
  ]
  const kinds = [...counted(cachedTokens, 'cached'), ...counted(reasoningTokens, 'reasoning')].join(', ')
  if (tokens > 0) parts.push(`${about}${tokens.toLocaleString('en-US')} tokens${kinds ? ` (${kinds})` : ''}`)
  if (isPriced) parts.push(`${about}$${costUsd.toPrecision(2)}`)
  return parts.filter((part) => part !== '').join(' · ')
}

function counted(tokens: number, kind: string): string[] {
  return tokens > 0 ? [`${tokens.toLocaleString('en-US')} ${kind}`] : []
}
