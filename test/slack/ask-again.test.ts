/** The button "Ask again" below an answer. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, RANDOM, TEAM } from '../../playground/slack/slack.ts'
import { ASK_AGAIN } from '../../src/slack/format/action-ids.ts'
import { postButtons, pressesCountAsOne } from '../harness/answer-buttons.ts'
import { REFERENCE, startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { deferred } from '../harness/stores.ts'

const ends = fileEnds()
const DM = `D${ALICE.slice(1)}`

/** Asks a question. Returns functions to press the button below its answer. */
async function answered(bot: TestBot, question: string, ask: Pick<TestBot, 'mention'>['mention'] = bot.mention) {
  const thread = await ask(question)
  await thread.ended()
  const press = (user: string = ALICE) => thread.press(ASK_AGAIN, { user })
  const endings = (n: number) => bot.slack.until(() => thread.endings().length >= n, `${n} endings`)
  return { thread, press, endings }
}

describe('Ask again', async () => {
  const bot = await startBot(ends, { env: { LIMIT_USER_HOUR: '13' } })
  const { slack, model } = bot

  test('asks the same question in the same thread; two quick presses are one', async () => {
    model.on('a capital', finish('Paris.'), finish('Paris, again.'))
    const { thread, press, endings } = await answered(bot, 'What is a capital?')
    await pressesCountAsOne()
    await Promise.all([press(), press()])
    await endings(2)
    await slack.settle()
    expect(thread.endings()).toHaveLength(2)
    expect(thread.endings().at(-1)).toMatch(/^_Asked again by Alice_\nParis, again\./)
    expect(model.about('a capital').map(({ kind }) => kind)).toEqual(['turn', 'turn'])
  })

  test.each([
    ['in a direct message', bot.dm],
    ['of /ask', bot.ask],
    ['of /ask in a direct message', (text: string) => bot.ask(text, { channel: DM, user: ALICE })],
  ])('works on a question %s', async (_, ask) => {
    model.on('asked here', finish('Yes.'))
    const { thread, press, endings } = await answered(bot, 'Is it asked here?', ask)
    await press()
    await endings(2)
    expect(thread.endings()).toHaveLength(2)
  })

  test('understands the question by the earlier ones, not by later ones', async () => {
    model.on('capital of Peru', finish('Lima.'))
    const { thread } = await answered(bot, 'What is the capital of Peru?')
    for (const [said, standalone] of [
      ['And its river?', 'Which river flows through Lima?'],
      ['And of Chile?', 'What is the capital of Chile?'],
    ] as const) {
      model.condenses(said, standalone)
      model.on(standalone, finish(`Answer to ${standalone}`))
      await thread.reply(said)
      await slack.until(() => thread.endings().some((text) => text.includes(standalone)), standalone)
    }
    const ofRiver = thread.messages().find((message) => slack.shown(message).includes('Answer to Which river'))
    await slack.press({ channel: thread.channel, ts: ofRiver?.ts ?? '', user: ALICE }, { action_id: ASK_AGAIN })
    await slack.until(() => thread.endings().length === 4, 'the fourth ending')
    const asked = model.requests.filter(({ kind, prompt }) => kind === 'condense' && prompt.includes('And its river?'))
    expect(asked.map(({ prompt }) => [/Peru/, /Chile/].map((word) => word.test(prompt)))).toEqual([
      [true, false],
      [true, false],
    ])
  })

  test('counts as a question of the presser, within their limits', async () => {
    model.on('bobs', finish('one'))
    const { thread, press } = await answered(bot, 'Is it bobs?')
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
      await (await bot.mention(`bobs own ${n}`, { user: BOB })).ended()
    await press(BOB)
    await slack.until(() => slack.ephemerals(GENERAL, BOB).length === 1, 'a private word')
    expect(slack.ephemerals(GENERAL, BOB)[0]).toMatch(/13 questions an hour for one person/)
    expect(thread.endings()).toHaveLength(1)
  })

  test('says if the answer is no longer stored, and if the button belongs elsewhere', async () => {
    const gone = await postButtons(slack, `${TEAM}:${RANDOM}:1.000001`, { channel: RANDOM })
    const foreign = await postButtons(slack, `${TEAM}:${GENERAL}:1.000001`, { channel: RANDOM })
    for (const place of [gone, foreign]) await slack.press({ ...place, user: BOB }, { action_id: ASK_AGAIN })
    await slack.until(() => slack.ephemerals(RANDOM, BOB).length === 2, 'two private words')
    expect(slack.ephemerals(RANDOM, BOB).toSorted()).toEqual([
      expect.stringMatching(/no longer have this answer/),
      expect.stringMatching(/only works in the channel of its answer/),
    ])
  })
})

describe('A question that is asked again', async () => {
  const bot = await startBot(ends)
  const { slack, model } = bot

  test('comes with people’s earlier messages of the thread, however much was asked since', async () => {
    model.condenses('a later one', 'A later one?')
    model.condenses('sums it up', 'Who sums it up?')
    model.on('A later one', finish('Yes.'))
    model.on('sums it up', finish('Bananas.'), finish('Bananas, again.'))
    const root = await slack.say({ text: 'We buy bananas.', user: BOB })
    const thread = await bot.mention('Who sums it up?', { thread_ts: root.ts })
    await thread.ended()
    await thread.reply('a later one?')
    await thread.ended()
    await slack.press({ channel: GENERAL, ts: thread.messages()[0]!.ts, user: BOB }, { action_id: ASK_AGAIN })
    await slack.until(() => thread.shown().join().includes('Bananas, again.'), 'the third answer')
    expect(model.about('sums it up').at(-1)?.prompt).toContain('@Bob: We buy bananas.')
  })

  test('can have failed, and the answer says who asked again', async () => {
    model.on('a failing capital', { status: 401 }, finish('Rome.'))
    const thread = await bot.mention('What is a failing capital?')
    await slack.until(() => thread.shown().some((text) => REFERENCE.test(text)), 'a failure')
    await slack.settle()
    await thread.press(ASK_AGAIN, { user: BOB })
    await slack.until(() => thread.endings().some((text) => /^_Asked again by Bob_\nRome\./.test(text)), 'an answer')
  })

  test('is stopped by a reaction on the question', async () => {
    model.on('reacted to', finish('One.'), { hang: true })
    const { thread, press, endings } = await answered(bot, 'Is it reacted to?')
    await press()
    await slack.until(() => model.about('reacted to').length === 2, 'the second run')
    await thread.react('x')
    await endings(2)
    expect(thread.endings().at(-1)).toMatch(/^_I was asked to stop\._/)
  })
})

test('tells the presser on another press that it is being asked', async (t) => {
  const bot = await startBot(t)
  const gate = deferred()
  let isFirst = true
  bot.model.decide('slow one', async () =>
    isFirst ? finish('first') : gate.promise.then(() => 'Thought: x\nFinal Answer: second'),
  )
  const { thread, press, endings } = await answered(bot, 'A slow one?')
  isFirst = false
  await press()
  await press()
  await bot.slack.until(
    () => bot.slack.ephemerals(GENERAL, ALICE)[0]?.includes('already working on it'),
    'a private word',
  )
  gate.resolve()
  await endings(2)
  await bot.slack.settle()
  expect(thread.endings()).toHaveLength(2)
})

describeWithRedis('Ask again with Redis', () => {
  test('is claimed once there too', async (t) => {
    const redis = await startRedis()
    t.onTestFinished(() => redis.stop())
    const bot = await startBot(t, { env: { REDIS_URL: redis.url } })
    bot.model.on('shared', finish('one'), finish('two'))
    const { thread, press, endings } = await answered(bot, 'A shared one?')
    await pressesCountAsOne()
    await Promise.all([press(), press()])
    await endings(2)
    await bot.slack.settle()
    expect(thread.endings()).toHaveLength(2)
  })
})
