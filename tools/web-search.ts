/**
 * Searches the web with the engine of SEARCH_ENGINE, or else with SerpApi, as in "How ReAct Prompting Works" and
 * langchain-mini.
 */
import { z } from 'zod'
import type { Tool } from '../src/agent/contracts/tool.ts'
import { ConfigError, ToolError } from '../src/base/errors.ts'
import { parseJson } from '../src/base/parse-json.ts'
import { defineTool } from '../src/agent/define-tool.ts'
import { queryText } from './query-text.ts'
import { oneLine, parseServiceJson } from './service-response.ts'
import { serviceOf, type ToolParts } from './tool-settings.ts'
import { engineNamed, type Engine, type EngineName } from './web-search/engines.ts'
import { resultsOutput, searchResult, withoutKey, type RunSearch } from './web-search/results.ts'
import { serpApi } from './web-search/serpapi.ts'

/** @throws ConfigError if the engine lacks a setting */
export function webSearch(parts: ToolParts): Tool {
  const { SEARCH_ENGINE: engine = 'serpapi' } = parts.settings
  const search = engine === 'serpapi' ? serpApi(parts) : searchWith(engine, parts)
  return defineTool({
    name: 'search',
    title: 'Web search',
    description: 'Searches the web, also for current events. Input: a search query.',
    schema: z.object({ query: queryText().min(1).describe('search query') }),
    run: ({ query }, { signal }) => search(query, signal),
  })
}

const SCOPE = { name: 'search', readsBusy: true }

function searchWith(name: EngineName, { http, settings }: ToolParts): RunSearch {
  const engine = engineNamed(name, settings.SEARCH_FIELDS)
  const { SEARCH_API_KEY: key = '', SEARCH_URL: setting } = settings
  const standard = engine.standard ?? setting
  if (standard === undefined) throw new ConfigError(`SEARCH_ENGINE=${name} needs SEARCH_URL. Set it to its address.`)
  if (name === 'custom' && !/\{query\}|%7Bquery%7D/i.test(standard))
    throw new ConfigError('SEARCH_URL should contain {query}, such as https://search.example.com/api?q={query}.')
  if (engine.needsKey && key === '') throw new ConfigError(`SEARCH_ENGINE=${name} needs SEARCH_API_KEY. Set it.`)
  const { url, fetch } = engine.standard
    ? serviceOf(http, setting, engine.standard, SCOPE)
    : { url: standard, fetch: http.scope({ ...SCOPE, hosts: [standard], inside: true }) }

  return async (query, signal) => {
    const { url: address, ...options } = engine.request(query, url, key)
    const { status, body } = await fetch(address, { ...options, signal })
    if (status > 299)
      throw new ToolError(withoutKey(refusal(engine, status, parseJson(body)), key), { isDown: status === 429 })
    const json = parseServiceJson(body, 'search')
    const list = Array.isArray(json) ? json : valueAt(json, engine.paths.list)
    const results = (Array.isArray(list) ? list : []).flatMap((one) =>
      searchResult(Object.fromEntries(Object.entries(engine.paths).map(([name, path]) => [name, valueAt(one, path)]))),
    )
    if (results.length > 0) return resultsOutput(results)
    const fault = messageIn(json)
    if (fault !== undefined) throw new ToolError(withoutKey(`search failed: ${fault}`, key))
    if (name === 'custom') checkMapping(list, engine)
    return { text: `No results${unresponsive(json)}. Try other words.` }
  }
}

/** @throws ToolError if SEARCH_FIELDS does not match the answer */
function checkMapping(list: unknown, { paths }: Engine): void {
  if (!Array.isArray(list))
    throw new ToolError(`search failed: its answer has no list at "${paths.list}". Set list in SEARCH_FIELDS.`)
  if (list.length > 0)
    throw new ToolError(`search failed: its results have no address at "${paths.url}". Set url in SEARCH_FIELDS.`)
}

/** Returns the value at a path such as `web.results`. */
function valueAt(json: unknown, path: string): unknown {
  let value = json
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** What a status means if the engine does not mean something else. */
const MEANINGS: Record<number, string> = {
  401: 'the key is not accepted. Check SEARCH_API_KEY',
  402: 'its credits are used up',
  403: 'the key is not accepted. Check SEARCH_API_KEY',
}

function refusal({ label, says }: Engine, status: number, json: unknown): string {
  const meaning = says?.[status] ?? MEANINGS[status]
  const message = messageIn(json)
  const said = message === undefined ? '' : ` It says: ${message}`
  if (status === 429)
    return `search gets too many requests right now (429): a limit or the quota of ${label} is reached.${said}`
  return `search failed: ${label} refused the search (${status})${meaning ? `: ${meaning}` : ''}.${said}`
}

/** The places where engines put the sentence of an error. */
const MESSAGES = [
  ...['error.detail', 'error.message', 'detail.error', 'error', 'message', 'detail', 'msg'],
  ...['detail.0.msg', 'errors.0.message', 'errors.0.detail', 'errors.0', 'errors.message'],
]

function messageIn(json: unknown): string | undefined {
  const found = MESSAGES.map((path) => valueAt(json, path)).find((one) => typeof one === 'string' && one.trim() !== '')
  return found === undefined ? undefined : oneLine(String(found), 200)
}

/** SearXNG names the engines behind it that did not answer, each with the reason. */
function unresponsive(json: unknown): string {
  const list = valueAt(json, 'unresponsive_engines')
  if (!Array.isArray(list) || list.length === 0) return ''
  const names = list.slice(0, 5).map((one) => oneLine(Array.isArray(one) ? one.join(': ') : String(one), 80))
  return `, because these engines did not answer: ${names.join(', ')}`
}
