import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'

test('nothing is measured unless it is asked for, and no content is captured', () => {
  expect(loadConfig({})).toMatchObject({ OTEL_SERVICE_NAME: 'thinkaloud', OTEL_CAPTURE_CONTENT: false })
  expect(loadConfig({}).METRICS_PORT).toBeUndefined()
  expect(loadConfig({}).OTEL_EXPORTER_OTLP_ENDPOINT).toBeUndefined()
})

test('headers for the collector have the form that OpenTelemetry gives them', () => {
  const headers = (OTEL_EXPORTER_OTLP_HEADERS: string) =>
    loadConfig({ OTEL_EXPORTER_OTLP_HEADERS }).OTEL_EXPORTER_OTLP_HEADERS
  expect(headers('api-key=abc')).toEqual({ 'api-key': 'abc' })
  expect(headers('authorization=Basic%20YTpi , x.y= a=b ')).toEqual({ authorization: 'Basic YTpi', 'x.y': 'a=b' })
  expect(headers('odd=100%')).toEqual({ odd: '100%' })
  for (const wrong of ['abc', 'a=b,,c=d', '=b', 'a b=c', 'a=b\nc: d'])
    expect(() => headers(wrong), wrong).toThrow(
      'OTEL_EXPORTER_OTLP_HEADERS should be headers in the form name=value,name=value.',
    )
})

test('a port is a port and an endpoint an address', () => {
  expect(loadConfig({ METRICS_PORT: '9464' }).METRICS_PORT).toBe(9464)
  expect(() => loadConfig({ METRICS_PORT: '70000' })).toThrow('METRICS_PORT should be a whole number from 0 to 65535.')
  expect(() => loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' })).toThrow(
    'OTEL_EXPORTER_OTLP_ENDPOINT should be an address that begins with https:// or http://.',
  )
  expect(() => loadConfig({ OTEL_CAPTURE_CONTENT: 'yes' })).toThrow(
    'OTEL_CAPTURE_CONTENT should be one of true, false.',
  )
})
