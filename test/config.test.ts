import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  droppedSettings,
  loadConfig,
  readEnv,
  SECRETS,
  secretsOf,
  SETTINGS,
  STEPS,
  unknownSettings,
  type Env,
} from '../src/config.ts'
import { ConfigError } from '../src/base/errors.ts'
import { parseRedisUrl } from '../src/base/redis/redis-url.ts'

const ENOUGH: Env = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', OPENAI_API_KEY: 'sk-1' }

let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'thinkaloud-config-'))))
afterAll(() => rm(folder, { recursive: true }))

function sentences(env: Env, serves = true): string[] {
  try {
    loadConfig(env, { serves })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
}

test('three settings are enough for Socket Mode, three for HTTP', () => {
  expect(sentences(ENOUGH)).toEqual([])
  expect(
    sentences({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 's', OPENAI_BASE_URL: 'http://localhost:11434/v1' }),
  ).toEqual([])
})

test('each missing thing is one sentence that names it and says what it should be', () => {
  expect(sentences({})).toEqual([
    expect.stringMatching(/^SLACK_BOT_TOKEN is missing: .*xoxb-/),
    expect.stringMatching(/^SLACK_APP_TOKEN is missing: .*xapp-.*SLACK_SIGNING_SECRET/),
    expect.stringMatching(/^OPENAI_API_KEY is missing: .*OPENAI_BASE_URL/),
  ])
})

test('an empty value is no value', () => {
  expect(
    sentences({ ...ENOUGH, SLACK_BOT_TOKEN: '', SLACK_SIGNING_SECRET: '  ', OPENAI_BASE_URL: '', PORT: '' }),
  ).toEqual([expect.stringMatching(/^SLACK_BOT_TOKEN is missing/)])
  expect(sentences({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: '', OPENAI_API_KEY: 'k' })).toHaveLength(1)
})

test.each([
  ['SLACK_BOT_TOKEN', 'xoxp-1', /a token that begins with xoxb-/],
  ['SLACK_APP_TOKEN', 'xoxb-1', /a token that begins with xapp-/],
  ['SLACK_API_URL', 'slack.com/api', /an address that begins with https:\/\/ or http:\/\//],
  ['PORT', '65536', /a whole number from 0 to 65535/],
  ['PORT', '30.5', /a whole number from 0 to 65535/],
  ['PORT', '-1', /a whole number/],
  ['PORT', 'http', /a whole number/],
  ['OPENAI_BASE_URL', 'ftp://x', /an address that begins with https/],
  ['EXAMPLES_FILE', '/no/such/file', /a text file that can be read, with 1 to 10 questions/],
  ['EXAMPLES_FILE', 'package-lock.json', /a text file that can be read, with 1 to 10 questions/],
  ['OPENAI_HEADERS', 'x-team: search', /a JSON object of header names and values/],
  ['OPENAI_HEADERS', '{"x": 1}', /a JSON object of header names and values/],
  ['OPENAI_STREAM', 'yes', /one of true, false/],
  ['REDIS_URL', 'http://localhost', /redis:\/\/host:port, .*redis\+sentinel:\/\/host:port,host:port\/master/],
  ['REDIS_URL', 'redis://a,b', /redis:\/\/host:port/],
  ['REDIS_URL', 'redis+sentinel://a:26379,b:99999/main', /redis:\/\/host:port/],
  ['REDIS_URL', 'redis+sentinel://a:26379', /redis:\/\/host:port/],
  ['REDIS_PREFIX', 'a b', /at most 40 letters/],
  ['ROLE', 'both', /one of all, front, worker/],
  ['WORKER_CONCURRENCY', '0', /a whole number from 1 to 1000/],
  ['WORKER_LOCK_MS', '18001', /a whole number from 1000 to 18000/],
  ['SHUTDOWN_MS', 'soon', /a whole number/],
  ['AGENT_DIALECT', 'prose', /one of text, json, docstore, bracket, self-ask, conversational, native/],
  ['AGENT_MAX_STEPS', '0', /a whole number from 1 to 100/],
  ['AGENT_TIMEOUT_MS', '99', /a whole number from 100/],
  ['TOOL_TIMEOUT_MS', '9', /a whole number from 10/],
  ['TOOL_OUTPUT_CHARS', '1', /a whole number from 200/],
  ['STEPS', 'loud', new RegExp(`one of ${STEPS.join(', ')}`)],
  ['FOLLOW_UPS', 'never', /one of thread, mention/],
  ['ALLOW_CHANNELS', 'C0GENERAL01,#general', /ids of channels such as C0123456789, or dm for direct messages/],
  ['ALLOW_USERS', 'alice', /ids of people.*or e-mail domains such as example\.com/],
  ['ALLOW_EXTERNAL', 'yes', /one of true, false/],
  ['ALLOW_BOTS', 'everybody', /ids of bots/],
  ['APPROVERS', 'alice', /ids of people .* and user groups .*NAME=ID\|ID for a server or a tool/],
  ['APPROVERS', 'files=', /ids of people/],
  ['APPROVERS', '=U0ALICE00001', /ids of people/],
  ['APPROVERS', 'fi*les=U0ALICE00001', /ids of people/],
  ['APPROVERS', 'not-asker', /somebody else must be named/],
  ['APPROVERS', 'files=not-asker', /somebody else must be named/],
  ['SETTINGS_BY', 'anyone', /one of members, admins/],
  ['LIMIT_USER_HOUR', '0', /a whole number from 1/],
  ['BUDGET_TEAM_DAY_USD', '-5', /an amount of dollars/],
  ['BUDGET_TEAM_DAY_USD', '0', /an amount of dollars/],
  ['RUN_MAX_TOKENS', '0', /a whole number from 1/],
  ['RUN_MAX_USD', '1 dollar', /an amount of dollars/],
  ['HISTORY_TTL_DAYS', '0', /a whole number from 1/],
  ['RUN_TRACES', 'yes', /one of true, false/],
  ['WIKIPEDIA_API_URL', 'wikipedia', /an address/],
  ['GITHUB_API_URL', 'file:///etc', /an address/],
  ['HTTPS_PROXY', 'proxy:8080', /an address that begins with http:\/\/ or https:\/\//],
  ['LOG_LEVEL', 'loud', /one of fatal, error, warn, info, debug, trace, silent/],
  ['METRICS_PORT', 'x', /a whole number/],
  ['PLAYGROUND_PORT', '99999', /a whole number from 0 to 65535/],
])('%s=%s ends the start with one sentence', (name, value, sentence) => {
  expect(sentences({ ...ENOUGH, [name]: value })).toEqual([
    expect.stringMatching(new RegExp(`^${name} should be .*${sentence.source}.*\\.$`)),
  ])
})

test.each([
  ['redis://localhost', { kind: 'server', tls: false, hosts: [{ host: 'localhost', port: 6379 }] }],
  [
    'rediss://me:p%40ss@[::1]:7000/3',
    { kind: 'server', tls: true, hosts: [{ host: '::1', port: 7000 }], username: 'me', password: 'p@ss', db: 3 },
  ],
  ['redis+cluster://node', { kind: 'cluster', tls: false, hosts: [{ host: 'node', port: 6379 }] }],
  [
    'rediss+sentinel://:secret@one,10.0.0.2:26380,[::1]/main/2?sentinelPassword=other',
    {
      ...{ kind: 'sentinel', tls: true, master: 'main', db: 2, password: 'secret', sentinelPassword: 'other' },
      hosts: [
        { host: 'one', port: 26379 },
        { host: '10.0.0.2', port: 26380 },
        { host: '::1', port: 26379 },
      ],
    },
  ],
])('REDIS_URL=%s is read', (url, address) => {
  expect(sentences({ ...ENOUGH, REDIS_URL: url })).toEqual([])
  expect(parseRedisUrl(url)).toEqual(address)
})

test('a setting that no longer exists is named once, with what to do in its place, and refuses nothing', () => {
  const env = { ...ENOUGH, REDIS_CLUSTER: 'true', FORGET_BY: ' ', HISTORY_MAX_TURNS: '7' }
  expect(sentences(env)).toEqual([])
  expect(droppedSettings(env)).toEqual([
    'REDIS_CLUSTER is no longer a setting: begin REDIS_URL with redis+cluster:// or rediss+cluster://.',
    'HISTORY_MAX_TURNS is no longer a setting: the last 20 turns are always kept.',
  ])
  expect(droppedSettings(ENOUGH)).toEqual([])
})

test.each([
  ['OPENAI_MODLE', 'OPENAI_MODEL'],
  ['openai_model', 'OPENAI_MODEL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['TOOL', 'TOOLS'],
  ['OPENAI_KEY', 'OPENAI_API_KEY'],
  ['SLACK_TOKEN', 'SLACK_BOT_TOKEN'],
  ['OPENAI_MODEL_NAME', 'OPENAI_MODEL'],
  ['ALLOWED_USERS', 'ALLOW_USERS'],
  ['MCP_CONFIG_FILE', 'MCP_CONFIG'],
])('%s is no setting: the nearest one is named, and nothing is refused', (name, meant) => {
  expect(unknownSettings({ ...ENOUGH, [name]: 'x' })).toEqual([`${name} is not a setting. Did you mean ${meant}?`])
  expect(sentences({ ...ENOUGH, [name]: 'x' })).toEqual([])
})

test('names of other programs are not taken for settings', () => {
  const others = ['PATH', 'HOME', 'HOSTNAME', 'TERM', 'NODE_ENV', 'NO_COLOR', 'HTTP_PROXY', 'ALL_PROXY', 'http_proxy']
  const more = ['REDIS_PORT', 'REDIS_SERVICE_HOST', 'OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'PWD']
  const files = ['OPENAI_API_KEY_FILE', 'SLACK_BOT_TOKEN_FILE', 'npm_config_loglevel', 'KUBERNETES_SERVICE_PORT']
  const env = Object.fromEntries([...others, ...more, ...files, ...SETTINGS].map((name) => [name, 'x']))
  expect(unknownSettings({ ...env, OPENAI_MODLE: ' ' })).toEqual([])
})

test('a line of .env that is no setting is named, even if it resembles none; the environment serves others too', () => {
  const inFile = {
    FAVOURITE_COLOUR: 'red',
    TEAM_MOTTO: 'go',
    RETRIES: '3',
    GRAFANA_PORT: '1',
    NODE_ENV: 'x',
    EMPTY: '',
  }
  const named = unknownSettings({ ...ENOUGH, ...inFile, OTHER_PROGRAM: 'x' }, inFile)
  expect(named.map((sentence) => sentence.replace(/, so.*/, ''))).toEqual([
    'FAVOURITE_COLOUR in .env is not a setting',
    'TEAM_MOTTO in .env is not a setting',
    'RETRIES in .env is not a setting',
  ])
  expect(unknownSettings({ ...ENOUGH, ...inFile })).toEqual([])
})

test('a start that lacks a setting says that it may be there under a mistyped name', () => {
  expect(sentences({ ...ENOUGH, SLACK_BOT_TOKEN: undefined, SLACK_BOT_TOKN: 'xoxb-1' })).toEqual([
    expect.stringMatching(/^SLACK_BOT_TOKEN is missing/),
    'SLACK_BOT_TOKN is not a setting. Did you mean SLACK_BOT_TOKEN?',
  ])
})

test('several wrong settings are several sentences', () => {
  expect(sentences({ ...ENOUGH, PORT: 'x', ROLE: 'x', STEPS: 'x' }).map((sentence) => sentence.split(' ')[0])).toEqual([
    'PORT',
    'ROLE',
    'STEPS',
  ])
})

test('no sentence repeats a secret', () => {
  const env = {
    SLACK_BOT_TOKEN: 'SECRET1',
    SLACK_APP_TOKEN: 'SECRET2',
    REDIS_URL: 'http://SECRET3',
    OPENAI_HEADERS: 'SECRET4',
  }
  expect(sentences(env).join('\n')).not.toMatch(/SECRET/)
})

test('a front needs no model, a worker no way in, and both a Redis', () => {
  expect(sentences({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', ROLE: 'front' })).toEqual([
    expect.stringMatching(/^REDIS_URL is missing: with ROLE=front/),
  ])
  expect(
    sentences({ SLACK_BOT_TOKEN: 'xoxb-1', OPENAI_API_KEY: 'k', ROLE: 'worker', REDIS_URL: 'redis://localhost' }),
  ).toEqual([])
})

test('what does not serve Slack needs nothing', () => {
  expect(sentences({}, false)).toEqual([])
})

test('the defaults are those that are documented', () => {
  expect(loadConfig({})).toMatchObject({
    ...{ PORT: 3000, AGENT_MAX_STEPS: 8, AGENT_TIMEOUT_MS: 120_000, TOOL_TIMEOUT_MS: 15_000, TOOL_OUTPUT_CHARS: 4000 },
    ...{
      RUN_TRACES: false,
      HISTORY_TTL_DAYS: 30,
      REDIS_PREFIX: 'thinkaloud',
      AGENT_DIALECT: 'text',
      STEPS: 'replies',
    },
    ...{ SHUTDOWN_MS: 25_000, PLAYGROUND_PORT: 3210, OPENAI_STREAM: true, LOG_LEVEL: 'info', ROLE: 'all' },
  })
})

test('lists are split at commas', () => {
  expect(loadConfig({ TOOLS: ' calculator , wikipedia,', LINK_HOSTS: 'a.example,*.b.example' })).toMatchObject({
    TOOLS: ['calculator', 'wikipedia'],
    LINK_HOSTS: ['a.example', '*.b.example'],
  })
})

test('the proxy’s variables count in lower case too, as for curl', () => {
  expect(loadConfig({ https_proxy: 'http://p:1', no_proxy: 'x' })).toMatchObject({
    HTTPS_PROXY: 'http://p:1',
    NO_PROXY: 'x',
  })
})

describe('a secret in a file', () => {
  const VALUES: Record<string, string> = {
    SLACK_BOT_TOKEN: 'xoxb-9',
    SLACK_APP_TOKEN: 'xapp-9',
    REDIS_URL: 'redis://x',
    OPENAI_HEADERS: '{"a":"b"}',
    READ_INTERNAL_HEADERS: '{"a":"b"}',
    SECRETS_KEY: 'a key that is long enough for a key',
    SECRETS_KEY_OLD: 'another key that is long enough for it',
  }

  test.each(SECRETS)('%s_FILE', async (name) => {
    const file = join(folder, name)
    const value = VALUES[name] ?? 'a secret'
    await writeFile(file, `${value}\n`)
    const fromFile: Record<string, unknown> = loadConfig({ [`${name}_FILE`]: file })
    const fromEnv: Record<string, unknown> = loadConfig({ [name]: value })
    expect(fromFile[name]).toEqual(fromEnv[name])
    expect(fromFile[name]).toBeDefined()
  })

  test('that cannot be read, or is empty, is one sentence; the value itself wins over the file', async () => {
    const empty = join(folder, 'empty')
    await writeFile(empty, '\n')
    expect(sentences({ ...ENOUGH, GITHUB_TOKEN_FILE: join(folder, 'nowhere') })).toEqual([
      'GITHUB_TOKEN_FILE cannot be read. Check its path and its permissions.',
    ])
    expect(sentences({ ...ENOUGH, GITHUB_TOKEN_FILE: empty })).toEqual([
      'GITHUB_TOKEN_FILE is an empty file. Write the secret into it.',
    ])
    expect(loadConfig({ ...ENOUGH, SLACK_BOT_TOKEN_FILE: join(folder, 'nowhere') }).SLACK_BOT_TOKEN).toBe('xoxb-1')
  })

  test('is offered for whatever holds a secret', () => {
    expect(
      SETTINGS.filter((name) => /TOKEN$|SECRET$|KEY(_OLD)?$|PASSWORD$|HEADERS$|^REDIS_URL$/.test(name)).sort(),
    ).toEqual([...SECRETS].sort())
  })
})

test('.env is read, and what the environment has already wins', async () => {
  const file = join(folder, 'dotenv')
  await writeFile(file, '# a comment\nPORT=4000\nexport OPENAI_MODEL="a model"\nSLACK_SIGNING_SECRET=\'a # b\'\n')
  expect(readEnv(file, { PORT: '5000' })).toMatchObject({
    PORT: '5000',
    OPENAI_MODEL: 'a model',
    SLACK_SIGNING_SECRET: 'a # b',
  })
  expect(readEnv(join(folder, 'none'), { PORT: '1' })).toEqual({ PORT: '1' })
})

test('a .env that is there and cannot be read is a sentence, not a start without it', () => {
  expect(() => readEnv(folder, ENOUGH)).toThrow(
    new ConfigError(`${folder} cannot be read. Check that it is a file, and its permissions.`),
  )
})

test('the secrets that no log may carry are known by their values', () => {
  const env = {
    ...ENOUGH,
    OPENAI_HEADERS: '{"x-key": "h-secret"}',
    REDIS_URL: 'redis+sentinel://user:p%40ss%zz@one,two/main?sentinelPassword=s-secret',
  }
  expect(secretsOf(loadConfig(env)).sort()).toEqual([
    'h-secret',
    'p%40ss%zz',
    'p%40ss%zz',
    'redis+sentinel://user:p%40ss%zz@one,two/main?sentinelPassword=s-secret',
    's-secret',
    's-secret',
    'sk-1',
    'xapp-1',
    'xoxb-1',
  ])
  expect(secretsOf(loadConfig({ REDIS_URL: 'redis://:p%40ss@host' }))).toContain('p@ss')
  expect(secretsOf(loadConfig({}))).toEqual([])
})
