import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Env } from '../../src/config.ts'
import { until } from '../../src/playground/until.ts'
import { ROOT } from '../../src/package-root.ts'
import type { Ends } from './ends.ts'

export interface TestProcess {
  /** Everything that it wrote so far. */
  stdout(): string
  stderr(): string
  /** Types into it. */
  write(text: string): void
  /** Ends its input. */
  close(): void
  signal(name: NodeJS.Signals): void
  /** Waits until it has written what matches, on either stream. */
  says(pattern: RegExp): Promise<RegExpMatchArray>
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>
}

/** An empty folder to start in, so that no `.env` of ours is read. */
export async function emptyFolder(t: Ends): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thinkaloud-'))
  t.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The exit code of a process, once it has ended; what still runs when the test ends is killed. */
export function endOf(t: Ends, child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  t.onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return ended
}

/**
 * Starts a source file of ours as a process of its own, as `npm start` and `npm run cli` do with nothing but an environment.
 * What still runs when the test ends is killed.
 */
export async function startProcess(
  t: Ends,
  file: string,
  options: { env?: Env; cwd?: string; args?: string[] } = {},
): Promise<TestProcess> {
  const { env = {}, args = [] } = options
  const cwd = options.cwd ?? (await emptyFolder(t))
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), join(ROOT, file), ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (data) => (written.stdout += String(data)))
  child.stderr.on('data', (data) => (written.stderr += String(data)))
  child.stdin.on('error', () => {})
  const ended = endOf(t, child)
  return {
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    write: (text) => void child.stdin.write(text),
    close: () => void child.stdin.end(),
    signal: (name) => void child.kill(name),
    says: (pattern) =>
      until(
        () =>
          `${written.stdout}\n${written.stderr}`.match(pattern) ??
          (child.exitCode === null ? undefined : fail(written)),
        String(pattern),
        150_000,
      ),
    ended,
  }
}

function fail(written: { stdout: string; stderr: string }): never {
  throw new Error(`It ended:\n${written.stdout}\n${written.stderr}`)
}
