import type { Dialect, Message } from '../types.ts'

/** The same dialect, with more words at the end of its prompt's system part: they come before the question and never change in a run. */
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
