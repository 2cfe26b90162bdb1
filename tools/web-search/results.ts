/** The results of every search engine in one shape. */
import type { ToolOutput } from '../../src/agent/contracts/tool.ts'
import { uniqueSources } from '../../src/agent/contracts/evidence.ts'
import { oneLine, webAddress } from '../service-response.ts'

/** Makes one search. @throws ToolError with a sentence that contains no key */
export type RunSearch = (query: string, signal: AbortSignal) => Promise<ToolOutput>

export interface SearchResult {
  title: string
  url: string
  snippet: string
  /** As the engine writes it; empty if it says none. */
  date: string
}

/** How many results a search gives at most. */
export const MAX_RESULTS = 10
const CHARS = { title: 150, snippet: 300, date: 40 }

/** Returns a result with values that an engine sent, or nothing if it leads nowhere. */
export function searchResult(sent: Partial<Record<keyof SearchResult, unknown>>): SearchResult[] {
  const url = webAddress(sent.url)
  if (url === undefined) return []
  const date = plainLine(sent.date, CHARS.date).replace(/^(\d{4}-\d\d-\d\d)T.*/, '$1')
  const title = plainLine(sent.title, CHARS.title) || new URL(url).hostname
  return [{ title, url, snippet: plainLine(sent.snippet, CHARS.snippet), date }]
}

/** Engines mark the words of the query with tags, and send some texts as lists. */
function plainLine(value: unknown, length: number): string {
  const text = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(' … ') : value
  if (typeof text !== 'string' && typeof text !== 'number') return ''
  return oneLine(
    String(text)
      .slice(0, 10 * length)
      .replace(/<\/?(?:strong|b|em|mark)>/gi, '')
      .replace(/&(?:amp|quot|lt|gt|#0?39|#x27);/gi, (entity) => ENTITIES[entity.toLowerCase()] ?? entity),
    length,
  )
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&#39;': "'",
  '&#039;': "'",
  '&#x27;': "'",
}

export function resultsOutput(results: readonly SearchResult[]): ToolOutput {
  const shown = results.slice(0, MAX_RESULTS)
  const lines = shown.map(({ title, url, snippet, date }, i) =>
    [`${i + 1}. ${title}${date && ` (${date})`}`, url, ...(snippet ? [snippet] : [])].join('\n'),
  )
  return { text: lines.join('\n\n'), sources: uniqueSources(shown.map(({ title, url }) => ({ title, url }))) }
}

/** Some engines quote an invalid key in their error. */
export function withoutKey(sentence: string, key: string): string {
  return key === '' ? sentence : sentence.replaceAll(key, '…')
}
