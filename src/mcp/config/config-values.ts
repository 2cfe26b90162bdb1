/** The values in MCP_CONFIG, with `${VAR}` filled in. */
import type { Env } from '../../config.ts'

/** `${NAME}` or `${NAME:-default}`. A default contains no `}`. */
const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g

/** Fills in texts, and remembers the secrets in them. */
export interface ValueReader {
  /**
   * Returns a text with its variables filled in. An empty variable counts as not set. `name` is the text's key.
   * `isGuarded`: the text may be a secret even if it contains no variable and its name does not say so.
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

/** Decides which values of MCP_CONFIG are secrets. */

/** Returns the secrets in a value that has these names: all of it, or a part. */
function secretsIn(value: string, names: string[]): string[] {
  return partsOf(value).filter((one) => isSecret(one, names))
}

/**
 * Returns a value and the parts of it that may be secrets by themselves: the token of `Bearer …`, what follows
 * `--token=`, the values in an address's query.
 */
function partsOf(value: string): string[] {
  const flag = /^--?[\w-]+=(.+)$/.exec(value)
  if (flag?.[1]) return [value, flag[1]]
  const scheme = /^(?:Bearer|Basic|Token|ApiKey|Key) +(\S+)$/i.exec(value.trim())
  if (scheme?.[1]) return [value.trim(), scheme[1]]
  if (!URL.canParse(value) || !value.includes('://')) return [value]
  const { password, searchParams } = new URL(value)
  return [value, password, decoded(password), ...searchParams.values()].filter((one) => one !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const SECRET_NAME =
  /(?:key|token|secret|pass|pwd|auth|cred|cookie|session|private|signature|dsn|(?:^|[_-])(?:pat|pin|jwt|sas)(?:$|[_-]))/i

function hasSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/**
 * A value is a secret if its name says so, or if its form is not a common harmless one. Hiding `production` or the
 * service's own URL in all results would spoil them.
 */
function isSecret(value: string, names: string[]): boolean {
  if (names.some(hasSecretName)) return value.length >= 4 && !/^(?:true|false|null|none)$/i.test(value)
  return value.length >= 6 && !PLAIN.some((form) => form.test(value))
}

const PLAIN = [
  // Addresses without a password or a query, paths, e-mail addresses, host names.
  /^[a-z][a-z+.-]*:\/\/[^\s@?#]{1,500}$/i,
  /^(?:\.{0,2}|~)\/[\w./ @~-]{0,500}$/,
  /^[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}$/,
  /^[a-z][a-z-]{0,40}(?:\.[a-z][a-z-]{0,40}){1,5}(?::\d{1,5})?$/i,
  // Words, names such as eu-west-1, media types, numbers and versions.
  /^[a-z]{1,14}(?:[ ,._/-]{1,2}(?:[a-z]{1,14}|\d{1,4})){0,12}$/i,
  /^[\d.,:]{1,14}$/,
]
