/** Hostile input from a service, a wiki or a model is read within a time that only a freeze exceeds. */
import { expect, onTestFinished, test } from 'vitest'
import { fieldsOf } from '../../src/agent/tool-input.ts'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import { createToolbox, toolNames } from '../../tools/index.ts'
import { cutTitle, isSameTitle, offeredTitles } from '../../tools/wikipedia/titles.ts'
import { cpuClock } from '../harness/cpu-clock.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { runTool, toolContext } from '../harness/tool-context.ts'
import { startWebServer } from '../harness/web-server.ts'

const FREEZE_MS = 2_000
const FILLS = some([' ', 'A. ', '\u0301', 'a\n', '(', ' (', '.', '= ', '/', '\ud800', '"'], 4)

/** Returns the first `test` of these, or all in `npm run test:chaos`. */
function some(fills: string[], test: number): string[] {
  return fills.slice(0, propertyRuns({ test, chaos: fills.length }))
}

/** Starts all built-in tools on services that answer `body`. Returns their requests too. */
async function onHostile(body: (asked: URLSearchParams) => string) {
  const server = await startWebServer((path, response) => response.end(body(new URL(path, 'http://x').searchParams)))
  const http = createToolHttp({ timeoutMs: 60_000, clocks: { now: Date.now, sleep: async () => undefined } })
  onTestFinished(() => http.close())
  const url = `${server.url}/api.php`
  const addresses = {
    WIKIPEDIA_API_URL: url,
    ARXIV_API_URL: url,
    DUCKDUCKGO_URL: url,
    SERPAPI_URL: url,
    GITHUB_API_URL: url,
  }
  const tools = createToolbox({ http, settings: { TOOLS: toolNames, SERPAPI_API_KEY: 'key', ...addresses } })
  const context = toolContext({ ask: async () => body(new URLSearchParams()) })
  const use = (tool: string, text: string) => {
    const fields = tools.filter(({ name }) => name === tool).flatMap(fieldsOf)
    const input = Object.fromEntries(fields.map((field) => [field, text]))
    return runTool(tools, { tool, input }, context).catch((error: Error) => ({ text: error.message }))
  }
  return { use, tools, server, context }
}

/** This many characters fit four times into the two megabytes that a service may send, however JSON escapes them. */
const PLENTY = 80_000
const plenty = (fill: string) => fill.repeat(PLENTY / fill.length)

test.each(FILLS)('a wiki that sends nothing but %j', async (fill) => {
  const big = `${plenty(fill)}x`
  const links = [{ title: big }]
  const many = Array.from({ length: 4_000 }, (_, i) => ({ title: `${fill.repeat(10)}${i}` }))
  for (const page of [{ extract: big }, { extract: big, pageprops: { disambiguation: '' } }, { title: big }])
    for (const offered of [links, many]) {
      const json = { title: 'X', ...page }
      const [text, linked] = [json, { title: 'X', links: offered }].map((one) =>
        JSON.stringify({ query: { pages: { 1: one }, search: offered, searchinfo: { suggestion: big } } }),
      )
      const { use } = await onHostile((asked) => (asked.get('prop') === 'links' ? linked : text) ?? '')
      const spent = cpuClock()
      for (const query of ['X', 'X#', 'x']) await use('wikipedia', query)
      await use('wikipedia_lookup', fill)
      expect(spent()).toBeLessThan(FREEZE_MS)
    }
})

test('titles are compared and found in linear time', () => {
  const spent = cpuClock()
  const title = cutTitle(' '.repeat(400_000))
  expect(isSameTitle(cutTitle(`${' '.repeat(400_000)}x`), 'x#')).toBe(false)
  const text = 'a\n'.repeat(1_000_000)
  expect(
    offeredTitles(
      text,
      Array.from({ length: 500 }, (_, i) => `a${title}${i}`),
    ),
  ).toHaveLength(500)
  expect(spent()).toBeLessThan(FREEZE_MS)
})

test.each([
  ['short', 'short'],
  ['é'.repeat(200), 'é'.repeat(127)],
  ['€'.repeat(200), '€'.repeat(85)],
  ['😀'.repeat(200), '😀'.repeat(63)],
  ['a'.repeat(254) + 'é', 'a'.repeat(254)],
])('a title is cut at 255 bytes, between two characters: %j', (title, cut) => expect(cutTitle(title)).toBe(cut))

test.each(some([' ', '\ud800', 'A. ', '/', '가'], 2))('services that send nothing but %j', async (fill) => {
  const big = plenty(fill)
  const short = big.slice(0, 50_000)
  const bodies = [
    JSON.stringify({ AbstractText: big, Heading: big, AbstractURL: `https://x.example/${big}`, login: 'x', bio: big }),
    JSON.stringify({ RelatedTopics: Array.from({ length: 20_000 }, () => ({ Text: fill, FirstURL: fill })) }),
    JSON.stringify({ error: big }),
    JSON.stringify({ answer_box: { answer: big, title: big, link: 'https://x.example/' } }),
    `{"sports_results":{"game_spotlight":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    `<feed><entry><id>${short}</id><title>${short}</title><summary>${short}</summary></entry></feed>`,
    `<feed>${`<a ${fill}`.repeat(20_000)}`,
    big,
  ]
  for (const body of bodies) {
    const { use, tools } = await onHostile(() => body)
    for (const { name } of tools) {
      const spent = cpuClock()
      const { text } = await use(name, `q ${fill}`)
      expect(text).not.toMatch(/undefined|Maximum call stack|Cannot read/)
      expect(spent(), name).toBeLessThan(FREEZE_MS)
    }
  }
})

test.each(FILLS)('a model that asks for nothing but %j', async (fill) => {
  const big = `${plenty(fill)}x`
  const { use, tools } = await onHostile(() => '{}')
  for (const { name } of tools) {
    const spent = cpuClock()
    await use(name, big)
    expect(spent(), name).toBeLessThan(FREEZE_MS)
  }
})

test('no tool sends a query of more than 300 characters', async () => {
  for (const text of ['x'.repeat(5000), 'some words '.repeat(500), `ti:${'x'.repeat(5000)}`, `  ${'😀'.repeat(400)}`]) {
    const { use, tools, server } = await onHostile(() => '{"query":{"searchinfo":{"suggestion":"' + text + '"}}}')
    for (const { name } of tools) await use(name, text)
    const values = server.paths.flatMap((path) => [...new URL(path, server.url).searchParams.values()])
    expect(values.length).toBeGreaterThan(10)
    expect(values.filter((value) => value.length > 300 || /\p{Surrogate}|\uFFFD/u.test(value))).toEqual([])
  }
})

test('a source has a one-line title and a valid address', async () => {
  const body = {
    AbstractText: 'A',
    Heading: 'h '.repeat(90_000),
    AbstractURL: `https://x.example/${'a'.repeat(9_000)}`,
  }
  const { use } = await onHostile(() => JSON.stringify({ ...body, answer_box: { answer: 'A', title: body.Heading } }))
  expect(await use('duckduckgo', 'x')).toEqual({ text: 'A', sources: [] })
  const shorter = { ...body, AbstractURL: 'https://x.example/' }
  const { use: again } = await onHostile(() => JSON.stringify(shorter))
  expect(await again('duckduckgo', 'x')).toEqual({
    text: 'A',
    sources: [{ title: expect.stringMatching(/^(h ){74}h h?…?$|^.{149,151}$/), url: 'https://x.example/' }],
  })
})
