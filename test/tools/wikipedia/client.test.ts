import { expect, onTestFinished, test } from 'vitest'
import { createToolHttp } from '../../../src/base/http/tool-http.ts'
import { createToolbox } from '../../../tools/index.ts'
import { runTool, toolContext } from '../../harness/tool-context.ts'
import { sendJson, startWebServer } from '../../harness/web-server.ts'

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
  const http = createToolHttp({ timeoutMs: 60_000, clocks: { now: Date.now, sleep: async () => undefined } })
  onTestFinished(() => http.close())
  const tools = createToolbox({ http, settings: { TOOLS: ['wikipedia'], WIKIPEDIA_API_URL: `${server.url}/api.php` } })
  const context = toolContext()
  return {
    asked,
    context,
    search: (query: string) => runTool(tools, { tool: 'wikipedia', input: { query } }, context),
    lookup: (keyword: string) => runTool(tools, { tool: 'wikipedia_lookup', input: { keyword } }, context),
  }
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
  const addresses = ['//wiki.example/Dune', 'https://[wiki', undefined]
  const sources = []
  for (const fullurl of addresses) {
    const { search } = await onWiki(() => page({ extract: 'Sand.', fullurl }))
    sources.push((await search('Dune')).sources)
  }
  expect(sources).toEqual([[{ title: 'Dune', url: 'http://wiki.example/Dune' }], [], []])
})

test('an invalid or unknown title is searched for', async () => {
  for (const none of [{ invalid: '', invalidreason: 'bad' }, { missing: '' }]) {
    const { search, asked } = await onWiki((question) => (question.list === 'search' ? { query: {} } : page(none)))
    expect((await search('Dune')).text).toBe('Could not find [Dune]. Nothing similar was found either.')
    expect(asked.at(-1)).toMatchObject({ srsearch: 'Dune' })
  }
})
