import { createRequire } from 'node:module'
import type { AxiosStatic } from 'axios'
import type Wikipedia from 'wikipedia'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePages } from '../../playground/wiki/wiki-pages.ts'
import { startWiki, type Wiki } from '../../playground/wiki/wiki.ts'

// The package is CommonJS, and so is its axios.
const require = createRequire(import.meta.url)
const { default: wikipedia } = require('wikipedia') as typeof Wikipedia
const axios = require('axios') as AxiosStatic

let wiki: Wiki

beforeAll(async () => {
  wiki = await startWiki()
})
afterAll(() => wiki.close())

async function api(params: Record<string, string>) {
  const response = await fetch(`${wiki.url}?${new URLSearchParams({ format: 'json', formatversion: '2', ...params })}`)
  return { response, body: (await response.json()) as { query: Record<string, never>; error?: { code: string } } }
}

async function pages(params: Record<string, string>): Promise<Record<string, unknown>[]> {
  const { body } = await api({ action: 'query', ...params })
  return (body as unknown as { query: { pages: Record<string, unknown>[] } }).query.pages
}

async function titles(query: string): Promise<string[]> {
  const { body } = await api({ action: 'query', list: 'search', srsearch: query })
  return (body as unknown as { query: { search: { title: string }[] } }).query.search.map((hit) => hit.title)
}

describe('the wikipedia package reads it', () => {
  // The package calls only https://en.wikipedia.org, so its HTTP client is redirected to the simulated wiki.
  const redirect = axios.interceptors.request.use((config) => ({
    ...config,
    url: config.url?.replace('https://en.wikipedia.org/w/api.php', wiki.url) ?? '',
  }))
  afterAll(() => axios.interceptors.request.eject(redirect))

  test('search gives titles', async () => {
    const found = await wikipedia.search('Alan Turing', { limit: 3 })
    expect(found.results[0]).toMatchObject({ title: 'Alan Turing', ns: 0 })
  })

  test('a misspelt title is suggested', async () => {
    const found = await wikipedia.search('Alan Turign', { suggestion: true })
    expect(found).toEqual({ results: [], suggestion: 'alan turing' })
  })

  test('a page gives its address, its introduction and its whole text', async () => {
    const page = await wikipedia.page('William Crowe')
    expect(page.title).toBe('William J. Crowe')
    expect(page.fullurl).toContain('/wiki/William_J._Crowe')
    expect(await page.intro()).toMatch(/^William James Crowe Jr\..*President Bill Clinton\.$/)
    expect(await page.content()).toContain('\n\n\n== Life ==\nCrowe was born')
  })

  test('a page that does not exist is an error', async () => {
    await expect(wikipedia.page('No such thing at all')).rejects.toThrow(/No page with given title exists/)
  })
})

describe('api.php', () => {
  test('titles are normalised and redirects followed, and both are noted', async () => {
    const { body } = await api({
      action: 'query',
      titles: 'chilton_Books',
      redirects: '1',
      prop: 'info',
      inprop: 'url',
    })
    expect(body.query).toMatchObject({
      normalized: [{ from: 'chilton_Books', to: 'Chilton Books' }],
      redirects: [{ from: 'Chilton Books', to: 'Chilton Company' }],
      pages: [{ title: 'Chilton Company', ns: 0 }],
    })
  })

  test('without redirects= a redirect is not a page', async () => {
    expect(await pages({ titles: 'Chilton Books' })).toEqual([{ ns: 0, title: 'Chilton Books', missing: true }])
  })

  test('AT&T is a title and C# is not: its fragment is cut as MediaWiki does', async () => {
    expect(await pages({ titles: 'AT&T', prop: 'extracts', explaintext: '1' })).toMatchObject([{ title: 'AT&T' }])
    expect(await pages({ titles: 'C#' })).toMatchObject([{ title: 'C' }])
    expect((await titles('C#'))[0]).toBe('C Sharp (programming language)')
  })

  test('forbidden characters make an invalid title', async () => {
    expect(await pages({ titles: 'a[b]' })).toMatchObject([{ title: 'a[b]', invalid: true }])
  })

  test('a disambiguation page says so and lists what it offers', async () => {
    const [page] = await pages({ titles: 'mercury', prop: 'pageprops|links|categories' })
    expect(page).toMatchObject({ title: 'Mercury', pageprops: { disambiguation: '' } })
    expect(page?.['links']).toContainEqual({ ns: 0, title: 'Freddie Mercury' })
    expect(page?.['categories']).toEqual([{ ns: 14, title: 'Category:Disambiguation pages' }])
  })

  test('version 1 keys pages by id and writes true as an empty string', async () => {
    const url = `${wiki.url}?action=query&format=json&titles=Nobody%20here|Paris`
    const body = (await (await fetch(url)).json()) as {
      batchcomplete: string
      query: { pages: Record<string, unknown> }
    }
    expect(body.batchcomplete).toBe('')
    expect(body.query.pages['-1']).toEqual({ ns: 0, title: 'Nobody here', missing: '' })
    expect(Object.values(body.query.pages)).toContainEqual(expect.objectContaining({ title: 'Paris' }))
  })

  test('a request returns one whole text, and a continuation for the rest', async () => {
    const { body } = await api({ action: 'query', titles: 'Paris|France', prop: 'extracts', explaintext: '1' })
    expect(body).toMatchObject({ continue: { excontinue: 1 } })
    const intro = await pages({ titles: 'Paris|France', prop: 'extracts', explaintext: '1', exintro: '1' })
    expect(intro.every((page) => typeof page['extract'] === 'string')).toBe(true)
  })

  test('sentences and characters can be limited, and the default is HTML', async () => {
    const [two] = await pages({ titles: 'Paris', prop: 'extracts', explaintext: '1', exsentences: '2' })
    expect(two?.['extract']).toBe('Paris is the capital and largest city of France. It lies on the river Seine.')
    const [html] = await pages({ titles: 'AT&T', prop: 'extracts' })
    expect(html?.['extract']).toMatch(/^<p>AT&amp;T Inc\./)
  })

  test('a search needs all of its words and puts the exact title first', async () => {
    expect((await titles('Mercury'))[0]).toBe('Mercury')
    expect(await titles('novel Arrakis')).toEqual(['Dune (novel)'])
    expect(await titles('Arrakis bicycles')).toEqual([])
  })

  test('search results come in pages', async () => {
    const { body } = await api({ action: 'query', list: 'search', srsearch: 'born', srlimit: '2', srprop: '' })
    expect(body).toMatchObject({ continue: { sroffset: 2, continue: '-||' } })
    expect(body.query['search']).toHaveLength(2)
  })

  test('generator=search gives pages with their place', async () => {
    const found = await pages({
      generator: 'search',
      gsrsearch: 'Dune',
      prop: 'extracts',
      exintro: '1',
      explaintext: '1',
    })
    expect(found[0]).toMatchObject({ title: 'Dune', index: 1 })
  })

  test('opensearch gives four lists', async () => {
    const { body } = await api({ action: 'opensearch', search: 'Ada', limit: '5' })
    expect(body).toEqual(['Ada', ['Ada Lovelace'], [''], [expect.stringContaining('/wiki/Ada_Lovelace')]])
  })

  test('missing and unknown parameters are refused in a header and a message', async () => {
    const { response, body } = await api({ action: 'query', list: 'search' })
    expect(response.headers.get('mediawiki-api-error')).toBe('missingparam')
    expect(body.error?.code).toBe('missingparam')
    expect((await api({ action: 'dance' })).body.error?.code).toBe('badvalue')
  })

  test('without format=json it answers in HTML', async () => {
    const response = await fetch(`${wiki.url}?action=query&titles=Paris`)
    expect(response.headers.get('content-type')).toContain('text/html')
  })

  test('a fault lasts for the requested number of requests', async () => {
    wiki.fault({ times: 1, status: 503, body: 'busy' })
    expect((await fetch(wiki.url)).status).toBe(503)
    wiki.fault({ times: 1, drop: true })
    await expect(fetch(wiki.url)).rejects.toThrow()
    expect((await fetch(wiki.url)).status).toBe(200)
  })
})

describe('the shipped pages', () => {
  test('every title is found by its own name, and every offered title exists', async () => {
    for (const page of wiki.pages.filter((one) => !one.title.includes('#'))) {
      expect(await pages({ titles: page.title }), page.title).toMatchObject([{ title: page.title, pageid: page.id }])
    }
    const known = new Set(wiki.pages.map((page) => page.title))
    const offered = wiki.pages.filter((page) => page.disambiguation).flatMap((page) => page.text.split('\n').slice(1))
    for (const line of offered) expect(known).toContain(line.split(', ')[0])
  })

  test('custom pages can replace them', async () => {
    const own = await startWiki({ pages: parsePages('# One\nredirects: Uno\nOne is a number.\n\n== More ==\n\nText.') })
    const body = (await (
      await fetch(
        `${own.url}?action=query&titles=Uno&redirects=&prop=extracts&explaintext=&format=json&formatversion=2`,
      )
    ).json()) as object
    expect(body).toMatchObject({
      query: { pages: [{ title: 'One', extract: 'One is a number.\n\n\n== More ==\nText.' }] },
    })
    await own.close()
  })
})

test('a page’s address shows it in a browser, for any title, and a wrong address says so', async () => {
  const [cube] = await pages({ titles: "Rubik's Cube", prop: 'info', inprop: 'url' })
  const [sharp] = await pages({ titles: 'C Sharp (programming language)', prop: 'info', inprop: 'url' })
  for (const [page, begins] of [
    [cube, "Rubik's Cube\n\nThe Rubik's Cube"],
    [sharp, 'C Sharp (programming language)\n\nC# (pronounced'],
  ] as const) {
    const shown = await fetch(String(page?.['fullurl']))
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(await shown.text()).toMatch(new RegExp(`^${begins.replace(/[()]/g, '\\$&')}`))
  }
  expect((await fetch(new URL('/wiki/Nothing_of_the_kind', wiki.url))).status).toBe(404)
})
