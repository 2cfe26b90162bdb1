/**
 * The traces, over OTLP/HTTP. Loaded only where OTEL_EXPORTER_OTLP_ENDPOINT is set. One trace runs from Slack's delivery to
 * the answer: the question carries it from the front to the worker. Nothing is registered globally; parents are passed on.
 */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Log } from '../log.ts'
import type { Question } from '../run/types.ts'
import {
  AGENT_NAME,
  agentAttributes,
  agentEndAttributes,
  chatAttributes,
  questionAttributes,
  toolAttributes,
} from './attributes.ts'
import type { Fact } from './facts.ts'
import type { Go } from './go.ts'
import { errorType } from './model.ts'
import type { Receiving } from './queue.ts'
import { ReportingExporter } from './reporting-exporter.ts'

export interface TracesOptions {
  /** The collector's base address; `/v1/traces` is added, as OpenTelemetry's specification has it. */
  endpoint: string
  headers?: Record<string, string> | undefined
  serviceName: string
  /** Tells this process from others of the service. */
  instanceId: string
  /** Of every model call; see endpointAttributes. */
  modelAttributes: Attributes
  withContent: boolean
  log: Log
  now(): number
}

export class Traces {
  readonly #options: TracesOptions
  readonly #provider: TracerProvider
  /** The agent's span of each go, which the calls that it makes belong to. */
  readonly #agents = new WeakMap<Go, Context>()

  constructor(options: TracesOptions) {
    this.#options = options
    const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`
    const exporter = new ReportingExporter(new OTLPTraceExporter({ url, headers: options.headers ?? {} }), options.log)
    const service = { 'service.name': options.serviceName, 'service.instance.id': options.instanceId }
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(resourceFromAttributes(service)),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    })
  }

  /** A delivery from Slack. A span that is never ended is never sent: nobody wants a trace of each message of a channel. */
  receive(question: Question): Receiving {
    const attributes = questionAttributes(question)
    const span = this.#start(`receive ${question.surface}`, { kind: SpanKind.SERVER, attributes }, parentOf(question))
    return {
      traceparent: traceparentOf(span),
      end: (outcome, error) => {
        if (outcome === 'failed') fail(span, errorType(error))
        if (outcome === 'accepted' || outcome === 'failed') span.end(this.#options.now())
      },
    }
  }

  /** The agent is at work on a go, until the function that this gives is called. */
  invoke(go: Go): () => void {
    const parent = parentOf(go.question)
    const span = this.#start(
      `invoke_agent ${AGENT_NAME}`,
      { kind: SpanKind.INTERNAL, attributes: agentAttributes(go.question) },
      parent,
    )
    this.#agents.set(go, trace.setSpan(parent, span))
    return () => {
      span.setAttributes(agentEndAttributes(go, this.#options.withContent))
      if (go.error !== undefined) fail(span, errorType(go.error))
      else if (!go.outcome) fail(span, 'undelivered')
      span.end(this.#options.now())
    }
  }

  /** A call that is over becomes a span of the go that made it; what belongs to no question is not traced. */
  note(fact: Fact, go: Go | undefined): void {
    if (!go) return
    const { withContent, modelAttributes, now } = this.#options
    if (fact.kind === 'model') {
      const attributes = {
        ...modelAttributes,
        'gen_ai.conversation.id': conversationOf(go),
        ...chatAttributes(fact, withContent),
      }
      this.#whole(go, { ...fact, name: `chat ${fact.model}`, kind: SpanKind.CLIENT, attributes, error: fact.error })
    }
    if (fact.kind === 'tool') {
      const error = fact.ok ? undefined : 'tool_error'
      this.#whole(go, {
        ...fact,
        name: `execute_tool ${fact.tool}`,
        kind: SpanKind.INTERNAL,
        attributes: toolAttributes(fact, withContent),
        error,
      })
    }
    if (fact.kind === 'slack') {
      const attributes = { 'slack.method': fact.method, 'slack.attempt': fact.attempt }
      const error = fact.outcome === 'ok' ? undefined : fact.outcome
      this.#whole(go, {
        from: now() - fact.ms,
        ms: fact.ms,
        name: `slack ${fact.method}`,
        kind: SpanKind.CLIENT,
        attributes,
        error,
      })
    }
  }

  /** Sends what is left. */
  async stop(): Promise<void> {
    await this.#provider.shutdown()
  }

  #whole(
    go: Go,
    call: { name: string; kind: SpanKind; attributes: Attributes; from: number; ms: number; error: string | undefined },
  ): void {
    const { name, kind, attributes, from, ms, error } = call
    const span = this.#start(name, { kind, attributes, startTime: from }, this.#agents.get(go) ?? parentOf(go.question))
    if (error !== undefined) fail(span, error)
    span.end(from + ms)
  }

  #start(name: string, options: { kind: SpanKind; attributes: Attributes; startTime?: number }, parent: Context): Span {
    return this.#provider.getTracer(AGENT_NAME).startSpan(name, { startTime: this.#options.now(), ...options }, parent)
  }
}

function conversationOf(go: Go): string {
  return String(agentAttributes(go.question)['gen_ai.conversation.id'])
}

/** The class of the error alone: its message may hold what people wrote. */
function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** W3C Trace Context, https://www.w3.org/TR/trace-context/#traceparent-header */
function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

function parentOf({ traceparent }: Question): Context {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent)
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
}
