import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { loadConfig } from '../../src/config.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import { startCommand } from '../harness/command.ts'
import type { Ends } from '../harness/ends.ts'
import { startCollector } from '../harness/otlp-collector.ts'

/** Returns the packages that a bot with these settings has loaded after answering a question. */
async function loaded(t: Ends, env: Record<string, string>): Promise<string[]> {
  const { code, stdout, stderr } = await startCommand(t, 'test/harness/loaded-packages.ts', { env }).ended
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as string[]
}

const isTelemetry = (name: string) => name === 'prom-client' || name.startsWith('@opentelemetry/')

test('without metrics and traces their packages are not loaded', async (t) => {
  const packages = await loaded(t, {})
  expect(packages).toContain('@slack/bolt')
  expect(packages.filter(isTelemetry)).toEqual([])
})

test('with both enabled, both are loaded', async (t) => {
  const collector = await startCollector(t)
  const packages = await loaded(t, { METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  expect(packages).toEqual(expect.arrayContaining(['prom-client', '@opentelemetry/sdk-trace']))
  expect(collector.spans.map(({ name }) => name)).toContain('invoke_agent thinkaloud')
})

test('a disabled observer is absent', async () => {
  expect(await createTelemetry(loadConfig({}), { log: createLog('silent'), now: Date.now })).toBeUndefined()
})
