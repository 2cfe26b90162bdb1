import { defuseLabels } from './observation.ts'
import type { Step } from './types.ts'

/**
 * A model that was told to answer and wrote plain prose has answered, whatever the form. Empty when the text holds any of
 * the scaffolding (labels, JSON blobs), which no person should see.
 */
export function plainWords(text: string, beginsObservation: (line: string) => boolean): string {
  const words = text.trim()
  const scaffolded =
    defuseLabels(words) !== words || /^[\s`]*(json)?\s*[{[]/i.test(words) || words.split('\n').some(beginsObservation)
  return scaffolded ? '' : words
}

/** What a run that ends without an answer has found, in plain words. */
export function partialAnswer(steps: Step[]): string {
  const found = steps.filter((step) => step.action && step.observation?.ok).slice(-3)
  if (found.length === 0) return 'I could not get to an answer, and I found nothing that would help.'
  const lines = found.map((step) => `- ${step.action!.tool}: ${shorten(step.observation!.text)}`)
  return `I could not get to an answer. This is what I found:\n${lines.join('\n')}`
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
