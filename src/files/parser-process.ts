/**
 * Parses one file in its own process, so that a file that crashes its parser ends only that process. Its memory is
 * bounded from outside, because V8's limit covers only the heap, and not buffers and decoded text.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { deserialize } from 'node:v8'
import { LESS, TOO_LARGE, type ReaderHeader } from './parsers/parser.ts'
import type { QueryOutcome, TableQuery } from './tables/types.ts'
import { MEBIBYTE, type FileBytes, type ParseLimits, type ParseOutcome } from './types.ts'

const SHELL = '/bin/sh'
const MAPS = '/proc/self/maps'

/** Linux counts all writable memory of a process against `ulimit -d`, which a shell can set. */
export const BOUNDED_BY_KERNEL = process.platform === 'linux' && existsSync(SHELL) && existsSync(MAPS)

/**
 * Starts the reader with limits: no core dumps, memory in KiB, CPU seconds. The CPU limit ends a reader whose bot has
 * died. If the machine runs out of memory, the kernel kills the reader first.
 */
const WITHIN_LIMITS =
  'ulimit -c 0; ulimit -d "$1"; ulimit -t "$2"; echo 1000 2>/dev/null >/proc/self/oom_score_adj; shift 2; exec "$@"'
/**
 * KiB that this Node reserves for compiled code. Since Node 24 that is half a gigabyte of writable memory, hardly used,
 * but the kernel counts all of it.
 */
const CODE_KIB = BOUNDED_BY_KERNEL ? reservedForCode() : 0

function reservedForCode(): number {
  const writableCode = readFileSync(MAPS, 'utf8').matchAll(/^([\da-f]+)-([\da-f]+) rwx/gm)
  const sizes = [...writableCode].map(([, from = '', to = '']) => parseInt(to, 16) - parseInt(from, 16))
  return Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1024)
}

/** Threads beside the parser (V8's garbage collection) use CPU time too. */
const CPU_SHARE = 4

/** On a busy machine a reader that did not get its CPU time is waited for, at most this many times its limit. */
const MAX_WAITS = 4
/** The unit of CPU times in `/proc`, which is the same on every Linux. Milliseconds. */
const TICK_MS = 10

/**
 * The part of a reader's memory that is not V8's old generation: Node itself, stacks, the young generation, buffers.
 */
const BESIDE_HEAP_MB = 110
const SEMI_SPACE_MB = 8

/** A result is mostly text. */
const MAX_RESULT_BYTES = 64 * MEBIBYTE

interface ProcessOptions {
  /** `memoryMb` is only for this process. */
  limits: ParseLimits
  isBounded: boolean
  now: () => number
  signal?: AbortSignal | undefined
}

/**
 * Parses a file. A page of a pdf that takes too long is left out.
 * @throws the signal's reason, or an error if no reader starts
 */
export async function parseInProcess(file: FileBytes, options: ProcessOptions): Promise<ParseOutcome> {
  const until = options.now() + options.limits.timeoutMs
  const skippedPages: number[] = []
  for (;;) {
    const outcome = await readOnce(file, options, until - options.now(), { skippedPages })
    if (!('stuckAt' in outcome)) return outcome
    skippedPages.push(outcome.stuckAt)
  }
}

/**
 * Answers a query in a reader of its own.
 * @throws the signal's reason, or an error if no reader starts
 */
export async function queryInProcess({ tables, ...query }: TableQuery, options: ProcessOptions): Promise<QueryOutcome> {
  const file = { name: 'tables', bytes: Buffer.from(JSON.stringify(tables)) }
  const outcome = await readOnce<QueryOutcome>(file, options, options.limits.timeoutMs, { query })
  if ('stuckAt' in outcome || !outcome.fault || !('killed' in outcome)) return outcome as QueryOutcome
  return { fault: 'The query needs too much memory or time. Make it simpler: filter or aggregate first.' }
}

/** The number of the page that took too long. */
interface StuckPage {
  stuckAt: number
}

/** @param timeoutMs how much of the file's time is left */
async function readOnce<Outcome = ParseOutcome>(
  { name, bytes, page }: FileBytes,
  options: ProcessOptions,
  timeoutMs: number,
  more: Pick<ReaderHeader, 'skippedPages' | 'query'>,
): Promise<Outcome | ParseOutcome | StuckPage> {
  const { limits, isBounded, signal } = options
  signal?.throwIfAborted()
  const child = startReader(limits, isBounded)
  const result = resultOf<Outcome>(child)
  const ends = watch(child, options, timeoutMs)
  const header: ReaderHeader = { name, limits, page, watchMb: isBounded ? undefined : limits.memoryMb, ...more }
  // A reader that has ended reads no more. `result` has its outcome.
  child.stdin?.on('error', () => {})
  child.stdin?.write(`${JSON.stringify(header)}\n`)
  child.stdin?.end(bytes)
  try {
    return await Promise.race([ends.outcome, result])
  } finally {
    ends.stop()
    child.kill('SIGKILL')
    await result.catch(() => undefined)
  }
}

function startReader({ memoryMb, timeoutMs }: ParseLimits, isBounded: boolean): ChildProcess {
  const heapMb = Math.max(16, memoryMb - BESIDE_HEAP_MB)
  const node = [
    process.execPath,
    `--max-old-space-size=${heapMb}`,
    `--max-semi-space-size=${SEMI_SPACE_MB}`,
    ...readerFile(),
  ]
  const cpuSeconds = Math.ceil((CPU_SHARE * timeoutMs) / 1000)
  const [command = '', ...args] = isBounded
    ? [SHELL, '-c', WITHIN_LIMITS, SHELL, String(memoryMb * 1024 + CODE_KIB), String(cpuSeconds), ...node]
    : node
  // The environment is empty: a parser needs none of the bot's secrets.
  return spawn(command, args, { env: {}, stdio: ['pipe', 'ignore', 'pipe', 'pipe', 'pipe'], windowsHide: true })
}

/**
 * Returns the reader beside this file: JavaScript in the build, TypeScript in the sources, which Node 20 can only run
 * with tsx.
 */
function readerFile(): string[] {
  const isSource = import.meta.url.endsWith('.ts')
  const reader = fileURLToPath(new URL(isSource ? './parse-worker.ts' : './parse-worker.js', import.meta.url))
  if (!isSource) return [reader]
  return ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href, reader]
}

/** The maximum of a failed reader's error output that is kept. Characters. */
const MAX_STDERR = 2000

/** Returns the reader's outcome, or the way it ended. @throws Error if it was not started */
async function resultOf<Outcome>(child: ChildProcess): Promise<Outcome | ParseOutcome> {
  const chunks: Buffer[] = []
  let length = 0
  let stderr = ''
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > MAX_RESULT_BYTES) child.kill('SIGKILL')
    else chunks.push(chunk)
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-MAX_STDERR)
  })
  await once(child, 'close')
  // V8 ends a process without memory by a signal; a shell reports one as 128 or more.
  const { exitCode, signalCode } = child
  if (signalCode !== null || (exitCode ?? 0) >= 128) return { fault: TOO_LARGE, killed: true }
  if (exitCode !== 0 || length === 0) throw new Error(`The file reader could not start: ${stderr}`)
  return deserialize(Buffer.concat(chunks, length)) as Outcome
}

/** Ends the wait for a reader whose time or page time is up, or for which nobody waits any more. */
function watch(child: ChildProcess, { limits, signal, now }: ProcessOptions, timeoutMs: number) {
  let stop = () => {}
  const outcome = new Promise<ParseOutcome | StuckPage>((resolve, reject) => {
    const [from, seconds] = [now(), Math.ceil(limits.timeoutMs / 1000)]
    const check = () => {
      const owedMs = timeoutMs - cpuMs(child)
      if (owedMs > 0 && now() - from < MAX_WAITS * timeoutMs) timer = setTimeout(check, owedMs)
      else
        resolve({ fault: `The file takes more than ${seconds} seconds to read, so I stopped. ${LESS}`, killed: true })
    }
    let timer = setTimeout(check, timeoutMs)
    let page = 0
    let pageTimer: NodeJS.Timeout | undefined
    child.stdio[4]?.on('data', (begun: Buffer) => {
      page += begun.length
      clearTimeout(pageTimer)
      pageTimer = setTimeout(() => resolve({ stuckAt: page }), limits.pageMs)
    })
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    stop = () => {
      clearTimeout(timer)
      clearTimeout(pageTimer)
      child.stdio[4]?.removeAllListeners('data')
      signal?.removeEventListener('abort', abort)
    }
  })
  return { outcome, stop: () => stop() }
}

/** Returns the CPU time that a process has used, in ms; Infinity if the system does not say. */
function cpuMs({ pid }: ChildProcess): number {
  try {
    // Field 2 is the name, which may contain spaces; 14 and 15 are the user's and the system's time.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return Infinity
  }
}
