/**
 * Files as text, parsed in worker threads: what a hostile file does to its parser ends that worker and nothing else.
 * The heap is bounded by Node. Buffers lie outside of it, so the growth of the whole process is watched meanwhile.
 */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { fileTypeOf } from './file-type.ts'
import { PARSE_LIMITS } from './parse-limits.ts'
import type { ToParse } from './parsers/parser.ts'
import type { FileBytes, ParseLimits, ParseOutcome } from './types.ts'

/** How often the memory is looked at. A parser writes some 25 MB between two looks. */
const LOOK_MS = 25
const MEBIBYTE = 1024 * 1024

const TOO_LARGE = 'The file needs more memory than a file may take here, so it was not read. A part of it may be.'

export interface FileParser {
  /** Never throws for what is in the file. Rejects with the signal's reason when it is aborted. */
  parse(file: FileBytes, signal?: AbortSignal): Promise<ParseOutcome>
}

/** @param atOnce so many workers at a time; further files wait. */
export function createFileParser({ limits = PARSE_LIMITS, atOnce = 2 } = {}): FileParser {
  const waiting: (() => void)[] = []
  let working = 0
  const turn = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(go), 1)
        reject(signal?.reason)
      }
      waiting.push(go)
      signal?.addEventListener('abort', leave, { once: true })
    })
  return {
    parse: async (file, signal) => {
      const type = fileTypeOf(file)
      if ('fault' in type) return { fault: type.fault }
      if ('picture' in type) return { fault: 'A picture holds no text that is read here.' }
      signal?.throwIfAborted()
      if (working >= atOnce) await turn(signal)
      else working += 1
      try {
        return await parseInWorker({ ...file, ...type, limits }, signal)
      } finally {
        const next = waiting.shift()
        if (next) next()
        else working -= 1
      }
    },
  }
}

/** The worker beside this file: JavaScript in the built output, TypeScript in the sources, which Node 20 reads with tsx alone. */
function workerFile(): { file: URL | string; eval?: true } {
  if (!import.meta.url.endsWith('.ts')) return { file: new URL('./parse-worker.js', import.meta.url) }
  const tsx = new URL(
    './dist/esm/api/index.mjs',
    pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json')),
  )
  const { href } = new URL('./parse-worker.ts', import.meta.url)
  return { file: `import('${tsx.href}').then(({ register }) => (register(), import('${href}')))`, eval: true }
}

async function parseInWorker(toParse: ToParse, signal?: AbortSignal): Promise<ParseOutcome> {
  signal?.throwIfAborted()
  const { limits } = toParse
  const { file, ...how } = workerFile()
  const worker = new Worker(file, {
    ...how,
    workerData: toParse,
    execArgv: [],
    // A parser has no use for the bot's secrets.
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 32 },
  })
  const ends = watch(worker, limits, signal)
  try {
    return await ends.outcome
  } finally {
    ends.stop()
    await worker.terminate()
  }
}

/** The outcome is whatever comes first: the worker's word, its end, the end of its time or its memory, an abort. */
function watch(worker: Worker, limits: ParseLimits, signal?: AbortSignal) {
  const before = process.memoryUsage.rss()
  const { promise, resolve, reject } = withResolvers<ParseOutcome>()
  const seconds = Math.ceil(limits.timeoutMs / 1000)
  const late = `The file takes more than ${seconds} seconds to read, so it was not read. A part of it may be.`
  const timer = setTimeout(() => resolve({ fault: late }), limits.timeoutMs)
  const look = setInterval(() => {
    if (process.memoryUsage.rss() - before > limits.memoryMb * MEBIBYTE) resolve({ fault: TOO_LARGE })
  }, LOOK_MS)
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  worker.once('message', (outcome: ParseOutcome) => resolve(outcome))
  // Any other error is not the file's: the worker could not be started.
  worker.once('error', (error) => (isOutOfMemory(error) ? resolve({ fault: TOO_LARGE }) : reject(error)))
  worker.once('exit', () => resolve({ fault: 'The file could not be read: its reader stopped.' }))
  const stop = () => {
    clearTimeout(timer)
    clearInterval(look)
    signal?.removeEventListener('abort', abort)
  }
  return { outcome: promise, stop }
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<Value>((onValue, onReason) => {
    resolve = onValue
    reject = onReason
  })
  return { promise, resolve, reject }
}
