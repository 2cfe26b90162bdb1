import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseArgs } from '../../playground/slack/args.ts'
import { checkBlocks } from '../../playground/slack/blocks/block-rules.ts'
import { methods } from '../../playground/slack/methods/index.ts'
import { parsePages } from '../../playground/wiki/wiki-pages.ts'
import { search, words } from '../../playground/wiki/wiki-search.ts'
import { ALICE, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { Refusal } from '../../playground/slack/types.ts'
import { startWiki } from '../../playground/wiki/wiki.ts'
import { localSlack } from '../harness/local-slack.ts'
import { propertyRuns } from '../harness/property-runs.ts'

/** Runs a function. An error must be one of Slack's refusals. */
function refuses(run: () => unknown) {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal)
  }
}

describe('any call at all gets an answer', () => {
  test('blocks of any shape are accepted or refused', () => {
    const type = fc.constantFrom(
      'section',
      'header',
      'context',
      'actions',
      'context_actions',
      'markdown',
      'image',
      'input',
      'rich_text',
      'table',
      'task_card',
      'plan',
      'divider',
      'x',
    )
    const field = fc.constantFrom(
      'text',
      'fields',
      'elements',
      'accessory',
      'element',
      'label',
      'rows',
      'tasks',
      'type',
      'block_id',
      'alt_text',
      'image_url',
      'confirm',
      'options',
      'details',
    )
    const block = fc.tuple(type, fc.dictionary(field, fc.jsonValue())).map(([name, rest]) => ({ ...rest, type: name }))
    fc.assert(
      fc.property(fc.oneof(fc.array(block), fc.jsonValue()), (blocks) => refuses(() => checkBlocks(blocks))),
      { numRuns: propertyRuns({ test: 100, chaos: 500 }) },
    )
  })

  test('bodies of any kind are parsed or refused', () => {
    const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain', '')
    fc.assert(
      fc.property(fc.string(), type, (body, kind) => refuses(() => parseArgs(body, kind, new URLSearchParams(body)))),
      { numRuns: propertyRuns({ test: 100, chaos: 300 }) },
    )
  })

  test('every method answers any arguments over HTTP without breaking the server', async () => {
    const slack = await localSlack({ echo: false, ackMs: 5, retryMs: [] })
    const { ts } = await slack.say({ text: 'hello' })
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(GENERAL, ALICE, BOT_USER, ts, 'eyes', '1.000001', '', true))
    const names = [
      'channel',
      'channel_id',
      'user',
      'users',
      'ts',
      'thread_ts',
      'timestamp',
      'name',
      'text',
      'blocks',
      'metadata',
      'view',
      'chunks',
      'limit',
      'cursor',
      'status',
      'trigger_id',
      'markdown_text',
    ]
    const args = fc.dictionary(fc.constantFrom(...names), value)
    const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods.keys()), args, async (method, body) => {
        const response = await fetch(slack.apiUrl + method, { method: 'POST', headers, body: JSON.stringify(body) })
        const answer = (await response.json()) as { ok: boolean; error?: string }
        expect(answer.ok || typeof answer.error === 'string').toBe(true)
      }),
      { numRuns: propertyRuns({ test: 80, chaos: 400 }) },
    )
    for (const message of slack.messages(GENERAL)) expect(typeof slack.shown(message)).toBe('string')
  })
})

describe('any question to the wiki gets an answer', () => {
  test('titles, searches and numbers of any kind', async () => {
    const wiki = await startWiki()
    const name = fc.constantFrom(
      'titles',
      'pageids',
      'srsearch',
      'gsrsearch',
      'list',
      'prop',
      'generator',
      'exlimit',
      'exsentences',
      'srlimit',
      'sroffset',
      'redirects',
      'explaintext',
      'formatversion',
    )
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('search', 'Mercury', 'C#', 'AT&T', 'extracts|info|links|pageprops', 'max', '-1', '2'),
    )
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value), async (params) => {
        const response = await fetch(
          `${wiki.url}?${new URLSearchParams({ format: 'json', action: 'query', ...params })}`,
        )
        expect(response.status).toBe(200)
        expect(await response.json()).toBeTypeOf('object')
      }),
      { numRuns: propertyRuns({ test: 40, chaos: 200 }) },
    )
    await wiki.close()
  })

  test('a search for a page’s own words finds it', () => {
    const pages = parsePages('# Red Fox\nA fox is an animal.\n\n# Blue Whale\nA whale is an animal of the sea.')
    fc.assert(
      fc.property(fc.constantFrom(...pages), fc.nat(20), (page, place) => {
        const own = words(page.text)
        expect(search(pages, own[place % own.length] ?? '')).toContain(page)
      }),
    )
    expect(search(pages, 'FOX')[0]?.title).toBe('Red Fox')
    expect(search(pages, 'animals')).toHaveLength(2)
    expect(search(pages, '')).toEqual([])
  })
})
