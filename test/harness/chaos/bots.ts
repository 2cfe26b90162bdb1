import { setTimeout as wait } from 'node:timers/promises'
import { ROOT } from '../../../src/base/package-root.ts'
import { said, start, type Running } from '../../ci/started-process.ts'
import type { Ends } from '../ends.ts'

/** One process of the built bot. */
export interface BotProcess extends Running {
  role: string
  port: number
  /** Resolves when it reports that it is ready. @throws with its output if it ended instead */
  ready: Promise<unknown>
  /** Sends SIGKILL, and waits for its end. */
  kill(): Promise<void>
  /** Send SIGSTOP and SIGCONT. */
  freeze(): void
  thaw(): void
  /** Sends SIGTERM. Resolves with its exit code and how long it took, in ms. */
  stop(): Promise<{ code: number | null; ms: number }>
  isAlive(): boolean
  /** Returns the HTTP status of one of its paths. */
  status(path: string): Promise<number>
  /** The times at which it was killed or frozen, by performance.now(). */
  interruptedAt: number[]
  /**
   * Returns the times at which it released runs (after SIGTERM, or without its lease), from its log, by
   * performance.now().
   */
  cutAt(): number[]
}

/** The time to wait for its end. SHUTDOWN_MS is less. */
const END_MS = 40_000

/** Starts `node dist/src/main.js` with only this environment. */
export function startBotProcess(env: Record<string, string>, ends: Ends): BotProcess {
  const running = start([process.execPath, 'dist/src/main.js'], { cwd: ROOT, env, ends })
  const signal = (name: NodeJS.Signals) => void process.kill(running.pid, name)
  const interruptedAt: number[] = []
  const interrupt = (name: NodeJS.Signals) => {
    interruptedAt.push(performance.now())
    signal(name)
  }
  const ready = said(running, /is ready/)
  ready.catch(() => undefined)
  return {
    ...running,
    role: env.ROLE ?? 'all',
    port: Number(env.PORT),
    ready,
    async kill() {
      interrupt('SIGKILL')
      await running.ended
    },
    freeze: () => interrupt('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async stop() {
      const from = performance.now()
      if (isAlive(running.pid)) signal('SIGTERM')
      const code = await Promise.race([running.ended, wait(END_MS, null, { ref: false })])
      return { code, ms: performance.now() - from }
    },
    isAlive: () => isAlive(running.pid),
    status: async (path) => (await fetch(`http://127.0.0.1:${env.PORT}${path}`)).status,
    interruptedAt,
    cutAt: () =>
      [...running.output().matchAll(/"time":"([^"]+)".*"msg":"(?:shutdown timeout|lease lost)/g)].map(
        ([, time = '']) => Date.parse(time) - performance.timeOrigin,
      ),
  }
}

/** Returns whether a process of the group that it leads still runs. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}
