import type { LookupAddress } from 'node:dns'
import { gzipSync } from 'node:zlib'
import type { ServerResponse } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createToolHttp, type FetchLimits, type ToolHttpOptions } from '../../../src/base/http/tool-http.ts'
import { freePort } from '../../harness/redis.ts'
import { startWebServer } from '../../harness/web-server.ts'

const QUICK = { now: Date.now, sleep: async () => undefined }

function httpFor(options: Partial<ToolHttpOptions> = {}) {
  const http = createToolHttp({ timeoutMs: 30_000, clocks: QUICK, ...options })
  onTestFinished(() => http.close())
  return http
}

/** Noon. */
const NOON = Date.UTC(2026, 10, 21, 12)

/**
 * Returns a tool's fetch whose setting names the server, like a setting with a private address. Its clock stands still
 * and reports the waits. `n` counts the requests from 1.
 */
async function fetchFrom(
  handler: (path: string, response: ServerResponse, n: number) => void,
  scope: Partial<FetchLimits> = {},
  options: Partial<ToolHttpOptions> = {},
) {
  const pauses: number[] = []
  const clocks = { now: () => NOON, sleep: async (ms: number) => void pauses.push(ms) }
  const server = await startWebServer((path, response) => handler(path, response, server.paths.length))
  const fetch = httpFor({ clocks, ...options }).scope({ name: 'wiki', hosts: [server.url], inside: true, ...scope })
  return {
    server,
    pauses,
    fetch: (path: string, given?: Parameters<typeof fetch>[1]) => fetch(`${server.url}${path}`, given),
  }
}

describe('an answer', () => {
  test('has status, headers and text', async () => {
    const { fetch } = await fetchFrom((_, response) => response.writeHead(404, { 'x-kind': 'none' }).end('not here'))
    expect(await fetch('/a')).toMatchObject({ status: 404, body: 'not here', headers: { 'x-kind': 'none' } })
  })

  test('is decoded with the server’s charset', async () => {
    const { fetch } = await fetchFrom((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset="iso-8859-1"' }).end(Buffer.from([0x63, 0xe9])),
    )
    expect((await fetch('/')).body).toBe('cé')
  })

  test('is UTF-8 if the charset is unknown', async () => {
    const { fetch } = await fetchFrom((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain; charset=klingon' }).end('é'),
    )
    expect((await fetch('/')).body).toBe('é')
  })

  test('is decompressed', async () => {
    const { fetch } = await fetchFrom((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed')),
    )
    expect((await fetch('/')).body).toBe('packed')
  })

  test('is requested with the product’s user agent and the tool’s headers', async () => {
    const { fetch, server } = await fetchFrom((_, response) => response.end())
    await fetch('/', { headers: { authorization: 'Bearer k' } })
    expect(server.requests[0]?.headers).toMatchObject({
      'user-agent': 'Thinkaloud/0.1 (self-hosted Slack bot)',
      authorization: 'Bearer k',
    })
  })

  test('without a body is an empty text', async () => {
    const { fetch } = await fetchFrom((_, response) => response.writeHead(204).end())
    expect(await fetch('/')).toMatchObject({ status: 204, body: '' })
  })

  test('of exactly the maximum size is accepted', async () => {
    const { fetch } = await fetchFrom((_, response) => response.end('x'.repeat(2_000)), { maxBytes: 2_000 })
    expect((await fetch('/')).body).toHaveLength(2_000)
  })
})

describe('an address', () => {
  test('that is invalid gets an error without repeating it', async () => {
    const fetch = httpFor().scope({ name: 'mine' })
    for (const address of ['', 'wikipedia', '//example.com', 'http://[::', 'https://exa mple.com'])
      await expect(fetch(address)).rejects.toThrow(/^mine got an invalid address\.$/)
  })

  test('with an unknown host is reported as unreachable after a second try', async () => {
    let asked = 0
    const resolve = async (): Promise<LookupAddress[]> => {
      asked += 1
      throw Object.assign(new Error('getaddrinfo ENOTFOUND no.example'), { code: 'ENOTFOUND' })
    }
    await expect(httpFor({ resolve }).scope({ name: 'mine' })('http://no.example/')).rejects.toThrow(
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

describe('a body that is too large', () => {
  const endless = (response: ServerResponse) => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const pump = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', pump)
    pump()
  }

  test('that never ends is cut off with a sentence', async () => {
    const { fetch } = await fetchFrom((_, response) => endless(response))
    await expect(fetch('/')).rejects.toThrow('wiki sent more than 2 MB.')
  })

  test('is cut off even if it was small when compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000))
    const { fetch } = await fetchFrom((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    await expect(fetch('/')).rejects.toThrow('wiki sent more than 2 MB.')
  })

  test('is measured against the scope’s own limit', async () => {
    const { fetch } = await fetchFrom((_, response) => response.end('x'.repeat(2001)), { maxBytes: 2000 })
    await expect(fetch('/')).rejects.toThrow('wiki sent more than 2 kB.')
  })
})

describe('time', () => {
  test('a server that never answers runs into the time limit', async () => {
    const { fetch } = await fetchFrom(() => undefined, {}, { timeoutMs: 200 })
    await expect(fetch('/')).rejects.toThrow('wiki did not answer within 0.2 s.')
  })

  test('a body that never ends runs into the time limit', async () => {
    const { fetch } = await fetchFrom((_, response) => void response.write('begun'), {}, { timeoutMs: 200 })
    await expect(fetch('/')).rejects.toThrow('wiki did not answer within 0.2 s.')
  })

  test('an aborted caller stops waiting at once, with its own reason', async () => {
    const { fetch } = await fetchFrom(() => undefined)
    const controller = new AbortController()
    const waiting = fetch('/', { signal: controller.signal })
    controller.abort(new Error('stopped by a person'))
    await expect(waiting).rejects.toThrow('stopped by a person')
  })
})

describe('a temporary failure', () => {
  test('a 503 is retried once', async () => {
    const { fetch, server } = await fetchFrom((_, response, n) => response.writeHead(n === 1 ? 503 : 200).end('back'))
    expect((await fetch('/')).body).toBe('back')
    expect(server.paths).toHaveLength(2)
  })

  test('a second 500 is a sentence, without a third try', async () => {
    const { fetch, server } = await fetchFrom((_, response) => response.writeHead(500).end('stack trace'))
    await expect(fetch('/')).rejects.toThrow('wiki has an error right now (500).')
    expect(server.paths).toHaveLength(2)
  })

  test('waits for Retry-After', async () => {
    const { fetch, pauses } = await fetchFrom((_, response, n) =>
      response.writeHead(n === 1 ? 429 : 200, { 'retry-after': '3' }).end('ok'),
    )
    expect((await fetch('/')).body).toBe('ok')
    expect(pauses).toEqual([3000])
  })

  const inSeconds = (seconds: number) => new Date(NOON + seconds * 1000).toUTCString()

  test.each([
    ['a date', inSeconds(3), 3_000],
    ['a date that has passed', inSeconds(-60), 0],
    ['seconds', ' 2 ', 2_000],
    ['nothing that can be read', 'soon', 300],
    ['more digits than any pause has', '9'.repeat(12), 300],
  ])('waits as long as a server asks for as %s', async (_, asked, pause) => {
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

  test('reports a Retry-After that exceeds the remaining time, without waiting', async () => {
    const { fetch, server } = await fetchFrom((_, response) => response.writeHead(429, { 'retry-after': '60' }).end())
    await expect(fetch('/')).rejects.toThrow('wiki gets too many requests right now (429). It asks to wait 60 s.')
    expect(server.paths).toHaveLength(1)
  })

  test('a connection that closes early is retried, then reported in a sentence', async () => {
    const { fetch, server } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      setTimeout(() => response.destroy(), 20)
    })
    await expect(fetch('/')).rejects.toThrow(/^(The connection to wiki was lost|wiki cannot be reached \(\w+\))\.$/)
    expect(server.paths).toHaveLength(2)
  })

  test('an unreachable server is reported in a sentence', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const fetch = httpFor().scope({ name: 'wiki', hosts: [url], inside: true })
    await expect(fetch(`${url}/?api_key=SECRET`)).rejects.toThrow('wiki cannot be reached (ECONNREFUSED).')
  })
})

describe('redirects', () => {
  test('are followed within the host of the setting', async () => {
    const { fetch } = await fetchFrom((path, response) =>
      path === '/a' ? response.writeHead(302, { location: '/b' }).end() : response.end('arrived'),
    )
    expect((await fetch('/a')).body).toBe('arrived')
  })

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1:1/',
    'http://[::1]/',
    'https://evil.example/',
  ])('to %s are refused', async (location) => {
    const { fetch } = await fetchFrom((_, response) => response.writeHead(301, { location }).end())
    await expect(fetch('/')).rejects.toThrow(/^wiki may not call \S+: only the hosts of its setting are allowed\.$/)
  })

  test.each(['file:///etc/passwd', 'http://', 'http://user:pw@127.0.0.1/'])('to %s are refused', async (location) => {
    const { fetch } = await fetchFrom((_, response) => response.writeHead(301, { location }).end())
    await expect(fetch('/')).rejects.toThrow(/^wiki (may not call|redirected to an invalid address)/)
  })

  test('are followed five times, not a sixth', async () => {
    const { fetch, server } = await fetchFrom((path, response) => {
      const left = Number(path.slice(1))
      if (left === 0) return response.end('there')
      return response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect((await fetch('/5')).body).toBe('there')
    await expect(fetch('/6')).rejects.toThrow('wiki redirects in a circle.')
    expect(server.paths).toHaveLength(6 + 6)
  })

  test('without a location are ordinary responses', async () => {
    const { fetch } = await fetchFrom((_, response) => response.writeHead(302).end('moved, but where?'))
    expect(await fetch('/')).toMatchObject({ status: 302, body: 'moved, but where?' })
  })

  test('to another allowed host drop the API key', async () => {
    const other = await startWebServer((_, response) => response.end('other'))
    const first = await startWebServer((_, response) => response.writeHead(302, { location: other.url }).end())
    const fetch = httpFor().scope({ name: 'wiki', hosts: [first.url, other.url], inside: true })
    await fetch(first.url, { headers: { authorization: 'Bearer k', accept: 'text/plain' } })
    expect(first.requests[0]?.headers.authorization).toBe('Bearer k')
    expect(other.requests[0]?.headers.authorization).toBeUndefined()
    expect(other.requests[0]?.headers.accept).toBe('text/plain')
  })
})

describe('private addresses', () => {
  const anywhere = (options: Partial<ToolHttpOptions> = {}) => httpFor(options).scope({ name: 'A tool' })

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://10.1.2.3/',
    'http://169.254.169.254/',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://224.0.0.1/',
    'http://localhost/',
    'http://printer.local/',
    'http://metadata.google.internal/',
  ])('%s is refused to a tool without a host of its own', async (address) => {
    await expect(anywhere()(address)).rejects.toThrow(/^A tool may not call \S+: private .*addresses are refused\.$/)
  })

  test('are refused after DNS too', async () => {
    const server = await startWebServer((_, response) => response.end('inside'))
    const fetch = anywhere({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    await expect(fetch(server.url.replace('127.0.0.1', 'public.example'))).rejects.toThrow(
      'A tool may not call this host: its address is private or reserved.',
    )
    expect(server.paths).toEqual([])
  })

  test('are refused even if another tool has an open connection to the same host', async () => {
    const server = await startWebServer((_, response) => response.end('inside'))
    const address = server.url.replace('127.0.0.1', 'wiki.corp.example')
    const http = httpFor({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    expect((await http.scope({ name: 'wiki', hosts: [address], inside: true })(address)).body).toBe('inside')
    await expect(http.scope({ name: 'A tool' })(address)).rejects.toThrow('private or reserved')
    await expect(http.scope({ name: 'wiki', hosts: [address] })(address)).rejects.toThrow('private or reserved')
  })

  test('of cloud metadata stay refused even if a setting’s name resolves to them', async () => {
    const fetch = httpFor({ resolve: async () => [{ address: '169.254.169.254', family: 4 }] }).scope({
      name: 'wiki',
      hosts: ['http://wiki.corp.example'],
      inside: true,
    })
    await expect(fetch('http://wiki.corp.example/')).rejects.toThrow('private or reserved')
  })

  test('a name is resolved once per connection, so it cannot change between the check and the call', async () => {
    const server = await startWebServer((_, response) => response.end('ok'))
    let asked = 0
    const resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '169.254.169.254', family: 4 }]
    const address = server.url.replace('127.0.0.1', 'wiki.corp.example')
    const fetch = httpFor({ resolve }).scope({ name: 'wiki', hosts: [address], inside: true })
    expect((await fetch(address)).body).toBe('ok')
    expect(asked).toBe(1)
  })
})

describe('the cache', () => {
  const counting = () => {
    let n = 0
    return (_: string, response: ServerResponse) => response.end(`answer ${(n += 1)}`)
  }

  test('returns the same address for an hour', async () => {
    let now = 0
    const clocks = { now: () => now, sleep: async () => undefined }
    const { fetch } = await fetchFrom(counting(), {}, { clocks })
    expect((await fetch('/a')).body).toBe('answer 1')
    now = 3_599_000
    expect((await fetch('/a')).body).toBe('answer 1')
    now = 3_600_000
    expect((await fetch('/a')).body).toBe('answer 2')
  })

  test('separates addresses and headers', async () => {
    const { fetch } = await fetchFrom(counting())
    expect((await fetch('/a')).body).toBe('answer 1')
    expect((await fetch('/b')).body).toBe('answer 2')
    expect((await fetch('/a', { headers: { authorization: 'x' } })).body).toBe('answer 3')
  })

  test('does not store failures', async () => {
    let n = 0
    const { fetch } = await fetchFrom((_, response) => response.writeHead(n++ === 0 ? 404 : 200).end(`${n}`))
    expect((await fetch('/')).status).toBe(404)
    expect((await fetch('/')).status).toBe(200)
  })

  test('is off if the scope disables it', async () => {
    const { fetch } = await fetchFrom(counting(), { cacheMs: 0 })
    await fetch('/a')
    expect((await fetch('/a')).body).toBe('answer 2')
  })

  test('is bounded in bytes', async () => {
    const { fetch, server } = await fetchFrom(
      (_, response) => response.end('x'.repeat(100)),
      {},
      { cache: { entries: 1000, maxBytes: 4000 } },
    )
    for (let i = 0; i < 50; i += 1) await fetch(`/${i}`)
    await fetch('/49')
    expect(server.paths).toHaveLength(50)
    await fetch('/0')
    expect(server.paths).toHaveLength(51)
  })

  test('keeps a bounded number of responses, the last used ones', async () => {
    const { fetch, server } = await fetchFrom(counting(), {}, { cache: { entries: 2, maxBytes: 1e6 } })
    for (const path of ['/a', '/b', '/a', '/c', '/a']) await fetch(path)
    expect(server.paths).toEqual(['/a', '/b', '/c'])
  })
})

describe('callers with the same request at the same time', () => {
  test('share one request', async () => {
    const { fetch, server } = await fetchFrom((_, response) => setTimeout(() => response.end('one'), 50))
    const bodies = (await Promise.all([fetch('/'), fetch('/'), fetch('/')])).map((f) => f.body)
    expect(bodies).toEqual(['one', 'one', 'one'])
    expect(server.paths).toHaveLength(1)
  })

  test('an aborted caller does not abort the others', async () => {
    const { fetch } = await fetchFrom((_, response) => setTimeout(() => response.end('one'), 50))
    const leaver = new AbortController()
    const left = fetch('/', { signal: leaver.signal })
    const stayed = fetch('/')
    leaver.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect((await stayed).body).toBe('one')
  })

  test('the request is aborted when all callers have left, and a later one starts again', async () => {
    let closed = 0
    const { fetch, server } = await fetchFrom((_, response) => {
      response.on('close', () => (closed += 1))
      if (server.paths.length > 1) response.end('anew')
    })
    const leaver = new AbortController()
    const left = fetch('/', { signal: leaver.signal })
    await expect.poll(() => server.paths.length).toBe(1)
    leaver.abort()
    await expect(left).rejects.toThrow()
    expect((await fetch('/')).body).toBe('anew')
    await expect.poll(() => closed).toBe(2)
  })
})

/** Starts a proxy that records requests and forwards nothing. */
async function refusingProxy(): Promise<{ uri: string; asked: string[] }> {
  const asked: string[] = []
  const proxy = createServer((socket) => {
    socket.once('data', (data) => {
      asked.push(String(data).split('\r\n')[0] ?? '')
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as AddressInfo
  return { uri: `http://127.0.0.1:${port}`, asked }
}

test('HTTPS_PROXY is used for https addresses; http ones and NO_PROXY hosts go directly', async () => {
  const { uri, asked } = await refusingProxy()
  const http = httpFor({ proxy: { uri, noProxy: '127.0.0.1' }, resolve: async () => [] })
  await expect(http.scope({ name: 'A tool' })('https://public.example/x')).rejects.toThrow(/broke off|not be reached/)
  expect(asked[0]).toBe('CONNECT public.example:443 HTTP/1.1')
  const server = await startWebServer((_, response) => response.end('direct'))
  const fetch = http.scope({ name: 'wiki', hosts: [server.url], inside: true })
  expect((await fetch(server.url)).body).toBe('direct')
})

describe('behind a proxy, a host that no setting names', () => {
  const named = (...addresses: string[]) =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const fetchVia = (uri: string, resolve: ToolHttpOptions['resolve'], options: Partial<ToolHttpOptions> = {}) =>
    httpFor({ proxy: { uri }, resolve, ...options }).scope({ name: 'The tool' })

  test.each([[['10.0.0.7']], [['93.184.216.34', '10.0.0.7']], [['169.254.169.254']], [['::ffff:0:127.0.0.1']]])(
    'is refused before the proxy hears of it where it lies at %j',
    async (addresses) => {
      const { uri, asked } = await refusingProxy()
      await expect(fetchVia(uri, async () => named(...addresses))('https://intra.example/x')).rejects.toThrow(
        'The tool may not call this host: its address is private or reserved.',
      )
      expect(asked).toEqual([])
    },
  )

  test('is left to the proxy if it is public or only the proxy can resolve it', async () => {
    const unknown = async () => Promise.reject(new Error('ENOTFOUND'))
    for (const resolve of [async () => named('93.184.216.34'), unknown]) {
      const { uri, asked } = await refusingProxy()
      await expect(fetchVia(uri, resolve)('https://public.example/x')).rejects.toThrow(/broke off|not be reached/)
      expect(asked[0]).toBe('CONNECT public.example:443 HTTP/1.1')
    }
  })

  test('whose name is never resolved runs into the time limit', async () => {
    const { uri, asked } = await refusingProxy()
    const fetch = fetchVia(uri, () => new Promise(() => undefined), { timeoutMs: 500 })
    await expect(fetch('https://slow.example/')).rejects.toThrow('The tool did not answer within 0.5 s.')
    expect(asked).toEqual([])
  })
})
