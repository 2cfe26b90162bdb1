/** One installation, from the environment: the deliveries that belong to it, and the handling of others. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readBody } from '../../../playground/base/loopback-server.ts'
import { loadConfig } from '../../../src/config.ts'
import { TransientError } from '../../../src/base/errors.ts'
import { createLog } from '../../../src/base/log.ts'
import { ALICE, GENERAL, TEAM, type Delivery, type Json } from '../../../playground/slack/slack.ts'
import { warnOfUnknownIds } from '../../../src/slack/client/unknown-ids.ts'
import { installationFromConfig } from '../../../src/slack/install/open-installations.ts'
import { envFor, startBot, Thread, type TestBot } from '../../harness/bot.ts'
import { fileEnds, type Ends } from '../../harness/ends.ts'
import { localSlack } from '../../harness/local-slack.ts'
import { finish, playModel } from '../../harness/played-model.ts'
import { startWebServer } from '../../harness/web-server.ts'

const OTHER = 'T0OTHER0001'
const bot = await startBot(fileEnds(), { slack: { retryMs: [] } })
bot.model.on('', finish('Answered.'))

/** Mentions the bot, in an event of another team. */
async function mentionAs({ bot, slack }: TestBot, text: string, change: Json) {
  slack.setTarget('http://127.0.0.1:9/')
  const said = await slack.mention(text)
  slack.setTarget(`http://127.0.0.1:${bot.port}/slack/events`)
  const changed = (delivery: Delivery) => ({ ...delivery, payload: { ...delivery.payload, ...change } })
  const attempts = await Promise.all(said.deliveries.map((one) => slack.redeliver(changed(one))))
  return { thread: new Thread(slack, said), statuses: attempts.map(({ status }) => status) }
}

const authorized = (team: string | null) => [{ enterprise_id: null, team_id: team, user_id: 'U1', is_bot: true }]
const logged = (line: string) => bot.logs.filter((one) => one.includes(line))

describe('an event', () => {
  test('of a team without an installation is acked, not answered, and logged', async () => {
    const before = bot.model.requests.length
    const { thread, statuses } = await mentionAs(bot, 'Theirs?', { team_id: OTHER, authorizations: authorized(OTHER) })
    await bot.slack.settle(100)
    expect(statuses).toEqual([200, 200])
    expect([thread.shown(), bot.model.requests.length]).toEqual([[], before])
    expect(logged('no installation for this team: delivery ignored').at(-1)).toContain(OTHER)
  })

  test.each<[string, Json]>([
    ['that another team sends over Slack Connect', { team_id: OTHER, context_team_id: OTHER }],
    [
      'of a shared channel that names another team alone',
      { team_id: OTHER, authorizations: authorized(OTHER), is_ext_shared_channel: true },
    ],
    ['that names no team', { team_id: undefined, authorizations: authorized(null) }],
  ])('%s is for the team of the token', async (_, change) => {
    const { thread } = await mentionAs(bot, 'Ours?', change)
    expect(await thread.lastAnswer()).toBe('Answered.')
    expect(bot.logs.findLast((line) => line.includes('question enqueued'))).toContain(`"${TEAM}:${GENERAL}:`)
  })
})

test('/ask in a team without an installation informs the asker', async () => {
  const before = bot.model.requests.length
  const { delivery } = await bot.slack.slash('Anybody?')
  await bot.slack.until(() => bot.model.requests.length > before, 'the question of our own team')
  const theirs = { ...delivery, payload: { ...delivery.payload, team_id: OTHER } }
  const { status, body } = await bot.slack.redeliver(theirs)
  expect([status, JSON.parse(body)]).toMatchObject([
    200,
    { response_type: 'ephemeral', text: 'I am not set up in this workspace. Please tell the person who runs me.' },
  ])
  expect(bot.model.requests).toHaveLength(before + 1)
  expect(bot.slack.ephemerals(GENERAL, ALICE)).toEqual([])
})

test('an installation has the token, the bot’s identity and a Web API client', async (t) => {
  const slack = await localSlack()
  const config = loadConfig(envFor({ slack, model: await playModel(t) }), { serves: true })
  const installations = await installationFromConfig(config, { now: Date.now, log: createLog('silent') })
  const installation = await installations.of(TEAM)
  expect(installation).toMatchObject({ signingKey: slack.botToken, identity: { team: TEAM } })
  expect(await installation?.client.call('auth.test', {}, { effort: 'once' })).toMatchObject({ team_id: TEAM })
  expect([installations.defaultTeam, await installations.of(OTHER)]).toEqual([TEAM, undefined])
})

test('an organisation’s installation counts for each of its teams', async (t) => {
  const me = { team_id: 'E0ORG000001', user_id: 'U0BOT', bot_id: 'B0BOT', is_enterprise_install: true }
  const teams: unknown[] = []
  const api = await startWebServer((_, response, request) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse) {
    teams.push(new URLSearchParams(await readBody(request)).get('team_id'))
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ok: true, ...me, teams: [{ id: OTHER }] }))
  }
  const slack = await localSlack()
  const env = { ...envFor({ slack, model: await playModel(t) }), SLACK_API_URL: `${api.url}/api/` }
  const installations = await installationFromConfig(loadConfig(env, { serves: true }), {
    now: Date.now,
    log: createLog('silent'),
  })
  const other = await installations.of(OTHER)
  expect(other).toMatchObject({ identity: { team: OTHER, botUser: 'U0BOT' } })
  expect(await installations.of(OTHER)).toBe(other)
  await other?.client.call('users.info', { user: ALICE }, { effort: 'once' })
  // `auth.test`, `auth.teams.list` and `users.info`.
  expect(teams).toEqual([null, null, OTHER])
  expect(await installations.of('T0STRANGE01')).toBeUndefined()
})

describe('an organisation’s workspace whose last check is over an hour old', () => {
  const start = async (t: Ends) => {
    let [now, hour] = [Date.now(), 0]
    let answer = (response: ServerResponse): void => void response.writeHead(503).end()
    const me = { team_id: 'E0ORG000001', user_id: 'U0BOT', bot_id: 'B0BOT', is_enterprise_install: true }
    const reply = (response: ServerResponse, body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, ...body }))
    const api = await startWebServer((_, response) =>
      hour === 0 ? void reply(response, { ...me, teams: [{ id: OTHER }] }) : answer(response),
    )
    const slack = await localSlack()
    const env = { ...envFor({ slack, model: await playModel(t) }), SLACK_API_URL: `${api.url}/api/` }
    const installations = await installationFromConfig(loadConfig(env, { serves: true }), {
      now: () => now,
      log: createLog('silent'),
    })
    const later = (then: typeof answer) => {
      ;[hour, now, answer] = [1, now + 3_700_000, then]
    }
    return { installations, later, reply }
  }

  test.for<[name: string, fault: (response: ServerResponse) => void]>([
    ['answers with 503', (response: ServerResponse) => void response.writeHead(503).end()],
    ['limits the call', (response: ServerResponse) => void response.writeHead(429, { 'retry-after': '30' }).end()],
    ['cuts the connection', (response: ServerResponse) => void response.destroy()],
  ])('is served while Slack %s, and an unknown one is asked about again', async ([, fault], t) => {
    const { installations, later } = await start(t)
    later(fault)
    expect(await installations.of(OTHER)).toMatchObject({ identity: { team: OTHER } })
    await expect(installations.of('T0STRANGE01')).rejects.toBeInstanceOf(TransientError)
  })

  test('is no longer served once Slack says that it is not there', async (t) => {
    const { installations, later, reply } = await start(t)
    later((response) => void reply(response, { teams: [] }))
    expect(await installations.of(OTHER)).toBeUndefined()
  })
})

test('the ids in an organisation’s settings are looked up once, however many workspaces it has', async (t) => {
  const me = { team_id: 'E0ORG000001', user_id: 'U0BOT', bot_id: 'B0BOT', is_enterprise_install: true }
  const teams = Array.from({ length: 20 }, (_, i) => ({ id: `T0SPACE00${i}` }))
  const looked: string[] = []
  const api = await startWebServer((path, response, request) => {
    const reply = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (!path.endsWith('users.info')) return void reply({ ok: true, ...me, teams })
    void readBody(request).then((body) => {
      const user = new URLSearchParams(body).get('user') ?? ''
      looked.push(user)
      reply(user === ALICE ? { ok: true, user: { id: ALICE } } : { ok: false, error: 'user_not_found' })
    })
  })
  const slack = await localSlack()
  const env = { ...envFor({ slack, model: await playModel(t) }), SLACK_API_URL: `${api.url}/api/` }
  const config = loadConfig({ ...env, ALLOW_USERS: `${ALICE},U0NOBODY001` }, { serves: true })
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => void lines.push(line) })
  const installations = await installationFromConfig(config, { now: Date.now, log })
  expect(installations.teams()).toHaveLength(21)
  await warnOfUnknownIds(config, installations, log)
  expect(looked.sort()).toEqual([ALICE, 'U0NOBODY001'])
  expect(lines.join('')).toMatch(/ALLOW_USERS names U0NOBODY001/)
  expect(lines.join('')).not.toContain(`names ${ALICE}`)
})
