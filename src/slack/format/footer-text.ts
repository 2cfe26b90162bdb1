import type { Usage } from '../../agent/contracts/model.ts'
import { totalOf } from '../../agent/run-progress.ts'
import { count } from './messages.ts'

/** `2 steps · 3.4 s · gpt-5-mini · 1,234 tokens (800 cached, 120 reasoning) · $0.0021`, with `~` before estimates. */
export function footerText(run: { steps: number; ms: number; usage: Usage[] }): string {
  const { steps, usage } = run
  const { tokens, cachedTokens, reasoningTokens, costUsd } = totalOf(usage)
  const about = usage.some((u) => u.estimated) ? '~' : ''
  const isPriced = usage.length > 0 && usage.every((u) => u.costUsd !== undefined)
  const parts = [
    count(steps, 'step'),
    `${(run.ms / 1000).toFixed(1)} s`,
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
