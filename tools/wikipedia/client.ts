import { z } from 'zod'
import { ToolError } from '../../src/errors.ts'
import { parseJson, webAddress } from '../service-response.ts'
import type { Service } from '../settings.ts'
import { ask, packed } from './package.ts'

export interface PageInfo {
  title: string
  url?: string | undefined
  disambiguation: boolean
}

/** What a MediaWiki is asked. `undefined` and empty lists are answers; all methods throw ToolError on failure. */
export interface WikiClient {
  /** The page of this title, redirects followed. */
  page(title: string): Promise<PageInfo | undefined>
  /** The page's text, paragraphs on lines, headings as `== Heading ==`. */
  text(title: string): Promise<string>
  /** The titles that a page links to, in the alphabet's order. */
  links(title: string): Promise<string[]>
  /** Titles of the full-text search, best first; for a misspelt query those of what was probably meant. */
  search(query: string, limit: number): Promise<string[]>
}

/** MediaWiki refuses longer searches. */
const MAX_QUERY = 300

const pageSchema = z.object({
  title: z.string().catch(''),
  missing: z.unknown().optional(),
  invalid: z.unknown().optional(),
  fullurl: z.string().optional().catch(undefined),
  pageprops: z.record(z.string(), z.unknown()).catch({}),
  extract: z.string().catch(''),
  links: z.array(z.object({ title: z.string() })).catch([]),
})

/** An answer of api.php in format version 1, as far as it is used. PHP writes an empty object as `[]`. */
const answerSchema = z.object({
  error: z.object({ info: z.string() }).optional(),
  query: z
    .object({
      pages: z.record(z.string(), pageSchema).catch({}),
      search: z.array(z.object({ title: z.string() })).catch([]),
      searchinfo: z.object({ suggestion: z.string().optional() }).catch({}),
    })
    .catch({ pages: {}, search: [], searchinfo: {} }),
})

type Answer = z.infer<typeof answerSchema>['query']

/** A client for one run of a tool; `signal` ends whatever it is asking. */
export function wikiClient(service: Service, signal: AbortSignal): WikiClient {
  const send = async (parameters: URLSearchParams) => {
    const url = new URL(service.url)
    for (const [key, value] of parameters) url.searchParams.set(key, value)
    const { status, body } = await service.fetch(url, { signal, headers: { accept: 'application/json' } })
    if (status < 200 || status > 299) throw new ToolError(`wikipedia refused the request (${status}).`)
    return parseJson(body, 'wikipedia')
  }
  const query = async (question: Parameters<typeof ask>[0]) => readAnswer(await ask(question, send))
  const find = (text: string, limit: number) =>
    query((wiki) => wiki.search(packed(text.slice(0, MAX_QUERY)), { limit, suggestion: true }))

  return {
    async page(title) {
      const page = onlyPage(await query((wiki) => wiki.page(packed(title))))
      if (!page || page.missing !== undefined || page.invalid !== undefined || page.title === '') return undefined
      const disambiguation = 'disambiguation' in page.pageprops
      return { title: page.title, url: absolute(page.fullurl, service.url), disambiguation }
    },
    async text(title) {
      return onlyPage(await query((wiki) => wiki.content(packed(title))))?.extract ?? ''
    },
    async links(title) {
      const page = onlyPage(await query((wiki) => wiki.links(packed(title), { limit: 500 })))
      return page?.links.map((link) => link.title) ?? []
    },
    async search(text, limit) {
      const found = await find(text, limit)
      const meant = found.searchinfo.suggestion
      const { search } = found.search.length === 0 && meant ? await find(meant, limit) : found
      return search.slice(0, limit).map((hit) => hit.title)
    },
  }
}

/** @throws ToolError for MediaWiki's own refusals (which come with status 200) and for what is no answer of api.php. */
function readAnswer(json: unknown): Answer {
  const { success, data } = answerSchema.safeParse(json)
  if (!success) throw new ToolError('wikipedia sent an answer that cannot be read.')
  if (data.error) throw new ToolError(`wikipedia refused the request: ${data.error.info.slice(0, 200)}`)
  return data.query
}

function onlyPage(answer: Answer): z.infer<typeof pageSchema> | undefined {
  return Object.values(answer.pages)[0]
}

/** Some wikis give their pages' addresses without a scheme or a host. */
function absolute(url: string | undefined, base: string): string | undefined {
  return url && URL.canParse(url, base) ? webAddress(new URL(url, base).href) : undefined
}
