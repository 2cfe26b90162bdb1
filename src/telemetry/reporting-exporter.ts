import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'

/**
 * Logs one line when traces can no longer be sent and one when they can again, however many batches are lost in
 * between.
 */
export function reportingExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let wasLost = false
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const isLost = result.code !== 0
        const fields = { spans: spans.length, error: messageOf(result.error) }
        if (isLost && !wasLost) log.warn(fields, 'traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT')
        if (!isLost && wasLost) log.info('traces are sent again')
        wasLost = isLost
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}
