/** An MCP server's questions to the asker during a call, in Slack. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL } from '../../playground/slack/slack.ts'
import {
  ALLOW_ONCE,
  QUESTION_CHOOSE,
  QUESTION_DECLINE,
  QUESTION_DONE,
  QUESTION_OPEN,
  QUESTION_PAGE,
} from '../../src/slack/format/action-ids.ts'
import type { TestBot, Thread } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { startAskingServer } from '../harness/mcp/asking-server.ts'
import { mcpFile } from '../harness/mcp/mcp-servers.ts'
import { npmStdio } from '../harness/mcp/our-stdio.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { strangers } from '../harness/slack-hands.ts'
import { steeredBot, type Way } from '../harness/steered-bot.ts'

const ends = fileEnds()
const FIELD = (place: number) => `field_${place}`

/** Starts a bot with a server that asks, and asks a question whose first step calls one of its tools. */
async function asked(
  t: Ends,
  way: Way,
  { tool = 'chain', input = '{}', how = 'mention', by = alice as typeof alice | typeof robot } = {},
) {
  const server = await startAskingServer(t)
  const folder = await mkdtemp(join(tmpdir(), 'asking-'))
  t.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'mcp.json')
  await writeFile(file, JSON.stringify({ mcpServers: { asking: { type: 'http', url: server.url, trust: true } } }))
  const bot = await steeredBot(t, way, { env: { MCP_CONFIG: file, ALLOW_BOTS: ROBOT.bot_id } })
  bot.model.on('Book', act('I book.', `asking__${tool}`, input), finish('It is done.'))
  const thread = await (how === 'dm' ? bot.dm('Book something?') : bot.mention('Book something?', by(bot)))
  if (by === alice) await bot.slack.until(() => cards(thread).length === 1, 'the card')
  return { ...bot, bot, server, thread }
}

const ROBOT = { bot_id: 'B0ROBOT0001', app_id: 'A0ROBOT0001' }
const alice = (_: TestBot) => ({})
const robot = ({ slack }: TestBot) => ({ user: strangers.otherBot(slack), extra: ROBOT })

function cards(thread: Thread): string[] {
  return thread.shown().filter((text) => /^(?:❓|✅|🚫|⌛|⏹)/u.test(text))
}

/** Returns the model's observation of the tool. */
function observed({ model }: TestBot): string {
  return (
    model
      .about('Book')
      .at(-1)
      ?.body.messages.map(({ content }) => String(content))
      .join('\n') ?? ''
  )
}

function asking(way: Way): void {
  test('a form opens from the card, a single choice is pressed on it, and the run continues with both answers', async (t) => {
    const { bot, thread, server, slack } = await asked(t, way)
    expect(cards(thread)[0]).toMatch(/^❓ @Alice, \*asking\* needs an answer from you to continue\.\nHow many seats\?/u)
    expect(cards(thread)[0]).toContain('Do not enter passwords, keys or card numbers')
    await thread.press(QUESTION_OPEN)
    const form = await bot.modal()
    expect(form.shown()).toContain('How many seats?')
    expect(await form.submit({ [FIELD(0)]: '99' })).toMatchObject({ errors: { [FIELD(0)]: 'At most 8, please.' } })
    await form.submit({ [FIELD(0)]: '4' })
    expect(form.isOpen()).toBe(false)
    await slack.until(() => cards(thread).length === 2, 'the second card')
    expect(cards(thread)[1]).toMatch(/Which meal\?[^]*fish\s+greens\s+Decline/)
    await thread.press(`${QUESTION_CHOOSE}1`)
    expect(await thread.lastAnswer()).toContain('It is done.')
    expect(server.calls.at(-1)).toMatchObject({
      responses: { meal: { action: 'accept', content: { meal: 'greens' } } },
      state: 'second',
    })
    await slack.until(
      () => cards(thread).every((text) => text.startsWith('✅ @Alice has answered *asking*.')),
      'both ends',
    )
    expect(thread.messages().flatMap(({ blocks = [] }) => blocks)).not.toContainEqual(
      expect.objectContaining({ elements: expect.arrayContaining([expect.objectContaining({ text: 'Decline' })]) }),
    )
  })
}

describe('in one process', () => {
  asking({})

  test('a server of the older protocol: a person allows the call, and reads that an answer repeats it', async (t) => {
    const env = { MCP_CONFIG: mcpFile(t, { mcpServers: { everything: npmStdio('everything') } }) }
    const bot = await steeredBot(t, {}, { env: { ...env, TOOL_TIMEOUT_MS: '60000' } })
    bot.model.on('Book', act('I ask.', 'everything__trigger-elicitation-request', '{}'), finish('It is done.'))
    const thread = await bot.mention('Book something?')
    await bot.slack.until(() => thread.shown().some((text) => text.startsWith('🔐')), 'the approval', 60_000)
    await thread.press(ALLOW_ONCE)
    await bot.slack.until(() => cards(thread).some((text) => text.startsWith('❓')), 'what it asks', 60_000)
    expect(cards(thread).at(-1)).toContain('After your answer, I will repeat this call')
    await thread.press(QUESTION_OPEN)
    const form = await bot.modal()
    await form.submit({ [FIELD(0)]: 'Ann' })
    expect(await thread.lastAnswer()).toContain('It is done.')
    expect(observed(bot)).toContain('Name: Ann')
  })

  test('only the asker may answer: others get an ephemeral refusal', async (t) => {
    const { thread, server, slack } = await asked(t, {})
    for (const id of [QUESTION_OPEN, QUESTION_DECLINE]) await thread.press(id, { user: BOB })
    await slack.until(() => thread.ephemerals(BOB).length === 2, 'two private words')
    expect(thread.ephemerals(BOB)[0]).toBe('Only the person who asked me can answer this.')
    expect(slack.modal(BOB)).toBeUndefined()
    expect([cards(thread)[0]?.[0], server.calls.length]).toEqual(['❓', 1])
  })

  test('typed values are in no post, log or prompt; the server’s text does not link or ping', async (t) => {
    const { bot, thread, slack, logs, server } = await asked(t, {}, { tool: 'quiet' })
    const typed = 'hunter2 is not my note'
    expect(JSON.stringify(thread.messages())).not.toContain('<!')
    expect(JSON.stringify(thread.messages())).not.toContain('<https://evil')
    expect(cards(thread)[0]).toContain('Your note? <!channel> <https://evil.example|Click> *bold*')
    expect(slack.pings().filter((ping) => !ping.includes(ALICE))).toEqual([])
    await thread.press(QUESTION_OPEN)
    await (await bot.modal()).submit({ [FIELD(0)]: typed })
    await thread.ended()
    expect(server.calls.at(-1)?.responses).toEqual({ note: { action: 'accept', content: { note: typed } } })
    expect(JSON.stringify(slack.calls)).not.toContain(typed)
    expect(logs.join('\n')).not.toContain(typed)
    expect(JSON.stringify(bot.model.requests)).not.toContain(typed)
    await thread.press('thinkaloud_show_work')
    const work = await bot.modal()
    await slack.until(() => work.shown().includes('❓'), 'the work')
    expect(work.shown()).not.toContain(typed)
  })

  test('a page’s address is shown only to the asker, opened by nobody, and Done continues', async (t) => {
    const url = 'https://pay.example.com/checkout?id=77'
    const { thread, slack, server } = await asked(t, {}, { tool: 'page', input: JSON.stringify({ url }) })
    expect(JSON.stringify(cards(thread))).not.toContain('checkout')
    await thread.press(QUESTION_PAGE)
    const channel = slack.store.channel(GENERAL)
    const page = await slack.until(() => channel.ephemerals.find(({ user }) => user === ALICE), 'the page')
    expect(slack.ephemerals(GENERAL, ALICE)[0]).toMatch(/asks you to visit \*pay\.example\.com\*[^]*\/checkout\?id=77/)
    expect(JSON.stringify(page.blocks)).toContain(`"url":"${url}"`)
    await slack.press({ channel: GENERAL, ts: page.ts }, { action_id: QUESTION_DONE })
    await thread.ended()
    expect(server.calls.at(-1)?.responses).toEqual({ page: { action: 'accept' } })
    await slack.until(() => cards(thread)[0]?.startsWith('✅'), 'the end of the card')
  })

  test('a form has an input for each kind of field, and each answer comes as its schema says', async (t) => {
    const { bot, thread, server } = await asked(t, {}, { tool: 'all_kinds' })
    await thread.press(QUESTION_OPEN)
    const form = await bot.modal()
    const wrong = await form.submit({ [FIELD(0)]: 'far too long a name', [FIELD(2)]: 'nowhere', [FIELD(10)]: ['0'] })
    expect(wrong.errors).toEqual({
      [FIELD(0)]: 'At most 10 characters, please.',
      [FIELD(2)]: 'Please write a whole address, such as https://example.com/page.',
    })
    await form.submit({
      [FIELD(0)]: 'Ann',
      [FIELD(2)]: 'https://example.com/a',
      [FIELD(4)]: '1795350600',
      [FIELD(6)]: '0.5',
      [FIELD(8)]: '1',
      [FIELD(10)]: ['0', '2'],
    })
    await thread.ended()
    expect(server.calls.at(-1)?.responses['all']).toEqual({
      action: 'accept',
      content: {
        name: 'Ann',
        mail: 'ann@example.com',
        site: 'https://example.com/a',
        day: '2026-11-22',
        moment: '2026-11-22T12:30:00Z',
        count: 4,
        share: 0.5,
        sure: true,
        colour: 'g',
        size: 'l',
        extras: ['x', 'z'],
      },
    })
  })

  test('in a direct message the card is pressed as in a channel', async (t) => {
    const { thread, server } = await asked(t, {}, { tool: 'agree', how: 'dm' })
    await thread.press(`${QUESTION_CHOOSE}2`)
    expect(await thread.lastAnswer()).toContain('It is done.')
    expect(server.calls.at(-1)?.responses).toEqual({ yes: { action: 'accept', content: {} } })
  })

  test('a bot that asks gets no form: the model reads that nobody can answer', async (t) => {
    const { bot, thread, server } = await asked(t, {}, { tool: 'agree', by: robot })
    await thread.ended()
    expect(cards(thread)).toEqual([])
    expect(observed(bot)).toContain('May I go on? Nobody can be asked here.')
    expect(server.calls).toHaveLength(1)
  })

  test('a form that cannot be shown is declined without asking, and the model reads it', async (t) => {
    const { bot, thread } = await asked(t, {}, { tool: 'agree' })
    await thread.press(`${QUESTION_CHOOSE}0`)
    await thread.ended()
    bot.model.on('nested', act('I try.', 'asking__nested', '{}'), finish('No.'))
    const other = await bot.mention('nested?')
    await other.ended()
    expect(cards(other)).toEqual([])
    expect(JSON.stringify(bot.model.about('nested').at(-1)?.body)).toContain('of an unsupported kind')
    expect(observed(bot)).toContain('"agree":true')
  })

  test('the card of a private question is only its asker’s, and is replaced after a press', async (t) => {
    const { bot, thread: other, slack } = await asked(t, {}, { tool: 'agree' })
    await other.press(QUESTION_DECLINE)
    await other.ended()
    bot.model.on('secretly', act('I ask.', 'asking__agree', '{}'), finish('Then so.'))
    await slack.slash('private: secretly?', { user: BOB })
    const mine = () => slack.store.channel(GENERAL).ephemerals.filter(({ user }) => user === BOB)
    const card = await slack.until(() => mine().find(({ text }) => text.startsWith('❓')), 'the private card')
    await slack.press({ channel: GENERAL, ts: card.ts, user: BOB }, { action_id: `${QUESTION_CHOOSE}1` })
    await slack.until(() => slack.ephemerals(GENERAL, BOB).some((text) => text.includes('Then so.')), 'the answer')
    await slack.until(
      () => !slack.ephemerals(GENERAL, BOB).some((text) => text.startsWith('❓')),
      'the card to be replaced',
    )
    expect(
      slack
        .messages(GENERAL)
        .map(({ text }) => text)
        .join(),
    ).not.toContain('secretly')
  })
})

describeWithRedis('with the worker in another process', async () => {
  const redis = await startRedis()
  ends.onTestFinished(() => redis.stop())
  asking({ redisUrl: redis.url })

  test('the first answer counts: a later form says so', async (t) => {
    const { bot, thread, server, slack } = await asked(t, { redisUrl: redis.url }, { tool: 'quiet' })
    await thread.press(QUESTION_OPEN)
    const form = await bot.modal()
    await thread.press(QUESTION_DECLINE)
    await thread.ended()
    await form.submit({ [FIELD(0)]: 'too late' })
    expect(form.shown()).toContain('You already declined this.')
    expect(server.calls.at(-1)?.responses).toEqual({ note: { action: 'decline' } })
    await slack.until(() => cards(thread)[0]?.startsWith('🚫 @Alice declined to answer'), 'the end')
  })

  test('a stopped question accepts no answer, and its card says so', async (t) => {
    const { thread, slack, server } = await asked(t, { redisUrl: redis.url }, { tool: 'agree' })
    const value = JSON.stringify(thread.messages().at(-1)?.blocks)
    expect(value).toMatch(/Yes[^]*No[^]*Leave empty[^]*Decline/)
    await slack.say({ channel: GENERAL, thread_ts: thread.ts, text: 'stop' })
    await thread.ended()
    await slack.until(() => cards(thread)[0]?.startsWith('⏹'), 'the card over')
    expect(server.calls).toHaveLength(1)
  })

  test('the answer resumes the run after a restart of the worker, and is stored only with the run', async (t) => {
    const { bot, thread, server, worker, startWorker, slack, prefix } = await asked(
      t,
      { redisUrl: redis.url },
      { tool: 'quiet' },
    )
    await slack.until(() => thread.session()?.status !== 'processing', 'the run to be parked')
    await worker?.stop()
    await thread.press(QUESTION_OPEN)
    await (await bot.modal()).submit({ [FIELD(0)]: 'typed while nobody works' })
    await slack.until(() => cards(thread)[0]?.startsWith('✅'), 'the card to be answered at once')
    expect(server.calls).toHaveLength(1)
    await startWorker()
    expect(await thread.lastAnswer()).toContain('It is done.')
    expect(server.calls.at(-1)?.responses).toMatchObject({ note: { content: { note: 'typed while nobody works' } } })
    const client = new Redis(redis.url)
    t.onTestFinished(() => client.disconnect())
    const kept = await valuesWith(client, prefix, 'typed while')
    expect(kept.filter((key) => !key.includes(':run:'))).toEqual([])
  })
})

/** Returns the keys of a prefix whose value contains a text. */
async function valuesWith(redis: Redis, prefix: string, text: string): Promise<string[]> {
  const found: string[] = []
  for (const key of await redis.keys(`${prefix}:*`)) {
    const type = await redis.type(key)
    const value =
      type === 'hash'
        ? await redis.hgetall(key)
        : type === 'list'
          ? await redis.lrange(key, 0, -1)
          : type === 'string'
            ? await redis.get(key)
            : ''
    if (JSON.stringify(value).includes(text)) found.push(key)
  }
  return found
}
