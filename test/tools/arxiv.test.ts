import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { cpuClock } from '../harness/cpu-clock.ts'
import { playService } from '../harness/tool-service.ts'

const play = (handler: (path: string, response: ServerResponse) => void) =>
  playService({ tool: 'arxiv', setting: 'ARXIV_API_URL', path: '/api/query' }, handler)

const paper = (n: number, authors = ['Ada Lovelace']) => `
  <entry>
    <id>http://arxiv.org/abs/2210.0362${n}v3</id>
    <published>2022-10-06T01:00:32Z</published>
    <title>ReAct: Reasoning &amp;
      Acting ${n}</title>
    <summary>  We show &lt;that&gt; it works &#233;.
    </summary>
    ${authors.map((name) => `<author><name>${name}</name></author>`).join('')}
    <link href="http://arxiv.org/abs/2210.0362${n}v3" rel="alternate" type="text/html"/>
  </entry>`

const feed = (...entries: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title type="html">ArXiv Query</title>${entries.join('')}</feed>`

describe('a paper', () => {
  test('is returned with title, date, authors, link and abstract', async () => {
    const { use } = await play((_, response) => response.end(feed(paper(9, ['Shunyu Yao', 'Jeffrey Zhao']))))
    expect(await use({ query: 'react' })).toEqual({
      text:
        'ReAct: Reasoning & Acting 9 (2022-10-06), by Shunyu Yao, Jeffrey Zhao\n' +
        'http://arxiv.org/abs/2210.03629v3\nWe show <that> it works é.',
      sources: [{ title: 'ReAct: Reasoning & Acting 9', url: 'http://arxiv.org/abs/2210.03629v3' }],
    })
  })

  test('with many authors names the first four', async () => {
    const { use } = await play((_, response) => response.end(feed(paper(9, ['A', 'B', 'C', 'D', 'E', 'F']))))
    expect((await use({ query: 'react' })).text).toContain('by A, B, C, D and 2 others')
  })
})

describe('a query', () => {
  const searched = async (query: string, answer = feed(paper(1))) => {
    const { use, server } = await play((_, response) => response.end(answer))
    await use({ query })
    return server.paths.map((path) => new URL(path, server.url).searchParams)
  }

  test('is searched by its significant words', async () => {
    const [asked] = await searched('What is the neural-network attention layer?')
    expect(asked?.get('search_query')).toBe('all:neural-network AND all:attention AND all:layer')
    expect(asked?.get('max_results')).toBe('3')
  })

  test('without a match is searched by any of its words', async () => {
    const asked = await searched('attention layers', feed())
    expect(asked.map((one) => one.get('search_query'))).toEqual([
      'all:attention AND all:layers',
      'all:attention OR all:layers',
    ])
  })

  test.each([
    ['2210.03629', '2210.03629'],
    ['arXiv:2210.03629v3', '2210.03629v3'],
    ['hep-th/9901001', 'hep-th/9901001'],
  ])('that is a paper’s number fetches the paper: %s', async (query, id) => {
    expect((await searched(query))[0]?.get('id_list')).toBe(id)
  })

  test('in arXiv’s syntax stays unchanged', async () => {
    expect((await searched('au:Karpathy AND ti:video'))[0]?.get('search_query')).toBe('au:Karpathy AND ti:video')
  })
})

test('no result is reported', async () => {
  const { use } = await play((_, response) => response.end(feed()))
  expect((await use({ query: 'qqq' })).text).toBe('arXiv has no paper for [qqq].')
})

test('arXiv’s own error is reported', async () => {
  const error = `<entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>incorrect id format</summary></entry>`
  const { use } = await play((_, response) => response.writeHead(400).end(feed(error)))
  await expect(use({ query: 'au:x' })).rejects.toThrow('arxiv refused the request: incorrect id format')
})

const laughs = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')

test.each([
  ['a page', '<html><body>Sorry</body></html>'],
  ['text', 'Rate exceeded.'],
  ['cut XML', '<feed><entry><title>x'],
  ['a billion laughs', `<!DOCTYPE feed [<!ENTITY l0 "ha">${laughs}]><feed><entry><title>&l10;</title></entry></feed>`],
  [
    'a file of ours',
    '<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed><entry><title>&x;</title></entry></feed>',
  ],
  ['deep nesting', `<feed>${'<a>'.repeat(300_000)}`],
  ['many entries', `<feed>${'<entry><title>x</title></entry>'.repeat(30_000)}</feed>`],
  ['many entities', `<feed><entry><title>${'&amp;'.repeat(200_000)}</title></entry></feed>`],
  ['brackets', '<'.repeat(1_000_000)],
  ['nothing', ''],
])('%s crashes and freezes nothing', async (_, xml) => {
  const { use } = await play((_path, response) => response.end(xml))
  const spent = cpuClock()
  const said = await use({ query: 'au:x' }).then(
    ({ text }) => text,
    (error: Error) => error.message,
  )
  expect(spent()).toBeLessThan(20_000) // Only a freeze takes this long.
  expect(said.length).toBeLessThan(4000)
  expect(said).not.toContain('root:')
})

test('a query of stop words only is searched by them', async () => {
  const { use, server } = await play((_, response) => response.end(feed(paper(1))))
  await use({ query: 'To be, or who to be?' })
  await use({ query: 'What is the?' })
  const asked = server.paths.map((path) => new URL(path, server.url).searchParams.get('search_query'))
  expect(asked).toEqual(['all:be AND all:be', 'all:What AND all:is AND all:the'])
})

test('an incomplete entry is returned without the missing parts, and one without a title is left out', async () => {
  const bare = '<entry><title type="html">Bare <b>title</b></title><summary/></entry>'
  const { use } = await play((_, response) =>
    response.end(feed('<entry><id>http://arxiv.org/abs/1</id></entry>', bare)),
  )
  const { text, sources } = await use({ query: 'bare' })
  expect(text).toMatch(/^Bare/)
  expect(sources).toEqual([])
})
