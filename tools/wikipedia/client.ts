import { z } from 'zod'
import { ToolError } from '../../src/base/errors.ts'
import { parseServiceJson, webAddress, withQuery } from '../service-response.ts'
import { cutQuery } from '../query-text.ts'
import type { Service } from '../tool-settings.ts'
import { ask, encodedText } from './package.ts'
import { cutTitle } from './titles.ts'

export interface PageInfo {
  title: string
  url?: string | undefined
  disambiguation: boolean
}

/** The requests to a MediaWiki. `undefined` and empty lists are answers; all methods throw ToolError on failure. */
export type WikiClient = ReturnType<typeof wikiClient>

/** The number of links that are requested, and read. */
const MAX_LINKS = 500

/** Titles beyond a wiki's own limits cost no work. */
const titleSchema = z.string().transform(cutTitle)
const titlesSchema = z
  .preprocess(
    (list) => (Array.isArray(list) ? list.slice(0, MAX_LINKS) : list),
    z.array(z.object({ title: titleSchema })),
  )
  .catch([])

const pageSchema = z.object({
  title: titleSchema.catch(''),
  missing: z.unknown().optional(),
  invalid: z.unknown().optional(),
  fullurl: z.string().optional().catch(undefined),
  pageprops: z.record(z.string(), z.unknown()).catch({}),
  extract: z.string().optional().catch(undefined),
  links: titlesSchema,
})

/** The used parts of an answer of api.php in format version 1. PHP writes an empty object as `[]`. */
const answerSchema = z.object({
  error: z.object({ info: z.string() }).optional(),
  /** The parameters that a wiki did not understand, by module, such as a `prop` whose extension it lacks. */
  warnings: z
    .object({ query: z.object({ '*': z.string() }) })
    .optional()
    .catch(undefined),
  query: z
    .object({
      pages: z.record(z.string(), pageSchema).catch({}),
      search: titlesSchema,
      searchinfo: z.object({ suggestion: z.string().optional() }).catch({}),
    })
    .catch({ pages: {}, search: [], searchinfo: {} }),
})

interface QueryResult extends z.infer<typeof answerSchema.shape.query> {
  warning: string
}

const IN_TEXT = { srwhat: 'text' }
const NO_EXTRACTS =
  'wikipedia cannot read this wiki: it lacks the extension TextExtracts, which the wiki of WIKIPEDIA_API_URL needs.'

/** Creates a client for one call of a tool. `signal` aborts its requests. */
export function wikiClient(service: Service, signal: AbortSignal) {
  const send = async (parameters: URLSearchParams, more: Record<string, string>) => {
    const url = withQuery(service.url, { ...Object.fromEntries(parameters), ...more })
    const { status, body } = await service.fetch(url, { signal, headers: { accept: 'application/json' } })
    if (status < 200 || status > 299) throw new ToolError(`wikipedia refused the request (${status}).`)
    return parseServiceJson(body, 'wikipedia')
  }
  const query = async (question: Parameters<typeof ask>[0], more = {}) =>
    readAnswer(await ask(question, (parameters) => send(parameters, more)))
  const find = (text: string, limit: number, more = {}) =>
    query((wiki) => wiki.search(encodedText(cutQuery(text)), { limit, suggestion: true }), more)

  return {
    /** Returns the page of this title, with redirects followed. */
    async page(title: string): Promise<PageInfo | undefined> {
      const page = onlyPage(await query((wiki) => wiki.page(encodedText(title))))
      if (!page || page.missing !== undefined || page.invalid !== undefined || page.title === '') return undefined
      const disambiguation = 'disambiguation' in page.pageprops
      return { title: page.title, url: absolute(page.fullurl, service.url), disambiguation }
    },
    /** Returns the page's text: paragraphs on lines, headings as `== Heading ==`. */
    async text(title: string) {
      const answer = await query((wiki) => wiki.content(encodedText(title)))
      const extract = onlyPage(answer)?.extract
      if (extract === undefined && answer.warning.includes('extracts')) throw new ToolError(NO_EXTRACTS)
      return extract ?? ''
    },
    /** Returns the titles that a page links to, in alphabetical order. */
    async links(title: string) {
      const page = onlyPage(await query((wiki) => wiki.links(encodedText(title), { limit: MAX_LINKS })))
      return page?.links.map((link) => link.title) ?? []
    },
    /**
     * Returns titles of the full-text search, best first; if it finds nothing, a suggestion, or titles with the words.
     */
    async search(text: string, limit: number) {
      const found = await find(text, limit, IN_TEXT)
      const meant = found.searchinfo.suggestion
      // Without CirrusSearch, a wiki searches titles by default, texts on request, and never both.
      const { search } =
        found.search.length > 0 ? found : await (meant ? find(meant, limit, IN_TEXT) : find(text, limit))
      return search.slice(0, limit).map((hit) => hit.title)
    },
  }
}

/**
 * @throws ToolError for MediaWiki's own refusals (which come with status 200) and for anything but an answer of api.php
 */
function readAnswer(json: unknown): QueryResult {
  const { success, data } = answerSchema.safeParse(json)
  if (!success) throw new ToolError('wikipedia sent an unreadable response.')
  if (data.error) throw new ToolError(`wikipedia refused the request: ${data.error.info.slice(0, 200)}`)
  return { ...data.query, warning: data.warnings?.query['*'] ?? '' }
}

function onlyPage(answer: QueryResult): z.infer<typeof pageSchema> | undefined {
  return Object.values(answer.pages)[0]
}

/** Some wikis return page addresses without a scheme or a host. */
function absolute(url: string | undefined, base: string): string | undefined {
  return url && URL.canParse(url, base) ? webAddress(new URL(url, base).href) : undefined
}
