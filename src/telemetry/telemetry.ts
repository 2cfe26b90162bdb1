/**
 * Metrics and traces for operators, each on only if its setting is set. Everything here observes a seam (the queue, the
 * models, the events, Slack's calls) and decides nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Tool } from '../agent/contracts/tool.ts'
import { messageOf } from '../base/errors.ts'
import { settledWithin } from '../base/async.ts'
import type { Queue } from '../queue/types.ts'
import type { Config } from '../config.ts'
import type { Log } from '../base/log.ts'
import type { Page } from '../base/http/server.ts'
import { attemptObserver, type RunObserver } from './run-observers.ts'
import type { TelemetryEvent, SlackCallEvent, ReportedEvent } from './telemetry-event.ts'
import type { Attempt } from './question-attempt.ts'
import type { Metrics } from './metrics.ts'
import { modelCallEvent, type ModelObserver } from './observed-model.ts'
import { observedQueue } from './observed-queue.ts'
import type { Traces } from './otel-traces.ts'

/** A run has these tools only if its conversation has files (tools/file-tools.ts). */
const FILE_TOOLS = ['read_file', 'search_file', 'query_table']

export interface Telemetry {
  /** Returns the same queue, which counts, times and traces questions as they are accepted and answered. */
  queue(queue: Queue): Queue
  /** Observes the calls of models. */
  readonly modelCalls: ModelObserver
  /** Observes the run that the running code works on, if it is a question's. `tools`: the known tool names. */
  runObserver(tools: Tool[]): RunObserver | undefined
  /** Reports an event from elsewhere: a call to Slack, a limit, a circuit breaker. */
  note(event: ReportedEvent): void
  /** `/metrics`, if metrics are on. */
  readonly pages: Record<string, () => Promise<Page>>
  /** Sends the remaining traces, within `ms`. */
  stop(ms: number): Promise<void>
}

/** @returns undefined if neither metrics nor traces are on; no library is loaded then */
export async function createTelemetry(config: Config, log: Log, now: () => number): Promise<Telemetry | undefined> {
  const metrics = config.METRICS_PORT === undefined ? undefined : await loadMetrics()
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  const traces = endpoint === undefined ? undefined : await loadTraces(endpoint, config, log, now)
  return metrics || traces ? new Watch(metrics, traces, log, now) : undefined
}

// Both are loaded only when they are needed, so that a bot that measures nothing starts faster and uses less memory.
async function loadMetrics(): Promise<Metrics> {
  const { Metrics } = await import('./metrics.ts')
  return new Metrics()
}

async function loadTraces(endpoint: string, config: Config, log: Log, now: () => number): Promise<Traces> {
  const { Traces } = await import('./otel-traces.ts')
  const { OPENAI_BASE_URL: baseUrl, OPENAI_STREAM: isStreaming, OTEL_CAPTURE_CONTENT: withContent } = config
  return new Traces(endpoint, randomUUID(), { baseUrl, isStreaming, withContent }, log, now)
}

/** Calls that show the asker that the bot is at work. */
const SIGNS_OF_LIFE = new Set(['assistant.threads.setStatus', 'reactions.add', 'chat.postMessage', 'chat.startStream'])

/** Passes events from the seams to the metrics and the traces, whichever are on. */
class Watch implements Telemetry {
  readonly #metrics: Metrics | undefined
  readonly #traces: Traces | undefined
  readonly #log: Log
  readonly #now: () => number
  /** The attempt that the running code belongs to. Through it, models and Slack's client need not know questions. */
  readonly #attempt = new AsyncLocalStorage<Attempt>()
  readonly pages: Telemetry['pages']

  constructor(metrics: Metrics | undefined, traces: Traces | undefined, log: Log, now: () => number) {
    this.#metrics = metrics
    this.#traces = traces
    this.#log = log
    this.#now = now
    this.pages = metrics ? { '/metrics': () => metrics.page() } : {}
  }

  queue(queue: Queue): Queue {
    this.#metrics?.watchQueue(() => queue.stats())
    return observedQueue(queue, {
      receive: (question) => this.#traces?.receive(question),
      during: (attempt, work) => this.#attempt.run(attempt, work),
      note: (event) => this.#record(event),
      now: this.#now,
    })
  }

  readonly modelCalls: ModelObserver = (call) => (end) => this.#record(modelCallEvent(call, end))

  runObserver(tools: Tool[]): RunObserver | undefined {
    const attempt = this.#attempt.getStore()
    if (!attempt) return undefined
    attempt.hasAgentRun = true
    const watch = {
      tools: new Set([...tools.map(({ name }) => name), ...FILE_TOOLS]),
      note: (event: TelemetryEvent) => this.#record(event),
      now: this.#now,
    }
    return { ...attemptObserver(attempt, watch), end: this.#traces?.invoke(attempt) }
  }

  note(event: ReportedEvent): void {
    if (event.kind === 'slack') this.#noteSign(event)
    this.#record(event)
  }

  async stop(ms: number): Promise<void> {
    if (this.#traces) await settledWithin(ms, [this.#traces.stop()])
  }

  #noteSign({ method, outcome }: SlackCallEvent): void {
    const attempt = this.#attempt.getStore()
    if (!attempt || attempt.isSeen || outcome !== 'ok' || !SIGNS_OF_LIFE.has(method)) return
    attempt.isSeen = true
    const { question } = attempt
    this.#record({ kind: 'first_sign', question, ms: Math.max(0, this.#now() - question.at) })
  }

  /** Errors in the telemetry never reach the question. */
  #record(event: TelemetryEvent): void {
    try {
      this.#metrics?.note(event)
      this.#traces?.note(event, this.#attempt.getStore())
    } catch (error) {
      this.#log.error({ kind: event.kind, error: messageOf(error) }, 'a telemetry event could not be recorded')
    }
  }
}
