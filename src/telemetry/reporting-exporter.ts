import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'

type ExportCallback = Parameters<SpanExporter['export']>[1]

/**
 * Logs one line when traces can no longer be sent and one when they can again, however many batches are lost in
 * between.
 */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter
  readonly #log: Log
  #isLost = false

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter
    this.#log = log
  }

  export(spans: ReadableSpan[], done: ExportCallback): void {
    this.#exporter.export(spans, (result) => {
      const isLost = result.code !== 0
      if (isLost && !this.#isLost)
        this.#log.warn(
          { spans: spans.length, error: messageOf(result.error) },
          'traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT',
        )
      if (!isLost && this.#isLost) this.#log.info('traces are sent again')
      this.#isLost = isLost
      done(result)
    })
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown()
  }
}
