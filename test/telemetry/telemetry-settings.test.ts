import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'

test('by default nothing is measured or captured', () => {
  expect(loadConfig({})).toMatchObject({ OTEL_CAPTURE_CONTENT: false })
  expect(loadConfig({}).METRICS_PORT).toBeUndefined()
  expect(loadConfig({}).OTEL_EXPORTER_OTLP_ENDPOINT).toBeUndefined()
})

test('ports and endpoints are validated', () => {
  expect(loadConfig({ METRICS_PORT: '9464' }).METRICS_PORT).toBe(9464)
  expect(() => loadConfig({ METRICS_PORT: '70000' })).toThrow('METRICS_PORT should be a whole number from 0 to 65535.')
  expect(() => loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' })).toThrow(
    'OTEL_EXPORTER_OTLP_ENDPOINT should be an address that begins with https:// or http://.',
  )
  expect(() => loadConfig({ OTEL_CAPTURE_CONTENT: 'yes' })).toThrow(
    'OTEL_CAPTURE_CONTENT should be one of true, false.',
  )
})
