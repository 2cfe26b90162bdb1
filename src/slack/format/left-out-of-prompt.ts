import type { Usage } from '../../agent/contracts/model.ts'

/** The parts of the prompts that the model did not read, as lines below the answer. */
export function promptNotes(usage: readonly Usage[]): string[] {
  const leftOut = [...new Set(usage.flatMap((one) => one.leftOut ?? []))]
  const cut = usage.filter(({ sentTokens }) => sentTokens !== undefined)
  const [worst] = cut.toSorted((one, other) => one.inputTokens - other.inputTokens)
  const tokens = (count: number) => count.toLocaleString('en-US')
  return [
    ...(leftOut.length > 0 ? [`✂️ Shortened to fit the model’s limit: ${leftOut.join(', ')}.`] : []),
    ...(worst
      ? [
          `✂️ The model’s server read only ${tokens(worst.inputTokens)} of about ${tokens(worst.sentTokens ?? 0)} tokens, ` +
            'so this answer may miss something. From now on I will send it shorter prompts.',
        ]
      : []),
  ]
}
