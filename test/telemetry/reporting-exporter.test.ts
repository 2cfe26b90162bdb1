import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { reportingExporter } from '../../src/telemetry/reporting-exporter.ts'
import { startCollector } from '../harness/otlp-collector.ts'

test('an unreachable collector is one log line, and so is its return', async (t) => {
  const collector = await startCollector(t)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const exporter = reportingExporter(new OTLPTraceExporter({ url: `${collector.url}/v1/traces` }), log)
  const send = () => new Promise<number>((resolve) => exporter.export([], ({ code }) => resolve(code)))
  expect(await send()).toBe(0)
  collector.answer(400)
  expect([await send(), await send(), await send()]).toEqual([1, 1, 1])
  collector.answer(200)
  expect([await send(), await send()]).toEqual([0, 0])
  await exporter.shutdown()
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(messages).toEqual(['traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT', 'traces are sent again'])
})
