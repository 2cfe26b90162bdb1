/**
 * `action=query` of a MediaWiki >= 1.39 with TextExtracts, with the modules that readers of encyclopedias use. Built in
 * formatversion 2; `legacy` converts it to version 1. Forms are from https://www.mediawiki.org/wiki/API:Query and
 * https://www.mediawiki.org/wiki/Extension:TextExtracts.
 */
import type { Json } from '../slack/types.ts'
import { introOf, normalTitle, type WikiPage } from './wiki-pages.ts'
import { search, searchIn, suggestion, words } from './wiki-search.ts'

/** The extensions of a wiki. Without CirrusSearch a search is either in titles (the default) or in texts. */
export interface Extensions {
  CirrusSearch: boolean
  TextExtracts: boolean
}

/** `base` is the wiki's address without a trailing slash. */
export interface PlayedWiki {
  pages: WikiPage[]
  extensions: Extensions
  base: string
}

/** A refusal in MediaWiki's words. It is sent with status 200 and a header. */
export class ApiError extends Error {
  readonly code: string
  constructor(code: string, info: string) {
    super(info)
    this.code = code
  }
}

/** The pages that a request resolved to, with MediaWiki's notes on changed titles. */
interface Titles {
  entries: Json[]
  found: { page: WikiPage; entry: Json }[]
  normalized: Json[]
  redirects: Json[]
}

/** The last change of every page. */
const TOUCHED = '2026-10-01T08:00:00Z'

/** Answers one query. */
export function answerQuery(wiki: PlayedWiki, params: URLSearchParams): Json {
  const { pages, base } = wiki
  const query: Json = {}
  const out: Json = { batchcomplete: true }
  const lists = parts(params, 'list')
  if (lists.includes('search')) Object.assign(out, searchList(wiki, params, query))
  if (parts(params, 'meta').includes('siteinfo')) query['general'] = siteInfo(base)
  const titles = resolve(pages, params)
  if (titles) {
    for (const key of ['normalized', 'redirects'] as const) if (titles[key].length > 0) query[key] = titles[key]
    addProps(titles, params, wiki, out)
    query['pages'] = titles.entries
  }
  return { ...out, query }
}

/** Splits several values of a parameter at bars. */
function parts(params: URLSearchParams, name: string): string[] {
  return (params.get(name) ?? '').split('|').filter(Boolean)
}

/**
 * Returns a number within limits. `max` is the maximum, and larger numbers are lowered with a warning, as in MediaWiki.
 */
function count(params: URLSearchParams, name: string, options: { normal: number; max: number }): number {
  const text = params.get(name)
  if (text === 'max') return options.max
  const value = Number(text ?? options.normal)
  if (!Number.isInteger(value))
    throw new ApiError('badinteger', `Invalid value "${text}" for integer parameter "${name}".`)
  return Math.min(Math.max(value, 0), options.max)
}

function siteInfo(base: string): Json {
  return { sitename: 'Played wiki', generator: 'MediaWiki 1.43.0', lang: 'en', base: `${base}/wiki/Main_Page` }
}

// ---- list=search ----

/** Adds the results to `query`. Returns where the next ones begin. */
function searchList(wiki: PlayedWiki, params: URLSearchParams, query: Json): Json {
  const { pages } = wiki
  const asked = params.get('srsearch')
  if (!asked) throw new ApiError('missingparam', 'The "srsearch" parameter must be set.')
  const offset = count(params, 'sroffset', { normal: 0, max: 10_000 })
  const limit = count(params, 'srlimit', { normal: 10, max: 500 })
  const wanted = params.has('srprop') ? parts(params, 'srprop') : ['size', 'wordcount', 'timestamp', 'snippet']
  const { CirrusSearch } = wiki.extensions
  if (CirrusSearch && params.get('srwhat') === 'title')
    throw new ApiError('search-title-disabled', 'Title search is disabled.')
  const hits = CirrusSearch ? search(pages, asked) : searchIn(whatOf(params), pages, asked)
  const meant = CirrusSearch && hits.length === 0 ? suggestion(pages, asked) : undefined
  query['searchinfo'] = { totalhits: hits.length, ...(meant && { suggestion: meant, suggestionsnippet: meant }) }
  query['search'] = hits.slice(offset, offset + limit).map((page) => searchHit(page, wanted, words(asked)))
  return hits.length > offset + limit ? { continue: { sroffset: offset + limit, continue: '-||' } } : {}
}

/** Returns what to search in. MediaWiki searches titles unless `srwhat` says otherwise. */
function whatOf(params: URLSearchParams): 'text' | 'title' {
  return params.get('srwhat') === 'text' ? 'text' : 'title'
}

/** Returns one result. Beside title and id it has only what `srprop` asks for. */
function searchHit(page: WikiPage, wanted: string[], terms: string[]): Json {
  const all: Json = {
    size: page.text.length,
    wordcount: words(page.text).length,
    snippet: snippet(page, terms),
    timestamp: TOUCHED,
  }
  const asked = Object.entries(all).filter(([key]) => wanted.includes(key))
  return { ns: 0, title: page.title, pageid: page.id, ...Object.fromEntries(asked) }
}

/** Returns a result's snippet as HTML: text escaped, matches in spans. */
function snippet(page: WikiPage, terms: string[]): string {
  return escapeHtml(introOf(page).slice(0, 160)).replace(/[\p{L}\p{N}]+/gu, (word) =>
    terms.includes(word.toLowerCase()) ? `<span class="searchmatch">${word}</span>` : word,
  )
}

// ---- titles, pageids and generator=search ----

/** Returns the requested pages: by a search, by id or by title. Undefined if nothing was requested. */
function resolve(pages: WikiPage[], params: URLSearchParams): Titles | undefined {
  if (params.get('generator') === 'search') return generated(pages, params)
  const ids = parts(params, 'pageids')
  if (ids.length > 0) return byIds(pages, ids)
  const names = parts(params, 'titles')
  return names.length > 0 ? byTitles(pages, names, params.has('redirects')) : undefined
}

/** Returns the pages of a search. `index` is the rank, because version 1 sorts pages by id. */
function generated(pages: WikiPage[], params: URLSearchParams): Titles {
  const asked = params.get('gsrsearch')
  if (!asked) throw new ApiError('missingparam', 'The "gsrsearch" parameter must be set.')
  const hits = search(pages, asked).slice(0, count(params, 'gsrlimit', { normal: 10, max: 500 }))
  const found = hits.map((page, index) => ({ page, entry: { ...identity(page), index: index + 1 } }))
  return { entries: found.map((hit) => hit.entry), found, normalized: [], redirects: [] }
}

function byIds(pages: WikiPage[], ids: string[]): Titles {
  const titles: Titles = { entries: [], found: [], normalized: [], redirects: [] }
  for (const id of ids) {
    const page = pages.find((one) => String(one.id) === id)
    addEntry(titles, page ?? { pageid: Number(id), missing: true })
  }
  return titles
}

/** Returns pages by title: at most 50 per request, the limit for everyone but bots. */
function byTitles(pages: WikiPage[], names: string[], follow: boolean): Titles {
  const titles: Titles = { entries: [], found: [], normalized: [], redirects: [] }
  for (const name of names.slice(0, 50)) {
    const title = normalTitle(name)
    if (title !== name) titles.normalized.push({ fromencoded: false, from: name, to: title })
    if (title === '' || /[[\]{}<>]/.test(title)) {
      addEntry(titles, {
        title: name,
        invalid: true,
        invalidreason: 'The requested page title contains invalid characters.',
      })
      continue
    }
    const page =
      pages.find((one) => one.title === title) ?? (follow ? throughRedirect(pages, title, titles) : undefined)
    addEntry(titles, page ?? { ns: 0, title, missing: true })
  }
  return titles
}

/** Follows a redirect, and notes it so that a reader knows why the title differs. */
function throughRedirect(pages: WikiPage[], title: string, titles: Titles): WikiPage | undefined {
  const page = pages.find((one) => one.redirects.some((redirect) => normalTitle(redirect) === title))
  if (page) titles.redirects.push({ from: title, to: page.title })
  return page
}

/** Adds an entry. Two titles that lead to one page give one entry. */
function addEntry(titles: Titles, what: WikiPage | Json) {
  if (!isPage(what)) return void titles.entries.push(what)
  const entry = identity(what)
  if (titles.found.some((hit) => hit.page === what)) return
  titles.entries.push(entry)
  titles.found.push({ page: what, entry })
}

function isPage(what: WikiPage | Json): what is WikiPage {
  return 'redirects' in what && 'text' in what
}

function identity(page: WikiPage): Json {
  return { pageid: page.id, ns: 0, title: page.title }
}

// ---- prop= ----

/** Adds the requested properties to the entries. */
function addProps(titles: Titles, params: URLSearchParams, wiki: PlayedWiki, out: Json) {
  const props = parts(params, 'prop')
  for (const { page, entry } of titles.found) {
    if (props.includes('info')) Object.assign(entry, info(page, wiki.base))
    if (props.includes('pageprops') && page.disambiguation) entry['pageprops'] = { disambiguation: '' }
    if (props.includes('revisions')) entry['revisions'] = [{ revid: page.id + 5000, parentid: page.id + 4000 }]
    if (props.includes('links')) entry['links'] = links(page)
    if (props.includes('categories') && page.disambiguation)
      entry['categories'] = [{ ns: 14, title: 'Category:Disambiguation pages' }]
  }
  if (!props.includes('extracts')) return
  if (wiki.extensions.TextExtracts) addExtracts(titles, params, out)
  else warn(params, out)
}

/** Answers `prop=info` with `inprop=url`. */
function info(page: WikiPage, base: string): Json {
  const url = `${base}/wiki/${encodeURIComponent(page.title.replaceAll(' ', '_')).replaceAll('%2C', ',')}`
  return {
    contentmodel: 'wikitext',
    pagelanguage: 'en',
    pagelanguagehtmlcode: 'en',
    pagelanguagedir: 'ltr',
    touched: TOUCHED,
    lastrevid: page.id + 5000,
    length: page.text.length,
    fullurl: url,
    editurl: `${base}/w/index.php?title=${encodeURIComponent(page.title)}&action=edit`,
    canonicalurl: url,
  }
}

/** Returns the titles of a disambiguation page, in alphabetical order as in MediaWiki. */
function links(page: WikiPage): Json[] {
  if (!page.disambiguation) return []
  const lines = page.text.split('\n').slice(1)
  const offered = lines.map((line) => (line.split(', ')[0] ?? '').trim()).filter(Boolean)
  return offered.sort().map((title) => ({ ns: 0, title }))
}

/** Adds the warnings of a wiki without the extension TextExtracts. */
function warn(params: URLSearchParams, out: Json) {
  const text = params.get('formatversion') === '2' ? 'warnings' : '*'
  out['warnings'] = {
    main: { [text]: 'Unrecognized parameter: explaintext.' },
    query: { [text]: 'Unrecognized value for parameter "prop": extracts.' },
  }
}

/** Adds extracts: of one whole page per request, or of twenty introductions. The rest waits for `excontinue`. */
function addExtracts(titles: Titles, params: URLSearchParams, out: Json) {
  const introOnly = params.has('exintro')
  const max = introOnly ? 20 : 1
  const limit = Math.min(count(params, 'exlimit', { normal: 20, max: 20 }), max)
  const from = count(params, 'excontinue', { normal: 0, max: 10_000 })
  for (const { page, entry } of titles.found.slice(from, from + limit)) entry['extract'] = extract(page, params)
  if (titles.found.length <= from + limit) return
  out['continue'] = { excontinue: from + limit, continue: '||' }
  delete out['batchcomplete']
}

/** https://www.mediawiki.org/wiki/Extension:TextExtracts#API */
function extract(page: WikiPage, params: URLSearchParams): string {
  let text = params.has('exintro') ? introOf(page) : page.text
  const sentences = count(params, 'exsentences', { normal: 0, max: 10 })
  const chars = count(params, 'exchars', { normal: 0, max: 1200 })
  if (sentences > 0)
    text = text
      .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
      .slice(0, sentences)
      .join(' ')
  if (chars > 0 && text.length > chars) text = `${text.slice(0, chars)}...`
  if (params.has('explaintext'))
    return params.get('exsectionformat') === 'plain' ? text.replace(/^=+ (.*) =+$/gm, '$1') : text
  return html(text)
}

/** Returns an extract as limited HTML: paragraphs and headings. It is sent without `explaintext`. */
function html(text: string): string {
  const lines = text.split('\n').filter(Boolean).map(escapeHtml)
  return lines
    .map((line) => (/^==/.test(line) ? `<h2>${line.replace(/=/g, '').trim()}</h2>` : `<p>${line}</p>`))
    .join('\n')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
