/** Returns whether a tool's name matches an operator's pattern: the exact name, or a prefix followed by `*`. */
export function matchesPattern(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/**
 * Returns whether a tool's name matches an operator's rule, ignoring case, so that a server cannot evade a rule with a
 * name that looks the same. Rules that permit something use `matchesPattern`.
 */
export function matchesRule(name: string, rule: string): boolean {
  return matchesPattern(name.toLowerCase(), rule.toLowerCase())
}
