import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { checkSlack } from '../../../src/commands/slack/check-slack.ts'
import { createAddress, readManifest } from '../../../src/base/app-manifest.ts'
import { tokensIn } from '../../../src/commands/slack/slack-tokens.ts'
import type { LocalSlackOptions } from '../../../playground/slack/slack.ts'
import { runCommand, runHere, startCommand, temporaryFolder } from '../../harness/command.ts'
import { connectProxy, SLACK_HOST } from '../../harness/connect-proxy.ts'
import { localSlack } from '../../harness/local-slack.ts'
import { startWebServer } from '../../harness/web-server.ts'

const t = { onTestFinished }
const BOT = 'xoxb-1111-2222-SecretBotToken'
const APP = 'xapp-1-A0LOCAL0001-3333-SecretAppToken'
const { scopes } = readManifest('plain')

const told = z.strictObject({
  ok: z.boolean(),
  api: z.string(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      sentence: z.string(),
      fix: z.string().optional(),
      token: z.string().optional(),
      facts: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  written: z.string().optional(),
  create: z.string(),
})

async function report(given: {
  env?: Record<string, string>
  input?: string
  args?: string[]
  slack?: LocalSlackOptions
  dotenv?: string
}) {
  const slack = await localSlack({ botToken: BOT, appToken: APP, scopes, ...given.slack })
  const cwd = await temporaryFolder(t)
  if (given.dotenv !== undefined) writeFileSync(join(cwd, '.env'), given.dotenv)
  const env = { SLACK_API_URL: slack.apiUrl, ...given.env }
  const args = ['--json', ...(given.args ?? [])]
  const { code, stdout, stderr } = await runHere(t, 'src/commands/slack.ts', {
    args,
    cwd,
    env,
    input: given.input ?? '',
  })
  for (const one of ['SecretBot', 'SecretApp', 'SecretOther']) expect(stdout + stderr).not.toContain(one)
  const { checks, ...rest } = told.parse(JSON.parse(stdout))
  return { code, ...rest, checks, rows: checks.map(({ name, ok }) => [name, ok]), cwd, stderr }
}

const ALL_WELL = [
  ['auth.test', true],
  ['scopes', true],
  ['apps.connections.open', true],
]

describe('npm run slack --json', { timeout: 240_000 }, () => {
  test('checks the environment’s tokens and prints one object only', async () => {
    const { code, ok, rows, cwd, stderr } = await report({ env: { SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP } })
    expect({ code, ok, rows, stderr }).toEqual({ code: 0, ok: true, rows: ALL_WELL, stderr: '' })
    expect(existsSync(join(cwd, '.env'))).toBe(false)
  })

  test('reads tokens from a pipe, by name or prefix, and writes them only if asked to', async () => {
    const read = await report({ input: `SLACK_BOT_TOKEN=${BOT}\nSLACK_APP_TOKEN=${APP}\n` })
    expect([read.code, read.rows, existsSync(join(read.cwd, '.env'))]).toEqual([0, ALL_WELL, false])
    const kept = await report({ input: `${BOT} ${APP}`, args: ['--write'], dotenv: 'LOG_LEVEL=warn\n' })
    expect([kept.code, kept.written]).toEqual([0, '.env'])
    expect(readFileSync(join(kept.cwd, '.env'), 'utf8')).toBe(
      `LOG_LEVEL=warn\n# npm run slack: team T0LOCAL0001, app A0LOCAL0001\nSLACK_BOT_TOKEN=${BOT}\nSLACK_APP_TOKEN=${APP}\n`,
    )
    expect(statSync(join(kept.cwd, '.env')).mode & 0o777).toBe(0o600)
  })

  test('writes nothing if anything is wrong', async () => {
    const { code, written, cwd } = await report({ input: `xoxb-SecretOther ${APP}`, args: ['--write'] })
    expect([code, written, existsSync(join(cwd, '.env'))]).toEqual([1, undefined, false])
  })

  test('names each missing or wrong value, and exits with 1', async () => {
    const nothing = await report({})
    expect([nothing.code, nothing.rows]).toEqual([
      1,
      [
        ['SLACK_BOT_TOKEN', false],
        ['SLACK_APP_TOKEN', false],
      ],
    ])
    const wrong = await report({ env: { SLACK_BOT_TOKEN: APP, SLACK_APP_TOKEN: 'xapp-SecretOther' } })
    expect(wrong.rows).toEqual([
      ['SLACK_BOT_TOKEN', false],
      ['apps.connections.open', false],
    ])
    const lacking = await report({
      env: { SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP },
      slack: { scopes: scopes.filter((scope) => scope !== 'chat:write') },
    })
    expect([lacking.code, lacking.checks[1]]).toMatchObject([1, { name: 'scopes', facts: { missing: ['chat:write'] } }])
  })

  test('checks only Slack’s settings', async () => {
    const env = { SLACK_BOT_TOKEN: BOT, SLACK_SIGNING_SECRET: 'a-signing-secret', WORKER_CONCURRENCY: 'many' }
    const { code, rows } = await report({ env })
    expect([code, rows.at(-1)]).toEqual([0, ['SLACK_SIGNING_SECRET', true]])
  })

  test('takes a secret from its file', async () => {
    const folder = await temporaryFolder(t)
    writeFileSync(join(folder, 'bot'), `${BOT}\n`)
    const { rows } = await report({ env: { SLACK_BOT_TOKEN_FILE: join(folder, 'bot'), SLACK_APP_TOKEN: APP } })
    expect(rows).toEqual(ALL_WELL)
  })

  test('goes through the proxy of HTTPS_PROXY', async () => {
    const proxy = await connectProxy(t)
    const slack = await localSlack({ botToken: BOT, appToken: APP, scopes, host: SLACK_HOST })
    const env = { SLACK_API_URL: slack.apiUrl, HTTPS_PROXY: proxy.url, SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP }
    const { code } = await runHere(t, 'src/commands/slack.ts', {
      args: ['--json'],
      cwd: await temporaryFolder(t),
      env,
    })
    expect(code).toBe(0)
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(slack.apiUrl).host]))
  })

  test('a wrong setting is reported as JSON too', async () => {
    const cwd = await temporaryFolder(t)
    const env = { SLACK_API_URL: 'slack', SLACK_BOT_TOKEN: BOT }
    const { code, stdout } = await runHere(t, 'src/commands/slack.ts', { args: ['--json'], cwd, env })
    const sentence = 'SLACK_API_URL should be an address that begins with https:// or http://.'
    expect([code, JSON.parse(stdout)]).toEqual([1, { ok: false, checks: [{ name: 'settings', ok: false, sentence }] }])
  })

  test('explains itself for wrong arguments and without a terminal', async () => {
    const cwd = await temporaryFolder(t)
    const unknown = await runHere(t, 'src/commands/slack.ts', { args: ['--yes'], cwd })
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Usage: npm run slack')])
    const piped = await runCommand(t, 'src/commands/slack.ts', { cwd })
    expect([piped.code, piped.stderr]).toEqual([
      1,
      expect.stringContaining('In a script, use: npm run slack -s -- --json'),
    ])
  })

  test('a pipe that stays open is not awaited forever', async () => {
    const slack = await localSlack({ botToken: BOT, appToken: APP, scopes })
    const env = { SLACK_API_URL: slack.apiUrl, SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP }
    const cwd = await temporaryFolder(t)
    const command = startCommand(t, 'src/commands/slack.ts', { args: ['--json'], cwd, env })
    expect((await command.ended).code).toBe(0)
  })
})

describe('the checks', () => {
  test('report an unexpected Slack response in sentences', async () => {
    const pages: [status: number, body: string, sentence: RegExp][] = [
      [200, '<html>log in</html>', /answered, but unlike Slack/],
      [503, 'no', /answered with status 503, which Slack does not do/],
      [200, JSON.stringify({ ok: false, error: '\u001b[31mxoxb-SecretOther' }), /answered, but unlike Slack/],
      [200, JSON.stringify({ ok: true, team_id: 7, bot_id: null }), /belongs to a person, not to a bot/],
    ]
    for (const [status, body, sentence] of pages) {
      const server = await startWebServer((_path, response) => void response.writeHead(status).end(body))
      const [row] = await checkSlack(
        { SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP },
        { now: Date.now, apiUrl: `${server.url}/api/` },
      )
      expect(row).toMatchObject({ name: 'auth.test', ok: false, sentence: expect.stringMatching(sentence) })
    }
  })

  test('a workspace’s name cannot control the terminal', async () => {
    const body = {
      ok: true,
      team: 'Evil\u001b[2J\n✓ all\u202e well',
      team_id: 'T1',
      user: 'u',
      user_id: 'U1',
      bot_id: 'B1',
    }
    const server = await startWebServer((_path, response) => void response.end(JSON.stringify(body)))
    const [row] = await checkSlack(
      { SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP },
      { now: Date.now, apiUrl: `${server.url}/api/` },
    )
    expect(row?.sentence).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(row?.ok).toBe(true)
  })

  test('an agent app is compared with the agent’s manifest', async () => {
    const slack = await localSlack({ botToken: BOT, appToken: APP, scopes: [...scopes, 'assistant:write'] })
    const rows = await checkSlack(
      { SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP },
      { now: Date.now, apiUrl: slack.apiUrl },
    )
    expect(rows[1]?.sentence).toBe(`The app has all ${scopes.length + 1} scopes of manifest.agent.yml.`)
  })
})

test('any piped input is handled', () => {
  expect(tokensIn('')).toEqual({})
  expect(tokensIn('{"a": 1}\u0000\n=\nSLACK_BOT_TOKEN')).toEqual({})
  expect(tokensIn(`SLACK_SIGNING_SECRET=abc\n${APP}\n`)).toEqual({ SLACK_SIGNING_SECRET: 'abc', SLACK_APP_TOKEN: APP })
})

test('the link that creates the app contains the manifest, and is left out if it is too long', () => {
  for (const kind of ['plain', 'agent'] as const) {
    const address = new URL(createAddress(readManifest(kind)) ?? '')
    expect([address.origin, address.pathname, address.searchParams.get('new_app')]).toEqual([
      'https://api.slack.com',
      '/apps',
      '1',
    ])
    expect(address.searchParams.get('manifest_yaml')).not.toContain('#  ')
  }
  expect(createAddress({ text: 'a: ä\n'.repeat(2_000) })).toBeUndefined()
})
