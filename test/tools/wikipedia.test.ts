import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import { startWiki } from '../../playground/wiki/wiki.ts'
import type { WikiPage } from '../../playground/wiki/wiki-pages.ts'
import { createToolbox } from '../../tools/index.ts'
import { sendJson, startWebServer } from '../harness/web-server.ts'
import { runTool, toolContext } from '../harness/tool-context.ts'

/** Returns functions that use the two tools. `context.memory` keeps their state. */
function reader(url: string, context = toolContext(), waits = async () => undefined as unknown) {
  const http = createToolHttp({ timeoutMs: 10_000, clocks: { now: Date.now, sleep: waits } })
  onTestFinished(() => http.close())
  const tools = createToolbox({ http, settings: { TOOLS: ['wikipedia'], WIKIPEDIA_API_URL: url } })
  return {
    context,
    search: (query: string) => runTool(tools, { tool: 'wikipedia', input: { query } }, context),
    lookup: (keyword: string) => runTool(tools, { tool: 'wikipedia_lookup', input: { keyword } }, context),
  }
}

async function playedWiki(pages?: Partial<WikiPage>[], options: Parameters<typeof startWiki>[0] = {}) {
  const full = pages?.map((page, i) => ({
    id: i + 1,
    title: '',
    redirects: [],
    disambiguation: false,
    text: '',
    ...page,
  }))
  const wiki = await startWiki({ ...options, ...(full && { pages: full }) })
  onTestFinished(() => wiki.close())
  return { wiki, ...reader(wiki.url) }
}

describe('a search', () => {
  test('that names a page returns its first five sentences and its address', async () => {
    const { search, wiki } = await playedWiki([
      { title: 'Dune', text: 'One. Two.\nThree.\n\n\n== Life ==\nFour. Five. Six.' },
    ])
    expect(await search('Dune')).toEqual({
      text: 'One. Two. Three. Four. Five.',
      sources: [{ title: 'Dune', url: wiki.url.replace('/w/api.php', '/wiki/Dune') }],
    })
  })

  test.each([
    ['a redirect', 'Admiral Crowe', 'William James Crowe Jr.'],
    ['a small first letter', 'harry Styles', 'Harry Edward Styles'],
    ['other capitals', 'OLIVIA WILDE', 'Olivia Jane Cockburn'],
    ['no accents', 'erno rubik', 'Ernő Rubik'],
    ['a curly apostrophe', 'Rubik’s Cube', "The Rubik's Cube"],
    ['spaces around it', '  Dune ', 'A dune'],
    ['an ampersand', 'AT&T', 'AT&T Inc.'],
    ['a number sign', 'C#', 'C# (pronounced'],
    ['a number sign and an explanation', 'C# (programming language)', 'C# (pronounced'],
  ])('finds a page by %s', async (_, query, begins) => {
    const { search } = await playedWiki()
    expect((await search(query)).text).toMatch(new RegExp(`^${begins.replace(/[.()]/g, '\\$&')}`))
  })

  test.each([
    '1984',
    '0x10',
    '1e3',
    '50% off',
    'A+B',
    'Q?',
    'A=b&c',
    'Σ',
    '日本語',
    '😀',
    "L'Être & C°",
    'TCP/IP',
    '100%25',
  ])('finds the page %s', async (title) => {
    const { search } = await playedWiki([{ title, text: 'Found it.' }])
    expect((await search(title)).text).toBe('Found it.')
  })

  test('that names no page lists five similar titles and keeps the previous page loaded', async () => {
    const { search, lookup } = await playedWiki([
      { title: 'Loaded', text: 'The key is here.' },
      ...["King's Road", 'King A', 'King B', 'King C', 'King D', 'King E'].map((title) => ({ title, text: 'x' })),
    ])
    await search('Loaded')
    expect((await search('king')).text).toBe(
      `Could not find [king]. Similar: ["King's Road", 'King A', 'King B', 'King C', 'King D'].`,
    )
    expect((await lookup('key')).text).toBe('(Result 1 / 1) The key is here.')
  })

  test('with a typo lists the intended title', async () => {
    const { search } = await playedWiki()
    expect((await search('ada lovelase')).text).toContain("Could not find [ada lovelase]. Similar: ['Ada Lovelace'")
  })

  test('that finds nothing says so', async () => {
    const { search } = await playedWiki()
    expect((await search('qqqq zzzz')).text).toBe('Could not find [qqqq zzzz]. Nothing similar was found either.')
  })

  test('for a disambiguation page lists its titles in order', async () => {
    const { search, context } = await playedWiki()
    const { text, sources } = await search('Mercury')
    expect(sources).toBeUndefined()
    expect(text).toBe(
      "[Mercury] may refer to: ['Mercury (planet)', 'Mercury (element)', 'Mercury (mythology)', 'Freddie Mercury']. " +
        'Search for one of these titles.',
    )
    expect(context.memory).toEqual({})
  })

  test('recognizes a disambiguation page by its text', async () => {
    const text = 'Jet may refer to:\nJet (plane), an aircraft\nJet Li, an actor'
    const { search } = await playedWiki([{ title: 'Jet', text }])
    expect((await search('Jet')).text).toContain("['Jet (plane)', 'Jet Li']")
  })

  test.each(['[[x]]', 'a|b', '<script>', '{{x}}', '\u0000', '\uD800', 'x'.repeat(3000), '#', '|||'])(
    'for %j is an ordinary search',
    async (query) => {
      const { search, wiki } = await playedWiki()
      expect((await search(query)).text).toMatch(/^Could not find \[/)
      expect(wiki.requests.every((request) => (request.get('srsearch') ?? '').length <= 300)).toBe(true)
    },
  )

  test('for nothing is refused', async () => {
    const { search } = await playedWiki()
    await expect(search('  ')).rejects.toThrow('wikipedia needs the title of a page.')
  })
})

describe('a wiki without CirrusSearch', () => {
  const pages = [
    ...Array.from({ length: 8 }, (_, i) => ({ title: `Rule ${i}`, text: 'Nobody may touch the coffee machine.' })),
    { title: 'Coffee Machine', text: 'The coffee machine is called Ada.' },
    { title: 'Holiday calendar', text: 'See the intranet.' },
  ]
  const plain = () => playedWiki(pages, { without: ['CirrusSearch'] })

  test('is searched by what its pages say', async () => {
    const { search } = await plain()
    expect((await search('who may touch it? nobody')).text).toContain('Nothing similar')
    expect((await search('nobody may touch')).text).toBe(
      "Could not find [nobody may touch]. Similar: ['Rule 0', 'Rule 1', 'Rule 2', 'Rule 3', 'Rule 4'].",
    )
  })

  test('returns the page whose title matches ignoring case, at any rank', async () => {
    const { search } = await plain()
    expect((await search('coffee machine')).text).toBe('The coffee machine is called Ada.')
  })

  test('is searched by titles if no page matches', async () => {
    const { search } = await plain()
    expect((await search('calendar')).text).toBe("Could not find [calendar]. Similar: ['Holiday calendar'].")
  })
})

test('a wiki without TextExtracts is named as such', async () => {
  const pages = [{ title: 'Jam', text: 'It is sweet.' }]
  const { search, lookup, context } = await playedWiki(pages, { without: ['TextExtracts'] })
  const sentence =
    'wikipedia cannot read this wiki: it lacks the extension TextExtracts, which the wiki of WIKIPEDIA_API_URL needs.'
  await expect(search('Jam')).rejects.toMatchObject({ name: 'ToolError', message: sentence })
  expect((await search('sweet')).text).toBe("Could not find [sweet]. Similar: ['Jam'].")
  context.memory['wikipedia'] = { title: 'Jam' }
  await expect(lookup('sweet')).rejects.toThrow(sentence)
})

describe('a lookup', () => {
  const town = { title: 'Town', text: 'The town has a Bridge. It is old.\n== Bridge ==\nThe BRIDGE was built in 1900.' }

  test('steps through the sentences with the word, ignoring case', async () => {
    const { search, lookup } = await playedWiki([town])
    await search('Town')
    expect((await lookup('bridge')).text).toBe('(Result 1 / 2) The town has a Bridge.')
    expect((await lookup('Bridge')).text).toBe('(Result 2 / 2) The BRIDGE was built in 1900.')
    expect((await lookup('bridge')).text).toBe('No more results.')
    expect((await lookup('bridge')).text).toBe('No more results.')
  })

  test('starts again with another word or after another search', async () => {
    const { search, lookup } = await playedWiki([town])
    await search('Town')
    await lookup('bridge')
    expect((await lookup('old')).text).toBe('(Result 1 / 1) It is old.')
    expect((await lookup('bridge')).text).toContain('(Result 1 / 2)')
    await search('nothing of the kind')
    expect((await lookup('bridge')).text).toContain('(Result 1 / 2)')
  })

  test('for a missing word names the page', async () => {
    const { search, lookup } = await playedWiki([town])
    await search('Town')
    expect((await lookup('castle')).text).toBe('No more results. The page [Town] does not contain [castle].')
  })

  test('without a page says what is missing', async () => {
    const { lookup } = await playedWiki([town])
    await expect(lookup('bridge')).rejects.toThrow('No page is loaded: find one with wikipedia first.')
  })

  test('continues in another process from the saved state', async () => {
    const { search, lookup, context, wiki } = await playedWiki([town])
    await search('Town')
    await lookup('bridge')
    const saved: Record<string, unknown> = JSON.parse(JSON.stringify(context.memory))
    const resumed = reader(wiki.url, toolContext({ memory: saved }))
    expect((await resumed.lookup('bridge')).text).toBe('(Result 2 / 2) The BRIDGE was built in 1900.')
  })

  test('validates the saved state', async () => {
    const { wiki } = await playedWiki([town])
    const resumed = reader(wiki.url, toolContext({ memory: { wikipedia: { title: 7 } } }))
    await expect(resumed.lookup('bridge')).rejects.toThrow('No page is loaded')
  })
})

test('pages are cached for an hour', async () => {
  const { search, lookup, wiki } = await playedWiki()
  await search('Dune')
  const asked = wiki.requests.length
  await search('Dune')
  await lookup('sand')
  expect(wiki.requests).toHaveLength(asked)
})

test('only api.php is called, with parameters that every MediaWiki since 1.39 knows', async () => {
  const { search, wiki } = await playedWiki()
  for (const query of ['Dune', 'Mercury', 'C#', 'author of Dune']) await search(query)
  const known = ['action', 'format', 'utf8', 'redirects', 'prop', 'inprop', 'ppprop', 'titles', 'explaintext', 'rvprop']
  known.push('list', 'srsearch', 'srlimit', 'srprop', 'srinfo', 'srwhat', 'plnamespace', 'pllimit')
  for (const request of wiki.requests) {
    expect(request.get('action')).toBe('query')
    expect([...request.keys()].filter((key) => !known.includes(key))).toEqual([])
  }
})

test('two wikis at the same time do not mix', async () => {
  const [one, other] = [
    await playedWiki([{ title: 'X', text: 'One.' }]),
    await playedWiki([{ title: 'X', text: 'Other.' }]),
  ]
  const texts = await Promise.all([one, other, one, other].map(async ({ search }) => (await search('X')).text))
  expect(texts).toEqual(['One.', 'Other.', 'One.', 'Other.'])
})

describe('a misbehaving wiki is reported in a sentence', () => {
  async function hostile(handler: (path: string, response: ServerResponse) => void) {
    const server = await startWebServer(handler)
    return { server, ...reader(`${server.url}/api.php`) }
  }

  test.each<[string, string, (path: string, response: ServerResponse) => void]>([
    ['an HTML page', 'wikipedia did not send JSON.', (_, r) => r.end('<html>Fatal error</html>')],
    ['cut JSON', 'wikipedia did not send JSON.', (_, r) => r.end('{"query": {"pages"')],
    ['a 403', 'wikipedia refused the request (403).', (_, r) => r.writeHead(403).end('{}')],
    ['a 500', 'wikipedia has an error right now (500).', (_, r) => r.writeHead(500).end('at foo.php:12')],
    ['a list', 'wikipedia sent an unreadable response.', (_, r) => sendJson(r, [1, 2])],
    [
      'its own refusal',
      'wikipedia refused the request: You need read permission.',
      (_, r) => sendJson(r, { error: { code: 'readapidenied', info: 'You need read permission.' } }),
    ],
    [
      'a way to the metadata service',
      'wikipedia may not call 169.254.169.254: only the hosts of its setting are allowed.',
      (_, r) => r.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end(),
    ],
    [
      'a way to another port of this machine',
      'wikipedia may not call 127.0.0.1: only the hosts of its setting are allowed.',
      (_, r) => r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    ['too much', 'wikipedia sent more than 2 MB.', (_, r) => r.end(Buffer.alloc(5_000_000, ' '))],
  ])('%s', async (_, sentence, handler) => {
    const { search } = await hostile(handler)
    await expect(search('Dune')).rejects.toThrow(sentence)
  })

  test.each([
    {},
    { query: null },
    { query: [] },
    { query: { pages: [] } },
    { query: { pages: { 1: null } } },
    null,
    7,
    'x',
  ])('the JSON %j crashes nothing', async (json) => {
    const { search } = await hostile((_, response) => sendJson(response, json))
    const outcome = await search('Dune').then(
      ({ text }) => text,
      (error: Error) => error.message,
    )
    expect(outcome).toMatch(/^(Could not find \[Dune\]|wikipedia sent an unreadable response)/)
  })

  test('a hanging wiki times out after ten seconds', async () => {
    const { search } = await hostile(() => undefined)
    await expect(search('Dune')).rejects.toThrow('wikipedia did not answer within 10 s.')
  })

  test('a run that is stopped meanwhile stops at once', async () => {
    const controller = new AbortController()
    const server = await startWebServer(() => controller.abort(new Error('stopped')))
    const { search } = reader(`${server.url}/api.php`, toolContext({ signal: controller.signal }))
    await expect(search('Dune')).rejects.toThrow('stopped')
  })

  test('a busy wiki is retried when it asks for it', async () => {
    const { wiki } = await playedWiki()
    const pauses: unknown[] = []
    const { search } = reader(wiki.url, toolContext(), async (...given: unknown[]) => pauses.push(given[0]))
    wiki.fault({ times: 1, status: 503 })
    expect((await search('Dune')).text).toContain('A dune is a hill')
    expect(pauses).toHaveLength(1)
  })

  test('an error with status 200 is not cached', async () => {
    let n = 0
    const { search } = await hostile((_, response) => {
      n += 1
      if (n > 1) return sendJson(response, { query: { pages: { 5: { title: 'Dune', extract: 'Sand.' } } } })
      response.setHeader('MediaWiki-API-Error', 'ratelimited')
      sendJson(response, { error: { code: 'ratelimited', info: 'You have exceeded your rate limit.' } })
    })
    await expect(search('Dune')).rejects.toThrow('exceeded your rate limit')
    expect((await search('Dune')).text).toBe('Sand.')
  })

  test('a title with a number sign is requested as a title too', async () => {
    const { search } = await hostile((path, response) => {
      const named = new URL(path, 'http://x').searchParams.get('titles') === 'C#'
      sendJson(response, { query: named ? { pages: { 5: { title: 'C#', extract: 'Sharp.' } } } : { search: [] } })
    })
    expect((await search('C#')).text).toBe('Sharp.')
  })
})

type QueryParams = Record<string, string>

/** Returns the two tools on a wiki that answers with `answer`. Undefined breaks the connection. */
async function onWiki(answer: (asked: QueryParams) => object | undefined) {
  const asked: QueryParams[] = []
  const server = await startWebServer((path, response) => {
    const question = Object.fromEntries(new URL(path, 'http://wiki.example').searchParams)
    asked.push(question)
    const json = answer(question)
    if (json) sendJson(response, json)
    else response.destroy()
  })
  return { asked, ...reader(`${server.url}/api.php`) }
}

const page = (parts: object) => ({ query: { pages: { 7: { pageid: 7, ns: 0, title: 'Dune', ...parts } } } })
const isFor = (asked: QueryParams, prop: string) => (asked.prop ?? '').split('|').includes(prop)

test('a page without text says so, and lookups still work', async () => {
  const { search, lookup } = await onWiki(() => page({ extract: '' }))
  expect((await search('Dune')).text).toBe('The page [Dune] has no text.')
  expect((await lookup('sand')).text).toBe('No more results. The page [Dune] does not contain [sand].')
})

test('an empty lookup is refused', async () => {
  const { search, lookup } = await onWiki(() => page({ extract: 'Sand. Spice.' }))
  await search('Dune')
  await expect(lookup('  ')).rejects.toThrow('wikipedia_lookup needs a keyword.')
})

test('a disambiguation page is returned as text if its links cannot be loaded', async () => {
  const text = 'Dune may refer to:\n\n== Books ==\n* Dune (novel), by Herbert\nDune (film) – of 1984'
  const { search, asked } = await onWiki((question) =>
    isFor(question, 'links') ? undefined : page({ extract: text, pageprops: { disambiguation: '' } }),
  )
  expect((await search('Dune')).text).toBe(
    "[Dune] may refer to: ['Dune (novel)', 'Dune (film)']. Search for one of these titles.",
  )
  expect(asked.filter((question) => isFor(question, 'links'))).not.toHaveLength(0)
})

test('a disambiguation page without matching text lists all of its links', async () => {
  const links = [{ title: 'Arrakis' }, { title: 'Sand dune' }]
  const { search } = await onWiki((question) =>
    page(isFor(question, 'links') ? { links } : { extract: 'See below.', pageprops: { disambiguation: '' } }),
  )
  expect((await search('Dune')).text).toContain("may refer to: ['Arrakis', 'Sand dune'].")
})

test('a page address without a scheme belongs to the wiki, an invalid one is left out', async () => {
  const addresses = ['//wiki.example/Dune', 'https://[wiki', 'javascript:alert(1)', undefined]
  const sources = []
  for (const fullurl of addresses) {
    const { search } = await onWiki(() => page({ extract: 'Sand.', fullurl }))
    sources.push((await search('Dune')).sources)
  }
  expect(sources).toEqual([[{ title: 'Dune', url: 'http://wiki.example/Dune' }], [], [], []])
})

test('an invalid or unknown title is searched for', async () => {
  for (const none of [{ invalid: '', invalidreason: 'bad' }, { missing: '' }]) {
    const { search, asked } = await onWiki((question) => (question.list === 'search' ? { query: {} } : page(none)))
    expect((await search('Dune')).text).toBe('Could not find [Dune]. Nothing similar was found either.')
    expect(asked.at(-1)).toMatchObject({ srsearch: 'Dune' })
  }
})
