import { answered, type Plan, type Rule } from './plan.ts'

/** Whether this is how an MCP server of files calls its tool for writing, such as `files__write_file`. */
export function isWriteFile(tool: string): boolean {
  return tool.endsWith('__write_file')
}

/**
 * `Write "Buy milk" into list.txt`: the demo's one call that changes something, so that a person can see how such a call waits for
 * them. It applies only where an MCP server has the tool.
 */
export const writeFile: Rule = (asked) => {
  const tool = asked.tools.find(isWriteFile)
  const sentence = /^(?:please )?write ["“]([^"“”\n]{1,300})["”] (?:in|into|to) ([\w./-]{1,200}?)[.!]?$/i
  const [, content, path] = sentence.exec(asked.question.trim()) ?? []
  return tool && content && path ? write({ tool, content, path }) : undefined
}

function* write({ tool, content, path }: { tool: string; content: string; path: string }): Plan {
  const seen = yield {
    thought: `I am to write into ${path}. That changes something, so a person may have to allow it.`,
    tool,
    input: JSON.stringify({ path, content }),
  }
  return answered(`What came of it: ${seen.split('\n')[0] ?? ''}`, 'The observation says what came of it.')
}
