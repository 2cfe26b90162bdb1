import { execFileSync } from 'node:child_process'

/**
 * Returns the words of a curl command as a shell parses them, with the variables of `env` expanded. Does not run curl.
 */
export function curlWords(command: string, env: Record<string, string> = {}): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  const words = execFileSync('/bin/sh', ['-c', script], { env: { PATH: '/usr/bin:/bin', ...env }, encoding: 'utf8' })
  return words.split('\0').slice(0, -1)
}

/** Sends the request of such a curl command. */
export function doCurl(command: string, env: Record<string, string> = {}): Promise<Response> {
  const words = curlWords(command, env)
  const after = (option: string) => words.flatMap((word, i) => (words[i - 1] === option ? [word] : []))
  const headers = after('-H').map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const [body] = after('--data-raw')
  const url = words.find((word) => /^https?:/.test(word)) ?? ''
  return fetch(url, { method: after('-X')[0] ?? 'GET', headers, ...(body !== undefined && { body }) })
}
