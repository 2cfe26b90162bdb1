import { readFileSync } from 'node:fs'

type Variables = Record<string, string | undefined>

/**
 * Reads the secrets that `NAME_FILE` gives as files. `NAME` itself wins.
 * @param problems gets a sentence for each file that cannot be read or is empty
 */
export function withSecretFiles(env: Variables, secrets: readonly string[], problems: string[]): Variables {
  const out: Variables = {
    ...env,
    HTTPS_PROXY: env.HTTPS_PROXY ?? env.https_proxy,
    NO_PROXY: env.NO_PROXY ?? env.no_proxy,
  }
  for (const name of secrets) {
    const file = env[`${name}_FILE`]
    if (file === undefined || env[name] !== undefined) continue
    try {
      out[name] = readFileSync(file, 'utf8').trim()
    } catch {
      problems.push(`${name}_FILE cannot be read. Check its path and its permissions.`)
      continue
    }
    if (out[name] === '') problems.push(`${name}_FILE is an empty file. Write the secret into it.`)
  }
  return out
}
