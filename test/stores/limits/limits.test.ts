/** Fair use through the whole bot: people over a limit get a private message, and nothing else happens. */
import { describe, expect, test } from 'vitest'
import { ALICE, GENERAL, RANDOM } from '../../../playground/slack/slack.ts'
import { waitingCard } from '../../harness/approvals.ts'
import { startBot, type TestBot } from '../../harness/bot.ts'
import { fileEnds } from '../../harness/ends.ts'
import {
  aliceElsewhere,
  ANSWER,
  answered,
  bobElsewhere,
  budgetHoldsForManyAtOnce,
  casesOf,
  limitsHold,
  pricesFile,
  refused,
} from '../../harness/limits.ts'
import { act } from '../../harness/played-model.ts'
import { deferred } from '../../harness/stores.ts'

const CASES = casesOf(await pricesFile(fileEnds()))

describe.concurrent('in memory, over a limit the asker gets an ephemeral sentence only', () => {
  limitsHold(CASES, () => ({}))
})

test('in memory, concurrent questions do not all spend the same budget', (t) => budgetHoldsForManyAtOnce(t, {}))

describe.concurrent('the ephemeral sentence', () => {
  test('is in the channel for a first question, in the thread for a reply, and in a direct message', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '1' } })
    const thread = await bot.mention('Just this?')
    await thread.ended()
    await refused(bot, { user: ALICE, channel: GENERAL })
    await thread.reply('And that?')
    const calls = () => bot.slack.calls.filter(({ method }) => method === 'chat.postEphemeral')
    await bot.slack.until(() => calls().length === 2, 'the second refusal')
    expect(calls().map(({ args }) => args['thread_ts'])).toEqual([undefined, thread.ts])
    expect(thread.shown()).toHaveLength(1)
    const dm = await bot.dm('And that?')
    await bot.slack.until(() => filled(bot.slack.ephemerals(dm.channel, ALICE)), 'a private word')
    expect(dm.shown()).toEqual([])
  })

  test('answers /ask by its response_url, and no root is posted', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '1' } })
    await (await bot.ask('Just this?')).ended()
    const posted = bot.slack.messages(GENERAL).length
    expect((await bot.slack.slash('And that?')).ok).toBe(true)
    const [sendEphemeral] = await bot.slack.until(() => filled(bot.slack.ephemerals(GENERAL, ALICE)), 'a private word')
    expect(sendEphemeral).toContain('1 question an hour for one person')
    await bot.slack.settle(100)
    expect(bot.slack.messages(GENERAL)).toHaveLength(posted)
    expect(bot.slack.calls.filter(({ method }) => method === 'chat.postEphemeral')).toEqual([])
    expect(bot.model.requests).toHaveLength(1)
  })

  test('becomes a direct message if Slack refuses it, and nothing is posted publicly', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '1' } })
    await answered(bot)
    bot.slack.fault({ method: 'chat.postEphemeral', error: 'user_not_in_channel', times: 9 })
    const thread = await bot.mention('And that?')
    const told = () => bot.slack.messages(`D${ALICE.slice(1)}`).map((message) => bot.slack.shown(message))
    await bot.slack.until(() => told().length > 0, 'a direct message')
    await bot.slack.settle(100)
    expect([thread.shown(), bot.model.requests.length]).toEqual([[], 1])
  })
})

describe.concurrent('what is not counted', () => {
  test('a question that is delivered repeatedly', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '2' } })
    const thread = await bot.mention('Just this?')
    await thread.ended()
    for (const delivery of [...thread.said.deliveries, ...thread.said.deliveries]) await bot.slack.redeliver(delivery)
    await answered(bot)
    expect(await refused(bot, aliceElsewhere)).toContain('2 questions an hour')
  })

  test('an empty mention, help, a thread without the bot', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '1' } })
    await bot.mention('')
    await bot.slack.slash('help')
    const stranger = await bot.slack.say({ text: 'Lunch?' })
    await bot.slack.say({ text: 'Me!', thread_ts: stranger.ts })
    await bot.slack.settle(100)
    await answered(bot)
  })

  test('a /ask where the bot cannot post', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '1' } })
    bot.slack.addChannel('G0PRIVATE01', { members: new Set([ALICE]) })
    for (let n = 1; n <= 3; n++) {
      await bot.slack.slash('Anybody?', { channel: 'G0PRIVATE01' })
      await bot.slack.until(() => bot.slack.ephemerals('G0PRIVATE01', ALICE).length === n, 'a private word')
    }
    for (const word of bot.slack.ephemerals('G0PRIVATE01', ALICE)) expect(word).toContain('I am not a member')
    await answered(bot)
    expect(await refused(bot, aliceElsewhere)).toContain('1 question an hour')
  })

  test('an answer that Slack refuses, although its cost is booked', async (t) => {
    const env = { LIMIT_USER_HOUR: '1', BUDGET_USER_DAY_TOKENS: '1500' }
    const bot = await startBot(t, { model: [ANSWER], env })
    bot.slack.fault({ method: 'chat.postMessage', channel: RANDOM, error: 'is_archived', times: 9 })
    await bot.mention('Just this?', { channel: RANDOM })
    await bot.slack.until(() => filled(bot.slack.ephemerals(RANDOM, ALICE)), 'a private word')
    await answered(bot)
    expect(await refused(bot, { user: ALICE, channel: GENERAL })).toContain('1,500 tokens')
  })

  test('condensing is not a question, but its tokens count', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '9', BUDGET_USER_DAY_TOKENS: '2500' } })
    bot.model.condenses('And that?', { text: 'And that one?', usage: { prompt_tokens: 900, completion_tokens: 100 } })
    const thread = await bot.mention('Just this?')
    await thread.ended()
    await thread.reply('And that?')
    await thread.ended()
    expect(await refused(bot, aliceElsewhere)).toContain('2,500 tokens')
  })
})

describe.concurrent('a model call that fails', () => {
  const env = { BUDGET_USER_DAY_TOKENS: '2000' }
  const asked = async (bot: TestBot) => (await bot.mention('This fails?')).ended()

  test('costs the tokens sent and received, on each attempt', async (t) => {
    const bot = await startBot(t, { env: { BUDGET_USER_DAY_TOKENS: '1000' } })
    bot.model.on('fails', { text: 'A long sentence that is cut in the midst of it', cutAfter: 30, chunkMs: 5 })
    expect(await asked(bot)).toMatch(/cannot be reached.*\n.*Reference: /)
    expect(bot.model.requests).toHaveLength(4)
    expect(await refused(bot, aliceElsewhere)).toContain('1,000 tokens')
  })

  test('costs what the endpoint reports', async (t) => {
    const bot = await startBot(t, { env: { ...env, OPENAI_STREAM: 'false' } })
    const usage = { prompt_tokens: 900, completion_tokens: 100 }
    bot.model.on('fails', { status: 200, body: { id: 'x', object: 'chat.completion', choices: [], usage } })
    expect(await asked(bot)).toMatch(/cannot be reached/)
    expect(await refused(bot, aliceElsewhere)).toContain('2,000 tokens')
  })

  test('costs nothing if nothing was received', async (t) => {
    const bot = await startBot(t, { env })
    bot.model.on('fails', { status: 503 })
    bot.model.on('Just this', ANSWER)
    for (let n = 0; n < 2; n++) await asked(bot)
    await answered(bot)
  })

  test('costs in condensing too', async (t) => {
    const bot = await startBot(t, { env: { BUDGET_USER_DAY_TOKENS: '1200' }, model: [ANSWER] })
    bot.model.condenses('And that?', { text: 'And that one, which is cut', cutAfter: 10, chunkMs: 5 })
    const thread = await bot.mention('Just this?')
    await thread.ended()
    await thread.reply('And that?')
    expect(await thread.ended()).toMatch(/cannot be reached/)
    expect(await refused(bot, aliceElsewhere)).toContain('1,200 tokens')
  })
})

describe.concurrent('LIMIT_TEAM_RUNS', () => {
  const env = { LIMIT_TEAM_RUNS: '1' }

  test('refuses a second question while one runs, and admits it afterwards', async (t) => {
    const bot = await startBot(t, { env })
    const gate = deferred()
    bot.model.decide('slow', async () => (await gate.promise, ANSWER))
    bot.model.on('Just this', ANSWER)
    const slow = await bot.mention('A slow one?')
    await bot.slack.until(() => bot.model.requests.length === 1, 'the model at work')
    const sentence = await refused(bot, bobElsewhere)
    expect(sentence).toMatch(
      /1 question at once in the whole workspace.*Please ask again when one of those questions has finished/,
    )
    gate.resolve()
    await slow.ended()
    await eventuallyAnswered(bot)
  })

  test('a /ask holds one slot from its root to its answer, and none where it cannot be answered', async (t) => {
    const bot = await startBot(t, { env, model: [ANSWER] })
    await (await bot.ask('Just this?')).ended()
    await eventuallyAnswered(bot)
    bot.slack.addChannel('G0PRIVATE01', { members: new Set([ALICE]) })
    await bot.slack.slash('Anybody?', { channel: 'G0PRIVATE01' })
    await bot.slack.until(() => filled(bot.slack.ephemerals('G0PRIVATE01', ALICE)), 'a private word')
    await eventuallyAnswered(bot)
  })

  test('a failing model frees the slot, also if the failure cannot be posted in its thread and goes to the asker', async (t) => {
    const bot = await startBot(t, { env })
    bot.model.on('fails', { status: 401 })
    bot.model.on('Just this', ANSWER)
    expect(await (await bot.mention('This fails?')).ended()).toMatch(/Reference: /)
    await eventuallyAnswered(bot)
    bot.slack.fault({ method: 'chat.postMessage', channel: RANDOM, error: 'is_archived', times: 99 })
    await bot.mention('This fails?', { channel: RANDOM })
    const told = await bot.slack.until(() => filled(bot.slack.ephemerals(RANDOM, ALICE)), 'a private word')
    expect(told).toEqual([expect.stringMatching(/my key.*\n_Reference: /)])
    await eventuallyAnswered(bot)
  })

  test('a question that failed by the model is not counted', async (t) => {
    const bot = await startBot(t, { env: { LIMIT_USER_HOUR: '1' } })
    bot.model.on('fails', { status: 401 })
    bot.model.on('Just this', ANSWER)
    for (let n = 0; n < 2; n++) expect(await (await bot.mention('This fails?')).ended()).toMatch(/Reference: /)
    expect(await (await bot.mention('Just this?')).lastAnswer()).toBe('Here you are.')
    await bot.mention('Just this?')
    await bot.slack.until(() => filled(bot.slack.ephemerals(GENERAL, ALICE)), 'a private word')
  })
})

/** The slot is free a moment after the answer has been read. */
async function eventuallyAnswered(bot: TestBot): Promise<void> {
  const attempt = async () => {
    const thread = await bot.mention('Just this?')
    await bot.slack.settle(100)
    return thread.endings().length > 0
  }
  await bot.slack.until(attempt, 'an answer')
}

/** Returns the list when it has entries. */
function filled<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined
}

test('a suspended run holds no slot', async (t) => {
  const bot = await startBot(t, { env: { LIMIT_TEAM_RUNS: '1', CUSTOM_TOOLS_DIR: 'test/chaos/tools' } })
  bot.model.on('Write it down', act('a', 'guarded_ledger', 'it'))
  bot.model.on('Just this', ANSWER)
  const thread = await bot.mention('Write it down?')
  await waitingCard(bot, thread)
  await answered(bot, bobElsewhere)
  expect(thread.endings()).toEqual([])
})
