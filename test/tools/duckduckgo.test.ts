import { expect, test } from 'vitest'
import { playService } from '../harness/tool-service.ts'
import { sendJson } from '../harness/web-server.ts'

const answering = async (json: unknown, query = 'donald duck') => {
  const { use, server } = await playService(
    { tool: 'duckduckgo', setting: 'DUCKDUCKGO_URL', path: '/' },
    (_, response) => sendJson(response, json),
  )
  return { output: await use({ query }), asked: new URL(server.paths[0] ?? '', server.url).searchParams }
}

/** An answer in the service's form: every field exists, and is empty if it has no value. */
const empty = {
  Heading: '',
  Answer: '',
  AbstractText: '',
  AbstractURL: '',
  Definition: '',
  RelatedTopics: [],
  Results: [],
}

test('a topic’s abstract is returned with its page', async () => {
  const { output, asked } = await answering({
    ...empty,
    Heading: 'Donald Duck',
    AbstractText: 'Donald Duck is a cartoon character.',
    AbstractURL: 'https://en.wikipedia.org/wiki/Donald_Duck',
  })
  expect(output).toEqual({
    text: 'Donald Duck is a cartoon character.',
    sources: [{ title: 'Donald Duck', url: 'https://en.wikipedia.org/wiki/Donald_Duck' }],
  })
  expect(asked.get('q')).toBe('donald duck')
  expect(asked.get('format')).toBe('json')
})

test('an instant answer comes first', async () => {
  const { output } = await answering({ ...empty, Answer: '42', AbstractText: 'A number.' })
  expect(output.text).toBe('42')
})

test('without an abstract the definition is returned', async () => {
  const { output } = await answering({ ...empty, Definition: 'A bird.', DefinitionURL: 'https://words.example/duck' })
  expect(output).toMatchObject({ text: 'A bird.', sources: [{ title: 'words.example' }] })
})

test('the first five related topics are returned, including those in groups', async () => {
  const topic = (n: number) => ({
    Text: `Duck ${n}, a duck`,
    FirstURL: `https://duckduckgo.com/Duck_${n}`,
    Result: '',
    Icon: {},
  })
  const { output } = await answering({
    ...empty,
    RelatedTopics: [topic(1), { Name: 'More', Topics: [topic(2), topic(3), topic(4)] }, topic(5), topic(6)],
  })
  expect(output.text).toBe(`Related topics:\n${[1, 2, 3, 4, 5].map((n) => `- Duck ${n}, a duck`).join('\n')}`)
  expect(output.sources).toHaveLength(5)
})

test.each([
  empty,
  {},
  { ...empty, Answer: { from: 'calculator', id: 'x' } },
  { RelatedTopics: 'x' },
  { RelatedTopics: [7] },
  [],
])('nothing usable in %j is said plainly', async (json) => {
  const { output } = await answering(json)
  expect(output.text).toBe('DuckDuckGo has no instant answer for [donald duck]. Try a shorter name, or another tool.')
})

test('a rejected request is reported in a sentence', async () => {
  const { use } = await playService({ tool: 'duckduckgo', setting: 'DUCKDUCKGO_URL' }, (_, response) =>
    response.writeHead(202).end(),
  )
  await expect(use({ query: 'x' })).rejects.toThrow('duckduckgo rejected the request (202).')
})

test('a page instead of JSON is reported in a sentence', async () => {
  const { use } = await playService({ tool: 'duckduckgo', setting: 'DUCKDUCKGO_URL' }, (_, response) =>
    response.end('<html>'),
  )
  await expect(use({ query: 'x' })).rejects.toThrow('duckduckgo did not send JSON.')
})

test('long texts are cut: an answer at 2,000 characters, a related topic at 300', async () => {
  const long = 'duck '.repeat(2_000)
  const { output: answer } = await answering({ ...empty, Answer: long })
  expect(answer.text).toMatch(/^[^]{2000}…$/)
  const topics = [
    { Text: long, FirstURL: 'https://duckduckgo.com/Duck' },
    { Text: '', FirstURL: 'https://duckduckgo.com/x' },
  ]
  const { output: related } = await answering({ ...empty, RelatedTopics: topics })
  expect(related.text).toMatch(/^Related topics:\n- .{300}…$/)
  expect(related.sources).toEqual([{ title: `${long.slice(0, 60)}…`, url: 'https://duckduckgo.com/Duck' }])
})

test('an invalid page address is not a source', async () => {
  const { output } = await answering({ ...empty, AbstractText: 'A duck.', AbstractURL: 'javascript:alert(1)' })
  expect(output).toEqual({ text: 'A duck.', sources: [] })
})
