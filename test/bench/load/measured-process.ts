/** A child process that is measured from outside: CPU and memory as counted by the kernel. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface Measured {
  /** The ms of CPU since its start, user and system. */
  cpuMs(): number
  /** The current resident memory and its peak, in MiB. */
  nowMb(): number
  peakMb(): number
  /** The number of open sockets. */
  sockets(): number
  stop(): Promise<void>
  /** Kills it, like a crash. */
  kill(): Promise<void>
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

const TICKS = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100

/** The running processes. They end with a bench that fails. */
const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** Starts `command`. Resolves when it has printed a line with `ready`. */
export async function start(command: string[], env: Record<string, string>): Promise<Measured> {
  const [file = 'node', ...args] = command
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  await readyLine(child)
  const proc = (name: string) => readFileSync(`/proc/${child.pid}/${name}`, 'utf8')
  return {
    cpuMs() {
      const fields = proc('stat').split(') ')[1]?.split(' ') ?? []
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS
    },
    nowMb: () => mebibytes(/VmRSS:\s+(\d+)/.exec(proc('status'))),
    peakMb: () => mebibytes(/VmHWM:\s+(\d+)/.exec(proc('status'))),
    sockets: () => readdirSync(`/proc/${child.pid}/fd`).filter((fd) => isSocket(`/proc/${child.pid}/fd/${fd}`)).length,
    stop: () => end(child),
    kill: () => end(child, 'SIGKILL'),
  }
}

/** A descriptor may have been closed meanwhile. */
function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:')
  } catch {
    return false
  }
}

function mebibytes(kibibytes: RegExpExecArray | null): number {
  return Math.round(Number(kibibytes?.[1] ?? 0) / 1024)
}

function readyLine(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let out = ''
    const take = (data: Buffer) => {
      out += data.toString()
      if (/ready|Ready/.test(out)) resolve()
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${out.slice(-500)}`)))
  })
}

function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.removeAllListeners('exit')
    child.once('exit', () => resolve())
    child.kill(signal)
    setTimeout(() => child.kill('SIGKILL'), 10_000).unref()
  })
}
