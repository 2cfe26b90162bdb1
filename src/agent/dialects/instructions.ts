import type { Dialect } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'

/**
 * Appends instructions to the system message of a dialect. They do not change during a run, so prompt caches still hit.
 */
export function withInstructions(dialect: Dialect, words: string): Dialect {
  return {
    ...dialect,
    render(view) {
      const rendered = dialect.render(view)
      return { ...rendered, messages: withWords(rendered.messages, words) }
    },
  }
}

function withWords(messages: Message[], words: string): Message[] {
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: words }, ...messages]
  return [{ ...first, content: `${first.content}\n\n${words}` }, ...rest]
}
