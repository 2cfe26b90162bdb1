import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { playService } from '../harness/tool-service.ts'
import { sendJson } from '../harness/web-server.ts'

const KEY = 'k3y-that-nobody-may-see'

const play = (handler: (path: string, response: ServerResponse) => void) =>
  playService(
    { tool: 'search', setting: 'SERPAPI_URL', path: '/search.json', settings: { SERPAPI_API_KEY: KEY } },
    handler,
  )

const answering = async (json: unknown) => {
  const { use } = await play((_, response) => sendJson(response, json))
  return use({ query: 'Harry Styles age' })
}

const everything = {
  answer_box: {
    title: 'Box',
    link: 'https://box.example/',
    answer: 'ANSWER',
    snippet: 'SNIPPET',
    snippet_highlighted_words: ['WORDS'],
  },
  sports_results: { game_spotlight: { teams: ['A', 'B'] } },
  knowledge_graph: { title: 'Graph', description: 'GRAPH', source: { link: 'https://graph.example/' } },
  organic_results: [{ title: 'Organic', link: 'https://organic.example/', snippet: 'ORGANIC' }],
}

describe('the first available of answer box, sports, knowledge graph and organic results is returned', () => {
  const { answer_box: box, sports_results, knowledge_graph, organic_results } = everything
  test.each([
    ['the answer', everything, 'ANSWER', 'https://box.example/'],
    ['the snippet', { ...everything, answer_box: { ...box, answer: undefined } }, 'SNIPPET', 'https://box.example/'],
    ['the highlighted words', { answer_box: { snippet_highlighted_words: ['WORDS'] } }, 'WORDS', undefined],
    ['the game', { sports_results, knowledge_graph, organic_results }, '{"teams":["A","B"]}', undefined],
    ['the knowledge graph', { knowledge_graph, organic_results }, 'GRAPH', 'https://graph.example/'],
    ['the first result', { organic_results }, 'ORGANIC', 'https://organic.example/'],
    ['a box that is a list', { answer_box: [{ answer: 54 }] }, '54', undefined],
    ['nothing', { organic_results: [{ title: 'No snippet' }] }, 'No good search result found', undefined],
    ['no results at all', {}, 'No good search result found', undefined],
  ])('%s', async (...[, json, text, url]) => {
    const output = await answering(json)
    expect(output.text).toBe(text)
    expect(output.sources?.[0]?.url).toBe(url)
  })
})

test('the query is sent whole, with the key', async () => {
  const { use, server } = await play((_, response) => sendJson(response, everything))
  await use({ query: 'AT&T "price" #1 & more?' })
  const asked = new URL(server.paths[0] ?? '', server.url)
  expect(asked.pathname).toBe('/search.json')
  expect(Object.fromEntries(asked.searchParams)).toEqual({
    engine: 'google',
    q: 'AT&T "price" #1 & more?',
    api_key: KEY,
  })
})

test('an error field is an error', async () => {
  await expect(answering({ error: "Google hasn't returned any results for this query." })).rejects.toThrow(
    "search failed: Google hasn't returned any results for this query.",
  )
})

test.each<[string, (response: ServerResponse) => void]>([
  ['a refusal that quotes the key', (r) => sendJson(r, { error: `Invalid API key ${KEY}.` }, 401)],
  ['a server that is down', (r) => r.writeHead(503).end()],
  ['a redirect elsewhere', (r) => r.writeHead(302, { location: `http://127.0.0.1:1/?api_key=${KEY}` }).end()],
  ['a connection that breaks', (r) => r.destroy()],
  ['a page', (r) => r.end(`<html>${KEY}</html>`)],
])('the key is not told in %s', async (_, handler) => {
  const { use } = await play((_path, response) => handler(response))
  const fault = await use({ query: 'x' }).catch((error: Error) => error)
  expect(fault).toBeInstanceOf(Error)
  expect(`${(fault as Error).stack} ${JSON.stringify(fault)} ${String((fault as Error).cause)}`).not.toContain(KEY)
})

test('invalid links are left out', async () => {
  const output = await answering({ answer_box: { answer: '29', link: 'javascript:alert(1)' } })
  expect(output).toEqual({ text: '29', sources: [] })
})

test.each([
  ['a refusal without a word', 403, {}, 'search failed: status 403'],
  ['an error that is told as a number', 200, { error: 7 }, 'search failed: 7'],
  [
    'an error as long as a page',
    200,
    { error: 'no '.repeat(500) },
    `search failed: ${'no '.repeat(67).slice(0, 200)}…`,
  ],
])('%s is a sentence', async (...[, status, json, sentence]) => {
  const { use } = await play((_, response) => sendJson(response, json, status))
  await expect(use({ query: 'x' })).rejects.toMatchObject({ name: 'ToolError', message: sentence })
})

test.each([
  ['a sentence is told as it is', { sports_results: { game_spotlight: 'Lakers 3 : 2' } }, 'Lakers 3 : 2', undefined],
  [
    'parts in another shape count as absent',
    { answer_box: 7, knowledge_graph: 'x', organic_results: 'y' },
    'No good search result found',
    undefined,
  ],
  ['what is no object holds nothing', [1, 2], 'No good search result found', undefined],
  [
    'a source without a title is named for its host',
    { answer_box: { answer: 'It is 29.', link: 'https://age.example/x' } },
    'It is 29.',
    [{ title: 'age.example', url: 'https://age.example/x' }],
  ],
])('%s', async (...[, json, text, sources]) => {
  expect(await answering(json)).toEqual(sources ? { text, sources } : { text })
})
