import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../src/package-root.ts'
import type { Ends } from './ends.ts'

/** A command of ours in a process of its own, as a person starts it. */
export interface Command {
  stdin: ChildProcessWithoutNullStreams['stdin']
  stdout(): string
  stderr(): string
  /** Waits until what was printed (on either) holds this. */
  shows(text: string): Promise<void>
  signal(name: NodeJS.Signals): void
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

export interface CommandOptions {
  args?: string[]
  /** All of its environment, besides what a process cannot do without. */
  env?: Record<string, string>
  /** Its working folder; the project's, where left out. */
  cwd?: string
}

/** Starts a TypeScript file of the project. It is ended with the test at the latest. */
export function startCommand(t: Ends, file: string, { args = [], env = {}, cwd = ROOT }: CommandOptions = {}): Command {
  const own = { PATH: process.env.PATH, HOME: process.env.HOME }
  // Not by tsx's own command: it stands between a signal and the process, and kills one that is slow to take it.
  const node = ['--import', import.meta.resolve('tsx'), join(ROOT, file), ...args]
  const child = spawn(process.execPath, node, { cwd, env: { ...own, ...env } })
  let [stdout, stderr] = ['', '']
  const waiting = new Set<() => void>()
  const changed = () => waiting.forEach((check) => check())
  child.stdout.setEncoding('utf8').on('data', (text: string) => ((stdout += text), changed()))
  child.stderr.setEncoding('utf8').on('data', (text: string) => ((stderr += text), changed()))
  const ended = once(child, 'close').then(([code]) => (changed(), { code: code as number | null, stdout, stderr }))
  t.onTestFinished(() => void child.kill('SIGKILL'))
  const shows = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if ((stdout + stderr).includes(text)) resolve()
        else if (child.exitCode !== null) reject(new Error(`it ended without "${text}":\n${stdout}${stderr}`))
        else return
        waiting.delete(check)
      }
      waiting.add(check)
      check()
    })
  return {
    stdin: child.stdin,
    stdout: () => stdout,
    stderr: () => stderr,
    shows,
    signal: (name) => void child.kill(name),
    ended,
  }
}

/** Runs it to its end, with `input` on its stdin. */
export async function runCommand(t: Ends, file: string, options: CommandOptions & { input?: string } = {}) {
  const command = startCommand(t, file, options)
  command.stdin.end(options.input ?? '')
  return command.ended
}

/** An empty folder that goes with the test. */
export async function temporaryFolder(t: Ends): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thinkaloud-test-'))
  t.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
