import type { Usage } from '../../agent/contracts/model.ts'
import type { Step } from '../../agent/contracts/run-events.ts'
import { stepCount, toolsDown, totalOf, workMs, type RunProgress } from '../../agent/run-progress.ts'
import type { Log } from '../../base/log.ts'
import { changeLines } from '../../question/change-lines.ts'
import type { DoneCall } from '../../stores/runs/types.ts'
import type { AnswerView } from '../format/blocks.ts'
import { count, newReference, PICTURES_UNSEEN, toolsDownText, usedMemory } from '../format/messages.ts'
import { promptNotes } from '../format/left-out-of-prompt.ts'
import type { ShownRun } from './types.ts'

export interface FinalText extends Pick<AnswerView, 'text' | 'sources' | 'stopped' | 'gaveUp'> {
  unseen?: true
}

/**
 * The lines below an answer. `warning`: about its figures; `used`: how many remembered texts it uses; `end`: mrkdwn.
 */
export interface Footnotes {
  warning?: string | undefined
  used?: number
  end?: string
}

/**
 * Returns the parts of an answer's view that are known once it is complete: its text, charts, writes and footer. Logs
 * the tools that were down, with the reference in the footer. `calls`: the run's writes; undefined if none of its tools
 * could write.
 */
export function finalView(
  { unseen, ...final }: FinalText,
  { outbox, mentions, settings, now }: ShownRun,
  { steps, usage }: RunProgress,
  calls: readonly DoneCall[] | undefined,
  footnotes: Footnotes,
) {
  const { saved } = outbox.run
  const ms = workMs({ steps, startedAt: saved.startedAt }, now().getTime())
  const spent = footerText({ steps: stepCount(steps), ms, usage })
  // A reply to what one person alone sees would be public.
  const end = outbox.isForAsker ? undefined : footnotes.end
  const facts = [settings.hasFullFooter && spent, usedMemory(footnotes.used), end]
  const footer = footerLines([unseen && PICTURES_UNSEEN, ...promptNotes(usage), ...downLines(steps, outbox.log)], facts)
  const { warning } = footnotes
  const series = steps.flatMap((step) => (step.kind === 'tool' ? (step.observation?.series ?? []) : []))
  const done = calls && changeLines(calls, (user) => mentions.nameOf(user))
  const again = outbox.question.isRepeat ? { againBy: mentions.nameOf(outbox.question.user) } : {}
  return { ...final, ...again, series, footer, spent, warning, done }
}

type MaybeText = string | false | undefined

/** Joins the lines below an answer. The facts share the last one. */
export function footerLines(lines: readonly MaybeText[], facts: readonly MaybeText[]): string {
  return [...lines, facts.filter(Boolean).join(' · ')].filter(Boolean).join('\n')
}

/** Returns footer lines about tools that are down. They are part of the answer because the steps may be hidden. */
function downLines(steps: readonly Step[], log: Log): string[] {
  const down = toolsDown(steps)
  if (down.length === 0) return []
  const reference = newReference()
  const tools = down.map(({ tool }) => tool)
  log.warn({ reference, tools }, 'answered without tools that are down')
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
