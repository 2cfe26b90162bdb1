/**
 * The traces, over OTLP/HTTP. Loaded only with OTEL_EXPORTER_OTLP_ENDPOINT. One trace runs from Slack's delivery to the
 * answer: the question carries its id from the receiver to the worker. Nothing is registered globally; parents are
 * passed on.
 */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Context, Span, SpanOptions } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Log } from '../base/log.ts'
import type { Question } from '../stores/runs/types.ts'
import type { TelemetryEvent } from './telemetry-event.ts'
import type { Attempt } from './question-attempt.ts'
import { errorType } from './observed-model.ts'
import type { DeliverySpan } from './observed-queue.ts'
import { reportingExporter } from './reporting-exporter.ts'
import {
  AGENT_NAME,
  agentAttributes,
  agentEndAttributes,
  callSpan,
  questionAttributes,
  type SpanStyle,
} from './otel-spans.ts'

/**
 * Makes spans and sends them in batches, in the background. A collector that is slow or away costs a question nothing;
 * if too many spans wait, the newest are dropped.
 */
export class Traces {
  readonly #style: SpanStyle
  readonly #now: () => number
  readonly #provider: TracerProvider
  /** The agent's span of each attempt, the parent of its calls. */
  readonly #agents = new WeakMap<Attempt, Context>()

  /**
   * `endpoint`: the collector's base address; `/v1/traces` is added, as OpenTelemetry's specification has it.
   * `instanceId` distinguishes this process from others of the service.
   */
  constructor(endpoint: string, instanceId: string, style: SpanStyle, log: Log, now: () => number) {
    this.#style = style
    this.#now = now
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
    const exporter = reportingExporter(new OTLPTraceExporter({ url }), log)
    const service = resourceFromAttributes({ 'service.name': 'thinkaloud', 'service.instance.id': instanceId })
    // Reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, as OpenTelemetry's specification defines them.
    const named = detectResources({ detectors: [envDetector] })
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(service).merge(named),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    })
  }

  /**
   * Begins the span of a delivery from Slack. A span that is not ended is never sent, so messages that are not for the
   * bot leave no trace.
   */
  receive(question: Question): DeliverySpan {
    const attributes = questionAttributes(question)
    const span = this.#start(`receive ${question.surface}`, { kind: SpanKind.SERVER, attributes }, parentOf(question))
    return {
      traceparent: traceparentOf(span),
      end: (outcome, error) => {
        if (outcome === 'failed') fail(span, errorType(error))
        if (outcome === 'accepted' || outcome === 'failed') span.end(this.#now())
      },
    }
  }

  /** Begins the agent's span of an attempt. @returns a function that ends it */
  invoke(attempt: Attempt): () => void {
    const parent = parentOf(attempt.question)
    const attributes = agentAttributes(attempt.question)
    const span = this.#start(`invoke_agent ${AGENT_NAME}`, { kind: SpanKind.INTERNAL, attributes }, parent)
    this.#agents.set(attempt, trace.setSpan(parent, span))
    return () => {
      span.setAttributes(agentEndAttributes(attempt, this.#style))
      const error = endError(attempt)
      if (error !== undefined) fail(span, error)
      span.end(this.#now())
    }
  }

  /** Turns a finished call into a span of the attempt that made it. A call without a question is not traced. */
  note(event: TelemetryEvent, attempt: Attempt | undefined): void {
    const call = attempt && callSpan(event, attempt, this.#style)
    if (!call) return
    const { name, kind, attributes, ms, error } = call
    const startTime = 'from' in event ? event.from : this.#now() - ms
    const span = this.#start(
      name,
      { kind, attributes, startTime },
      this.#agents.get(attempt) ?? parentOf(attempt.question),
    )
    if (error !== undefined) fail(span, error)
    span.end(startTime + ms)
  }

  /** Sends the remaining spans. */
  async stop(): Promise<void> {
    await this.#provider.shutdown()
  }

  #start(name: string, options: SpanOptions, parent: Context): Span {
    const startTime = this.#now()
    return this.#provider.getTracer(AGENT_NAME).startSpan(name, { startTime, ...options }, parent)
  }
}

/** Returns the reason why the answer was not posted: the agent's failure, the end of this worker, or Slack. */
function endError({ error, outcome, signal }: Attempt): string | undefined {
  if (error !== undefined) return errorType(error)
  if (outcome) return undefined
  return signal.aborted ? 'aborted' : 'undelivered'
}

/** Records only the class of the error, because its message may contain people's texts. */
function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** W3C Trace Context, https://www.w3.org/TR/trace-context/#traceparent-header */
function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** A question without a readable trace begins a new one. */
function parentOf({ traceparent }: Question): Context {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent)
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
}
