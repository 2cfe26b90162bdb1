import { inTime } from '../base/async.ts'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { QueueStats } from '../queue/types.ts'

/** Upper bounds in seconds. Questions take as long as models and tools do; stores and most calls should be faster. */
const QUESTION = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600]
const CALL = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120]
const STORE = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3]
const STEPS = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30]

/** Every instrument. Labels have few values: names that are known beforehand, or bounded ones. */
export function instrumentsIn(registry: Registry) {
  return { ...questionsIn(registry), ...modelsIn(registry), ...callsIn(registry) }
}

function questionsIn(registry: Registry) {
  const { counter, histogram } = makersIn(registry)
  return {
    questions: counter('questions_total', 'Ended questions, by outcome', ['outcome']),
    refusals: counter('refusals_total', 'Questions that a limit refused', ['limit']),
    feedback: counter('feedback_total', 'Ratings of answers: thumbs up and down', ['rating']),
    intake: counter('intake_total', 'Deliveries that could be questions', ['surface', 'outcome']),
    retries: counter(
      'retries_total',
      'Calls of a model or of Slack made again; questions released for another attempt',
      ['of'],
    ),
    steps: histogram('question_steps', 'Steps of a question', { buckets: STEPS }),
    intakeSeconds: histogram('intake_seconds', 'Until a question was stored and could be acked', { buckets: STORE }),
    wait: histogram('queue_wait_seconds', 'From a question to the worker that starts on it', { buckets: QUESTION }),
    firstSign: histogram('first_sign_seconds', 'From a question to the first sign of life', { buckets: QUESTION }),
    answer: histogram('answer_seconds', 'From a question to its end', {
      buckets: QUESTION,
      labelNames: ['outcome'],
    }),
  }
}

function modelsIn(registry: Registry) {
  const { counter, histogram } = makersIn(registry)
  const help = '1 while the circuit breaker of a failing model is open'
  return {
    model: histogram('model_seconds', 'Model calls, retries included', {
      buckets: CALL,
      labelNames: ['model', 'outcome'],
    }),
    modelFailures: counter('model_failures_total', 'Model calls that failed after their retries', ['model', 'error']),
    tokens: counter('tokens_total', 'Tokens in and out', ['model', 'direction']),
    cachedTokens: counter('cached_tokens_total', 'Input tokens that came from the provider’s cache', ['model']),
    reasoningTokens: counter('reasoning_tokens_total', 'Output tokens that were used for reasoning', ['model']),
    cost: counter('cost_usd_total', 'Dollars spent on models that PRICES_FILE knows', ['model']),
    breaker: new Gauge({ name: 'thinkaloud_breaker_open', help, labelNames: ['model'], registers: [registry] }),
  }
}

/** For Socket Mode alone. */
export function socketIn(registry: Registry): Gauge {
  const help = '1 while Socket Mode is connected'
  return new Gauge({ name: 'thinkaloud_socket_connected', help, registers: [registry] })
}

function callsIn(registry: Registry) {
  const { counter, histogram } = makersIn(registry)
  return {
    tool: histogram('tool_seconds', 'Tool calls', { buckets: CALL, labelNames: ['tool', 'outcome'] }),
    slack: counter('slack_calls_total', 'Tries at Slack’s Web API: ok, or what went wrong', ['method', 'result']),
    slackSeconds: histogram('slack_call_seconds', 'Tries at Slack’s Web API', {
      buckets: CALL,
      labelNames: ['method'],
    }),
  }
}

/** All names begin with the program's, as Prometheus's naming rules ask. */
function makersIn(registry: Registry) {
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `thinkaloud_${name}`, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, shape: { buckets: number[]; labelNames?: L[] }) =>
    new Histogram({ name: `thinkaloud_${name}`, help, ...shape, registers })
  return { counter, histogram }
}

/** How long a scrape waits for the store. The other metrics must not wait for one that does not answer. */
const PATIENCE_MS = 2_000

/**
 * Registers the depth and the age of the queue. All processes that share a Redis show the same. NaN if the store does
 * not answer.
 */
export function watchQueue(registry: Registry, stats: () => Promise<QueueStats>): void {
  const registers = [registry]
  const read = sharedRead(stats)
  new Gauge({
    name: 'thinkaloud_queue_questions',
    help: 'Questions that are waiting, and questions that are running',
    labelNames: ['state'],
    registers,
    async collect() {
      const { waiting, active } = await read()
      this.set({ state: 'waiting' }, waiting)
      this.set({ state: 'active' }, active)
    },
  })
  new Gauge({
    name: 'thinkaloud_queue_oldest_seconds',
    help: 'How long ago the oldest waiting question was asked',
    registers,
    async collect() {
      this.set((await read()).oldestMs / 1000)
    },
  })
}

/** The gauges of one scrape share one call to the store. */
function sharedRead(stats: () => Promise<QueueStats>): () => Promise<QueueStats> {
  let reading: Promise<QueueStats> | undefined
  return () =>
    (reading ??= inTime(PATIENCE_MS, stats(), UNKNOWN)
      .catch(() => UNKNOWN)
      .finally(() => (reading = undefined)))
}

const UNKNOWN: QueueStats = { waiting: NaN, active: NaN, oldestMs: NaN }
