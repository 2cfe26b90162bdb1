import type { ToolStep } from './contracts/run-events.ts'

/** The thought of a step as people see it: the model's words, and its own reasoning marked as such. */
export function shownThought({ thought, reasoning }: Pick<ToolStep, 'thought' | 'reasoning'>): string {
  if (!reasoning) return thought
  return [thought.trim(), `The model’s own reasoning: ${withoutMarks(reasoning)}`]
    .filter((text) => text !== '')
    .join('\n')
}

/** OpenAI's summaries have headings in Markdown (`**Finding the dates**`). A thought is shown as plain text. */
function withoutMarks(reasoning: string): string {
  return reasoning
    .replace(/^\*\*([^*\n]{1,200})\*\*[ \t]*(?:\n+|$)/gm, '$1. ')
    .replace(/\n{2,}/g, '\n')
    .trim()
}
