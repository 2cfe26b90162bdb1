/**
 * Records what each run exchanges with models and tools (RUN_TRACES), by observing the seams: the queue's handler, the
 * models, the calls of tools, the events, the archive.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Tool } from '../agent/contracts/tool.ts'
import type { RunArchive, RunRecord } from '../stores/archive/types.ts'
import { LeaseLost, messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { HandleOutcome, Handler } from '../queue/types.ts'
import type { RunTrace, TracedModelCall, TracedToolCall } from '../stores/runs/run-trace.ts'
import type { Run } from '../stores/runs/types.ts'
import { Recording } from './run-trace-recording.ts'
import { withoutSearchResults } from './strip-search-results.ts'
import type { CallEnd, ModelObserver } from './observed-model.ts'
import type { MeasuredCall } from './telemetry-event.ts'
import type { RunObserver } from './run-observers.ts'

export interface RunRecorderOptions {
  archive: RunArchive
  /**
   * Whether the archive outlives this process. A trace is then saved as it grows, for the process that continues the
   * run.
   */
  durable: boolean
  /** Texts that no trace may contain (`secretsOf`, config.ts). */
  secrets: string[]
  log: Log
  now(): number
  /** Called with the trace so far when a call begins or ends, and when the run ends. */
  onTrace?: ((trace: RunTrace) => void) | undefined
}

export interface RunRecorder {
  handler(handler: Handler): Handler
  /** Observes the calls of models. A fallback's calls are separate ones. */
  readonly modelCalls: ModelObserver
  tool(tool: Tool, step: number): Tool
  /** Observes the run that the running code works on. */
  runObserver(): RunObserver | undefined
  /** The archive, which also keeps the trace of a run whose record is kept. */
  readonly archive: RunArchive
}

/** A run that this process works on. */
interface RecordedRun {
  recording: Recording
  keeper: TraceKeeper
  /** The tool that runs now. */
  tool?: TracedToolCall
}

export function createRunRecorder(options: RunRecorderOptions): RunRecorder {
  const current = new AsyncLocalStorage<RecordedRun>()
  return {
    handler: (handler) => async (question, run, signal) => {
      const keeper = new TraceKeeper(question.id, run, options)
      const recording = new Recording(question, run.saved, {
        before: await keeper.before(),
        secrets: options.secrets,
        now: options.now,
        onChange: (recording, change) => keeper.change(recording, change),
      })
      const work = { recording, keeper }
      let result: HandleOutcome | 'thrown' = 'thrown'
      try {
        return (result = await current.run(work, () => handler(question, run, signal)))
      } finally {
        await keeper.leave(recording, result === undefined && !signal.aborted)
      }
    },
    modelCalls: (call) => recordedCall(call, current.getStore()),
    tool: (tool, step) => watchedTool(tool, step, current),
    runObserver() {
      const work = current.getStore()
      return work && { note: (event) => work.recording.note(event) }
    },
    archive: {
      ...options.archive,
      async keep(record) {
        await options.archive.keep(record)
        const work = current.getStore()
        await work?.keeper.finish(work.recording, record)
      },
    },
  }
}

function recordedCall(call: MeasuredCall, work: RecordedRun | undefined): ReturnType<ModelObserver> {
  if (!work) return undefined
  const { recording, tool } = work
  const traced = recording.beginModel(call.model, call.request, tool)
  return (end) => recording.endModel(traced, partsOf(call, end))
}

function partsOf(call: MeasuredCall, { thrown, isCut }: CallEnd): Partial<TracedModelCall> {
  const { text, reasoning, toolCalls, firstMs, retries, usages: usage } = call
  const output = { text, reasoning: reasoning || undefined, toolCalls: toolCalls.length > 0 ? toolCalls : undefined }
  const error = thrown && messageOf(thrown.error)
  return { output, usage, firstMs, retries: retries || undefined, isCut: isCut || undefined, error }
}

function watchedTool(tool: Tool, step: number, here: AsyncLocalStorage<RecordedRun>): Tool {
  const work = here.getStore()
  if (!work) return tool
  const { recording } = work
  return {
    ...tool,
    async run(input, context) {
      const call = recording.beginTool(tool.name, step, input)
      try {
        const output = await here.run({ ...work, tool: call }, () => tool.run(input, context))
        recording.endTool(call, { output })
        return output
      } catch (error) {
        recording.endTool(call, { error })
        throw error
      }
    },
  }
}

/** Saves the trace of one run. Errors are logged: no question fails because of its trace. */
class TraceKeeper {
  readonly #id: string
  readonly #run: Run
  readonly #options: RunRecorderOptions
  #isKept = false
  #isDue = false
  #keeping: Promise<void> | undefined

  constructor(id: string, run: Run, options: RunRecorderOptions) {
    this.#id = id
    this.#run = run
    this.#options = options
  }

  /** Returns what earlier attempts recorded. */
  async before(): Promise<RunTrace | undefined> {
    const { attempts, steps } = this.#run.saved
    if (attempts <= 1 && steps.length === 0) return undefined
    return this.#options.archive.loadTrace(this.#id).catch(this.#failed)
  }

  change(recording: Recording, change: 'begun' | 'ended'): void {
    this.#report(() => recording.trace)
    if (change === 'begun' || !this.#options.durable) return
    this.#isDue = true
    this.#keeping ??= this.#keepDue(recording).finally(() => (this.#keeping = undefined))
  }

  async finish(recording: Recording, record: RunRecord): Promise<void> {
    recording.finish(record)
    const trace = withoutSearchResults({ ...recording.trace, posts: { ...record.posts } })
    this.#isDue = false
    await this.#keeping
    await this.#keep(trace)
    this.#isKept = true
    this.#report(() => trace)
  }

  /**
   * Called when this process stops working on the run. `isOver`: the run has ended. If its record was not kept, as for
   * a withdrawn question, neither is its trace.
   */
  async leave(recording: Recording, isOver: boolean): Promise<void> {
    if (this.#isKept || recording.isEmpty) return
    this.#isDue = false
    await this.#keeping
    if (!isOver) await this.#keep(withoutSearchResults(recording.trace))
    else await this.#options.archive.remove(this.#id).catch(this.#failed)
  }

  async #keepDue(recording: Recording): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false
      await this.#keep(withoutSearchResults(recording.trace))
    }
  }

  async #keep(trace: RunTrace): Promise<void> {
    try {
      // Another process may have taken the run over and know more about it.
      await this.#run.checkLease()
      await this.#options.archive.keepTrace(trace)
    } catch (error) {
      if (!(error instanceof LeaseLost)) this.#failed(error)
    }
  }

  #report(trace: () => RunTrace): void {
    const { onTrace } = this.#options
    try {
      onTrace?.(trace())
    } catch (error) {
      this.#failed(error)
    }
  }

  readonly #failed = (error: unknown): undefined =>
    void this.#options.log.warn(
      { question: this.#id, error: messageOf(error) },
      'the trace of a run could not be saved',
    )
}
