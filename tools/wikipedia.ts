/**
 * Wikipedia, or any other MediaWiki, as the environment of the ReAct paper (Yao et al. 2022): a search that loads a
 * page and shows its first sentences, and a lookup that walks through the loaded page. Two tools under one name of
 * TOOLS.
 */
import { z } from 'zod'
import type { Fetched, Tool, ToolContext, ToolOutput } from '../src/agent/contracts/tool.ts'
import type { Source } from '../src/agent/contracts/evidence.ts'
import { ToolError } from '../src/base/errors.ts'
import { queryText } from './query-text.ts'
import { serviceOf, type ToolParts } from './tool-settings.ts'
import { wikiClient, type PageInfo, type WikiClient } from './wikipedia/client.ts'
import { sentencesOf } from './wikipedia/sentences.ts'
import { canBeTitle, isSameTitle, listTitles, offeredTitles, pointsElsewhere } from './wikipedia/titles.ts'
import { defineTool } from '../src/agent/define-tool.ts'

const WIKIPEDIA = 'https://en.wikipedia.org/w/api.php'
const FIRST_SENTENCES = 5
const SIMILAR_TITLES = 5
/** How many titles are searched for: a wiki without CirrusSearch does not put the page of that very title first. */
const SEARCHED_TITLES = 20
const MAX_OFFERED = 15

/** The memory key of the loaded page and the position in it; the text itself comes again through the cache. */
const MEMORY = 'wikipedia'

const loadedSchema = z.object({
  title: z.string(),
  url: z.string().optional(),
  keyword: z.string().optional(),
  /** How many of the keyword's sentences have been shown. */
  shown: z.number().default(0),
})

type LoadedPage = z.infer<typeof loadedSchema>

export function wikipedia({ http, settings }: ToolParts): Tool[] {
  const service = serviceOf(http, settings.WIKIPEDIA_API_URL, WIKIPEDIA, { name: 'wikipedia', keep: isAnswer })
  return [
    defineTool({
      name: 'wikipedia',
      description: 'Gives the first sentences of a Wikipedia page, or similar titles. Input: the title of the page.',
      schema: z.object({ query: queryText().describe('title of the page') }),
      run: ({ query }, context) => search(query, wikiClient(service, context.signal), context),
    }),
    defineTool({
      name: 'wikipedia_lookup',
      description: 'Gives the next sentence with a keyword on the page last found by wikipedia. Input: the keyword.',
      schema: z.object({ keyword: queryText().describe('keyword') }),
      repeatable: true,
      run: ({ keyword }, context) => lookup(keyword, wikiClient(service, context.signal), context),
    }),
  ]
}

/** MediaWiki sends errors with status 200: they are not cached. */
function isAnswer({ headers, body }: Fetched): boolean {
  return !('mediawiki-api-error' in headers) && body.startsWith('{') && body.trimEnd().endsWith('}')
}

/**
 * Finds a page by its title, or by a search hit with the same title except for spelling; otherwise returns similar
 * titles. The first request asks only for the title, which is what a good model writes.
 */
async function search(query: string, wiki: WikiClient, context: ToolContext): Promise<ToolOutput> {
  if (query === '') throw new ToolError('wikipedia needs the title of a page.')
  const page = canBeTitle(query) ? await wiki.page(query) : undefined
  if (page) return show(page, wiki, context)
  const titles = await wiki.search(query, SEARCHED_TITLES)
  const same = titles.find((title) => isSameTitle(title, query)) ?? (query.includes('#') ? query : undefined)
  const found = same === undefined ? undefined : await wiki.page(same)
  if (found && isSameTitle(found.title, query)) return show(found, wiki, context)
  forgetKeyword(context)
  const similar =
    titles.length > 0 ? `Similar: ${listTitles(titles.slice(0, SIMILAR_TITLES))}.` : 'Nothing similar was found either.'
  return { text: `Could not find [${query}]. ${similar}` }
}

/** Loads a page and shows its beginning. A page that only points to others is reported, and not loaded. */
async function show(page: PageInfo, wiki: WikiClient, context: ToolContext): Promise<ToolOutput> {
  const text = await wiki.text(page.title)
  if (page.disambiguation || pointsElsewhere(text)) {
    forgetKeyword(context)
    const links = await wiki.links(page.title).catch(() => [])
    const offered = offeredTitles(text, links).slice(0, MAX_OFFERED)
    return { text: `[${page.title}] may refer to: ${listTitles(offered)}. Search for one of these titles.` }
  }
  context.memory[MEMORY] = { title: page.title, url: page.url, shown: 0 } satisfies LoadedPage
  const first = sentencesOf(text).slice(0, FIRST_SENTENCES).join(' ')
  return { text: first || `The page [${page.title}] has no text.`, sources: sourcesOf(page) }
}

/** Returns the next sentence of the loaded page with the keyword, as a browser's find does; case does not matter. */
async function lookup(keyword: string, wiki: WikiClient, context: ToolContext): Promise<ToolOutput> {
  if (keyword === '') throw new ToolError('wikipedia_lookup needs a keyword.')
  const loaded = loadedPage(context)
  if (!loaded) throw new ToolError('No page is loaded: find one with wikipedia first.')
  const wanted = keyword.toLowerCase()
  const hits = sentencesOf(await wiki.text(loaded.title)).filter((sentence) => sentence.toLowerCase().includes(wanted))
  // Another lookup of the same turn may have moved on meanwhile.
  const now = loadedPage(context)
  const page = now?.title === loaded.title ? now : loaded
  const shown = page.keyword === wanted ? page.shown : 0
  const hit = hits[shown]
  const next = hit === undefined ? shown : shown + 1
  context.memory[MEMORY] = { ...page, keyword: wanted, shown: next } satisfies LoadedPage
  const none = hits.length === 0 ? ` The page [${page.title}] does not contain [${keyword}].` : ''
  if (hit === undefined) return { text: `No more results.${none}`, exhausted: true }
  return { text: `(Result ${shown + 1} / ${hits.length}) ${hit}`, sources: sourcesOf(page) }
}

/** A search starts the lookup over, whether or not it loads another page. */
function forgetKeyword(context: ToolContext): void {
  const page = loadedPage(context)
  if (page) context.memory[MEMORY] = { title: page.title, url: page.url, shown: 0 } satisfies LoadedPage
}

/** The memory may have been saved by another process, so it is validated. */
function loadedPage(context: ToolContext): LoadedPage | undefined {
  return loadedSchema.safeParse(context.memory[MEMORY]).data
}

function sourcesOf(page: { title: string; url?: string | undefined }): Source[] {
  return page.url ? [{ title: page.title, url: page.url }] : []
}
