import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { loadConfig } from '../../src/config.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import { startCommand } from '../harness/command.ts'
import { startCollector } from '../harness/otlp-collector.ts'

const isTelemetry = (name: string) => name === 'prom-client' || name.startsWith('@opentelemetry/')

test('without metrics and traces their packages are not loaded; with both enabled, both are', async (t) => {
  const collector = await startCollector(t)
  const env = { METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const { code, stdout, stderr } = await startCommand(t, 'test/harness/loaded-packages.ts', { env }).ended
  expect(code, stderr).toBe(0)
  const lines = stdout.trim().split('\n').slice(-2)
  const [without = [], packages] = lines.map((line) => JSON.parse(line) as string[])
  expect(without).toContain('@slack/bolt')
  expect(without.filter(isTelemetry)).toEqual([])
  expect(packages).toEqual(expect.arrayContaining(['prom-client', '@opentelemetry/sdk-trace']))
  expect(collector.spans.map(({ name }) => name)).toContain('invoke_agent thinkaloud')
})

test('a disabled observer is absent', async () => {
  expect(await createTelemetry(loadConfig({}), createLog('silent'), Date.now)).toBeUndefined()
})
