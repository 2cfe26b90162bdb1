import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Ends } from '../harness/ends.ts'

/** A command in a separate process. */
export interface Running {
  pid: number
  /** Returns its output so far, including errors. */
  output(): string
  ended: Promise<number | null>
}

/** Starts a command with only this environment, in its own process group, so that all of it ends with `ends`. */
export function start(
  command: string[],
  at: { cwd: string; env: Record<string, string | undefined>; ends: Ends },
): Running {
  const { PATH, HOME } = process.env
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: at.cwd,
    detached: true,
    env: { PATH, HOME, NODE_ENV: 'production', ...at.env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const pid = child.pid ?? 0
  const isRunning = () => child.exitCode === null && child.signalCode === null
  at.ends.onTestFinished(() => void (isRunning() && process.kill(-pid, 'SIGKILL')))
  return { pid, output: () => output, ended }
}

/** Waits for some output, for a minute at most. @throws Error with the output */
export async function said(running: Running, what: RegExp): Promise<boolean> {
  const ended = running.ended.then(() => true)
  for (let i = 0; i < 600 && !what.test(running.output()); i++) if (await Promise.race([ended, wait(100, false)])) break
  if (what.test(running.output())) return true
  throw new Error(running.output().slice(-500))
}

/** Returns whether SIGTERM ends it with code 0 within half a minute. */
export async function endsWell(running: Running): Promise<boolean> {
  process.kill(innermost(running.pid), 'SIGTERM')
  const code = await Promise.race([running.ended, wait(30_000, 'still running', { ref: false })])
  if (code === 0) return true
  throw new Error(`${code}: ${running.output().slice(-300)}`)
}

/** Returns the process that npm and its shell started, or the process itself. */
function innermost(pid: number): number {
  const [child] = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
  return child ? innermost(Number(child)) : pid
}

/** Runs the work, and then ends everything that it has started, even if it fails. */
export async function withEnds(work: (ends: Ends) => Promise<void>): Promise<void> {
  const all: (() => Promise<unknown> | void)[] = []
  try {
    await work({ onTestFinished: (end) => void all.push(end) })
  } finally {
    for (const end of all.reverse()) await end()
  }
}
