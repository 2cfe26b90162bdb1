import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../src/base/backoff.ts'
import { ConfigError } from '../../src/base/errors.ts'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import {
  checkToolNames,
  createToolbox,
  exampleFiles,
  toolNames,
  toolsOff,
  type ToolSettings,
} from '../../tools/index.ts'

function toolbox(settings: ToolSettings) {
  const http = createToolHttp({ timeoutMs: 10_000, clocks: { now: Date.now, sleep } })
  onTestFinished(() => http.close())
  return createToolbox({ http, settings })
}

const namesOf = (settings: ToolSettings) => toolbox(settings).map((tool) => tool.name)

test('a key enables its tool', () => {
  expect(namesOf({ SERPAPI_API_KEY: 'k' })).toContain('search')
})

test('Slack’s tools exist only for questions from Slack, even if TOOLS names them', () => {
  expect(namesOf({ hasWorkspace: true }).toSorted()).toEqual(
    [...namesOf({}), 'workspace_search', 'read_channel', 'read_thread'].toSorted(),
  )
  const named = { TOOLS: ['read_thread', 'calculator', 'workspace_search'] }
  expect(namesOf({ ...named, hasWorkspace: true })).toEqual(named.TOOLS)
  expect(namesOf(named)).toEqual(['calculator'])
  expect(() => checkToolNames(named)).not.toThrow()
  expect(toolsOff({})).toContainEqual({ name: 'read_thread', why: 'needs Slack and a model' })
})

test('TOOLS selects tools in its order', () => {
  expect(namesOf({ TOOLS: ['wikipedia', 'calculator', 'wikipedia'] })).toEqual([
    'wikipedia',
    'wikipedia_lookup',
    'calculator',
  ])
  expect(namesOf({ TOOLS: [] })).toEqual([])
})

test('every name in TOOLS gives tools with a valid description', () => {
  for (const tool of toolbox({ TOOLS: toolNames, SERPAPI_API_KEY: 'k' })) {
    expect(tool.name).toMatch(/^[a-z][\w-]{0,63}$/i)
    expect(tool.description).not.toBe('')
    expect(tool.parameters.type).toBe('object')
    expect(tool.effects).toBe('read')
  }
})

test.each(['teleport', 'Calculator', '__proto__', 'constructor', ''])(
  'the unknown name %j is told, with what exists',
  (name) => {
    expect(() => toolbox({ TOOLS: [name] })).toThrow(ConfigError)
    expect(() => checkToolNames({ TOOLS: [name] })).toThrow(
      `TOOLS: there is no tool "${name}". Choose from ${toolNames.join(', ')}.`,
    )
  },
)

test('a tool without its key is reported', () => {
  expect(() => toolbox({ TOOLS: ['search'] })).toThrow(
    'TOOLS: search needs SERPAPI_API_KEY or SEARCH_ENGINE. Set it, or remove search.',
  )
})

test('worked examples come with the tools that have them', () => {
  expect(exampleFiles({ TOOLS: ['calculator', 'invoices'] })).toEqual(['tools/examples/invoices/examples.md'])
  expect(exampleFiles({})).toEqual([])
})

test('the descriptions of search, calculator and wikipedia stay short', () => {
  const told = toolbox({ TOOLS: ['search', 'calculator', 'wikipedia'], SERPAPI_API_KEY: 'k' })
  const tokens = encode(told.map((tool) => `${tool.name}: ${tool.description}`).join('\n')).length
  expect(tokens).toBeLessThan(100)
})
