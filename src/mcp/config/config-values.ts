/** The values in MCP_CONFIG, with `${VAR}` filled in. */
import type { Env } from '../../config.ts'
import { hasSecretName, secretsIn } from './secret-values.ts'

/** `${NAME}` or `${NAME:-default}`. A default contains no `}`. */
const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g

/** Fills in texts, and remembers the secrets in them. */
export interface ValueReader {
  /**
   * Returns a text with its variables filled in. `name` is the text's key. `isGuarded`: it may be a secret without
   * coming from a variable and without such a name. An empty variable counts as not set.
   */
  read(text: string, name: string, isGuarded?: boolean): string
  /** Variables that are unset and have no default. */
  missing: Set<string>
  secrets(): string[]
}

export function createValueReader(env: Env): ValueReader {
  const found = new Set<string>()
  const missing = new Set<string>()
  const note = (value: string, names: string[]) => {
    for (const one of secretsIn(value, names)) found.add(one)
  }
  return {
    missing,
    secrets: () => [...found],
    read(text, name, isGuarded = false) {
      const filled = text.replace(VARIABLE, (_, variable: string, fallback: string | undefined) => {
        const value = env[variable] || fallback
        if (value === undefined) missing.add(variable)
        else note(value, [name, variable])
        return value ?? ''
      })
      if (isGuarded || hasSecretName(name)) note(filled, [name])
      return filled
    },
  }
}
