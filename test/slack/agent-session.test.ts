import { describe, expect, test } from 'vitest'
import { act, finish } from '../harness/played-model.ts'
import { secondBot, startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { deferred } from '../harness/stores.ts'

const agent = await startBot(fileEnds(), { slack: { agent: true } })
let count = 0

const calls = ({ slack }: TestBot, method: string) => slack.calls.filter((call) => call.method === method)
const statuses = (bot: TestBot, thread: string) =>
  calls(bot, 'agents.sessions.setStatus')
    .filter(({ args }) => args['thread_ts'] === thread)
    .map(({ args }) => args['status'])

/** Asks a question in its own channel. `goOn` lets the model answer. */
async function asked(text: string, bot = agent) {
  const name = `session-${count++}-`
  const gate = deferred()
  bot.model.decide(name, async () => gate.promise.then(() => finish('Done.')))
  const channel = bot.slack.addChannel(`C0SESSION${String(count).padStart(3, '0')}`).id
  const thread = await bot.mention(`${text} ${name}`, { channel })
  return { thread, name, goOn: gate.resolve }
}

describe.concurrent('in an agent app', () => {
  test('the session of a thread is processing while the bot works, and active afterwards; nobody else writes its status', async () => {
    const { thread, name, goOn } = await asked('How old is <#C0LOCAL0001> the author?')
    await agent.slack.until(() => thread.session()?.status === 'processing', 'a session at work')
    expect(thread.session()?.title).toBe(`How old is the author? ${name}`)
    goOn()
    expect(await thread.lastAnswer()).toBe('Done.')
    await agent.slack.until(() => thread.session()?.status === 'active', 'a session at rest')
    expect(statuses(agent, thread.ts)).toEqual(['processing', 'active'])
    expect(calls(agent, 'assistant.threads.setStatus')).toEqual([])
    expect(calls(agent, 'reactions.add')).toEqual([])
  })

  test('the title of a long question is its beginning, on one line', async () => {
    const { thread, goOn } = await asked(`Why\n is <!channel> ${'so long '.repeat(50)}?`)
    await agent.slack.until(() => thread.session(), 'a session')
    expect(thread.session()?.title).toMatch(/^Why is .{60,80}…$/)
    goOn()
    await thread.ended()
  })

  test.each([
    [
      'a forward',
      { is_share: true, author_name: 'Dana', text: 'Vat 6 bleeds at 41 degrees.' },
      /^Vat 6 bleeds at 41 degrees\.$/,
    ],
    [
      'a forward within one',
      { is_share: true, author_name: 'Dana', attachments: [{ is_share: true, author_id: 'U0EVE', text: 'Heddle 12' }] },
      /^Heddle 12$/,
    ],
    ['a table', { blocks: [{ type: 'table', rows: [[{ type: 'raw_text', text: 'Yarn' }], [null]] }] }, /^Yarn$/],
  ])('the title of %s alone is what it shows', async (_, attachment, title) => {
    agent.model.on('What about this', finish('Done.'))
    const thread = await agent.dm('', { extra: { attachments: [attachment], blocks: [] } })
    await agent.slack.until(() => thread.session()?.title, 'a title')
    expect(thread.session()?.title).toMatch(title)
    await thread.ended()
  })

  test('a follow-up keeps a person’s title, and that of the first question', async () => {
    const { thread, goOn } = await asked('What is the title?')
    const titles = () =>
      calls(agent, 'agents.sessions.setStatus').flatMap(({ args }) =>
        args['thread_ts'] === thread.ts && args['title'] !== undefined ? [args['title']] : [],
      )
    await agent.slack.until(() => titles().length === 1, 'the title')
    goOn()
    await thread.ended()
    await agent.slack.until(() => thread.session()?.status === 'active', 'a session at rest')
    await thread.rename('My own title')
    agent.model.condenses('and then', 'What comes then?')
    agent.model.on('comes then', finish('That.'))
    await thread.reply('and then?')
    expect(await thread.lastAnswer()).toContain('That.')
    expect([titles().length, thread.session()?.title]).toEqual([1, 'My own title'])
  })

  test('a mention in a thread of people gives the session a title, unless somebody has named it', async () => {
    const channel = agent.slack.addChannel('C0SESSIONTALK').id
    for (const [root, isNamed] of [
      ['We talk.', false],
      ['We named it.', true],
    ] as const) {
      const { ts } = await agent.slack.say({ channel, text: root })
      agent.slack.store.setSession(agent.slack.store.channels.get(channel)!, ts, { status: 'active' })
      if (isNamed) await agent.slack.people.renameSession({ channel, thread: ts, user: 'U0ALICE0001' }, 'Talk')
      await agent.slack.settle(100)
      const isSet = () => calls(agent, 'agents.sessions.setStatus').some(({ args }) => args['thread_ts'] === ts)
      agent.model.decide('who is right', () =>
        agent.slack.until(isSet, 'a session at work').then(() => finish('Both.')),
      )
      const thread = await agent.mention('who is right?', { channel, thread_ts: ts })
      await thread.ended()
      await agent.slack.until(() => statuses(agent, ts).length === 2, 'the end of the session')
      const sent = calls(agent, 'agents.sessions.setStatus').filter(({ args }) => args['thread_ts'] === ts)
      expect(sent.map(({ args }) => args['title'])).toEqual([isNamed ? undefined : 'who is right?', undefined])
    }
  })

  test('a session without an answer is ended too', async () => {
    const { thread, goOn } = await asked('Is it cut?')
    await agent.slack.until(() => thread.session()?.status === 'processing', 'a session at work')
    agent.slack.fault({ method: 'agents.sessions.setStatus', channel: thread.channel, status: 503, times: 2 })
    goOn()
    await thread.ended()
    await agent.slack.until(() => thread.session()?.status === 'active', 'a session at rest')
  })
})

test('a session is suspended while its run waits for a person, and the card says so', async (t) => {
  const model = [act('I need leave.', 'guarded_ledger', 'a line'), finish('Written.')]
  const env = { STEPS: 'card', CUSTOM_TOOLS_DIR: 'test/chaos/tools', TOOLS: 'guarded_ledger' }
  const own = await startBot(t, { env, model, slack: { agent: true } })
  const thread = await own.mention('May it be written?')
  await own.slack.until(() => thread.session()?.status === 'suspended', 'a suspended session')
  expect(thread.shown().join()).toMatch(/^Waiting for a person\n/)
  expect(statuses(own, thread.ts)).toEqual(['processing', 'suspended'])
})

describe('if the app is no agent', () => {
  test.for(['not_authorized', 'unknown_method'])('%s is remembered: sessions are tried once', async (error, t) => {
    let questions = 0
    const shown = () =>
      calls(plain, 'assistant.threads.setStatus').filter(({ args }) => args['status'] !== '').length >= questions
    const plain = await startBot(t, {
      model: () => plain.slack.until(shown, 'a status').then(() => finish('Plain.')),
      slack: { agent: error === 'unknown_method' },
    })
    plain.slack.fault({ method: 'agents.sessions.setStatus', error, times: 9 })
    for (const text of ['One?', 'Two?', 'Three?']) {
      questions += 1
      const thread = await plain.mention(text)
      expect(await thread.lastAnswer()).toBe('Plain.')
    }
    expect(calls(plain, 'agents.sessions.setStatus')).toHaveLength(1)
    expect(calls(plain, 'assistant.threads.setStatus').filter(({ args }) => args['status'] !== '')).toHaveLength(3)
    expect(calls(plain, 'reactions.add')).toEqual([])
  })

  test('if both are refused, every question gets a reaction, with one call each', async (t) => {
    const reacted = () => calls(bare, 'reactions.add').length
    let questions = 0
    const bare = await startBot(t, {
      model: async () => bare.slack.until(() => reacted() === questions, 'a reaction').then(() => finish('Bare.')),
    })
    bare.slack.fault({ method: 'assistant.threads.setStatus', error: 'unknown_method', times: 9 })
    for (const text of ['One?', 'Two?']) {
      questions += 1
      const thread = await bare.mention(text)
      await thread.ended()
    }
    expect(calls(bare, 'assistant.threads.setStatus').filter(({ args }) => args['status'] !== '')).toHaveLength(1)
    expect(reacted()).toBe(2)
  })

  test('a refusal in one place is not remembered for others', async (t) => {
    const own = await startBot(t, { model: [finish('Own.')], slack: { agent: true } })
    own.slack.fault({ method: 'agents.sessions.setStatus', error: 'channel_type_not_supported' })
    await (await own.mention('One?')).ended()
    const thread = await own.mention('Two?')
    await thread.ended()
    await own.slack.until(() => thread.session()?.status === 'active', 'a session at rest')
    expect(statuses(own, thread.ts)).toEqual(['processing', 'active'])
  })
})

describeWithRedis('a session whose process dies', () => {
  test('is ended by the next process, and keeps its title', async (t) => {
    const server = await startRedis()
    t.onTestFinished(() => server.stop())
    const env = { REDIS_URL: server.url, SHUTDOWN_MS: '300' }
    const first = await startBot(t, { env, slack: { agent: true } })
    first.model.on('taken over', act('One.', 'calculator', '1+1'), { hang: true })
    const thread = await first.mention('Is it taken over?')
    await first.slack.until(() => first.model.about('taken over').length === 2, 'the second call')
    await first.slack.until(() => thread.session()?.status === 'processing', 'a session at work')
    await first.stop()
    expect(thread.session()).toMatchObject({ status: 'processing', title: 'Is it taken over?' })
    first.model.on('taken over', finish('Taken.'))
    await secondBot(t, first, env)
    expect(await thread.lastAnswer()).toBe('Taken.')
    await first.slack.until(() => thread.session()?.status === 'active', 'a session at rest')
    expect(calls(first, 'agents.sessions.setStatus').filter(({ args }) => args['title'] !== undefined)).toHaveLength(1)
  })
})

test('nobody is pinged, and Slack would have refused nothing', () => {
  expect([agent.slack.pings(), agent.slack.refusals]).toEqual([[], []])
})
