/**
 * Scientific papers from arXiv's API, which answers with an Atom feed: https://info.arxiv.org/help/api/user-manual.html
 */
import { z } from 'zod'
import type { Tool, ToolOutput } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { oneLine, serviceSources, webAddress, withQuery } from './service-response.ts'
import { cutQuery, MAX_QUERY, queryText } from './query-text.ts'
import { serviceOf, type ToolParts } from './tool-settings.ts'
import { defineTool } from '../src/agent/define-tool.ts'

const ARXIV = 'https://export.arxiv.org/api/query'
const MAX_PAPERS = 3
const MAX_AUTHORS = 4
const ABSTRACT_CHARS = 900
/** Bytes. Three papers are some 20 kB, and parsing XML is slow. */
const MAX_FEED = 500_000

/** A paper's number, in the new form or the old: it is fetched rather than searched for. */
const PAPER_ID = /^(?:arxiv:)?((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?\/\d{7})(?:v\d{1,2})?)$/i
/** arXiv's own query language, which a model may know. Such a query is sent unchanged. */
const FIELD_QUERY = /\b(?:ti|au|abs|co|jr|cat|rn|all):\S/

/** The text of an element. With attributes, the parser returns an object. */
const textSchema = z.union([z.string(), z.object({ '#text': z.string() }).transform((node) => node['#text'])]).catch('')

const entrySchema = z.object({
  id: textSchema,
  title: textSchema,
  summary: textSchema,
  published: textSchema,
  author: z.array(z.object({ name: textSchema })).catch([]),
})

const feedSchema = z.object({ feed: z.object({ entry: z.array(entrySchema).catch([]) }).catch({ entry: [] }) })

type ArxivEntry = z.infer<typeof entrySchema>

/** Entities other than XML's own belong to a document type. A feed has none, and one that brings some is refused. */
const PARSER = {
  ignoreAttributes: true,
  parseTagValue: false,
  htmlEntities: true,
  maxNestedTags: 20,
  isArray: (name: string) => name === 'entry' || name === 'author',
}

export function arxiv({ http, settings }: ToolParts): Tool {
  const service = serviceOf(http, settings.ARXIV_API_URL, ARXIV, { name: 'arxiv', maxBytes: MAX_FEED })

  const search = async (parameters: Record<string, string>, signal: AbortSignal): Promise<ArxivEntry[]> => {
    const url = withQuery(service.url, { start: '0', max_results: `${MAX_PAPERS}`, ...parameters })
    return readFeed((await service.fetch(url, { signal })).body)
  }

  return defineTool({
    name: 'arxiv',
    title: 'arXiv',
    description: 'Finds scientific papers on arXiv. Input: a search query.',
    schema: z.object({ query: queryText().min(1).describe('search query or paper id') }),
    async run({ query }, { signal }) {
      const id = PAPER_ID.exec(query)?.[1]
      if (id) return describe(await search({ id_list: id }, signal), query)
      const entries = await search({ search_query: searchQuery(query, 'AND'), sortBy: 'relevance' }, signal)
      if (entries.length > 0 || FIELD_QUERY.test(query)) return describe(entries, query)
      return describe(await search({ search_query: searchQuery(query, 'OR'), sortBy: 'relevance' }, signal), query)
    },
  })
}

/** Words that say nothing about a paper and would only narrow the search. */
const SMALL_WORDS = new Set('a an and are as at by for from in is of on or the to what which who with'.split(' '))

/** Returns `all:attention AND all:layers`. A query in arXiv's own language stays as it is. */
function searchQuery(query: string, join: 'AND' | 'OR'): string {
  if (FIELD_QUERY.test(query)) return query
  const words = query.match(/[\p{L}\p{N}][\p{L}\p{N}-]*/gu) ?? []
  const telling = words.filter((word) => !SMALL_WORDS.has(word.toLowerCase()))
  const terms = (telling.length > 0 ? telling : words).slice(0, 12).map((word) => cutQuery(`all:${word}`))
  const joined = () => terms.join(` ${join} `)
  while (terms.length > 1 && joined().length > MAX_QUERY) terms.pop()
  return joined()
}

/**
 * Returns the papers of a feed. arXiv reports errors as a feed with one entry, too.
 * @throws ToolError for anything but a feed
 */
async function readFeed(xml: string): Promise<ArxivEntry[]> {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw new ToolError('arxiv did not send a feed.')
  const { feed } = feedSchema.parse(await parseXml(xml))
  const fault = feed.entry.find((entry) => entry.id.includes('/api/errors'))
  if (fault) throw new ToolError(`arxiv refused the request: ${oneLine(fault.summary, 200)}`)
  return feed.entry.filter((entry) => entry.title !== '').slice(0, MAX_PAPERS)
}

/** Loads the parser on first use. */
async function parseXml(xml: string): Promise<unknown> {
  const { XMLParser } = await import('fast-xml-parser')
  try {
    const parsed: unknown = new XMLParser(PARSER).parse(xml)
    if (typeof parsed === 'object' && parsed !== null && 'feed' in parsed) return parsed
  } catch {
    // Reported below, like any other page that is not a feed.
  }
  throw new ToolError('arxiv did not send a feed.')
}

function describe(entries: ArxivEntry[], query: string): ToolOutput {
  if (entries.length === 0) return { text: `arXiv has no paper for [${oneLine(query, 100)}].` }
  return {
    text: entries.map(describeEntry).join('\n\n'),
    sources: entries.flatMap(({ title, id }) => serviceSources(title, id)),
  }
}

/** Returns title, date and authors in one line, the link, and the abstract. */
function describeEntry(entry: ArxivEntry): string {
  const names = entry.author.map((author) => oneLine(author.name, 80))
  const others = names.length > MAX_AUTHORS ? ` and ${names.length - MAX_AUTHORS} others` : ''
  const heading = `${oneLine(entry.title, 300)} (${entry.published.slice(0, 10)}), by ${names.slice(0, MAX_AUTHORS).join(', ')}${others}`
  return `${heading}\n${webAddress(entry.id) ?? ''}\n${oneLine(entry.summary, ABSTRACT_CHARS)}`
}
