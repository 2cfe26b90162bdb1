import { vi } from 'vitest'
import { z } from 'zod'
import { listen } from '../../playground/base/loopback-server.ts'
import type { Ends } from './ends.ts'

/** A received span. Times are ms since the epoch. */
export interface CollectedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  /** The kind as numbered by OTLP: 1 internal, 2 server, 3 client. */
  kind: number
  /** 2 is an error. */
  status: number | undefined
  attributes: Record<string, unknown>
  /** The resource attributes of the process. */
  resource: Record<string, unknown>
  from: number
  to: number
}

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string
  spans: CollectedSpan[]
  /** The path and headers of every request. */
  requests: { path: string; headers: Record<string, unknown>; body: string }[]
  named(name: string): CollectedSpan[]
  /** Waits for spans with this name, because they arrive in batches. */
  until(name: string, count?: number): Promise<CollectedSpan[]>
  /** Sets the status of answers. Default: 200. */
  answer(status: number): void
}

/** Receives traces over OTLP/HTTP as JSON, like a collector. */
export async function startCollector(t: Ends): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const requests: Collector['requests'] = []
  let status = 200
  const { base, close } = await listen((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      if (status === 200) spans.push(...spansIn(body))
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  t.onTestFinished(close)
  const named = (name: string) => spans.filter((span) => span.name === name)
  return {
    url: base,
    spans,
    requests,
    named,
    async until(name, count = 1) {
      const enough = () => {
        if (named(name).length < count) throw new Error(`${named(name).length} of ${count} spans "${name}" came`)
      }
      await vi.waitFor(enough, { timeout: 60_000, interval: 20 })
      return named(name)
    },
    answer: (code) => void (status = code),
  }
}

const scalar = z.union([
  z.object({ stringValue: z.string() }).transform((value) => value.stringValue as unknown),
  z.object({ intValue: z.union([z.number(), z.string()]) }).transform((value) => Number(value.intValue) as unknown),
  z.object({ doubleValue: z.number() }).transform((value) => value.doubleValue as unknown),
  z.object({ boolValue: z.boolean() }).transform((value) => value.boolValue as unknown),
])
const list = z
  .object({ arrayValue: z.object({ values: z.array(scalar) }) })
  .transform((value) => value.arrayValue.values as unknown)
const attributes = z
  .array(z.object({ key: z.string(), value: z.union([scalar, list]) }))
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])))
const nanos = z.string().transform((text) => Number(BigInt(text) / 1000n) / 1000)

const span = z.object({
  name: z.string(),
  traceId: z.string().regex(/^[\da-f]{32}$/),
  spanId: z.string().regex(/^[\da-f]{16}$/),
  parentSpanId: z.string().optional(),
  kind: z.number(),
  status: z.object({ code: z.number().optional() }).optional(),
  attributes,
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
})
const scope = z.object({ spans: z.array(span) })
const resource = z.object({ resource: z.object({ attributes }), scopeSpans: z.array(scope) })
const traces = z.object({ resourceSpans: z.array(resource) })

/** ExportTraceServiceRequest, https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
function spansIn(body: string): CollectedSpan[] {
  return traces.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource: process, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ startTimeUnixNano: from, endTimeUnixNano: to, status, parentSpanId, ...rest }) => {
        const parent = parentSpanId === '' ? undefined : parentSpanId
        return { ...rest, parentSpanId: parent, status: status?.code, resource: process.attributes, from, to }
      }),
    ),
  )
}
