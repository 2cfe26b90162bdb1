import type { LookupAddress } from 'node:dns'
import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../../src/base/backoff.ts'
import { createToolHttp, type FetchLimits, type ToolHttpOptions } from '../../../src/base/http/tool-http.ts'
import { startWebServer } from '../../harness/web-server.ts'

/** Noon. The clock stands still. */
const NOON = Date.UTC(2026, 10, 21, 12)

/** Returns a fetch to a server in the settings, with a clock that stands still and reports the waits. */
async function fetchFrom(
  handler: (path: string, response: ServerResponse, n: number) => void,
  scope: Partial<FetchLimits> = {},
  options: Partial<ToolHttpOptions> = {},
) {
  const pauses: number[] = []
  const sleep = async (ms: number) => void pauses.push(ms)
  const http = createToolHttp({ timeoutMs: 30_000, clocks: { now: () => NOON, sleep }, ...options })
  onTestFinished(() => http.close())
  const server = await startWebServer((path, response) => handler(path, response, server.paths.length))
  const fetch = http.scope({ name: 'wiki', hosts: [server.url], inside: true, ...scope })
  return { server, pauses, fetch: (path: string) => fetch(`${server.url}${path}`) }
}

describe('a server that is busy', () => {
  const inSeconds = (seconds: number) => new Date(NOON + seconds * 1000).toUTCString()

  test.each([
    ['a date', inSeconds(3), 3_000],
    ['a date that has passed', inSeconds(-60), 0],
    ['seconds', ' 2 ', 2_000],
    ['nothing that can be read', 'soon', 300],
    ['more digits than any pause has', '9'.repeat(12), 300],
  ])('is given the pause that it asks for as %s', async (_, asked, pause) => {
    const { fetch, pauses } = await fetchFrom((_path, response, n) =>
      n === 1 ? response.writeHead(503, { 'retry-after': asked }).end() : response.end('here'),
    )
    expect((await fetch('/')).body).toBe('here')
    expect(pauses).toEqual([pause])
  })

  test('asks for a pause again, and the model reads for how long', async () => {
    const { fetch, server } = await fetchFrom((_, response) => response.writeHead(429, { 'retry-after': '4' }).end())
    await expect(fetch('/')).rejects.toThrow('wiki gets too many requests right now (429). It asks to wait 4 s.')
    expect(server.paths).toHaveLength(2)
  })
})

describe('an address', () => {
  test('that is invalid gets an error without repeating it', async () => {
    const http = createToolHttp({ timeoutMs: 10_000, clocks: { now: Date.now, sleep } })
    onTestFinished(() => http.close())
    const fetch = http.scope({ name: 'mine' })
    for (const address of ['', 'wikipedia', '//example.com', 'http://[::', 'https://exa mple.com'])
      await expect(fetch(address)).rejects.toThrow(/^mine got an invalid address\.$/)
  })

  test('with an unknown host is reported as unreachable after a second try', async () => {
    let asked = 0
    const resolve = async (): Promise<LookupAddress[]> => {
      asked += 1
      throw Object.assign(new Error('getaddrinfo ENOTFOUND no.example'), { code: 'ENOTFOUND' })
    }
    const sleep = async () => undefined
    const http = createToolHttp({ timeoutMs: 10_000, resolve, clocks: { now: Date.now, sleep } })
    onTestFinished(() => http.close())
    await expect(http.scope({ name: 'mine' })('http://no.example/')).rejects.toThrow(
      'mine cannot be reached (ENOTFOUND).',
    )
    expect(asked).toBe(2)
  })

  test('of the same page is requested once, whatever its fragment', async () => {
    const { fetch, server } = await fetchFrom((_, response) => response.end('page'))
    await fetch('/a#one')
    await fetch('/a#two')
    expect(server.paths).toEqual(['/a'])
  })
})

describe('at the limit', () => {
  test('a body of exactly the maximum size is accepted', async () => {
    const { fetch } = await fetchFrom((_, response) => response.end('x'.repeat(2_000)), { maxBytes: 2_000 })
    expect((await fetch('/')).body).toHaveLength(2_000)
  })

  test('five redirects are followed, a sixth is not', async () => {
    const { fetch, server } = await fetchFrom((path, response) => {
      const left = Number(path.slice(1))
      if (left === 0) return response.end('there')
      return response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect((await fetch('/5')).body).toBe('there')
    await expect(fetch('/6')).rejects.toThrow('wiki redirects in a circle.')
    expect(server.paths).toHaveLength(6 + 6)
  })

  test('a response without a body is an empty text', async () => {
    const { fetch } = await fetchFrom((_, response) => response.writeHead(204).end())
    expect(await fetch('/')).toMatchObject({ status: 204, body: '' })
  })

  test('a redirect without a location is an ordinary response', async () => {
    const { fetch } = await fetchFrom((_, response) => response.writeHead(302).end('moved, but where?'))
    expect(await fetch('/')).toMatchObject({ status: 302, body: 'moved, but where?' })
  })
})
