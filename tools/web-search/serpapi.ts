/** Google through SerpApi, as in "How ReAct Prompting Works" and langchain-mini: https://serpapi.com/search-api */
import { z } from 'zod'
import type { ToolOutput } from '../../src/agent/contracts/tool.ts'
import { uniqueSources } from '../../src/agent/contracts/evidence.ts'
import { ConfigError, ToolError } from '../../src/base/errors.ts'
import { parseJson } from '../../src/base/parse-json.ts'
import { oneLine, parseServiceJson, serviceSources, withQuery } from '../service-response.ts'
import { resultsOutput, searchResult, withoutKey, type RunSearch, type SearchResult } from './results.ts'
import { serviceOf, type ToolParts } from '../tool-settings.ts'

const SERPAPI = 'https://serpapi.com/search.json'
const NOTHING = 'No good search result found'

/** A field that Google fills with text or a number, or omits. */
const text = z
  .union([z.string(), z.number().transform(String)])
  .optional()
  .catch(undefined)
const link = z.string().optional().catch(undefined)

const answerBoxSchema = z
  .object({
    title: text,
    link,
    answer: text,
    snippet: text,
    snippet_highlighted_words: z.array(z.string()).optional().catch(undefined),
  })
  .optional()
  .catch(undefined)

/** The parts of a result page that may contain the answer. A part with another shape counts as absent. */
const resultSchema = z.object({
  error: text,
  answer_box: z.preprocess((box) => (Array.isArray(box) ? box[0] : box), answerBoxSchema),
  sports_results: z.object({ title: text, game_spotlight: z.unknown().optional() }).optional().catch(undefined),
  knowledge_graph: z
    .object({ title: text, description: text, source: z.object({ link }).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  organic_results: z.array(z.object({ title: text, link, snippet: text, date: text })).catch([]),
})

type ResultPage = z.infer<typeof resultSchema>

/** Makes one search per call. The key is only sent to SerpApi's host and never shown. */
export function serpApi({ http, settings }: ToolParts): RunSearch {
  const setting = settings.SEARCH_URL ?? settings.SERPAPI_URL
  const { url, fetch } = serviceOf(http, setting, SERPAPI, { name: 'search', readsBusy: true })
  const key = settings.SEARCH_API_KEY ?? settings.SERPAPI_API_KEY
  if (key === undefined) throw new ConfigError('SEARCH_ENGINE=serpapi needs SEARCH_API_KEY. Set it.')

  return async (query, signal) => {
    const address = withQuery(url, { engine: 'google', q: query, api_key: key })
    const { status, body } = await fetch(address, { signal })
    const result = resultSchema.safeParse(status > 299 ? parseJson(body) : parseServiceJson(body, 'search')).data
    const fault = result?.error ?? (status > 299 ? `status ${status}` : undefined)
    if (fault !== undefined) {
      const isDown = status === 429
      throw new ToolError(`search failed: ${oneLine(withoutKey(fault, key), 200)}`, { isDown })
    }
    const best = result && bestOf(result)
    const found = settings.SEARCH_ENGINE === undefined ? [] : (result?.organic_results ?? [])
    const results = found.flatMap(({ link, ...result }) => searchResult({ ...result, url: link }))
    return withResults(best ?? { text: NOTHING }, results)
  }
}

/** Returns the answer box or its like before the list of results. */
function withResults(best: ToolOutput, results: SearchResult[]): ToolOutput {
  const [first] = results
  if (!first) return best
  const list = resultsOutput(results)
  if (best.text === NOTHING || best.sources?.[0]?.url === first.url) return list
  const sources = uniqueSources([...(best.sources ?? []), ...(list.sources ?? [])])
  return { text: `${best.text}\n\n${list.text}`, sources }
}

/** Returns the first part with content, in LangChain's order. */
function bestOf(result: ResultPage): ToolOutput {
  const { answer_box: box, sports_results: sports, knowledge_graph: graph } = result
  const organic = result.organic_results[0]
  const boxText = box?.answer ?? box?.snippet ?? box?.snippet_highlighted_words?.[0]
  if (boxText) return { text: boxText, sources: serviceSources(box?.title ?? '', box?.link) }
  if (sports?.game_spotlight) return { text: plain(sports.game_spotlight) }
  if (graph?.description)
    return { text: graph.description, sources: serviceSources(graph.title ?? '', graph.source?.link) }
  if (organic?.snippet) return { text: organic.snippet, sources: serviceSources(organic.title ?? '', organic.link) }
  return { text: NOTHING }
}

/** @throws ToolError for a value that is nested too deeply to be written down */
function plain(value: unknown): string {
  try {
    return typeof value === 'string' ? value : JSON.stringify(value)
  } catch {
    throw new ToolError('search sent an unreadable response.')
  }
}
