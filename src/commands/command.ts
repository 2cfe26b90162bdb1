import { realpathSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { messageOf } from '../base/errors.ts'
import { readEnv, type Env } from '../config.ts'

/** The part of `process.stdin` that commands use. */
interface CommandInput extends Readable {
  isTTY?: boolean
  fd?: number
}

interface CommandOutput extends Writable {
  isTTY?: boolean
  columns?: number
}

/** The input and output of a command. */
export interface CommandIo {
  args: string[]
  /** The folder of `.env`. */
  folder: string
  /** The settings. @throws ConfigError if `.env` cannot be read */
  readEnv(): Env
  stdin: CommandInput
  stdout: CommandOutput
  stderr: CommandOutput
  /** Writes a line to stdout. */
  print(line: string): void
  /** Writes a line to stderr. */
  complain(line: string): void
}

export interface Command {
  usage: string
  /** @returns the exit code */
  run(io: CommandIo): Promise<number>
}

/** Returns whether the arguments of a command ask for its usage. */
export function asksHelp(args: string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}

/** Writes a number with its noun, such as `1 run` or `3 runs`. */
export function countText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Runs a command, or prints its usage. An error becomes one sentence on stderr. @returns the exit code */
export async function runCommand({ usage, run }: Command, io: CommandIo): Promise<number> {
  try {
    if (!asksHelp(io.args)) return await run(io)
    io.print(usage)
    return 0
  } catch (error) {
    io.complain(messageOf(error))
    return 1
  }
}

/**
 * Returns the command of a module. Runs it if Node was started with that module, and then ends the process, which an
 * open connection or terminal would keep running.
 */
export async function mainCommand({ filename }: ImportMeta, usage: string, run: Command['run']): Promise<Command> {
  const command = { usage, run }
  const [, started] = process.argv
  if (started === undefined || realpathSync(started) !== filename) return command
  const { stdin, stdout, stderr, argv } = process
  const args = argv.slice(2)
  const lines = { print: (line: string) => console.log(line), complain: (line: string) => console.error(line) }
  process.exitCode = await runCommand(command, { args, folder: '', readEnv, stdin, stdout, stderr, ...lines })
  stdout.write('', () => process.exit())
  return command
}
