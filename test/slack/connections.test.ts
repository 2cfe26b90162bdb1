/** People's own logins at an MCP server, in Slack and in the browser. */
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ALICE, BOB, GENERAL } from '../../playground/slack/slack.ts'
import { ALLOW_ONCE, DISCONNECT, QUESTION_DECLINE } from '../../src/slack/format/action-ids.ts'
import { forget } from '../harness/answer-buttons.ts'
import { startBot } from '../harness/bot.ts'
import {
  answeredAlone,
  connect,
  connectingBot,
  continued,
  linksIn,
  linkTo,
  listConnections as list,
  logIn,
  PUBLIC,
  SECRETS_KEY,
} from '../harness/connecting-bot.ts'
import { mcpFile } from '../harness/mcp/mcp-servers.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { eventually } from '../harness/stores.ts'

test('a server that lists its tools only after a login lists them only to that person, and at once', async (t) => {
  const { bot, server, browser, model, mention } = await connectingBot(t, {}, { listsToAll: false })
  const promptOf = async (user: string) => {
    model.on(`of ${user}`, finish('No.'))
    await (await mention(`Anything of ${user}?`, { user })).ended()
    return model.about(`of ${user}`).at(-1)?.prompt ?? ''
  }
  server.says.description = 'Reads a ticket that Alice may see.'
  await connect(bot, ALICE, { server, browser })
  await eventually(async () => expect(await list(bot, ALICE)).toContain('I may: Read ticket.'))
  expect(await promptOf(ALICE)).toContain('a ticket that Alice may see')
  expect(await promptOf(BOB)).not.toContain('ticket that')
  server.says.description = 'Reads a ticket that Bob may see.'
  await connect(bot, BOB, { server, browser })
  expect(await promptOf(BOB)).toContain('a ticket that Bob may see')
  expect(bot.logs.join('\n')).not.toContain('has changed since')
})

test('another person’s link connects nothing', async (t) => {
  const { bot, server, browser } = await connectingBot(t, {})
  await list(bot, ALICE)
  const [victim, link] = [browser(), linkTo(bot, ALICE) ?? '']
  const refused = await victim.get(await continued(victim, link, 'This is not me'))
  expect(await refused.text()).toContain('tickets is not connected')
  expect((await victim.get(link)).status).toBe(400)
  expect(server.counts).toMatchObject({ registered: 0, exchanged: 0 })
})

test('people’s logins without PUBLIC_URL, or for a stdio server, end the start with a message', async (t) => {
  const start = (server: object, env: object = {}) =>
    startBot(t, {
      env: { MCP_CONFIG: mcpFile(t, { mcpServers: { tickets: { login: 'person', ...server } } }), ...env },
    })
  await expect(start({ url: 'http://127.0.0.1:1/mcp' }, { SECRETS_KEY })).rejects.toThrow(
    'MCP_CONFIG: tickets has "login": "person", which needs PUBLIC_URL. Set it, or remove "login".',
  )
  await expect(start({ command: 'node' }, { SECRETS_KEY, PUBLIC_URL: PUBLIC })).rejects.toThrow(
    'tickets.login should be workspace: people can only log in to a server with a url.',
  )
})

test('the logins of a person who is deactivated are deleted', async (t) => {
  const { bot, server, browser, slack } = await connectingBot(t, {})
  await connect(bot, ALICE, { server, browser })
  expect(await list(bot, ALICE)).toContain('tickets: connected')
  await slack.people.event({ type: 'user_change', user: { id: ALICE, deleted: true } })?.first
  await eventually(async () => expect(await list(bot, ALICE)).toContain('tickets: not connected'))
  expect(server.counts.revoked).toBe(1)
})

describe('in memory', () => {
  test('Not now continues without a login, and an approval says as whom the call is made', async (t) => {
    const { bot, server, slack, model, ask } = await connectingBot(t, {}, { rules: {} })
    const thread = await ask()
    await slack.until(() => thread.shown().some((text) => text.startsWith('🔐')), 'the approval')
    expect(thread.shown().find((text) => text.startsWith('🔐'))).toContain('read ticket (tickets), as @Alice')
    await thread.press(ALLOW_ONCE)
    await slack.until(() => linkTo(bot, ALICE), 'the card')
    const card = slack.store.channels.get(GENERAL)?.ephemerals.findLast((one) => one.user === ALICE)
    await slack.press({ channel: GENERAL, ts: card?.ts ?? '', user: ALICE }, { action_id: QUESTION_DECLINE })
    expect(await thread.lastAnswer()).toContain('It is open.')
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('The asker has not connected tickets for now')
    expect(server.callers).toEqual([])
  })
})

test.each(['Alice (member ID U0ALICE0001)', 'Alice, U0ALICE0001', 'u0alice0001 member id', '(U0ALICE0001)'])(
  'the page of somebody who is called %j names no other person’s id',
  async (name) => {
    const { bot, browser, slack, ask } = await connectingBot({ onTestFinished }, {})
    slack.addUser(BOB, { name: 'bob', real_name: name })
    await ask(BOB)
    const link = await slack.until(() => linkTo(bot, BOB), 'the card')
    const page = await (await browser().get(link)).text()
    expect(page).not.toMatch(/u0alice0001/i)
    expect(page).toContain(`(member ID ${BOB})`)
  },
)

describeWithRedis('with the front and the worker apart, over Redis', () => {
  const redis = suiteRedis()
  const way = {
    get redisUrl() {
      return redis.url
    },
  }
  test.each(['alice', 'ＡＬＩＣＥ', ' Alice\u200b ', 'Аlісе', 'Álice.', 'Alice (member ID U0ALICE0001)'])(
    'the page warns of a person who is called %j too',
    async (name) => {
      const { bot, server, browser, slack, ask } = await connectingBot({ onTestFinished }, way)
      slack.addUser('U0MALLORY01', { name: 'mallory', real_name: name })
      await ask()
      const link = await slack.until(() => linkTo(bot, ALICE), 'the card')
      const page = await (await browser().get(`${link}&choice=yes`)).text()
      expect(page).toContain('somebody else in this workspace is called @Alice too')
      expect(server.calls).toEqual([])
    },
  )

  test('the page warns of a person with the same name without letters', async (t) => {
    const { bot, browser, slack, ask } = await connectingBot(t, way)
    slack.addUser(BOB, { name: '-', real_name: '. - .' })
    slack.addUser('U0MALLORY01', { name: 'mallory', real_name: '. - .' })
    await ask(BOB)
    const link = await slack.until(() => linkTo(bot, BOB), 'the card')
    expect(await (await browser().get(`${link}&choice=yes`)).text()).toContain('somebody else in this workspace')
  })

  test('a link is for one browser, a callback for the same one, and an answer for one use', async (t) => {
    const { bot, server, browser, slack, ask } = await connectingBot(t, way)
    const thread = await ask()
    const link = await slack.until(() => linkTo(bot, ALICE), 'the card')
    const person = browser()
    expect((await fetch(`http://127.0.0.1:${bot.bot.port}${link}`, { method: 'HEAD' })).status).toBe(405)
    const page = await (await person.get(`${link}&choice=yes`)).text()
    expect(page).toContain('This connects tickets for @Alice in ')
    // A name can be copied; these cannot.
    expect(page).toContain(`member ID ${ALICE}`)
    expect(page).toMatch(new RegExp(`href="[^"]*/team/${ALICE}"`))
    expect(page).not.toContain('is called @Alice too')
    expect(page).toMatch(/I am @Alice: continue<.*This is not me</)
    const back = await logIn(person, link, server)
    expect((await browser().get(link)).status).toBe(403)
    expect((await browser().get(back)).status).toBe(400)
    expect((await person.get(`${back}0`.replace('state=', 'state=x'))).status).toBe(400)
    server.mode.iss = 'https://evil.example.com'
    const foreign = await logIn(person, link, server)
    const refused = await person.get(foreign)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('another authorization server')
    delete server.mode.iss
    expect((await person.get(await logIn(person, link, server))).status).toBe(200)
    expect(await answeredAlone(bot, thread)).toContain('It is open.')
    expect((await person.get(back)).status).not.toBe(302)
    expect((await person.get(link)).status).toBe(400)
    expect((await person.get('/connect?link=nothing')).status).toBe(400)
  })

  test('two people connect, each call carries its person’s token, one disconnects and the other continues', async (t) => {
    const { bot, server, browser, slack, model, ask } = await connectingBot(t, way)
    expect(await list(bot, ALICE)).toContain('tickets: not connected')
    await connect(bot, ALICE, { server, browser })
    expect(await answeredAlone(bot, await ask())).toContain('It is open.')
    const [alices] = server.callers
    expect(server.isGood(alices ?? '')).toBe(true)

    const bobs = await ask(BOB)
    const link = await slack.until(() => linkTo(bot, BOB), 'the card')
    expect(slack.ephemerals(GENERAL, BOB).at(-1)).toMatch(
      /🔑 @Bob, to continue, I need your \*tickets\* login for “read ticket”\./,
    )
    expect(slack.ephemerals(GENERAL, BOB).at(-1)).toContain('Connect tickets')
    expect(linksIn(slack.messages(GENERAL).concat(bobs.messages()))).toEqual([])
    const person = browser()
    const back = await logIn(person, link, server)
    const [one, other] = await Promise.all([person.get(back), person.get(back)])
    expect([one?.status, other?.status].sort()).toEqual([200, 400])
    expect(await answeredAlone(bot, bobs, { user: BOB })).toContain('It is open.')
    expect(server.callers).toHaveLength(2)
    expect(server.callers[1]).not.toBe(alices)
    expect(server.counts).toMatchObject({ registered: 1, exchanged: 2 })

    expect(await list(bot, ALICE)).toMatch(/tickets: connected as you\. I may: Read ticket\. Last used 20/)
    const home = await bot.openHome(BOB)
    expect(home.shown()).toContain('tickets: connected as you')
    await home.press(DISCONNECT, 'tickets')
    await slack.until(() => home.shown().includes('Connect tickets'), 'the Home without the login')
    expect(server.counts.revoked).toBe(1)
    expect(server.isGood(server.callers[1] ?? '')).toBe(false)
    expect(await answeredAlone(bot, await ask(), { count: 2 })).toContain('It is open.')
    expect(server.callers[2]).toBe(alices)

    await forget(slack, { channel: `D${ALICE.slice(1)}` })
    await eventually(async () => expect(await list(bot, ALICE)).toContain('tickets: not connected'))
    expect(server.counts.revoked).toBe(2)
    const prompts = JSON.stringify(model.requests)
    for (const secret of server.given) expect(`${prompts}${bot.logs.join('\n')}`).not.toContain(secret)
  })

  test('of two tabs that return at once one connects, and its message stays true', async (t) => {
    const { bot, server, browser, slack, ask } = await connectingBot(t, way)
    const thread = await ask()
    const link = await slack.until(() => linkTo(bot, ALICE), 'the card')
    const person = browser()
    const backs = [await logIn(person, link, server), await logIn(person, link, server)]
    const pages = await Promise.all(backs.map((back) => person.get(back)))
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await answeredAlone(bot, thread)).toContain('It is open.')
    expect(await list(bot, ALICE)).toContain('tickets: connected as you')
  })

  test('a login that is disconnected during its renewal stays disconnected', async (t) => {
    const { bot, server, browser, slack, ask } = await connectingBot(t, way)
    await connect(bot, ALICE, { server, browser })
    server.expire()
    let [isHeld, release] = [false, () => {}]
    const held = new Promise<void>((resolve) => (release = resolve))
    server.mode.holdsRenewal = () => ((isHeld = true), held)
    await ask()
    await slack.until(() => isHeld, 'a renewal that is under way')
    const home = await bot.openHome(ALICE)
    await home.press(DISCONNECT, 'tickets')
    release()
    await eventually(async () => expect(await list(bot, ALICE)).toContain('tickets: not connected'))
    await eventually(() => expect(server.given.filter((token) => server.isGood(token))).toEqual([]))
    expect(server.counts).toMatchObject({ renewed: 1, revoked: 1 })
  })

  test('a link contains nothing of its question', async (t) => {
    const { bot, slack, ask, prefix } = await connectingBot(t, way)
    await ask()
    await slack.until(() => linkTo(bot, ALICE), 'the card')
    const store = new Redis(redis.url)
    t.onTestFinished(() => store.disconnect())
    const [key = ''] = await store.keys(`${prefix}:{people}:*link:*`)
    const kept = await store.get(key)
    expect(kept).toContain(ALICE)
    expect(kept).not.toContain('What of the ticket?')
  })

  test.each(['worker', 'front'])(
    'a run whose login was done when a process died goes on when a %s starts',
    async (ROLE) => {
      const t = { onTestFinished }
      const { bot, server, browser, slack, ask, prefix, startWorker } = await connectingBot(t, way)
      const thread = await ask()
      const link = await slack.until(() => linkTo(bot, ALICE), 'the card')
      const store = new Redis(redis.url)
      t.onTestFinished(() => store.disconnect())
      const [key = ''] = await store.keys(`${prefix}:*person-waiting:tickets`)
      // The login succeeds, and no run is resumed.
      await store.rename(key, 'aside')
      const person = browser()
      expect((await person.get(await logIn(person, link, server))).status).toBe(200)
      await store.rename('aside', key)
      await startWorker({ ROLE })
      expect(await answeredAlone(bot, thread)).toContain('It is open.')
      expect(await store.exists(key)).toBe(0)
    },
  )
})
