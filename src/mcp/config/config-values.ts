/** Expands `${VAR}` in the values of MCP_CONFIG. */
import type { Env } from '../../config.ts'
import { hasSecretName, secretsIn } from './secret-values.ts'

/** `${NAME}` or `${NAME:-default}`. A default cannot contain `}`. */
const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g

/** Expands texts and remembers the secrets that it saw. */
export interface ValueReader {
  /**
   * Expands one text. `name` is the key of the text. With `isGuarded`, the text may be a secret even if it has no
   * variable and no such name. An empty variable counts as unset.
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
