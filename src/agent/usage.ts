import type { Usage } from './types.ts'

/** What several model calls used together. A call without a price adds nothing to the dollars. */
export function totalOf(usage: readonly Usage[]) {
  const sum = (part: (one: Usage) => number) => usage.reduce((total, one) => total + part(one), 0)
  const inputTokens = sum((one) => one.inputTokens)
  const outputTokens = sum((one) => one.outputTokens)
  return { inputTokens, outputTokens, tokens: inputTokens + outputTokens, costUsd: sum((one) => one.costUsd ?? 0) }
}
