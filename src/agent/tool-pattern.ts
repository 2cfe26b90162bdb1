/** Whether an operator's pattern means a tool: it is the tool's name, or the beginning of it with `*` behind. */
export function matchesPattern(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
