/** The Prometheus metrics. Loaded only with METRICS_PORT. */
import { collectDefaultMetrics, Registry, type Gauge } from 'prom-client'
import type { QueueStats } from '../queue/types.ts'
import type { Page } from '../base/http/server.ts'
import { QUESTION_OUTCOMES } from './question-outcome.ts'
import type { TelemetryEvent, ModelCallEvent, SlackCallEvent } from './telemetry-event.ts'
import { instrumentsIn, socketIn, watchQueue } from './metric-instruments.ts'

/**
 * Counts events in its own registry, so that several bots in one process stay apart. A process shows its own counts;
 * Prometheus sums them over all processes.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #m = instrumentsIn(this.#registry)
  /** Created with its first event: a process without Socket Mode has none. */
  #socket: Gauge | undefined
  readonly #slackOutcomes = new BoundedLabel()
  readonly #modelErrors = new BoundedLabel()

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
    // rate() does not see the first event of a new series, so series that are known beforehand start at zero.
    for (const outcome of QUESTION_OUTCOMES) this.#m.questions.inc({ outcome }, 0)
    for (const rating of ['up', 'down']) this.#m.feedback.inc({ rating }, 0)
    for (const of of ['model', 'slack', 'question']) this.#m.retries.inc({ of }, 0)
  }

  /** One event, one or two series. Prometheus wants seconds; events have milliseconds. */
  note(event: TelemetryEvent): void {
    switch (event.kind) {
      case 'intake':
        this.#m.intake.inc({ surface: event.question.surface, outcome: event.outcome })
        return this.#m.intakeSeconds.observe(event.ms / 1000)
      case 'started':
        return this.#m.wait.observe(event.ms / 1000)
      case 'first_sign':
        return this.#m.firstSign.observe(event.ms / 1000)
      case 'ending':
        this.#m.questions.inc({ outcome: event.outcome })
        this.#m.steps.observe(event.steps)
        return this.#m.answer.observe({ outcome: event.outcome }, event.ms / 1000)
      case 'refused':
        return this.#m.refusals.inc({ limit: event.limit })
      case 'feedback':
        return this.#m.feedback.inc({ rating: event.rating })
      case 'released':
        return this.#m.retries.inc({ of: 'question' })
      case 'socket':
        return (this.#socket ??= socketIn(this.#registry)).set(event.isConnected ? 1 : 0)
      case 'breaker':
        return this.#m.breaker.set({ model: event.model }, event.isOpen ? 1 : 0)
      case 'tool':
        return this.#m.tool.observe({ tool: event.tool, outcome: event.ok ? 'ok' : 'failed' }, event.ms / 1000)
      case 'model':
        return this.#noteModel(event)
      case 'slack':
        return this.#noteSlack(event)
    }
  }

  /** Shows the queue's depth and age, read at each scrape. */
  watchQueue(stats: () => Promise<QueueStats>): void {
    watchQueue(this.#registry, stats)
  }

  /** Returns the text that Prometheus scrapes. */
  async page(): Promise<Page> {
    return { status: 200, type: this.#registry.contentType, body: await this.#registry.metrics() }
  }

  #noteModel({ model, outcome, ms, retries, usages, error }: ModelCallEvent): void {
    this.#m.model.observe({ model, outcome }, ms / 1000)
    this.#m.retries.inc({ of: 'model' }, retries)
    if (error !== undefined) this.#m.modelFailures.inc({ model, error: this.#modelErrors.of(error) })
    for (const usage of usages) {
      this.#m.tokens.inc({ model, direction: 'input' }, amountOf(usage.inputTokens))
      this.#m.tokens.inc({ model, direction: 'output' }, amountOf(usage.outputTokens))
      this.#m.cachedTokens.inc({ model }, amountOf(usage.cachedTokens))
      this.#m.reasoningTokens.inc({ model }, amountOf(usage.reasoningTokens))
      this.#m.cost.inc({ model }, amountOf(usage.costUsd))
    }
  }

  #noteSlack({ method, outcome, ms, attempt }: SlackCallEvent): void {
    this.#m.slack.inc({ method, result: this.#slackOutcomes.of(outcome) })
    this.#m.slackSeconds.observe({ method }, ms / 1000)
    if (attempt > 0) this.#m.retries.inc({ of: 'slack' })
  }
}

/** An endpoint may report anything, but a counter accepts only non-negative numbers. */
function amountOf(reported: number | undefined): number {
  return Number.isFinite(reported) ? Math.max(0, Number(reported)) : 0
}

/**
 * Bounds a label's values, because every value of a Prometheus label is a time series for ever. The first `max` values
 * in the form of a name pass; all others become `other`.
 */
export class BoundedLabel {
  readonly #seen = new Set<string>()
  readonly #max: number

  constructor(max = 60) {
    this.#max = max
  }

  of(value: string): string {
    if (this.#seen.has(value)) return value
    if (this.#seen.size >= this.#max || !NAME.test(value)) return 'other'
    this.#seen.add(value)
    return value
  }
}

const NAME = /^[\w.:/@ -]{1,100}$/
