/** The doctor tries the search engine with one search, and passes on what the engine says. */
import { expect, test } from 'vitest'
import { doctorDesk, line } from '../../harness/doctor-desk.ts'
import { sendJson, startWebServer } from '../../harness/web-server.ts'

const KEY = 'k3y-that-nobody-may-see'
const FOUND = { results: [{ title: 'Wikipedia', url: 'https://example.com/', content: 'x' }] }

test('the search engine is tried, and its refusal is a fault without the key', async (t) => {
  const { doctor } = await doctorDesk(t)
  const check = async (engine: string, path: string, status: number, json: unknown) => {
    const server = await startWebServer((_, response) => sendJson(response, json, status))
    const settings = { SEARCH_ENGINE: engine, SEARCH_API_KEY: KEY, SEARCH_URL: `${server.url}/${path}` }
    const { stdout } = await doctor({ ...settings, TOOLS: 'calculator,search' })
    expect(stdout).not.toContain(KEY)
    expect(server.paths).toHaveLength(1)
    return line(stdout, 'tools', 'search')
  }
  expect(await check('searxng', '', 200, FOUND)).toMatch(/ok · search · On, and it answers\./i)
  expect(await check('searxng', '', 403, 'Forbidden')).toMatch(/FAULT · search · .*Add json to search\.formats/)
  const brave = { error: { code: 'SUBSCRIPTION_TOKEN_INVALID', detail: `The token ${KEY} is invalid.` } }
  expect(await check('brave', '', 422, brave)).toMatch(/FAULT · search · .*The token … is invalid\./)
  expect(await check('tavily', '', 432, { detail: { error: 'Plan limit.' } })).toMatch(/FAULT · .*the plan is used up/)
  expect(await check('serpapi', '', 401, { error: `Invalid API key ${KEY}` })).toMatch(/FAULT · .*Invalid API key …/)
  expect(await check('custom', '?q={query}', 200, { hits: [] })).toMatch(/FAULT · search · .*Set list in SEARCH_FIELDS/)
})
