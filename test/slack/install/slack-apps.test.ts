/** SLACK_APPS: one app per workspace, all in one deployment. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../../../src/base/errors.ts'
import { loadSlackApps } from '../../../src/slack/client/slack-apps.ts'
import { startLocalSlack } from '../../../playground/slack/slack.ts'
import type { Ends } from '../../harness/ends.ts'
import { startManyBot } from '../../harness/many-bot.ts'
import { manySlacks } from '../../harness/many-slacks.ts'

const ACME = { id: 'T0ACME00001', app: 'A0ACME00001' }
const OTHER = { id: 'T0OTHER0001', app: 'A0OTHER0001' }
let folder = ''
let count = 0
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'thinkaloud-apps-'))))
afterAll(() => rm(folder, { recursive: true }))

async function fileOf(content: unknown): Promise<string> {
  const path = join(folder, `${++count}.json`)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** Starts a bot with the two apps. `acme` adds settings to one of them. */
async function start(t: Ends, more: { acmeToken?: string; acme?: object } = {}) {
  const slack = await manySlacks(t)
  const apps = [
    { name: 'acme', botToken: more.acmeToken ?? slack.tokenOf(ACME), signingSecret: 'secret-of-acme', ...more.acme },
    { name: 'other', botToken: slack.tokenOf(OTHER), signingSecret: 'secret-of-other' },
  ]
  const SLACK_APPS = await fileOf({ apps })
  const none = {
    SLACK_CLIENT_ID: '',
    SLACK_CLIENT_SECRET: '',
    PUBLIC_URL: '',
    ALLOW_TEAMS: '',
    SLACK_SIGNING_SECRET: '',
  }
  return startManyBot(t, { slack, env: () => ({ ...none, SECRETS_KEY: '', SLACK_APPS }) })
}

describe('over HTTP', () => {
  test('events are answered with the token of their app', async (t) => {
    const bot = await start(t)
    await bot.slack.mention(ACME, 'Who?', { channel: 'C0ACME00001', secret: 'secret-of-acme' })
    await bot.slack.mention(OTHER, 'Who?', { channel: 'C0OTHER0001', secret: 'secret-of-other' })
    expect((await bot.answered('C0ACME00001')).home).toBe(ACME.id)
    expect((await bot.answered('C0OTHER0001')).home).toBe(OTHER.id)
  })

  test('each request is verified with its app’s secret, and an app cannot act for another’s workspace', async (t) => {
    const bot = await start(t)
    const place = { channel: 'C0FORGED001' }
    expect((await bot.slack.mention(ACME, 'Who?', { ...place, secret: 'secret-of-other' })).status).toBe(401)
    expect((await bot.slack.mention(ACME, 'Who?', { ...place, secret: 'no secret' })).status).toBe(401)
    await bot.slack.mention({ ...ACME, app: OTHER.app }, 'Who?', { ...place, secret: 'secret-of-other' })
    await bot.slack.mention(OTHER, 'Who?', { channel: 'C0OTHER0001', secret: 'secret-of-other' })
    await bot.answered('C0OTHER0001')
    expect(bot.slack.posts().filter(({ channel }) => channel === place.channel)).toEqual([])
  })

  test('url_verification is accepted when any secret fits, and only then', async (t) => {
    const bot = await start(t)
    const body = JSON.stringify({ type: 'url_verification', challenge: 'abc', token: 'x' })
    for (const secret of ['secret-of-acme', 'secret-of-other']) {
      const answer = await bot.slack.post(body, 'application/json', secret)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('abc')])
    }
    expect((await bot.slack.post(body, 'application/json', 'no secret')).status).toBe(401)
  })

  test('an app whose token Slack refuses is named, and the others start', async (t) => {
    const bot = await start(t, { acmeToken: 'xoxb-revoked' })
    expect(bot.logs.find((line) => line.includes('rejects the bot token'))).toContain('"app":"acme"')
    await bot.slack.mention(OTHER, 'Who?', { channel: 'C0OTHER0001', secret: 'secret-of-other' })
    expect((await bot.answered('C0OTHER0001')).home).toBe(OTHER.id)
  })

  test('an app whose app token Slack refuses is named, and the others start', async (t) => {
    const bot = await start(t, { acme: { signingSecret: undefined, appToken: 'xapp-refused' } })
    expect(bot.logs.find((line) => line.includes('rejects the app token'))).toContain('"app":"acme"')
    await bot.slack.mention(OTHER, 'Who?', { channel: 'C0OTHER0001', secret: 'secret-of-other' })
    expect((await bot.answered('C0OTHER0001')).home).toBe(OTHER.id)
  })

  test('removing one workspace does not affect the other', async (t) => {
    const bot = await start(t)
    await bot.slack.event(ACME, { type: 'app_uninstalled' }, { secret: 'secret-of-acme' })
    expect(bot.logs.filter((line) => line.includes('its data was deleted'))).toEqual([expect.stringContaining(ACME.id)])
  })
})

test('an app may use Socket Mode', async (t) => {
  const slack = await startLocalSlack({ retryMs: [] })
  t.onTestFinished(() => slack.close())
  const SLACK_APPS = await fileOf({ apps: [{ name: 'local', botToken: slack.botToken, appToken: slack.appToken }] })
  const none = {
    SLACK_CLIENT_ID: '',
    SLACK_CLIENT_SECRET: '',
    PUBLIC_URL: '',
    ALLOW_TEAMS: '',
    SLACK_SIGNING_SECRET: '',
  }
  const many = await manySlacks(t)
  const bot = await startManyBot(t, { slack: many, env: () => ({ ...none, SLACK_APPS, SLACK_API_URL: slack.apiUrl }) })
  const said = await slack.mention('Who?')
  await slack.until(() => slack.replies(said.channel, said.thread).length > 0, 'an answer over the socket')
  expect(bot.logs.filter((line) => line.includes('is skipped'))).toEqual([])
})

describe('the file', () => {
  const app = { name: 'acme', botToken: 'xoxb-1', appToken: 'xapp-1' }
  test.each<[string, unknown, RegExp]>([
    ['is not JSON', '{', /^The file named in SLACK_APPS is not valid JSON\.$/],
    ['has no apps', { apps: [] }, /^SLACK_APPS: .* should be a JSON object/],
    ['has an unknown key', { apps: [app], more: 1 }, /hold nothing else/],
    [
      'has an app with an unknown key',
      { apps: [{ ...app, secret: 'x' }] },
      /^SLACK_APPS: the app "acme": the key "secret" is not known\.$/,
    ],
    [
      'has two apps of one name',
      { apps: [app, app] },
      /^SLACK_APPS: two apps are named "acme"\. Give each app its own name\.$/,
    ],
    [
      'has an app without a way in',
      { apps: [{ name: 'acme', botToken: 'xoxb-1' }] },
      /should have an appToken or a signingSecret/,
    ],
    [
      'has a bot token of another kind',
      { apps: [{ ...app, botToken: 'xoxp-1' }] },
      /botToken should be a token that begins with xoxb-/,
    ],
    ['has no bot token', { apps: [{ name: 'acme', appToken: 'xapp-1' }] }, /botToken should be a text/],
    [
      'needs a variable that is not set',
      { apps: [{ ...app, botToken: '${NOWHERE}' }] },
      /^SLACK_APPS: the app "acme" needs the variable NOWHERE/,
    ],
  ])('that %s is refused in one sentence', async (_, content, sentence) => {
    const path = await fileOf(content)
    const load = () => loadSlackApps(path, {})
    expect(load).toThrow(ConfigError)
    expect(load).toThrow(sentence)
  })

  test('may take its secrets from variables', async () => {
    const path = await fileOf({ apps: [{ name: 'acme', botToken: '${ACME_BOT}', signingSecret: '${ACME_SECRET}' }] })
    const env = { ACME_BOT: 'xoxb-9', ACME_SECRET: 'shh' }
    expect(loadSlackApps(path, env)).toEqual([{ name: 'acme', botToken: 'xoxb-9', signingSecret: 'shh' }])
  })

  test('that is missing leads to one message', () => {
    expect(() => loadSlackApps(join(folder, 'nowhere'), {})).toThrow(
      'The file named in SLACK_APPS cannot be read. Check its path and permissions.',
    )
  })
})
