/** Which addresses a run's tools may open: those that people, files, sources or pages named, and no others. */
import { addressesIn, addressKey } from './address-keys.ts'
import type { Step, ToolStep } from './contracts/run-events.ts'
import type { RunState } from './run-state.ts'

/**
 * Returns whether something else than the model named an address. The model's own texts and those of its earlier
 * answers do not count, nor does a result that only repeats what its call contained.
 */
export function isNamed(run: RunState, url: URL): boolean {
  const key = addressKey(url)
  const { asked, question, said = '', filesText = '', sources = [] } = run.task
  const given = [...(asked ?? [question]), said, filesText, ...sources.map((source) => source.url)]
  return given.some((text) => addressesIn(text).has(key)) || run.progress.steps.some((step) => names(run, step, key))
}

function names({ tools }: RunState, step: Step, key: string): boolean {
  if (step.kind === 'message') return addressesIn(step.text).has(key)
  if (step.kind !== 'tool' || !step.observation?.ok) return false
  const { sources = [], text } = step.observation
  const quotes = tools.find(({ name }) => name === step.action.tool)?.quotes
  const texts = [...sources.map((source) => source.url), ...(quotes ? [text] : [])]
  return texts.some((one) => addressesIn(one).has(key)) && !repeatsInput(step, key)
}

/** A tool may quote its input, or the beginning of it, which the model wrote. */
function repeatsInput({ action: { input } }: ToolStep, key: string): boolean {
  return textsIn(input, 0).some(
    (text) =>
      text.toLowerCase().includes(key.toLowerCase()) || [...addressesIn(text)].some((own) => own.startsWith(key)),
  )
}

const MAX_DEPTH = 20

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  return Object.values(value).flatMap((one) => textsIn(one, depth + 1))
}
