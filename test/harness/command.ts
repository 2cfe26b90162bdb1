import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { until } from '../../playground/base/until.ts'
import { runCommand as runModule, type Command as CommandModule } from '../../src/commands/command.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { readEnv, type Env } from '../../src/config.ts'
import { nodeArgs } from './compiled-sources.ts'
import type { Ends } from './ends.ts'

/** A command that runs in a separate process, as a person starts it. */
export interface Command {
  stdout(): string
  stderr(): string
  /** Types into the command. */
  write(text: string): void
  /** Closes its input. */
  close(): void
  signal(name: NodeJS.Signals): void
  /** Waits until it has written this on either stream. */
  shows(text: string | RegExp): Promise<RegExpMatchArray>
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

export interface CommandOptions {
  args?: string[]
  /** The whole environment, besides what every process needs. */
  env?: Env
  /** Its working folder. Default: an empty one, so that no `.env` is read. */
  cwd?: string
  /** Starts the TypeScript source, as in a checkout. No build contains the demo model. */
  fromSource?: boolean
}

/** Starts a source file as JavaScript, like `npm start`. It is killed if it still runs when the test ends. */
export function startCommand(t: Ends, file: string, options: CommandOptions = {}): Command {
  const { args = [], env = {}, cwd, fromSource } = options
  const own = { PATH: process.env.PATH, HOME: process.env.HOME }
  const child = spawn(process.execPath, [...nodeArgs(file, fromSource), ...args], {
    cwd: cwd ?? emptyFolder(t),
    env: { ...own, ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => {})
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    write: (text) => void child.stdin.write(text),
    close: () => void child.stdin.end(),
    signal: (name) => void child.kill(name),
    shows: (text) =>
      until(() => found({ stdout, stderr, hasEnded: child.exitCode !== null }, text), String(text), 150_000),
    ended: endOf(t, child).then((code) => ({ code, stdout, stderr })),
  }
}

/** Runs the command in this process, which saves starting Node. It gets no signals. */
export function commandHere(t: Ends, file: string, options: CommandOptions = {}): Omit<Command, 'signal'> {
  const { args = [], env = {}, cwd: folder = emptyFolder(t) } = options
  const stdin = new PassThrough()
  let [stdout, stderr, hasEnded] = ['', '', false]
  const run = async () => {
    const { default: command } = (await import(join(ROOT, file))) as { default: CommandModule }
    const code = await runModule(command, {
      ...{ args, folder, stdin, readEnv: () => readEnv(join(folder, '.env'), env) },
      stdout: sink((text) => (stdout += text)),
      stderr: sink((text) => (stderr += text)),
      print: (line) => void (stdout += `${line}\n`),
      complain: (line) => void (stderr += `${line}\n`),
    })
    hasEnded = true
    return { code, stdout, stderr }
  }
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    write: (text) => void stdin.write(text),
    close: () => void stdin.end(),
    shows: (text) => until(() => found({ stdout, stderr, hasEnded }, text), String(text), 150_000),
    ended: run(),
  }
}

function sink(take: (text: string) => void): Writable {
  const write = (text: string, done: () => void) => {
    take(text)
    done()
  }
  return new Writable({ decodeStrings: false, write: (text: string, _, done) => write(text, done) })
}

/** @throws if the command has ended without the text */
function found(command: { stdout: string; stderr: string; hasEnded: boolean }, text: string | RegExp) {
  const all = `${command.stdout}\n${command.stderr}`
  const match = all.match(typeof text === 'string' ? text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : text)
  if (!match && command.hasEnded) throw new Error(`It ended without ${String(text)}:${all}`)
  return match
}

type RunOptions = CommandOptions & { input?: string }

/** Runs a file to its end in a separate process, with `input` on its stdin. */
export async function runCommand(t: Ends, file: string, { input = '', ...options }: RunOptions = {}) {
  return toEnd(startCommand(t, file, options), input)
}

/** Runs a command to its end in this process. */
export async function runHere(t: Ends, file: string, { input = '', ...options }: RunOptions = {}) {
  return toEnd(commandHere(t, file, options), input)
}

function toEnd<T extends Pick<Command, 'write' | 'close' | 'ended'>>(command: T, input: string): T['ended'] {
  command.write(input)
  command.close()
  return command.ended
}

/** Resolves with the exit code of a process. The process is killed if it still runs when the test ends. */
export function endOf(t: Ends, child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve))
  t.onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return ended
}

const PREFIX = join(tmpdir(), 'thinkaloud-test-')

/** Returns an empty folder that is deleted after the test. */
export async function temporaryFolder(t: Ends): Promise<string> {
  const folder = await mkdtemp(PREFIX)
  t.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function emptyFolder(t: Ends): string {
  const folder = mkdtempSync(PREFIX)
  t.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
