import { spawn, spawnSync } from 'node:child_process'
import { until } from '../../playground/base/until.ts'
import { nodeArgs } from './compiled-sources.ts'
import { endOf } from './command.ts'
import type { Ends } from './ends.ts'
import { describeWith } from './programs.ts'

/** The `script` of util-linux, which Debian always has. It gives a command its own terminal. */
const hasScript = /util-linux/.test(String(spawnSync('script', ['--version']).stdout))
const PROGRAM = { commands: ['script'], from: 'bsdutils' }

/** For tests that need a pseudo-terminal. They are skipped if there is none, except in CI. */
export const describeWithTerminal = describeWith(PROGRAM, hasScript)

export interface TestTerminal {
  /** Returns the whole output so far, including the terminal's echo. */
  screen(): string
  /** Types keys; `\r` is Enter, `\u0003` is Ctrl+C. */
  type(keys: string): void
  /** Waits until new output matches, and consumes it up to there. */
  shows(text: string | RegExp): Promise<string>
  ended: Promise<number | null>
}

/**
 * Starts a source file in a pseudo-terminal, as a person does. `after` is a shell command that runs in the same
 * terminal afterwards. `columns` is the terminal's width; without it the terminal has none.
 */
export function startInTerminal(
  t: Ends,
  file: string,
  {
    cwd,
    env = {},
    args = [],
    after = '',
    columns,
  }: { cwd: string; env?: Record<string, string>; args?: string[]; after?: string; columns?: number },
): TestTerminal {
  const words = [process.execPath, ...nodeArgs(file), ...args]
  const command = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const own = { PATH: process.env.PATH, SHELL: '/bin/sh', TERM: 'xterm' }
  const size = columns === undefined ? '' : `stty cols ${columns}; `
  const line = size + (after === '' ? `exec ${command}` : `${command}; code=$?; ${after}; exit $code`)
  const child = spawn('script', ['-qfec', line, '/dev/null'], { cwd, env: { ...own, ...env } })
  let [screen, read] = ['', 0]
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (screen += text))
  child.stdin.on('error', () => {})
  return {
    screen: () => screen,
    type: (keys) => void child.stdin.write(keys),
    async shows(text) {
      const find = () => {
        const found =
          typeof text === 'string' ? { 0: text, index: screen.indexOf(text, read) } : text.exec(screen.slice(read))
        if (found && found.index >= 0)
          return {
            end: typeof text === 'string' ? found.index + text.length : read + found.index + found[0].length,
            word: found[0],
          }
        if (child.exitCode !== null) throw new Error(`It ended without ${String(text)}:\n${screen}`)
        return undefined
      }
      const found = await until(find, `${String(text)} in\n${screen}`, 150_000)
      read = found.end
      return found.word
    },
    ended: endOf(t, child),
  }
}
