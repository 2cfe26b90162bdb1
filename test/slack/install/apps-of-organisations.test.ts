/** SLACK_APPS with apps of whole organisations: each acts only where Slack says that it may. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../playground/base/until.ts'
import type { Ends } from '../../harness/ends.ts'
import { startManyBot } from '../../harness/many-bot.ts'
import { manySlacks } from '../../harness/many-slacks.ts'
import { finish } from '../../harness/played-model.ts'

const E1 = { id: 'E0FIRST0001', app: 'A0FIRST0001', team: 'T0FIRST0001' }
const E2 = { id: 'E0SECOND001', app: 'A0SECOND001', team: 'T0SECOND001' }
const T2 = { id: 'T0OTHER0001', app: 'A0OTHER0001' }
const SECRETS = { [E1.id]: 'secret-of-first', [E2.id]: 'secret-of-second', [T2.id]: 'secret-of-other' }
const by = (home: { id: string }) => ({ secret: SECRETS[home.id] ?? '' })
let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'thinkaloud-orgs-'))))
afterAll(() => rm(folder, { recursive: true }))

async function start(t: Ends, order = [E1, E2, T2]) {
  const slack = await manySlacks(t)
  const teams: Record<string, string[]> = { [E1.id]: [E1.team, T2.id], [E2.id]: [E2.team] }
  slack.state.teamsOf = (home) => teams[home] ?? []
  const apps = order.map((home) => ({
    ...{ name: home.id.toLowerCase(), botToken: slack.tokenOf(home), signingSecret: SECRETS[home.id] },
  }))
  const SLACK_APPS = join(folder, `${Math.random()}.json`)
  await writeFile(SLACK_APPS, JSON.stringify({ apps }))
  const none = { SLACK_CLIENT_ID: '', SLACK_CLIENT_SECRET: '', PUBLIC_URL: '', ALLOW_TEAMS: '' }
  const env = () => ({ ...none, SLACK_SIGNING_SECRET: '', SECRETS_KEY: '', SLACK_APPS })
  return { ...(await startManyBot(t, { slack, env })), teams }
}

/** A command signed by an organisation, with whatever ids it likes. */
function command(
  bot: Awaited<ReturnType<typeof start>>,
  text: string,
  ids: Record<string, string>,
  signer: string = E1.id,
) {
  const body = new URLSearchParams({
    ...{ command: '/ask', text, api_app_id: E1.app, trigger_id: `${Math.random()}.1`, user_id: 'U0ALICE0001' },
    ...{ enterprise_id: E1.id, is_enterprise_install: 'true', channel_id: 'C0FOREIGN01' },
    ...{ response_url: `${bot.slack.apiUrl}response`, ...ids },
  })
  return bot.slack.post(body.toString(), 'application/x-www-form-urlencoded', SECRETS[signer])
}

const CHANNEL = { id: 'C0FOREIGN01', name: 'plans' }
const MESSAGE = { type: 'message', user: 'U0ALICE0001', text: 'What is planned?', ts: '1795944100.000100' }

/** Presses, forms, menus and a suggestion, as an organisation signs them, about a place in another company's team. */
const DELIVERIES: ((team: string) => Record<string, unknown>)[] = [
  ...['thinkaloud_ask_again', 'thinkaloud_show_work', 'thinkaloud_share'].map((action_id) => (team: string) => ({
    type: 'block_actions',
    channel: CHANNEL,
    message: MESSAGE,
    container: { type: 'message', message_ts: MESSAGE.ts, channel_id: CHANNEL.id },
    actions: [{ type: 'button', action_id, block_id: 'b', value: `${team}:${CHANNEL.id}:${MESSAGE.ts}` }],
  })),
  (team) => ({ type: 'message_action', callback_id: 'thinkaloud_ask_about', channel: CHANNEL, message: MESSAGE, team }),
  (team) => ({ type: 'message_action', callback_id: 'thinkaloud_remember', channel: CHANNEL, message: MESSAGE, team }),
  (team) => ({
    type: 'view_submission',
    view: {
      ...{ id: 'V1', type: 'modal', callback_id: 'thinkaloud_ask_about', app_installed_team_id: team },
      private_metadata: JSON.stringify({ channel: CHANNEL.id, thread: MESSAGE.ts, ts: MESSAGE.ts, team }),
      state: { values: { question: { question: { type: 'plain_text_input', value: 'What is planned?' } } } },
    },
  }),
]

async function deliver(bot: Awaited<ReturnType<typeof start>>, { team, ...payload }: Record<string, unknown>) {
  const whole = {
    ...{ api_app_id: E1.app, trigger_id: `${Math.random()}.2`, response_url: `${bot.slack.apiUrl}response` },
    ...{ is_enterprise_install: true, enterprise: { id: E1.id, name: 'First' } },
    ...{ team: { id: team ?? T2.id, domain: 'x' }, user: { id: 'U0ALICE0001', team_id: team ?? T2.id } },
    ...payload,
  }
  const body = new URLSearchParams({ payload: JSON.stringify(whole) })
  return bot.slack.post(body.toString(), 'application/x-www-form-urlencoded', SECRETS[E1.id])
}

/** Waits until the bot has done all that came before. */
async function settled(bot: Awaited<ReturnType<typeof start>>, n = 0) {
  await bot.slack.mention(E1, 'Ready?', { channel: `C0READY000${n}`, ...by(E1) })
  await bot.answered(`C0READY000${n}`)
}

describe('an app of an organisation', () => {
  test('two of them answer, each with its own token', async (t) => {
    const bot = await start(t)
    await bot.slack.mention(E1, 'Who?', { channel: 'C0FIRST0001', ...by(E1) })
    await bot.slack.mention(E2, 'Who?', { channel: 'C0SECOND001', ...by(E2) })
    expect((await bot.answered('C0FIRST0001')).home).toBe(E1.id)
    expect((await bot.answered('C0SECOND001')).home).toBe(E2.id)
    const second = bot.slack.calls.filter(
      ({ args }) => args['channel'] === 'C0SECOND001' || args['team_id'] === E2.team,
    )
    expect(new Set(second.map(({ home }) => home))).toEqual(new Set([E2.id]))
  })

  test.each([
    ['first', [E1, E2, T2]],
    ['last', [T2, E2, E1]],
    ['between others', [E2, E1, T2]],
  ])(
    'answers questions, commands and presses with its own token, if its app stands %s in the file',
    async (_, order) => {
      const bot = await start({ onTestFinished }, order)
      bot.model.on('private', finish('Privately.'))
      for (const home of [E2, E1, E2]) {
        const channel = `C${home.id}${bot.slack.calls.length}`
        await bot.slack.mention({ ...home, team: null }, 'Who?', {
          channel,
          ...by(home),
          team_id: home.team,
          authorizations: [],
        })
        const answer = await bot.answered(channel)
        expect([answer.home, answer.channel]).toEqual([home.id, channel])
        const dm = `D${home.id.slice(1)}`
        await command(
          bot,
          'what is private?',
          {
            ...{ api_app_id: home.app, enterprise_id: home.id, team_id: home.team, channel_id: dm },
            ...{ text: 'what is private?' },
          },
          home.id,
        )
        expect((await bot.answered(dm)).home).toBe(home.id)
        const value = `${home.team}:${channel}:1.1`
        await bot.slack.press(home, {
          action: 'thinkaloud_show_work',
          value,
          channel,
          ...by(home),
          user: { id: 'U0ALICE0001', team_id: home.team },
        })
      }
      await settled(bot)
      for (const home of [E1, E2]) {
        const other = home === E1 ? E2 : E1
        const isOf = ({ args }: { args: Record<string, unknown> }) =>
          args['team_id'] === home.team || JSON.stringify(args).includes(home.id)
        const calls = bot.slack.calls.filter(isOf)
        expect(calls.length).toBeGreaterThan(3)
        expect(calls.filter((call) => call.home === other.id)).toEqual([])
      }
    },
  )

  test.each([
    ['that has its own app', T2.id],
    ['of another organisation', E2.team],
    ['that nobody has', 'T0NOBODY001'],
    ['that is an organisation', E2.id],
  ])('acts in no workspace %s', async (_, team) => {
    const bot = await start({ onTestFinished })
    const place = { channel: 'C0FOREIGN01', ...by(E1) }
    await bot.slack.mention({ ...E1, team }, 'What is planned?', place)
    await bot.slack.mention({ ...E1, team }, 'What is planned?', { ...place, team_id: team, context_team_id: team })
    await command(bot, 'private: what is planned?', { team_id: team })
    await command(bot, 'memory', { team_id: team })
    for (const one of DELIVERIES) await deliver(bot, one(team))
    await settled(bot)
    expect(bot.model.about('planned')).toEqual([])
    expect(bot.slack.calls.filter(({ args }) => args['channel'] === 'C0FOREIGN01' || args['team_id'] === team)).toEqual(
      [],
    )
    expect(bot.logs.some((line) => line.includes('no installation for this team') && line.includes(team))).toBe(true)
  })

  test('serves a workspace that is added later', async (t) => {
    const bot = await start(t)
    const later = { ...E1, team: 'T0LATER0001' }
    await bot.slack.mention(later, 'Too early?', { channel: 'C0LATER0001', ...by(E1) })
    bot.teams[E1.id]?.push(later.team)
    await bot.slack.mention(later, 'Who?', { channel: 'C0LATER0002', ...by(E1) })
    expect((await bot.answered('C0LATER0002')).home).toBe(E1.id)
    expect(bot.slack.posts().map(({ channel }) => channel)).toEqual(['C0LATER0002'])
  })

  test('asks Slack a few times a minute about unknown workspaces, however many are named', async (t) => {
    const bot = await start(t)
    const lists = () => bot.slack.calls.filter(({ method }) => method === 'auth.teams.list').length
    const before = lists()
    for (let n = 0; n < 40; n++)
      await bot.slack.mention({ ...E1, team: `T0UNKNOWN${n}` }, 'Who?', { channel: 'C0FOREIGN01', ...by(E1) })
    await settled(bot)
    expect(lists() - before).toBeGreaterThan(0)
    expect(lists() - before).toBeLessThanOrEqual(10)
  })

  test('serves its own where Slack lists none, but tells where the bot is', async (t) => {
    const bot = await start(t)
    bot.slack.state.botTeams = ['T0UNLISTED1']
    bot.slack.state.refuses = (method) => (method === 'auth.teams.list' ? 'missing_scope' : undefined)
    await bot.slack.mention({ ...E1, team: 'T0UNLISTED1' }, 'Who?', { channel: 'C0UNLISTED1', ...by(E1) })
    expect((await bot.answered('C0UNLISTED1')).home).toBe(E1.id)
  })

  test.each<[string, object, (home: typeof E1) => object]>([
    ['app_uninstalled', {}, () => ({ team: null })],
    ['tokens_revoked', { tokens: { bot: ['U0BOT0FIRST0001'] } }, () => ({ team: null })],
  ])('%s deletes the data of its own workspaces alone', async (type, more, of) => {
    const bot = await start({ onTestFinished })
    for (const home of [E1, E2, T2]) await bot.slack.mention(home, 'Who?', { channel: `C${home.id}`, ...by(home) })
    for (const home of [E1, E2, T2]) await bot.answered(`C${home.id}`)
    await bot.slack.event({ ...E1, ...of(E1) }, { type, ...more }, by(E1))
    const deleted = () => bot.logs.filter((line) => line.includes('its data was deleted'))
    await until(() => deleted().some((line) => line.includes(E1.team)), 'its own data to be deleted')
    expect(deleted().filter((line) => [E2.team, T2.id].some((team) => line.includes(team)))).toEqual([])
  })

  test('names others’ workspaces in vain, in any field of an event', async (t) => {
    const bot = await start(t)
    const revoked = { type: 'team_access_revoked', team_ids: [T2.id, E2.team] }
    await bot.slack.event({ ...E1, team: null }, revoked, by(E1))
    await bot.slack.event({ ...E1, team: null }, { type: 'team_access_revoked', event: revoked }, by(E1))
    for (const team of [T2.id, E2.team, E2.id])
      await bot.slack.event({ ...E1, team }, { type: 'app_uninstalled' }, by(E1))
    await bot.slack.event(T2, { type: 'team_access_revoked', team_ids: [E2.team] }, by(T2))
    await settled(bot)
    expect(bot.logs.filter((line) => line.includes('its data was deleted'))).toEqual([])
  })
})
