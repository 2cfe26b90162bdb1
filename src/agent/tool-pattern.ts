/** Whether an operator's pattern means a tool: it is the tool's name, or the beginning of it with `*` behind. */
export function matchesPattern(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/**
 * Whether an operator's rule means a tool, whatever the case of either: a server cannot evade a rule by a name that people read as
 * the same. What loosens a tool goes by `matchesPattern`.
 */
export function matchesRule(name: string, rule: string): boolean {
  return matchesPattern(name.toLowerCase(), rule.toLowerCase())
}
