import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { startWiki } from '../../playground/wiki/wiki.ts'
import { loadPrompts } from '../../src/base/prompts.ts'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import { createToolbox, toolNames, type ToolSettings } from '../../tools/index.ts'
import { runOn } from '../harness/agent-run.ts'
import { act, finish, type Script } from '../harness/played-model.ts'
import { sendJson, startWebServer } from '../harness/web-server.ts'

/** A tool in the loop: the model's inputs, turn by turn, and its last observation. */
interface Row {
  tool: string
  /** The tool's name in TOOLS, if it differs. */
  enabled?: string
  /** The turns' inputs, each for this tool or for the named one. */
  inputs: (string | [tool: string, input: string])[]
  observation: string | RegExp
  source?: string
  /** The service that it calls: the setting of its address, and its answer. */
  service?: { setting: keyof ToolSettings; path: string; answer(response: ServerResponse): void }
  settings?: ToolSettings
  /** The model's answer to the tool's question. */
  asked?: string
}

const FEED = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2210.03629v3</id>
<published>2022-10-06T01:00:32Z</published><title>ReAct</title><summary>Reason and act.</summary>
<author><name>Shunyu Yao</name></author></entry></feed>`

const ROWS: Row[] = [
  { tool: 'calculator', inputs: ['29^0.23'], observation: '2.169459462491557' },
  {
    tool: 'wikipedia',
    inputs: ['Dune (novel)'],
    observation: /^Dune is a 1965 science fiction novel/,
    source: '/wiki/Dune_(novel)',
  },
  {
    tool: 'wikipedia_lookup',
    enabled: 'wikipedia',
    inputs: [['wikipedia', 'Dune (novel)'], 'Lynch'],
    observation: /^\(Result 1 \/ 1\) David Lynch filmed the book/,
  },
  {
    tool: 'search',
    inputs: ['capital of France'],
    observation: 'Paris',
    source: 'https://box.example/',
    settings: { SERPAPI_API_KEY: 'k3y' },
    service: {
      setting: 'SERPAPI_URL',
      path: '/search.json',
      answer: (response) =>
        sendJson(response, { answer_box: { title: 'Box', link: 'https://box.example/', answer: 'Paris' } }),
    },
  },
  {
    tool: 'duckduckgo',
    inputs: ['donald duck'],
    observation: 'A cartoon character.',
    source: 'https://en.wikipedia.org/wiki/Donald_Duck',
    service: {
      setting: 'DUCKDUCKGO_URL',
      path: '/',
      answer: (response) =>
        sendJson(response, {
          Heading: 'Donald Duck',
          AbstractText: 'A cartoon character.',
          AbstractURL: 'https://en.wikipedia.org/wiki/Donald_Duck',
        }),
    },
  },
  {
    tool: 'arxiv',
    inputs: ['react reasoning'],
    observation: /^ReAct \(2022-10-06\), by Shunyu Yao/,
    source: 'http://arxiv.org/abs/2210.03629v3',
    service: { setting: 'ARXIV_API_URL', path: '/api/query', answer: (response) => void response.end(FEED) },
  },
  {
    tool: 'github_user',
    inputs: ['tj'],
    observation: /"followers":49319/,
    source: 'https://github.com/tj',
    service: {
      setting: 'GITHUB_API_URL',
      path: '/api/v3/',
      answer: (response) => sendJson(response, { login: 'tj', html_url: 'https://github.com/tj', followers: 49319 }),
    },
  },
  { tool: 'llm_math', inputs: ['six times seven'], asked: '6*7', observation: 'Answer: 42' },
  { tool: 'GetInvoice', enabled: 'invoices', inputs: ['company C'], observation: '20000' },
  { tool: 'Total', enabled: 'invoices', inputs: ['2000 1500'], observation: '3500' },
  { tool: 'Diff', enabled: 'invoices', inputs: ['2000 1500'], observation: '500' },
]

const http = createToolHttp({ timeoutMs: 60_000, clocks: { now: Date.now, sleep: async () => undefined } })
afterAll(() => http.close())

describe('a built-in tool in the loop, with its service on a real socket', () => {
  test.for(ROWS)('$tool', async (row, t) => {
    const settings = { TOOLS: [row.enabled ?? row.tool], ...row.settings, ...(await addressOf(row)) }
    const tools = createToolbox({ http, prompts: loadPrompts(), settings })
    const { events, final, model } = await runOn(t, { model: scriptOf(row), tools })
    const observed = events.flatMap((event) => (event.type === 'observation' ? [event.step.observation] : []))
    const last = observed.at(-1)
    expect(last?.ok).toBe(true)
    expect(last?.text).toMatch(row.observation)
    if (typeof row.observation === 'string') expect(last?.text).toBe(row.observation)
    expect(model.requests.at(-1)?.prompt).toContain(last?.text.split('\n')[0])
    const sources = final?.type === 'answer' ? final.sources.map(({ url }) => url) : []
    if (row.source) expect(sources.join()).toContain(row.source)
  })

  test('is in the table above for every tool', () => {
    const settings = { TOOLS: toolNames, SERPAPI_API_KEY: 'k3y' }
    const built = createToolbox({ http, prompts: loadPrompts(), settings })
    // Tools that make files need a place to send them: test/slack/made-files.test.ts. read_page needs an address of the
    // question: test/tools/read-page.test.ts.
    const here = built.flatMap(({ name, makesFiles }) => (makesFiles || name === 'read_page' ? [] : name))
    expect(ROWS.map((row) => row.tool).sort()).toEqual(here.sort())
  })
})

function scriptOf({ tool, inputs, asked }: Row): Script {
  const turns = inputs.map((input) => (typeof input === 'string' ? act('so', tool, input) : act('so', ...input)))
  return ({ prompt }) => (asked && prompt.endsWith('Expression:') ? asked : (turns.shift() ?? finish('done')))
}

/** Starts the service. Returns the setting for it. */
async function addressOf({ tool, service }: Row): Promise<ToolSettings> {
  if (tool.startsWith('wikipedia')) {
    const wiki = await startWiki()
    onTestFinished(() => wiki.close())
    return { WIKIPEDIA_API_URL: wiki.url }
  }
  if (!service) return {}
  const server = await startWebServer((_, response) => service.answer(response))
  return { [service.setting]: `${server.url}${service.path}` }
}
