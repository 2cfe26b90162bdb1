/** The search engines: what each is sent, and where its results stand. */
import { z } from 'zod'
import { ConfigError } from '../../src/base/errors.ts'
import { withQuery } from '../service-response.ts'
import { MAX_RESULTS, type SearchResult } from './results.ts'

export type EngineName = 'searxng' | 'brave' | 'tavily' | 'exa' | 'serper' | 'custom'

/** One search as it is sent. Keys are only in headers: addresses may be logged. */
interface SearchRequest {
  url: URL
  headers?: Record<string, string>
  /** Sent as a POST. */
  json?: unknown
}

export interface Engine {
  /** Its name for people. */
  label: string
  /** The public address. Without it, SEARCH_URL is needed. */
  standard?: string
  needsKey: boolean
  /** @param url SEARCH_URL, or the engine's public address */
  request(query: string, url: string, key: string): SearchRequest
  /** The paths of the results in its answer, and of their parts. */
  paths: Record<'list' | keyof SearchResult, string>
  /** A sentence about a status that means something else than the same status of other engines. */
  says?: Record<number, string>
}

export function engineNamed(name: EngineName, fields: string | undefined): Engine {
  return name === 'custom' ? customEngine(fields) : ENGINES[name]
}

const ENGINES: Record<Exclude<EngineName, 'custom'>, Engine> = {
  searxng: {
    label: 'SearXNG',
    needsKey: false,
    request: (query, url, key) => {
      const page = /\/search\/?$/.test(new URL(url).pathname) ? url : below(url, 'search')
      return { url: withQuery(page, { q: query, format: 'json' }), headers: bearer(key) }
    },
    paths: { list: 'results', title: 'title', url: 'url', snippet: 'content', date: 'publishedDate' },
    says: { 403: 'it does not send JSON. Add json to search.formats in its settings.yml' },
  },
  brave: {
    label: 'Brave',
    standard: 'https://api.search.brave.com/res/v1/web/search',
    needsKey: true,
    request: (query, url, key) => ({
      url: withQuery(url, { q: query, count: String(MAX_RESULTS) }),
      headers: { accept: 'application/json', 'x-subscription-token': key },
    }),
    paths: { list: 'web.results', title: 'title', url: 'url', snippet: 'description', date: 'page_age' },
  },
  tavily: {
    label: 'Tavily',
    standard: 'https://api.tavily.com/search',
    needsKey: true,
    request: posted(bearer, (query) => ({ query, max_results: MAX_RESULTS })),
    paths: { list: 'results', title: 'title', url: 'url', snippet: 'content', date: 'published_date' },
    says: { 432: 'the plan is used up', 433: 'the limit of its pay-as-you-go plan is reached' },
  },
  exa: {
    label: 'Exa',
    standard: 'https://api.exa.ai/search',
    needsKey: true,
    request: posted(apiKey, (query) => ({
      query,
      type: 'auto',
      numResults: MAX_RESULTS,
      contents: { highlights: true },
    })),
    paths: { list: 'results', title: 'title', url: 'url', snippet: 'highlights', date: 'publishedDate' },
  },
  serper: {
    label: 'Serper',
    standard: 'https://google.serper.dev/search',
    needsKey: true,
    request: posted(apiKey, (query) => ({ q: query, num: MAX_RESULTS })),
    paths: { list: 'organic', title: 'title', url: 'link', snippet: 'snippet', date: 'date' },
  },
}

const FIELDS = ['list', 'title', 'url', 'snippet', 'date', 'key'] as const
const FIELDS_FORM = 'SEARCH_FIELDS should be like list=data.items,title=name,url=link,snippet=text.'

/** Any address that answers with JSON; `{query}` in it is the query. `key` names the header of SEARCH_API_KEY. */
function customEngine(fields = ''): Engine {
  const pairs = fields.split(',').filter((pair) => pair.trim() !== '')
  const parsed = z
    .partialRecord(z.enum(FIELDS), z.string().min(1))
    .safeParse(Object.fromEntries(pairs.map((pair) => pair.split('=', 2).map((part) => part.trim()))))
  if (!parsed.success) throw new ConfigError(FIELDS_FORM)
  const { key: header, ...given } = parsed.data
  return {
    label: 'The search service',
    needsKey: false,
    request: (query, url, key) => ({
      url: new URL(url.replaceAll(/\{query\}|%7Bquery%7D/gi, () => encodeURIComponent(query))),
      headers: header && key ? { [header]: key } : bearer(key),
    }),
    paths: { list: 'results', title: 'title', url: 'url', snippet: 'snippet', date: 'date', ...given },
  }
}

function posted(headersOf: (key: string) => Record<string, string>, jsonOf: (query: string) => object) {
  return (query: string, url: string, key: string) => ({
    url: new URL(url),
    headers: headersOf(key),
    json: jsonOf(query),
  })
}

function apiKey(key: string): Record<string, string> {
  return { 'x-api-key': key }
}

function bearer(key: string): Record<string, string> {
  return key === '' ? {} : { authorization: `Bearer ${key}` }
}

function below(root: string, page: string): string {
  const address = new URL(root)
  address.pathname = `${address.pathname.replace(/\/$/, '')}/${page}`
  return address.href
}
