/** The metrics, for Prometheus. Loaded only where METRICS_PORT is set: prom-client is not even read otherwise. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { QueueStats } from '../queue/types.ts'
import type { Page } from '../server.ts'
import { OUTCOMES, type Fact, type ModelFact, type SlackFact } from './facts.ts'
import { BoundedLabel } from './labels.ts'
import { watchQueue } from './queue-gauges.ts'

/** Upper bounds in seconds. A question takes as long as a model and its tools do; a Slack call or a store should not. */
const QUESTION_SECONDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600]
const CALL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120]
const STORE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3]
const STEPS = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30]

export class Metrics {
  readonly #registry = new Registry()
  readonly #m = metricsOf(this.#registry)
  readonly #slackOutcomes = new BoundedLabel()
  readonly #modelErrors = new BoundedLabel()

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
    // A series that begins with its first event hides that event from rate(): what is known beforehand begins at nought.
    for (const outcome of OUTCOMES) this.#m.questions.inc({ outcome }, 0)
    for (const of of ['model', 'slack', 'question']) this.#m.retries.inc({ of }, 0)
  }

  note(fact: Fact): void {
    switch (fact.kind) {
      case 'intake':
        this.#m.intake.inc({ surface: fact.question.surface, outcome: fact.outcome })
        return this.#m.intakeSeconds.observe(fact.ms / 1000)
      case 'first_sign':
        return this.#m.firstSign.observe(fact.ms / 1000)
      case 'ending':
        this.#m.questions.inc({ outcome: fact.outcome })
        this.#m.steps.observe(fact.steps)
        return this.#m.answer.observe({ outcome: fact.outcome }, fact.ms / 1000)
      case 'refused':
        return this.#m.refusals.inc({ limit: fact.limit })
      case 'put_down':
        return this.#m.retries.inc({ of: 'question' })
      case 'breaker':
        return this.#m.breaker.set({ model: fact.model }, fact.isOpen ? 1 : 0)
      case 'tool':
        return this.#m.tool.observe({ tool: fact.tool, outcome: fact.ok ? 'ok' : 'failed' }, fact.ms / 1000)
      case 'model':
        return this.#noteModel(fact)
      case 'slack':
        return this.#noteSlack(fact)
    }
  }

  /** Shows the queue's depth and age, asked for at each scrape. */
  watchQueue(stats: () => Promise<QueueStats>): void {
    watchQueue(this.#registry, stats)
  }

  async page(): Promise<Page> {
    return { status: 200, type: this.#registry.contentType, body: await this.#registry.metrics() }
  }

  #noteModel({ model, outcome, ms, retries, usages, error }: ModelFact): void {
    this.#m.model.observe({ model, outcome }, ms / 1000)
    this.#m.retries.inc({ of: 'model' }, retries)
    if (error !== undefined) this.#m.modelFailures.inc({ model, error: this.#modelErrors.of(error) })
    for (const usage of usages) {
      this.#m.tokens.inc({ model, direction: 'input' }, usage.inputTokens)
      this.#m.tokens.inc({ model, direction: 'output' }, usage.outputTokens)
      this.#m.cachedTokens.inc({ model }, usage.cachedTokens ?? 0)
      this.#m.cost.inc({ model }, usage.costUsd ?? 0)
    }
  }

  #noteSlack({ method, outcome, ms, attempt }: SlackFact): void {
    this.#m.slack.inc({ method, result: this.#slackOutcomes.of(outcome) })
    this.#m.slackSeconds.observe({ method }, ms / 1000)
    if (attempt > 0) this.#m.retries.inc({ of: 'slack' })
  }
}

function metricsOf(registry: Registry) {
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `thinkaloud_${name}`, help, labelNames, registers })
  const histogram = <L extends string>(
    name: string,
    help: string,
    { labelNames, buckets }: { labelNames: L[]; buckets: number[] },
  ) => new Histogram({ name: `thinkaloud_${name}`, help, labelNames, buckets, registers })
  return {
    questions: counter('questions_total', 'Questions that are done with, by outcome', ['outcome']),
    refusals: counter('refusals_total', 'Questions that a limit stood against', ['limit']),
    intake: counter('intake_total', 'Deliveries that could be questions, by surface and by what became of them', [
      'surface',
      'outcome',
    ]),
    retries: counter(
      'retries_total',
      'What was tried again: calls of a model or of Slack, questions that were put down',
      ['of'],
    ),
    modelFailures: counter('model_failures_total', 'Model calls that failed after their retries', ['model', 'error']),
    tokens: counter('tokens_total', 'Tokens in and out', ['model', 'direction']),
    cachedTokens: counter('cached_tokens_total', 'Input tokens that came from the provider’s cache', ['model']),
    cost: counter('cost_usd_total', 'Dollars spent on models that PRICES_FILE knows', ['model']),
    slack: counter('slack_calls_total', 'Tries at calls of Slack’s Web API, by result (ok, or Slack’s error)', [
      'method',
      'result',
    ]),
    breaker: new Gauge({
      name: 'thinkaloud_breaker_open',
      help: '1 while a failing model is spared',
      labelNames: ['model'],
      registers,
    }),
    steps: histogram('question_steps', 'Steps of a question', { labelNames: [], buckets: STEPS }),
    intakeSeconds: histogram('intake_seconds', 'Until a question was stored and could be acked', {
      labelNames: [],
      buckets: STORE_SECONDS,
    }),
    firstSign: histogram('first_sign_seconds', 'From a question to the first sign of life', {
      labelNames: [],
      buckets: QUESTION_SECONDS,
    }),
    answer: histogram('answer_seconds', 'From a question to what ended it', {
      labelNames: ['outcome'],
      buckets: QUESTION_SECONDS,
    }),
    model: histogram('model_seconds', 'Model calls, retries included', {
      labelNames: ['model', 'outcome'],
      buckets: CALL_SECONDS,
    }),
    tool: histogram('tool_seconds', 'Tool calls', { labelNames: ['tool', 'outcome'], buckets: CALL_SECONDS }),
    slackSeconds: histogram('slack_call_seconds', 'Tries at calls of Slack’s Web API', {
      labelNames: ['method'],
      buckets: CALL_SECONDS,
    }),
  }
}
