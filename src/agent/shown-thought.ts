import type { ToolStep } from './contracts/run-events.ts'

/** The thought of a step as people see it: the model's words, and its own reasoning marked as such. */
export function shownThought({ thought, reasoning }: Pick<ToolStep, 'thought' | 'reasoning'>): string {
  if (!reasoning) return thought
  return [thought.trim(), `The model’s own reasoning: ${reasoning}`].filter((text) => text !== '').join('\n')
}
