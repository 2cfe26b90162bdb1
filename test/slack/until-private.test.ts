/** Results found with one person's rights, and answers based on them, are shown to nobody else. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, type Json } from '../../playground/slack/slack.ts'
import { STEPS } from '../../src/config.ts'
import { ALLOW_ONCE, ASK_AGAIN, ASK_APPROVERS, KEEP, SHARE, SHOW_WORK } from '../../src/slack/format/action-ids.ts'
import { PRESS } from '../../src/slack/approvals/approval-words.ts'
import { FOR_ASKER } from '../../src/slack/format/audience-words.ts'
import { HOW_TO_GO_ON } from '../../src/slack/format/messages.ts'
import { pressAlone } from '../harness/answer-buttons.ts'
import { runHere } from '../harness/command.ts'
import { answeredAlone, connect, connectingBot, linksIn, logIn, SECRETS_KEY } from '../harness/connecting-bot.ts'
import type { TestBot } from '../harness/bot.ts'
import { startCollector } from '../harness/otlp-collector.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { DM, dms, MINUTE, occurrence, schedule } from '../harness/schedules.ts'
import type { Way } from '../harness/steered-bot.ts'

/** The result, and the answer based on it. */
const CANARY = /is open/

/** Returns all that everybody in the channel can see. */
function seenByAll({ slack }: TestBot): string {
  return JSON.stringify([slack.messages(GENERAL), slack.files()])
}

/** Posts copies of ephemeral buttons, for another person to press. */
async function pressCopies(bot: TestBot, value: string, user: string): Promise<void> {
  const { slack } = bot
  const elements = [SHOW_WORK, SHARE, KEEP, ASK_AGAIN].map((action_id) => ({
    ...{ type: 'button', action_id, value, text: { type: 'plain_text', text: 'x' } },
  }))
  const blocks = [{ type: 'actions', elements }]
  const { ts } = slack.store.post(slack.store.channel(GENERAL), { user: BOT_USER, text: 'x', blocks })
  const before = slack.ephemerals(GENERAL, user).length
  await Promise.all(elements.map(({ action_id }) => slack.press({ channel: GENERAL, ts, user }, { action_id })))
  await slack.until(() => slack.ephemerals(GENERAL, user).length >= before + 3, 'three refusals')
  await slack.settle()
}

function leaving(way: Way): void {
  test('is in nothing that others see, in no trace, log or follow-up, and only the asker can share it', async (t) => {
    const traces: string[] = []
    const { bot, server, browser, slack, model, ask } = await connectingBot(t, way, {
      env: { STEPS: 'replies', RUN_TRACES: 'true' },
      onTrace: (trace) => void traces.push(JSON.stringify(trace)),
    })
    await connect(bot, ALICE, { server, browser })
    const thread = await ask()
    const answer = await answeredAlone(bot, thread)
    expect(answer).toContain('It is open.')
    // A reply in the thread would be visible to everybody.
    expect(answer).not.toContain(HOW_TO_GO_ON)
    expect(thread.shown()).toEqual([expect.stringMatching(/Only the asker sees this\./), FOR_ASKER])
    expect(traces.length > 0).toBe(way.redisUrl === undefined)
    expect(traces.join('')).not.toMatch(CANARY)

    model.condenses('And now', 'What of it now?')
    model.on('of it now', finish('I do not know.'))
    await thread.reply('And now?', { user: BOB })
    await slack.until(() => thread.shown().some((text) => text.includes('I do not know.')), 'an answer to Bob')
    const prompts = model.requests.filter(({ prompt }) => prompt.includes('And now') || prompt.includes('of it now'))
    expect(prompts.length).toBeGreaterThan(0)
    expect(JSON.stringify(prompts)).not.toMatch(CANARY)

    const own = JSON.stringify(slack.store.channel(GENERAL).ephemerals.findLast(({ user }) => user === ALICE))
    const [, value = ''] = /"value":"([^"]+)"/.exec(own) ?? []
    expect(own).toContain('uses results that Read ticket showed only to you.')
    await pressCopies(bot, value, BOB)
    expect((await bot.modal(BOB)).shown()).not.toMatch(CANARY)
    expect(slack.ephemerals(GENERAL, BOB).join('\n')).not.toMatch(CANARY)
    expect(seenByAll(bot)).not.toMatch(CANARY)
    expect(bot.logs.join('\n')).not.toMatch(CANARY)

    await pressAlone(slack, SHOW_WORK)
    const work = await bot.modal(ALICE)
    await slack.until(() => CANARY.test(work.shown()), 'the asker’s own work')
    await Promise.all([pressAlone(slack, SHARE), pressAlone(slack, SHARE)])
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).includes('Shared with the channel.'), 'a word')
    await slack.settle()
    expect(thread.shown().filter((text) => text.includes('It is open.'))).toHaveLength(1)
    model.condenses('And after', 'What of it after?')
    model.on('of it after', finish('Still.'))
    await thread.reply('And after?', { user: BOB })
    await slack.until(() => model.requests.some(({ prompt }) => prompt.includes('And after')), 'a follow-up')
    expect(model.requests.find(({ prompt }) => prompt.includes('And after'))?.prompt).toContain('It is open')
  })
}

describe('in memory', () => {
  leaving({})

  test('a call based on it is allowed only by the asker, who also gets its failure', async (t) => {
    const { bot, server, browser, slack, model } = await connectingBot(
      t,
      {},
      {
        rules: { trust: true, ask: ['read_ticket'] },
        env: { STEPS: 'replies' },
      },
    )
    await connect(bot, ALICE, { server, browser })
    const call = (id: string) => act('I look.', 'tickets__read_ticket', JSON.stringify({ id }))
    model.on('ticket', call('7'), call('is open too'), { status: 401 })
    const thread = await bot.mention('What of the ticket?')
    await thread.press(ALLOW_ONCE)
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).some((word) => word.includes('is open too')), 'the card')
    await pressAlone(slack, ALLOW_ONCE)
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).some((word) => /Reference/.test(word)), 'the failure')
    expect(thread.shown().at(-1)).toContain(FOR_ASKER)
    expect(seenByAll(bot)).not.toMatch(CANARY)
    expect(server.calls).toEqual(['7', 'is open too'])
  })

  test('a schedule asks its maker to connect, and shows its results only to them, each time', async (t) => {
    let ahead = 0
    const now = () => new Date(Date.now() + ahead)
    const { bot, server, browser, slack, model } = await connectingBot(t, {}, { now, env: { STEPS: 'replies' } })
    const look = act('I look.', 'tickets__read_ticket', '{"id": "7"}')
    model.on('ticket', look, finish('It is open.'), look, finish('It is open still.'))
    await schedule(bot, 'every 20 minutes what of the ticket?')
    ahead += 22 * MINUTE
    const first = await occurrence(bot, 1)
    const link = await slack.until(() => linksIn(slack.messages(DM)).at(-1), 'the card in the direct messages')
    expect(seenByAll(bot)).not.toContain('/connect?link=')
    const person = browser()
    await person.get(await logIn(person, link, server))
    await slack.until(() => dms(bot).some((text) => text.includes('\nIt is open.\n')), 'the answer')
    await slack.until(() => first.shown().at(-1) === FOR_ASKER, 'a line for all')
    ahead += 20 * MINUTE
    const second = await occurrence(bot, 2)
    await slack.until(() => dms(bot).some((text) => text.includes('\nIt is open still.\n')), 'the next answer')
    await slack.until(() => second.shown().at(-1) === FOR_ASKER, 'a line for all')
    expect(server.calls).toEqual(['7', '7'])
    expect(seenByAll(bot)).not.toMatch(CANARY)
    expect(bot.logs.join('\n')).not.toMatch(CANARY)
  })

  test.each([
    ['that begins before everybody’s eyes', 'what of the ticket?'],
    ['with a condition', 'what of the ticket? Only if it is red'],
    ['with another condition', 'tell me of the ticket, only when it is red'],
  ])('a schedule %s leaves nothing of it in traces and spans, but public answers', async (_, text) => {
    let ahead = 0
    const traces: string[] = []
    const collector = await startCollector({ onTestFinished })
    const { bot, server, browser, slack, model } = await connectingBot(
      { onTestFinished },
      {},
      {
        now: () => new Date(Date.now() + ahead),
        env: { RUN_TRACES: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_CAPTURE_CONTENT: 'true' },
        onTrace: (trace) => void traces.push(JSON.stringify(trace)),
      },
    )
    await connect(bot, ALICE, { server, browser })
    const look = act('I look.', 'tickets__read_ticket', '{"id": "7"}')
    const add = act('I add.', 'calculator', '20+1')
    model.on('ticket', look, finish('It is open.'), add, finish('There are 21.'))
    await schedule(bot, `every 20 minutes ${text}`)
    ahead += 22 * MINUTE
    await slack.until(() => dms(bot).some((one) => one.includes('\nIt is open.\n')), 'the private answer')
    ahead += 20 * MINUTE
    const second = await occurrence(bot, 2)
    await slack.until(() => second.shown().some((one) => one.includes('There are 21.')), 'the public answer')
    await slack.settle()
    await bot.bot.stop()
    const content = collector.requests.map(({ body }) => body).join('\n')
    expect(content + traces.join('\n')).not.toMatch(CANARY)
    expect(traces.join('\n')).toContain('There are 21.')
    expect(content).toContain('There are 21.')
  })

  test('a card posted before the result was found is still decided by its approvers', async (t) => {
    const { bot, server, browser, slack, model } = await connectingBot(
      t,
      {},
      {
        env: { APPROVERS: BOB, AGENT_DIALECT: 'native', CUSTOM_TOOLS_DIR: 'test/fixtures/approval-tools' },
      },
    )
    await connect(bot, ALICE, { server, browser })
    const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) })
    const calls = [call('notebook', { title: 'Plan', text: 'x' }), call('tickets__read_ticket', { id: '7' })]
    model.on('ticket', { toolCalls: calls }, { text: 'It is open.' })
    const thread = await bot.mention('What of the ticket?')
    const card = () => thread.messages().find((message) => slack.shown(message).startsWith('🔐'))
    const { ts } = await slack.until(card, 'the card')
    await slack.until(() => server.calls.length === 1, 'the find')
    await slack.settle()
    await slack.press({ channel: GENERAL, ts, user: BOB }, { action_id: ALLOW_ONCE })
    expect(await answeredAlone(bot, thread)).toContain('It is open.')
    expect(seenByAll(bot)).not.toMatch(CANARY)
  })

  test('if Slack refuses ephemeral messages the answer goes to the direct messages, and can be shared from there', async (t) => {
    const { bot, server, browser, ask, slack } = await connectingBot(t, {})
    await connect(bot, ALICE, { server, browser })
    slack.fault({ method: 'chat.postEphemeral', error: 'user_not_in_channel', times: 9 })
    const thread = await ask()
    const dm = `D${ALICE.slice(1)}`
    const answer = () => slack.messages(dm).find((message) => JSON.stringify(message.blocks ?? []).includes(SHARE))
    const { ts } = await slack.until(answer, 'the answer in the direct messages')
    expect(seenByAll(bot)).not.toMatch(CANARY)
    await slack.press({ channel: dm, ts, user: ALICE }, { action_id: SHOW_WORK })
    const work = await bot.modal(ALICE)
    await slack.until(() => CANARY.test(work.shown()), 'the work')
    await slack.press({ channel: dm, ts, user: ALICE }, { action_id: SHARE })
    await slack.until(() => thread.shown().some((text) => text.includes('It is open.')), 'the shared answer')
  })

  test.each(STEPS)('with steps as %s the thread shows a line and nothing of it', async (steps) => {
    const { bot, server, browser, ask } = await connectingBot(
      { onTestFinished },
      {},
      { env: { STEPS: steps, STEPS_STREAM_CHANNELS: 'true' } },
    )
    await connect(bot, ALICE, { server, browser })
    const thread = await ask()
    await answeredAlone(bot, thread)
    expect(thread.shown().at(-1)).toBe(FOR_ASKER)
    expect(JSON.stringify(bot.slack.calls.filter(({ method }) => method !== 'chat.postEphemeral'))).not.toMatch(CANARY)
  })
})

describeWithRedis('with the front and the worker apart, over Redis', () => {
  const redis = suiteRedis()
  const way = {
    get redisUrl() {
      return redis.url
    },
  }
  leaving(way)

  test('an approver gets a call based on it only if the asker sends it, and it is made as the asker', async (t) => {
    const { bot, server, browser, slack, model } = await connectingBot(t, way, {
      rules: { trust: true, ask: ['read_ticket'] },
      env: { STEPS: 'replies', APPROVERS: `${BOB}|not-asker` },
    })
    await connect(bot, ALICE, { server, browser })
    const call = (id: string) => act('I look.', 'tickets__read_ticket', JSON.stringify({ id }))
    model.on('ticket', call('7'), call('is open too'), finish('It is open.'))
    const thread = await bot.mention('What of the ticket?')
    await thread.press(ALLOW_ONCE, { user: BOB })
    const word = 'Others must approve this. *Ask approvers* sends what you see here to Bob, each in a direct message.'
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).some((one) => one.includes(word)), 'the card')
    await pressAlone(slack, ALLOW_ONCE)
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).includes(PRESS.no), 'a refusal')
    const dm = `D${BOB.slice(1)}`
    expect([slack.messages(dm), slack.ephemerals(GENERAL, BOB)]).toEqual([[], []])
    await Promise.all([pressAlone(slack, ASK_APPROVERS), pressAlone(slack, ASK_APPROVERS)])
    const told = () => slack.ephemerals(GENERAL, ALICE).filter((one) => one === 'I sent it to @Bob.')
    await slack.until(() => told().length === 2, 'who has it')
    const [sent, ...more] = slack.messages(dm)
    expect(slack.shown(sent!)).toMatch(
      /^🔐 @Alice's request needs approval: .*, as @Alice\n[^]*is open too[^]*Can approve: Bob/,
    )
    expect([more, server.calls]).toEqual([[], ['7']])
    await slack.press({ channel: dm, ts: sent!.ts, user: BOB }, { action_id: ALLOW_ONCE })
    expect(await answeredAlone(bot, thread)).toContain('It is open.')
    await slack.until(() => slack.shown(slack.messages(dm)[0]!).startsWith('✅ *Allowed once* by @Bob'), 'the decision')
    expect(server.calls).toEqual(['7', 'is open too'])
    expect(new Set(server.callers).size).toBe(1)
    await pressAlone(slack, ALLOW_ONCE)
    await slack.until(
      () => slack.ephemerals(GENERAL, ALICE).some((one) => one.startsWith('@Bob already decided this')),
      'the end',
    )
    expect(seenByAll(bot)).not.toMatch(CANARY)
  })

  test('is in no span and in no output of the operator’s commands', async (t) => {
    const collector = await startCollector(t)
    const { bot, server, browser, ask, worker, prefix } = await connectingBot(t, way, {
      env: { STEPS: 'replies', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_CAPTURE_CONTENT: 'true' },
    })
    await connect(bot, ALICE, { server, browser })
    await answeredAlone(bot, await ask())
    const env = { REDIS_URL: way.redisUrl, REDIS_PREFIX: prefix, SECRETS_KEY }
    const runs = (...args: string[]) => runHere(t, 'src/commands/runs.ts', { args, env })
    const listed = await runs('list', '--all')
    const [id = ''] = /T0LOCAL0001:\S+/.exec(listed.stdout) ?? []
    const shown = await runs('show', id)
    expect(shown.stdout).toContain('(The answer is for the asker alone.)')
    expect(shown.stdout + listed.stdout).not.toMatch(CANARY)
    await Promise.all([bot.bot.stop(), worker?.stop()])
    expect(collector.named('execute_tool tickets__read_ticket')).toHaveLength(1)
    const content = collector.requests.map(({ body }) => body).join('\n')
    expect(content).toContain('What of the ticket?')
    expect(content).not.toMatch(CANARY)
  })

  test.each([
    ['the find and the line', () => ({ dropBefore: true, times: 99 })],
    ['the line and its record', () => ({ hold: new Promise(() => {}) })],
  ])('a worker that ends between %s shows nothing of it, and the next one says the line once', async (_, fault) => {
    const { bot, server, browser, slack, ask, worker, startWorker } = await connectingBot({ onTestFinished }, way)
    await connect(bot, ALICE, { server, browser })
    let isReached = false
    const where = ({ text }: Json) => text === FOR_ASKER && (isReached = true)
    slack.fault({ method: 'chat.postMessage', where, ...fault() })
    const thread = await ask()
    await slack.until(() => isReached && server.calls.length > 0, 'the line for all')
    await worker?.stop()
    slack.clearFaults()
    expect(seenByAll(bot)).not.toMatch(CANARY)
    await startWorker()
    expect(await answeredAlone(bot, thread)).toContain('It is open.')
    expect(thread.shown().filter((text) => text === FOR_ASKER)).toHaveLength(1)
    expect(seenByAll(bot)).not.toMatch(CANARY)
  })
})
