/** The settings for many workspaces: which ones need each other, and which ones exclude each other. */
import { expect, test } from 'vitest'
import { ConfigError } from '../src/base/errors.ts'
import { loadConfig, type Env } from '../src/config.ts'

const KEY = 'k'.repeat(32)
const MODEL: Env = { OPENAI_API_KEY: 'sk-1' }
const DISTRIBUTED: Env = {
  ...MODEL,
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'secret',
  PUBLIC_URL: 'https://bot.example.com',
  ALLOW_TEAMS: 'T0123456789,E0123456789',
  SECRETS_KEY: KEY,
  SLACK_SIGNING_SECRET: 'signing',
}

function refusals(env: Env): string[] {
  try {
    loadConfig(env, { serves: true })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
}

const without = (env: Env, name: string): Env => ({ ...env, [name]: undefined })

test('a distributed app needs no bot token, with either way in', () => {
  expect(refusals(DISTRIBUTED)).toEqual([])
  expect(refusals({ ...without(DISTRIBUTED, 'SLACK_SIGNING_SECRET'), SLACK_APP_TOKEN: 'xapp-1' })).toEqual([])
  expect(refusals({ ...DISTRIBUTED, ALLOW_TEAMS: '*' })).toEqual([])
})

test.each(['SLACK_CLIENT_SECRET', 'PUBLIC_URL', 'ALLOW_TEAMS', 'SECRETS_KEY'])(
  'a client id without %s is refused in one sentence',
  (name) => {
    expect(refusals(without(DISTRIBUTED, name))).toEqual([
      expect.stringMatching(new RegExp(`^${name} is missing: SLACK_CLIENT_ID needs it\\. Set it to .+\\.$`)),
    ])
  },
)

test('a client id without a way in is refused, but for a worker', () => {
  const noWay = without(DISTRIBUTED, 'SLACK_SIGNING_SECRET')
  expect(refusals(noWay)).toEqual([expect.stringMatching(/^SLACK_APP_TOKEN is missing: .*SLACK_SIGNING_SECRET/)])
  expect(refusals({ ...noWay, ROLE: 'worker', REDIS_URL: 'redis://localhost:6379' })).toEqual([])
})

test('several apps need no token of the environment', () => {
  expect(refusals({ ...MODEL, SLACK_APPS: 'apps.json' })).toEqual([])
})

test.each<[string, Env, RegExp]>([
  [
    'a bot token beside a client id',
    { ...DISTRIBUTED, SLACK_BOT_TOKEN: 'xoxb-1' },
    /^SLACK_BOT_TOKEN cannot be combined with SLACK_CLIENT_ID\. .+\.$/,
  ],
  [
    'SLACK_APPS beside a client id',
    { ...DISTRIBUTED, SLACK_APPS: 'apps.json' },
    /^SLACK_APPS cannot be combined with SLACK_CLIENT_ID\. .+\.$/,
  ],
  [
    'a bot token beside SLACK_APPS',
    { ...MODEL, SLACK_APPS: 'apps.json', SLACK_BOT_TOKEN: 'xoxb-1' },
    /^SLACK_BOT_TOKEN cannot be combined with SLACK_APPS\. .+\.$/,
  ],
])('%s is refused in one sentence', (_, env, sentence) => {
  expect(refusals(env)).toEqual([expect.stringMatching(sentence)])
})

test.each(['SLACK_CLIENT_SECRET', 'ALLOW_TEAMS'])('%s alone is refused in one sentence', (name) => {
  const env = { ...MODEL, SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', [name]: 'T0123456789' }
  expect(refusals(env)).toEqual([expect.stringMatching(new RegExp(`^${name} has no effect without SLACK_CLIENT_ID`))])
})

test.each([
  ['ALLOW_TEAMS', 'acme', /ids of workspaces and organisations .* or \* for any/],
  ['PUBLIC_URL', 'bot.example.com', /an address that begins with https/],
  ['SECRETS_KEY_OLD', 'short', /at least 32 characters/],
])('%s=%s is refused', (name, value, what) => {
  expect(refusals({ ...DISTRIBUTED, [name]: value })).toEqual([expect.stringMatching(what)])
})
