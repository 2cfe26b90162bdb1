import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { delimiter, dirname } from 'node:path'
import { deserializeMessage, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { settledWithin } from '../../base/async.ts'
import { LineReader } from '../../base/line-reader.ts'
import { unmarkJson } from '../../base/parse-json.ts'
import { messageOf, ToolError } from '../../base/errors.ts'
import { createIntake, MCP_MAX_BYTES, tooLarge, type Intake } from './bounded-body.ts'
import { markMessage } from './exact-messages.ts'
import type { StdioServerConfig } from '../types.ts'

/** How long a server may take to end after its stdin is closed, and again after SIGTERM. Milliseconds. */
const PATIENCE_MS = 1_000
/** The maximum of our messages that a server may leave unread. Bytes. */
const MAX_UNREAD = 4 * MCP_MAX_BYTES

interface StdioProcessDeps {
  /** Called with each line that the server writes to stderr. */
  onStderr(line: string): void
  /** Called when the process and its children are gone. */
  onEnd(): void
}

/**
 * A stdio server as a transport of the SDK. The SDK's own transport passes on a part of our environment and leaves
 * grandchildren running. This one runs the server in a process group, kills the whole group, and limits its output.
 */
export class StdioProcess implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** The SDK recognizes a stdio transport by these two properties. */
  readonly stderr = null
  readonly #server: StdioServerConfig
  readonly #deps: StdioProcessDeps
  readonly #intake: Intake
  #child: ChildProcess | undefined
  #fault: string | undefined

  constructor(server: StdioServerConfig, deps: StdioProcessDeps) {
    this.#server = server
    this.#deps = deps
    this.#intake = createIntake(server.name)
  }

  get name(): string {
    return this.#server.name
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** Returns a sentence that says why the process is no longer running. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** @throws the system's error if there is no such program */
  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#server
    const child = spawn(command, args, {
      env: { PATH: minimalPath(), ...env },
      cwd,
      stdio: 'pipe',
      detached: true,
      windowsHide: true,
    })
    this.#child = child
    child.on('error', () => {})
    child.stdin.on('error', () => {})
    child.stdout.on('error', () => {})
    this.#readStdout(child.stdout)
    child.stderr.on('error', () => {})
    readStderr(child.stderr, this.#deps.onStderr)
    child.once('exit', (code, signal) => this.#exited(child, code ?? signal))
    child.once('close', () => {
      this.#deps.onEnd()
      this.onclose?.()
    })
    await once(child, 'spawn')
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin?.writable) throw new ToolError(this.#fault ?? `${this.#server.name} is not running.`, { isDown: true })
    if (stdin.writableLength > MAX_UNREAD)
      throw new ToolError(`${this.#server.name} does not read its input.`, { isDown: true })
    this.#intake.restart()
    stdin.write(unmarkJson(serializeMessage(message)))
  }

  /** Ends it and its children: closes stdin, then sends SIGTERM, then SIGKILL. */
  async close(): Promise<void> {
    const child = this.#child
    if (!child || child.pid === undefined) return
    const closed = isOver(child) ? Promise.resolve() : once(child, 'exit')
    child.stdin?.end()
    if (!(await settledWithin(PATIENCE_MS, [closed]))) {
      this.signal('SIGTERM')
      await settledWithin(PATIENCE_MS, [closed])
    }
    this.signal('SIGKILL')
    await settledWithin(PATIENCE_MS, [closed])
  }

  /** Signals the process and its children. */
  signal(name: NodeJS.Signals): void {
    const pid = this.#child?.pid
    if (pid === undefined) return
    try {
      process.kill(-pid, name)
    } catch {
      // The group is gone, or the system has no process groups.
      this.#child?.kill(name)
    }
  }

  /** A server that writes too much is ended, and nothing more is read. */
  #readStdout(stdout: Readable): void {
    const reader = new LineReader(MCP_MAX_BYTES, () => tooLarge(this.#server.name))
    const read = (chunk: Buffer) => {
      try {
        this.#intake.count(chunk.length, 0)
        for (const line of linesIn(reader.push(chunk))) {
          this.#intake.count(0, 1)
          if (line !== '') this.#take(line)
        }
      } catch (error) {
        stdout.off('data', read)
        stdout.resume()
        this.#break(error)
      }
    }
    stdout.on('data', read)
  }

  /** Ignores lines that are not messages: servers print greetings to stdout. */
  #take(line: string): void {
    let message: JSONRPCMessage
    try {
      message = deserializeMessage(markMessage(line))
    } catch {
      this.onerror?.(new Error('a line on stdout is not a protocol message'))
      return
    }
    this.onmessage?.(message)
  }

  #break(error: unknown): void {
    this.#fault = messageOf(error)
    this.signal('SIGKILL')
  }

  /** Kills its children too. A child that left the group keeps the pipes open, so they are closed after a while. */
  #exited(child: ChildProcess, how: number | string | null): void {
    this.#fault ??= `${this.#server.name} ended (${typeof how === 'number' ? `exit code ${how}` : how}).`
    this.signal('SIGKILL')
    const timer = setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }, PATIENCE_MS)
    child.once('close', () => clearTimeout(timer))
  }
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** The usual folders, and the folder of the running Node, because servers are usually started with npx or node. */
function minimalPath(): string {
  const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
  return [...new Set([dirname(process.execPath), ...folders])].join(delimiter)
}

/** Complete lines, without white space at their ends. */
function linesIn(text: string): string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.trimEnd())
}

/** Maximum length of a line of stderr, in characters. The rest is dropped. */
const MAX_STDERR_LINE = 2_000
/** After this many bytes in a second, reading pauses until the next one: stderr cannot keep us busy. */
const STDERR_BURST = 1_000_000

function readStderr(stderr: NonNullable<ChildProcess['stderr']>, onLine: (line: string) => void): void {
  let burst = 0
  const timer = setInterval(() => {
    burst = 0
    stderr.resume()
  }, 1_000).unref()
  const reader = new LineReader(MAX_STDERR_LINE)
  stderr.on('data', (chunk: Buffer) => {
    burst += chunk.length
    if (burst > STDERR_BURST) stderr.pause()
    for (const line of linesIn(reader.push(chunk))) if (line !== '') onLine(line.slice(0, MAX_STDERR_LINE))
  })
  stderr.once('close', () => clearInterval(timer))
}
