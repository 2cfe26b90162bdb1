import { describe, expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../src/base/backoff.ts'
import type { DialectName } from '../../src/config.ts'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import { startWiki } from '../../playground/wiki/wiki.ts'
import { createToolbox } from '../../tools/index.ts'
import { echo, runOn } from '../harness/agent-run.ts'
import { act, finish, type Turn, structured } from '../harness/played-model.ts'

const PAGES = [
  { title: 'Dune', text: 'A book. The spice flows. Water is rare. Spice is power.' },
  { title: 'Emma', text: 'Another book. Spice is nowhere else.' },
].map((page, i) => ({ ...page, id: i + 1, redirects: [], disambiguation: false }))

async function wikiTools() {
  const wiki = await startWiki({ pages: PAGES })
  const http = createToolHttp({ timeoutMs: 10_000, clocks: { now: Date.now, sleep } })
  onTestFinished(() => Promise.all([http.close(), wiki.close()]).then(() => undefined))
  return createToolbox({ http, settings: { TOOLS: ['wikipedia'], WIKIPEDIA_API_URL: wiki.url } })
}

const SAY: Record<DialectName, { search(title: string): Turn; lookup(word: string): Turn; done: Turn }> = {
  docstore: {
    search: (title) => ` a\nAction 1: Search[${title}]`,
    lookup: (word) => ` a\nAction 1: Lookup[${word}]`,
    done: ' a\nAction 9: Finish[done]',
  },
  bracket: {
    search: (title) => ` a\nAction: wikipedia[${title}]`,
    lookup: (word) => ` a\nAction: wikipedia_lookup[${word}]`,
    done: ' a\nAction: Finish[done]',
  },
  json: {
    search: (title) => blob('wikipedia', title),
    lookup: (word) => blob('wikipedia_lookup', word),
    done: 'Final Answer: done',
  },
  text: {
    search: (title) => act('a', 'wikipedia', title),
    lookup: (word) => act('a', 'wikipedia_lookup', word),
    done: finish('done'),
  },
  conversational: {
    search: (title) => ` Yes\nAction: wikipedia\nAction Input: ${title}`,
    lookup: (word) => ` Yes\nAction: wikipedia_lookup\nAction Input: ${word}`,
    done: 'AI: done',
  },
  native: {
    search: (query) => ({ toolCalls: [{ name: 'wikipedia', arguments: JSON.stringify({ query }) }] }),
    lookup: (keyword) => ({ toolCalls: [{ name: 'wikipedia_lookup', arguments: JSON.stringify({ keyword }) }] }),
    done: 'done',
  },
  structured: {
    search: (query) => structured('wikipedia', { query }),
    lookup: (keyword) => structured('wikipedia_lookup', { keyword }),
    done: structured('answer', 'done'),
  },
  'self-ask': { search: (title) => `Follow up: ${title}`, lookup: () => '', done: 'So the final answer is: done' },
}

function blob(tool: string, input: string): string {
  return `Thought: a\n\`\`\`\n${JSON.stringify({ action: tool, action_input: input })}\n\`\`\``
}

const HITS = ['(Result 1 / 2) The spice flows.', '(Result 2 / 2) Spice is power.']

describe('a lookup with the same keyword', () => {
  test.for(['docstore', 'bracket', 'json', 'text', 'conversational', 'native', 'structured'] as const)(
    'gives the next hit in the %s dialect',
    async (dialect, t) => {
      const { search, lookup, done } = SAY[dialect]
      const { observations, final } = await runOn(t, {
        dialect,
        tools: await wikiTools(),
        model: [search('Dune'), lookup('spice'), lookup('spice'), lookup('spice'), done],
      })
      expect(observations.slice(1)).toEqual([...HITS, 'No more results.'])
      expect(final).toMatchObject({ type: 'answer', text: 'done' })
      expect(final).not.toHaveProperty('stopped')
    },
  )

  test('after its last hit is a repetition, which forces an answer', async (t) => {
    const { search, lookup, done } = SAY.docstore
    const { observations, final } = await runOn(t, {
      dialect: 'docstore',
      tools: await wikiTools(),
      model: (_, n) => [search('Dune'), ...Array.from({ length: 5 }, () => lookup('Spice'))][n] ?? done,
    })
    const told = 'You have already done exactly this. It returned: No more results.'
    expect(observations.slice(3)).toEqual([
      'No more results.',
      `${told} Do something else, or give the final answer.`,
      told,
    ])
    expect(final).toMatchObject({ stopped: 'loop' })
  })

  test('on another page starts again', async (t) => {
    const { search, lookup, done } = SAY.docstore
    const { observations } = await runOn(t, {
      dialect: 'docstore',
      tools: await wikiTools(),
      model: [search('Emma'), lookup('spice'), lookup('spice'), search('Dune'), lookup('spice'), done],
    })
    expect([observations[2], observations[4]]).toEqual(['No more results.', HITS[0]])
  })

  test('twice in one turn returns two hits', async (t) => {
    const call = { name: 'wikipedia_lookup', arguments: '{"keyword": "spice"}' }
    const { observations } = await runOn(t, {
      dialect: 'native',
      tools: await wikiTools(),
      model: [SAY.native.search('Dune'), { toolCalls: [call, call] }, 'done'],
    })
    expect(observations.slice(1)).toEqual(HITS)
  })
})

test('a tool whose output is the answer does not answer with the notice about a repetition', async (t) => {
  const direct = echo(undefined, { name: 'direct', returnDirect: true })
  const ask = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name, arguments: '{"query": "x"}' })) })
  const { final } = await runOn(t, {
    dialect: 'native',
    tools: [direct, echo()],
    model: [ask('direct', 'echo'), ask('direct'), 'done'],
  })
  expect(final).toMatchObject({ type: 'answer', text: 'done' })
})

describe('a call that was made before', () => {
  /** A table to which each write adds a row. `count` returns the number of rows. */
  function table() {
    let rows = 1
    const insert = echo(() => `inserted row ${++rows}`, { name: 'insert', effects: 'write' })
    const count = echo(() => `${rows} rows`, { name: 'count' })
    return [insert, count, echo()]
  }

  test('is made again after a call that may have changed something', async (t) => {
    const { observations } = await runOn(t, {
      tools: table(),
      model: [act('a', 'count', 'all'), act('b', 'insert', 'x'), act('c', 'count', 'all'), finish('done')],
    })
    expect(observations).toEqual(['1 rows', 'inserted row 2', '2 rows'])
  })

  test('is made again after another call, and refused where nothing else has run since', async (t) => {
    const { observations } = await runOn(t, {
      tools: table(),
      model: [
        act('a', 'count', 'all'),
        act('b', 'echo', 'x'),
        act('c', 'count', 'all'),
        act('d', 'count', 'all'),
        finish('done'),
      ],
    })
    expect(observations.slice(0, 3)).toEqual(['1 rows', 'echo of x', '1 rows'])
    expect(observations[3]).toMatch(/^You have already done exactly this. It returned: 1 rows/)
  })

  test('is made twice where it writes, each time if a person allows it', async (t) => {
    const tools = table()
    const allowed: unknown[] = []
    const { observations, final } = await runOn(t, {
      tools,
      mayRun: ({ tool, input }) => {
        allowed.push([tool.name, input])
        return 'yes'
      },
      model: [act('a', 'insert', 'x'), act('b', 'insert', 'x'), finish('done')],
    })
    expect(observations).toEqual(['inserted row 2', 'inserted row 3'])
    expect(allowed).toHaveLength(2)
    expect(final).not.toHaveProperty('stopped')
  })

  test('that writes and always comes to the same makes the model answer the third time', async (t) => {
    const tool = echo(() => 'The row exists.', { name: 'insert', effects: 'write' })
    const { final } = await runOn(t, {
      tools: [tool],
      model: (_, n) => (n < 3 ? act(`turn ${n}`, 'insert', 'x') : finish('It exists.')),
    })
    expect(tool.calls).toHaveLength(3)
    expect(final).toMatchObject({ text: 'It exists.', stopped: 'loop' })
  })
})
