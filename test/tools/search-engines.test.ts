import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig, secretsOf } from '../../src/config.ts'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import { createToolbox, type ToolSettings } from '../../tools/index.ts'
import { runTool, toolContext } from '../harness/tool-context.ts'
import { sendJson, startWebServer } from '../harness/web-server.ts'

const KEY = 'k3y-that-nobody-may-see'
type EngineName = NonNullable<ToolSettings['SEARCH_ENGINE']>

interface Asked {
  path: string
  method: string | undefined
  headers: IncomingMessage['headers']
  json: unknown
}

/** Simulates one engine: `asked` are the searches that reached it. */
async function playEngine(
  settings: ToolSettings & { SEARCH_ENGINE: EngineName },
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  path = '/search',
) {
  const asked: Asked[] = []
  const server = await startWebServer((path, response, request) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const { method, headers } = request
      asked.push({ path, method, headers, json: body === '' ? undefined : JSON.parse(body) })
      answer(response, request)
    })
  })
  const http = createToolHttp({ timeoutMs: 60_000, clocks: { now: Date.now, sleep: async () => undefined } })
  onTestFinished(() => http.close())
  const all = { TOOLS: ['search'], SEARCH_API_KEY: KEY, SEARCH_URL: `${server.url}${path}`, ...settings }
  const tools = createToolbox({ http, settings: all })
  const search = (query: string) => runTool(tools, { tool: 'search', input: { query } }, toolContext())
  return { search, asked, server }
}

const URLS = ['https://one.example/a?b=1', 'https://two.example/']

/** An answer of each engine in its own words, with the same two results. */
const ENGINES: { engine: EngineName; json: unknown; path?: string; settings?: ToolSettings; asks: Partial<Asked> }[] = [
  {
    engine: 'searxng',
    path: '',
    json: {
      query: 'x',
      results: [
        { title: 'One', url: URLS[0], content: 'First words', publishedDate: '2026-03-01T00:00:00', engine: 'bing' },
        { title: 'Two', url: URLS[1], content: 'Second words', engines: ['bing', 'ddg'] },
      ],
    },
    asks: { method: 'GET', path: '/search?q=price+%26+more&format=json' },
  },
  {
    engine: 'brave',
    json: {
      type: 'search',
      web: {
        results: [
          { title: 'One', url: URLS[0], description: '<strong>First</strong> words', page_age: '2026-03-01T09:00:00' },
          { title: 'Two', url: URLS[1], description: 'Second words' },
        ],
      },
    },
    asks: { method: 'GET', path: '/search?q=price+%26+more&count=10' },
  },
  {
    engine: 'tavily',
    json: {
      results: [
        { title: 'One', url: URLS[0], content: 'First words', score: 0.9, published_date: '2026-03-01' },
        { title: 'Two', url: URLS[1], content: 'Second words', score: 0.2 },
      ],
    },
    asks: { method: 'POST', json: { query: 'price & more', max_results: 10 } },
  },
  {
    engine: 'exa',
    json: {
      requestId: 'r',
      results: [
        { title: 'One', url: URLS[0], publishedDate: '2026-03-01T00:00:00.000Z', highlights: ['First words'] },
        { title: 'Two', url: URLS[1], highlights: ['Second words'], author: null },
      ],
    },
    asks: {
      method: 'POST',
      json: { query: 'price & more', type: 'auto', numResults: 10, contents: { highlights: true } },
    },
  },
  {
    engine: 'serper',
    json: {
      searchParameters: { q: 'x' },
      organic: [
        { title: 'One', link: URLS[0], snippet: 'First words', date: '2026-03-01', position: 1 },
        { title: 'Two', link: URLS[1], snippet: 'Second words', position: 2 },
      ],
    },
    asks: { method: 'POST', json: { q: 'price & more', num: 10 } },
  },
  {
    engine: 'serpapi',
    json: {
      organic_results: [
        { title: 'One', link: URLS[0], snippet: 'First words', date: '2026-03-01' },
        { title: 'Two', link: URLS[1], snippet: 'Second words' },
      ],
    },
    asks: { method: 'GET' },
  },
  {
    engine: 'custom',
    path: '/find/v1?words={query}&n=10',
    settings: { SEARCH_FIELDS: 'list=data.items, title=name, url=href, snippet=text, date=on, key=X-Team-Key' },
    json: {
      data: {
        items: [
          { name: 'One', href: URLS[0], text: 'First words', on: '2026-03-01' },
          { name: 'Two', href: URLS[1], text: 'Second words' },
        ],
      },
    },
    asks: { method: 'GET', path: '/find/v1?words=price%20%26%20more&n=10' },
  },
]

describe.each(ENGINES)('$engine', ({ engine, json, path, settings, asks }) => {
  const play = (answer: Parameters<typeof playEngine>[1]) =>
    playEngine({ ...settings, SEARCH_ENGINE: engine }, answer, path)

  test('gives its results as title, address, snippet and date, each a source', async () => {
    const { search, asked } = await play((response) => sendJson(response, json))
    expect(await search('price & more')).toEqual({
      text: `1. One (2026-03-01)\n${URLS[0]}\nFirst words\n\n2. Two\n${URLS[1]}\nSecond words`,
      sources: [
        { title: 'One', url: URLS[0] },
        { title: 'Two', url: URLS[1] },
      ],
    })
    expect(asked).toMatchObject([asks])
    if (engine !== 'serpapi') expect(asked[0]?.path).not.toContain(KEY)
    expect(JSON.stringify([asked[0]?.headers, engine === 'serpapi' ? asked[0]?.path : ''])).toContain(KEY)
  })

  test('that refuses is told as a sentence without the key', async () => {
    for (const status of [400, 401, 402, 403, 429, 500]) {
      const { search } = await play((response) => sendJson(response, { error: `Invalid key ${KEY}.` }, status))
      const fault = await search('x').catch((error: Error) => error)
      expect(fault).toMatchObject({ name: 'ToolError', message: expect.stringMatching(/^search .*\.…?$/) })
      expect(JSON.stringify(fault) + (fault as Error).stack).not.toContain(KEY)
    }
  })

  test('that sends anything else breaks nothing', async () => {
    for (const body of [
      '',
      '<html>',
      '[]',
      '7',
      'null',
      '{"results":7,"web":[],"organic":{"a":1}}',
      '{"results":[7]}',
    ]) {
      const { search } = await play((response) => response.end(body))
      const outcome = await search('x').catch((error: Error) => error)
      expect(outcome instanceof Error ? outcome.name : typeof outcome.text).toMatch(/^(?:ToolError|string)$/)
    }
  })

  test('is not redirected elsewhere with the key', async () => {
    const other = await startWebServer((_, response) => sendJson(response, json))
    const { search } = await play((r) => r.writeHead(307, { location: `${other.url}/x` }).end())
    await expect(search('x')).rejects.toMatchObject({ name: 'ToolError' })
    expect(other.paths).toEqual([])
  })
})

test.each<[EngineName, number, unknown, string]>([
  ['searxng', 403, 'Forbidden', 'it does not send JSON. Add json to search.formats in its settings.yml.'],
  [
    'brave',
    422,
    { type: 'ErrorResponse', error: { code: 'SUBSCRIPTION_TOKEN_INVALID', detail: 'The token is invalid.' } },
    'search failed: Brave refused the search (422). It says: The token is invalid.',
  ],
  [
    'brave',
    429,
    { type: 'ErrorResponse', error: { code: 'QUOTA_LIMITED' } },
    'search gets too many requests right now (429): a limit or the quota of Brave is reached.',
  ],
  [
    'brave',
    429,
    { type: 'ErrorResponse', error: { code: 'RATE_LIMITED', detail: 'Request rate limit exceeded for plan.' } },
    'It says: Request rate limit exceeded for plan.',
  ],
  [
    'tavily',
    429,
    { detail: { error: 'Your request has been blocked due to excessive requests.' } },
    'excessive requests',
  ],
  ['exa', 429, { error: 'You have exceeded your Exa API rate limit of 10 requests per second.' }, 'of 10 requests per'],
  ['serper', 429, { message: 'Too many requests', statusCode: 429 }, 'quota of Serper is reached. It says: Too many'],
  [
    'serpapi',
    429,
    { error: 'Your account has run out of searches.' },
    'search failed: Your account has run out of searches.',
  ],
  ['serpapi', 429, 'Too Many Requests', 'search failed: status 429'],
  ['searxng', 429, 'Too Many Requests', 'quota of SearXNG is reached.'],
  ['searxng', 500, 'x', 'search has an error right now (500).'],
  [
    'tavily',
    401,
    { detail: { error: 'Unauthorized: missing or invalid API key.' } },
    'the key is not accepted. Check SEARCH_API_KEY. It says: Unauthorized: missing or invalid API key.',
  ],
  ['tavily', 432, { detail: { error: 'Plan limit exceeded.' } }, 'the plan is used up. It says: Plan limit exceeded.'],
  [
    'exa',
    402,
    { requestId: 'r', error: 'You have exceeded your credits limit.', tag: 'NO_MORE_CREDITS' },
    'its credits are used up. It says: You have exceeded your credits limit.',
  ],
  ['serper', 400, { message: 'Not enough credits', statusCode: 400 }, '(400). It says: Not enough credits'],
  ['serper', 403, { message: 'Unauthorized.', statusCode: 403 }, 'the key is not accepted'],
  ['serpapi', 401, { error: 'Invalid API key.' }, 'search failed: Invalid API key.'],
  [
    'custom',
    200,
    { results: [{ name: 'One', link: 'https://x.example/' }] },
    'no address at "url". Set url in SEARCH_',
  ],
  ['tavily', 422, { detail: [{ loc: ['query'], msg: 'Query is too long.' }] }, '(422). It says: Query is too long.'],
  ['custom', 200, { errors: [{ message: 'Daily quota reached.' }] }, 'search failed: Daily quota reached.'],
  ['custom', 402, { errors: ['No credits left.'] }, 'its credits are used up. It says: No credits left.'],
  ['custom', 401, { message: 'Bad token' }, 'the key is not accepted. Check SEARCH_API_KEY. It says: Bad token'],
  ['custom', 200, { items: [] }, 'its answer has no list at "results". Set list in SEARCH_FIELDS.'],
])('%s: status %d is told', async (...[engine, status, json, sentence]) => {
  const path = engine === 'custom' ? '/?q={query}' : undefined
  const { search } = await playEngine({ SEARCH_ENGINE: engine }, (r) => sendJson(r, json, status), path)
  await expect(search('x')).rejects.toThrow(sentence)
})

test('a SearXNG without results names the engines that did not answer', async () => {
  const json = { results: [], unresponsive_engines: [['google', 'Suspended: CAPTCHA']] }
  const { search } = await playEngine({ SEARCH_ENGINE: 'searxng' }, (r) => sendJson(r, json))
  expect((await search('x')).text).toBe(
    'No results, because these engines did not answer: google: Suspended: CAPTCHA. Try other words.',
  )
})

test('a custom service may send its list alone, and names may be paths', async () => {
  const settings = { SEARCH_ENGINE: 'custom' as const, SEARCH_FIELDS: 'title=doc.names.0, url=doc.link' }
  const list = [{ doc: { names: ['One', 'Uno'], link: URLS[0] } }]
  const { search } = await playEngine(settings, (r) => sendJson(r, list), '/?q={query}')
  expect((await search('x')).sources).toEqual([{ title: 'One', url: URLS[0] }])
})

test('SerpApi’s answer box comes before its results', async () => {
  const json = {
    answer_box: { answer: '42', title: 'Box', link: 'https://box.example/' },
    organic_results: [{ title: 'One', link: URLS[0], snippet: 'First words' }],
  }
  const { search } = await playEngine({ SEARCH_ENGINE: 'serpapi' }, (r) => sendJson(r, json))
  const { text, sources } = await search('x')
  expect(text).toBe(`42\n\n1. One\n${URLS[0]}\nFirst words`)
  expect(sources?.map(({ title }) => title)).toEqual(['Box', 'One'])
})

test.each<[ToolSettings, string]>([
  [{ SEARCH_ENGINE: 'brave' }, 'SEARCH_ENGINE=brave needs SEARCH_API_KEY. Set it.'],
  [{ SEARCH_ENGINE: 'searxng' }, 'SEARCH_ENGINE=searxng needs SEARCH_URL. Set it to its address.'],
  [{ SEARCH_ENGINE: 'custom', SEARCH_URL: 'https://x.example/' }, 'SEARCH_URL should contain {query}'],
  [
    { SEARCH_ENGINE: 'custom', SEARCH_URL: 'https://x.example/{query}', SEARCH_FIELDS: 'titel=x' },
    'SEARCH_FIELDS should',
  ],
  [{ SEARCH_ENGINE: 'serpapi' }, 'SEARCH_ENGINE=serpapi needs SEARCH_API_KEY. Set it.'],
])('%j is refused at the start', (settings, sentence) => {
  const http = createToolHttp({ timeoutMs: 1000, clocks: { now: Date.now, sleep: async () => undefined } })
  expect(() => createToolbox({ http, settings })).toThrow(sentence)
})

test('the settings are read, and the key is a secret', () => {
  const config = loadConfig({
    SEARCH_ENGINE: 'custom',
    SEARCH_URL: 'https://x.example/?q={query}',
    SEARCH_API_KEY: KEY,
  })
  expect(config).toMatchObject({ SEARCH_ENGINE: 'custom', SEARCH_URL: 'https://x.example/?q={query}' })
  expect(secretsOf(config)).toContain(KEY)
  expect(() => loadConfig({ SEARCH_ENGINE: 'google' })).toThrow('SEARCH_ENGINE should be one of searxng, brave')
})
