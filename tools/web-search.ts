/** Google through SerpApi, as in "How ReAct Prompting Works" and langchain-mini: https://serpapi.com/search-api */
import { z } from 'zod'
import type { Source, Tool, ToolOutput } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { oneLine, parseServiceJson, webAddress } from './service-response.ts'
import { queryText } from './query.ts'
import { serviceOf, type ToolParts } from './tool-settings.ts'
import { defineTool } from '../src/agent/define-tool.ts'

const SERPAPI = 'https://serpapi.com/search.json'

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
  organic_results: z.array(z.object({ title: text, link, snippet: text })).catch([]),
})

type SearchResult = z.infer<typeof resultSchema>

/** Makes one search per call. The key is only sent to SerpApi's host and never shown. */
export function webSearch({ http, settings }: ToolParts): Tool {
  const { url, fetch } = serviceOf(http, { setting: settings.SERPAPI_URL, standard: SERPAPI }, { name: 'search' })
  const key = settings.SERPAPI_API_KEY ?? ''

  return defineTool({
    name: 'search',
    title: 'Web search',
    description: 'Searches the web, also for current events. Input: a search query.',
    schema: z.object({ query: queryText().min(1).describe('search query') }),
    async run({ query }, { signal }) {
      const address = new URL(url)
      for (const [name, value] of Object.entries({ engine: 'google', q: query, api_key: key }))
        address.searchParams.set(name, value)
      const { status, body } = await fetch(address, { signal })
      const result = resultSchema.safeParse(parseServiceJson(body, 'search')).data
      const fault = result?.error ?? (status > 299 ? `status ${status}` : undefined)
      if (fault !== undefined) throw new ToolError(`search failed: ${oneLine(withoutKey(fault, key), 200)}`)
      return result ? bestOf(result) : { text: 'No good search result found' }
    },
  })
}

/** Returns the first part with content, in LangChain's order. */
function bestOf(result: SearchResult): ToolOutput {
  const { answer_box: box, sports_results: sports, knowledge_graph: graph } = result
  const organic = result.organic_results[0]
  const boxText = box?.answer ?? box?.snippet ?? box?.snippet_highlighted_words?.[0]
  if (boxText) return { text: boxText, sources: sourceOf(box?.title, box?.link) }
  if (sports?.game_spotlight) return { text: plain(sports.game_spotlight) }
  if (graph?.description) return { text: graph.description, sources: sourceOf(graph.title, graph.source?.link) }
  if (organic?.snippet) return { text: organic.snippet, sources: sourceOf(organic.title, organic.link) }
  return { text: 'No good search result found' }
}

/** @throws ToolError for a value that is nested too deeply to be written down */
function plain(value: unknown): string {
  try {
    return typeof value === 'string' ? value : JSON.stringify(value)
  } catch {
    throw new ToolError('search sent an unreadable response.')
  }
}

function sourceOf(title: string | undefined, link: string | undefined): Source[] {
  const url = webAddress(link)
  return url ? [{ title: oneLine(title ?? '', 150) || new URL(url).hostname, url }] : []
}

/** SerpApi quotes an invalid key in its error. */
function withoutKey(sentence: string, key: string): string {
  return key === '' ? sentence : sentence.replaceAll(key, '…')
}
