import { expect, test } from 'vitest'
import type { ToolSettings } from '../../tools/index.ts'
import { playService } from '../harness/tool-service.ts'
import { sendJson } from '../harness/web-server.ts'
import type { ServerResponse } from 'node:http'

const tj = {
  login: 'tj',
  id: 25254,
  html_url: 'https://github.com/tj',
  type: 'User',
  name: 'TJ Holowaychuk',
  company: null,
  blog: '',
  location: 'Victoria, BC, Canada',
  bio: 'Founder of Apex',
  public_repos: 184,
  followers: 49319,
  following: 45,
  created_at: '2008-09-18T22:37:28Z',
}

const play = (handler: (path: string, response: ServerResponse) => void, settings: ToolSettings = {}) =>
  playService({ tool: 'github_user', setting: 'GITHUB_API_URL', path: '/api/v3/', settings }, handler)

test('a profile is returned without its empty fields', async () => {
  const { use, server } = await play((_, response) => sendJson(response, tj))
  expect(await use({ login: 'tj' })).toEqual({
    text:
      '{"login":"tj","name":"TJ Holowaychuk","type":"User","location":"Victoria, BC, Canada","bio":"Founder of Apex",' +
      '"followers":49319,"following":45,"public_repos":184,"created_at":"2008-09-18T22:37:28Z"}',
    sources: [{ title: 'tj on GitHub', url: 'https://github.com/tj' }],
  })
  expect(server.paths).toEqual(['/api/v3/users/tj'])
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

test('a token is sent if there is one', async () => {
  const { use, server } = await play((_, response) => sendJson(response, tj), { GITHUB_TOKEN: 'ghp_secret' })
  await use({ login: 'tj' })
  expect(server.requests[0]?.headers.authorization).toBe('Bearer ghp_secret')
})

test.each(['@tj', ' tj ', 'https://github.com/tj', 'github.com/tj/', 'www.github.com/tj'])(
  'the login is found in %j',
  async (login) => {
    const { use, server } = await play((_, response) => sendJson(response, tj))
    await use({ login })
    expect(server.paths).toEqual(['/api/v3/users/tj'])
  },
)

test.each([
  '',
  '../orgs',
  'tj/repos',
  'tj?x=1',
  'tj#',
  '-tj',
  'tj-',
  't--j',
  'a'.repeat(40),
  'tj\n',
  'ţj',
  'a b',
  '%2e%2e',
])('%j is no login, and nobody is asked', async (login) => {
  const { use, server } = await play((_, response) => sendJson(response, tj))
  const outcome = use({ login })
  if (login === 'tj\n') await outcome
  else await expect(outcome).rejects.toThrow('is not a GitHub login')
  expect(server.paths).toEqual(login === 'tj\n' ? ['/api/v3/users/tj'] : [])
})

test.each(['tj', 'a', 'octo-cat', 'A1-b2-c3', 'mona_acme', 'a'.repeat(39)])('%s is a login', async (login) => {
  const { use } = await play((_, response) => sendJson(response, { ...tj, login }))
  expect((await use({ login })).text).toContain(`"login":"${login}"`)
})

test.each([
  [404, {}, 'GitHub has no user "tj".'],
  [401, {}, 'GitHub does not accept the token in GITHUB_TOKEN.'],
  [403, { 'x-ratelimit-remaining': '0' }, 'GitHub’s limit of requests an hour is used up; GITHUB_TOKEN raises it.'],
  [403, {}, 'github_user was refused (403).'],
  [429, {}, 'github_user gets too many requests right now (429).'],
  [500, {}, 'github_user has an error right now (500).'],
])('%d with %j is a sentence', async (status, headers, sentence) => {
  const { use } = await play((_, response) => response.writeHead(status, headers).end('{}'))
  await expect(use({ login: 'tj' })).rejects.toThrow(sentence)
})

test.each(['[]', '{}', 'null', '{"login": 7}'])('the answer %s is a sentence', async (body) => {
  const { use } = await play((_, response) => response.end(body))
  await expect(use({ login: 'tj' })).rejects.toThrow('github_user got an unreadable response.')
})

test('a profile without a valid page has no source', async () => {
  for (const html_url of [undefined, 7, 'javascript:alert(1)']) {
    const { use } = await play((_, response) => sendJson(response, { login: 'tj', followers: '49319', html_url }))
    expect(await use({ login: 'tj' })).toEqual({ text: '{"login":"tj"}' })
  }
})
