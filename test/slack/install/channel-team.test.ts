/** In a channel that is connected to another company, only the channel tells which workspace of the organisation asks. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../playground/base/until.ts'
import type { Json } from '../../../playground/slack/slack.ts'
import type { Env } from '../../../src/config.ts'
import { botUserOf, type ManySlacks } from '../../harness/many-slacks.ts'
import {
  ALICE,
  ORG,
  SECOND,
  startOrganisation,
  WAYS,
  type OrganisationBot,
  type Way,
} from '../../harness/organisation.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'

const STRANGE = 'T0STRANGE01'
const STRANGER = 'U0STRANGER1'
const SHARED = 'C0SHARED001'
const UNNAMED = [{ enterprise_id: ORG.id, team_id: null, is_enterprise_install: true, is_bot: true }]
const HOUR_MS = 60 * 60_000
const ways = Object.keys(WAYS) as Way[]
let count = 0

async function start(way: Way, env: Env = {}, running?: ManySlacks) {
  const bot = await startOrganisation({ onTestFinished }, way, env, running)
  connect(bot, [ORG.team])
  return bot
}

/** Slack tells that the channel is connected with another company, and in which workspaces of ours it is. */
function connect({ slack }: OrganisationBot, internal_team_ids: string[]) {
  slack.state.channelFacts = () => ({
    ...{ is_private: false, is_ext_shared: true, context_team_id: undefined },
    ...{ shared_team_ids: [STRANGE, ...internal_team_ids], internal_team_ids },
  })
}

/** Somebody asks in the channel. The envelope names the other company. @returns the status of Slack's delivery */
async function ask({ slack, by }: OrganisationBot, text: string, { user = ALICE, ...more }: Json = {}) {
  const ts = `${1_800_001_000 + ++count}.000100`
  const from = user === ALICE ? { user, user_team: ORG.team } : { user, user_team: STRANGE, team: STRANGE }
  const message = { type: 'app_mention', ...from, channel: SHARED, ts, event_ts: ts }
  const event = { ...message, text: `<@${botUserOf(ORG.id)}> ${text}` }
  const envelope = { ...by, is_ext_shared_channel: true, team_id: STRANGE, authorizations: UNNAMED, ...more }
  const deliver = async () => (await slack.event(ORG, event, { ...envelope, event_id: `Ev${ts}` })).status
  return { status: await deliver(), deliver, ts }
}

/** The workspace in which a question was stored. */
async function storedIn({ logs }: OrganisationBot, ts: string): Promise<string> {
  const isStored = (line: string) => line.includes('question enqueued') && line.includes(`${SHARED}:${ts}`)
  const line = await until(() => logs.find(isStored), 'the question')
  return /"question":"(\w+):/.exec(line)?.[1] ?? ''
}

const asksAbout = ({ slack }: OrganisationBot) =>
  slack.calls.filter(({ method, args }) => method === 'conversations.info' && args['channel'] === SHARED).length

/** The ways in which Slack does not tell about a channel. Each returns a function that ends it. */
const SILENCES: Record<string, (bot: Pick<OrganisationBot, 'slack'>) => () => void> = {
  'is slow': ({ slack: { state } }) => {
    let release = () => {}
    const slow = new Promise<void>((resolve) => (release = resolve))
    onTestFinished(() => release())
    const isAboutPlace = (args: Json) => args['channel'] === SHARED && !('text' in args) && !('user' in args)
    state.holdAnswer = (args) => (isAboutPlace(args) ? slow : undefined)
    return release
  },
  'limits the rate': ({ slack: { state, clock } }) => {
    state.answersItself = (method, response) => {
      if (method !== 'conversations.info') return false
      response.writeHead(429, { 'retry-after': '30' }).end()
      return true
    }
    return () => {
      state.answersItself = () => false
      clock.now += 31_000
    }
  },
  fails: ({ slack: { state } }) => {
    state.answersItself = (method, response) => {
      if (method !== 'conversations.info') return false
      response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Service unavailable</h1>')
      return true
    }
    return () => (state.answersItself = () => false)
  },
  'cuts the connection': ({ slack: { state } }) => {
    state.answersItself = (method, response) => {
      if (method === 'conversations.info') response.destroy()
      return method === 'conversations.info'
    }
    return () => (state.answersItself = () => false)
  },
}
const silences = Object.keys(SILENCES)

/** Definite answers that do not name a workspace. */
const REFUSALS = ['channel_not_found', 'missing_scope', 'team_access_not_granted']

describe.for(ways)('an organisation with %s', (way) => {
  test.for(silences)('a colleague’s question waits in Slack while it %s, and is then ours', async (silence) => {
    const bot = await start(way)
    const end = SILENCES[silence]!(bot)
    const asked = await ask(bot, 'What is known?')
    expect(asked.status).toBe(500)
    expect(bot.logs.join('\n')).toContain('in which workspace of the organisation')
    end()
    // Slack sends it again, and its late answer is known by then.
    await until(async () => (await asked.deliver()) === 200, 'the ack')
    expect(await storedIn(bot, asked.ts)).toBe(ORG.team)
    await bot.answered(SHARED)
    expect(bot.model.about('known')).toHaveLength(1)
  })

  test.for(silences)('what Slack once said holds while it %s', async (silence) => {
    const bot = await start(way)
    const first = await ask(bot, 'What is known?')
    expect(await storedIn(bot, first.ts)).toBe(ORG.team)
    // It is not asked about each message.
    for (let n = 0; n < 5; n++) await ask(bot, `And ${n}?`)
    expect(asksAbout(bot)).toBe(1)
    bot.slack.clock.now += 2 * HOUR_MS
    SILENCES[silence]!(bot)
    const later = await ask(bot, 'What is known now?')
    expect([later.status, await storedIn(bot, later.ts)]).toEqual([200, ORG.team])
  })

  test.for(REFUSALS)('what Slack once said holds if it refuses by %s', async (code) => {
    const bot = await start(way)
    await ask(bot, 'What is known?')
    bot.slack.clock.now += 2 * HOUR_MS
    bot.slack.state.refuses = (method) => (method === 'conversations.info' ? code : undefined)
    const later = await ask(bot, 'What is known now?')
    expect([later.status, await storedIn(bot, later.ts)]).toEqual([200, ORG.team])
  })

  test('a conversation stays in its workspace, in whichever order Slack names them', async () => {
    const bot = await start(way)
    connect(bot, [SECOND, ORG.team])
    const first = await ask(bot, 'What is known?')
    bot.slack.clock.now += 2 * HOUR_MS
    connect(bot, [ORG.team, SECOND])
    const second = await ask(bot, 'And now?')
    expect([await storedIn(bot, first.ts), await storedIn(bot, second.ts)]).toEqual([SECOND, SECOND])
    // The channel has left that workspace.
    bot.slack.clock.now += 2 * HOUR_MS
    connect(bot, [ORG.team])
    expect(await storedIn(bot, (await ask(bot, 'And then?')).ts)).toBe(ORG.team)
  })

  test.for([...silences, ...REFUSALS])(
    'a person of another company is none of ours while Slack says %s',
    async (how) => {
      const bot = await start(way)
      // In a workspace of their own company, they are a member.
      bot.slack.state.person = () => ({ team_id: STRANGE, is_stranger: false, enterprise_user: undefined })
      const silence = SILENCES[how]
      const end = silence?.(bot)
      if (!silence) bot.slack.state.refuses = (method) => (method === 'conversations.info' ? how : undefined)
      const asked = await ask(bot, 'What is secret?', { user: STRANGER })
      expect(asked.status).toBe(silence ? 500 : 200)
      const shortcut = { type: 'message_action', callback_id: 'thinkaloud_ask_about', message_ts: asked.ts }
      const message = { ts: asked.ts, user: STRANGER, text: 'x' }
      const place = { channel: { id: SHARED }, response_url: `${bot.slack.apiUrl}response`, ...bot.by }
      const presser = { id: STRANGER, team_id: STRANGE }
      for (const team of [null, { id: STRANGE, domain: 'x' }])
        await bot.slack.interact({ id: ORG.id }, presser, { ...shortcut, ...place, message, team })
      for (const { method, args } of bot.slack.calls) {
        if (method !== 'views.open') continue
        const values = { question: { question: { type: 'plain_text_input', value: 'What is secret?' } } }
        const view = { id: 'V1', ...(JSON.parse(String(args['view'])) as Json), state: { values } }
        for (const team of [null, { id: STRANGE, domain: 'x' }])
          await bot.slack.interact({ id: ORG.id }, presser, { type: 'view_submission', view, team, ...bot.by })
      }
      await bot.press('thinkaloud_connect', 'Slack', SHARED, [STRANGER, STRANGE])
      end?.()
      await until(async () => (await asked.deliver()) === 200, 'the ack')
      await until(() => bot.logs.some((line) => line.includes('may not ask here')), 'the refusal')
      expect(bot.model.about('secret')).toEqual([])
      expect(bot.slack.calls.filter(({ args }) => args['team_id'] === STRANGE)).toEqual([])
      expect(bot.logs.filter((line) => line.includes(`"${STRANGE}:`))).toEqual([])
    },
  )
})

describeWithRedis('what Slack once said of a channel', () => {
  const server = suiteRedis()
  test.for(ways)('is known to the next process of %s', async (way) => {
    const env = { REDIS_URL: server.url, REDIS_PREFIX: `channel-team-${count}` }
    const first = await start(way, env)
    const before = await ask(first, 'What is known?')
    expect(await storedIn(first, before.ts)).toBe(ORG.team)
    await first.answered(SHARED)
    await first.bot.stop()
    const second = await start(way, env, first.slack)
    SILENCES['is slow']!(second)
    const after = await ask(second, 'What is known now?')
    expect([after.status, await storedIn(second, after.ts)]).toEqual([200, ORG.team])
  })
})

test.for(['a distributed app', 'an app of its own'] as const)(
  'a workspace that has removed %s is not served again by what Slack once said',
  async (way) => {
    const bot = await start(way)
    connect(bot, [SECOND, ORG.team])
    expect(await storedIn(bot, (await ask(bot, 'What is known?')).ts)).toBe(SECOND)
    await bot.answered(SHARED)
    bot.slack.state.teamsOf = () => [ORG.team]
    connect(bot, [ORG.team])
    await bot.slack.event({ id: ORG.id }, { type: 'team_access_revoked', team_ids: [SECOND] }, bot.by)
    await until(
      () => bot.logs.some((line) => line.includes('its data was deleted') && line.includes(SECOND)),
      'its end',
    )
    expect(await storedIn(bot, (await ask(bot, 'What is known now?')).ts)).toBe(ORG.team)
  },
)
