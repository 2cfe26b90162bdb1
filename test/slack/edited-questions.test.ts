/** People edit and delete their questions: while the bot works on them, while they wait, and after the answer. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { ASK_AGAIN, ASK_EDITED } from '../../src/slack/format/action-ids.ts'
import { BUTTON, FOOTER, secondBot, startBot, Thread, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'

const ends = fileEnds()
const ASK = `<@${BOT_USER}>`
const OFFER = 'You edited this question after I answered it. Ask the edited question?'

/** Returns the answers in a thread, without their footers. */
const answers = (thread: Thread) =>
  thread.endings().map((text) =>
    text
      .split('\n')
      .filter((line) => !FOOTER.test(line) && !BUTTON.test(line))
      .join('\n'),
  )

/** Returns a function that adds a person, for tests in direct messages. */
function somebodyIn({ slack }: TestBot): () => string {
  let count = 0
  return () => {
    const id = `U0PERSON${(count += 1)}`
    slack.addUser(id, { name: `person${count}` })
    return id
  }
}

/** Waits until the bot works on the question, at its second thought. */
async function atWork(bot: TestBot, key: string, ask: () => Promise<Thread>): Promise<Thread> {
  bot.model.on(key, act('I look.', 'calculator', '1+1'), { hang: true })
  const thread = await ask()
  await bot.slack.until(() => thread.steps().length === 1 && bot.model.about(key).length === 2, 'the first step')
  return thread
}

const isCutOff = ({ slack, model }: TestBot, key: string) =>
  slack.until(() => model.about(key).filter(({ aborted }) => aborted).length === 1, `the end of the run about ${key}`)

/** Returns the asker: Alice in a channel, the person in a direct message. */
const asker = ({ channel }: Thread) => (channel.startsWith('D') ? `U${channel.slice(1)}` : ALICE)

async function pressAskAgain({ slack }: TestBot, thread: Thread, user = asker(thread)) {
  const channel = slack.store.channels.get(thread.channel)
  const offers = () => channel?.ephemerals.filter((one) => JSON.stringify(one.blocks ?? []).includes(ASK_EDITED)) ?? []
  await slack.until(() => offers().length > 0, 'the offer')
  return slack.press({ channel: thread.channel, ts: offers().at(-1)?.ts ?? '', user }, { action_id: ASK_EDITED })
}

describe.each([
  ['in a channel', 'mention'],
  ['in a direct message', 'dm'],
] as const)('%s', async (_, kind) => {
  const bot = await startBot(ends)
  const { model, slack } = bot
  const somebody = somebodyIn(bot)
  const ask = async (text: string) => (kind === 'dm' ? bot.dm(text, { user: somebody() }) : bot.mention(text))
  const written = (text: string) => (kind === 'mention' ? `${ASK} ${text}` : text)

  test('an edit during the run starts again with the new text, and removes the old posts', async () => {
    const thread = await atWork(bot, 'the film of 1984', () => ask('the film of 1984?'))
    model.on('the film of 2021', finish('By Villeneuve.'))
    await thread.edit(written('the film of 2021?'))
    expect(await thread.lastAnswer()).toBe('By Villeneuve.')
    expect(thread.messages()).toHaveLength(1)
    await isCutOff(bot, 'the film of 1984')
    model.condenses('and its length', 'How long is the film of 2021?')
    model.on('How long is the film', finish('Long.'))
    await thread.reply(written('and its length?'), { user: asker(thread) })
    await thread.ended()
    const condensing = model.requests.findLast(
      ({ question, kind }) => kind === 'condense' && /its length/.test(question),
    )
    expect(condensing?.prompt).toContain('Q: the film of 2021?\nA: By Villeneuve.\n')
    expect(condensing?.prompt).not.toContain('1984')
  })

  test('deleting it during the run stops it and deletes its replies', async () => {
    const thread = await atWork(bot, 'delete me soon', () => ask('delete me soon?'))
    await thread.delete()
    await slack.until(() => thread.messages().length === 0 && thread.status() === '', 'an empty thread')
    await isCutOff(bot, 'delete me soon')
    expect(thread.ephemerals(asker(thread))).toEqual([])
  })

  test('an edit after the answer offers the asker once, privately, to ask again', async () => {
    model.on('how old is she', finish('She is 30.'))
    model.on('how old is he', finish('He is 40.'))
    const thread = await ask('how old is she?')
    await thread.ended()
    await thread.edit(written('how old is he?'))
    await slack.until(() => thread.ephemerals(asker(thread)).length > 0, 'the offer')
    expect(thread.ephemerals(asker(thread)).at(-1)).toContain(OFFER)
    expect(thread.ephemerals(BOB)).toEqual([])
    await pressAskAgain(bot, thread)
    await slack.until(() => answers(thread).includes('He is 40.'), 'the second answer')
    expect(answers(thread)).toEqual(['She is 30.', 'He is 40.'])
    await slack.until(() => thread.ephemerals(asker(thread)).length === 0, 'the offer gone')
  })

  test('deleting it after that deletes all answers, and follow-ups do not know them', async () => {
    model.on('who is she', finish('Ada.'))
    model.on('who is he', finish('Charles.'))
    const thread = await ask('who is she?')
    await thread.ended()
    await thread.edit(written('who is he?'))
    await pressAskAgain(bot, thread)
    await slack.until(() => answers(thread).includes('Charles.'), 'the second answer')
    await slack.until(() => thread.isAtRest(), 'the end')
    await thread.delete()
    await slack.until(() => thread.messages().length === 0, 'an empty thread')
    const before = model.requests.length
    model.on('who was meant', finish('Nobody.'))
    const next = new Thread(
      slack,
      await slack.say({
        user: asker(thread),
        channel: thread.channel,
        thread_ts: thread.ts,
        text: written('who was meant?'),
      }),
    )
    await slack.until(() => answers(next).includes('Nobody.'), 'an answer')
    const prompts = model.requests.slice(before).map(({ prompt }) => prompt)
    expect(prompts.join('\n')).not.toMatch(/Ada\.|Charles\.|who is he/)
  })
})

describe('in a thread', async () => {
  const bot = await startBot(ends)
  const { model, slack } = bot

  test('a second edit works like the first', async () => {
    const thread = await atWork(bot, 'version one', () => bot.mention('version one?'))
    model.on('version two', { hang: true })
    await thread.edit(`${ASK} version two?`)
    await slack.until(() => model.about('version two').length === 1, 'the second version')
    model.on('version three', finish('Three.'))
    await thread.edit(`${ASK} version three?`)
    expect(await thread.lastAnswer()).toBe('Three.')
    expect(thread.messages()).toHaveLength(1)
  })

  test('an edit to the word stop during the run stops it, and asks nothing', async () => {
    const thread = await atWork(bot, 'stop me by an edit', () => bot.mention('stop me by an edit?'))
    const before = model.requests.length
    await thread.edit(`${ASK} stop`)
    expect(await thread.ended()).toMatch(/^_I was asked to stop\._\n/)
    await isCutOff(bot, 'stop me by an edit')
    await slack.settle()
    expect([model.requests.length - before, thread.endings().length]).toEqual([0, 1])
  })

  test('of edits in quick succession the last counts, and so does a deletion afterwards', async () => {
    const edits = [1, 2, 3, 4]
    for (const n of edits) model.on(`quick ${n}`, { text: finish(`To ${n}.`), delayMs: 100 })
    const thread = await atWork(bot, 'quick 0', () => bot.mention('quick 0?'))
    await Promise.all(edits.map((n) => thread.edit(`${ASK} quick ${n}?`)))
    expect(await thread.lastAnswer()).toBe('To 4.')
    const other = await atWork(bot, 'quickly 0', () => bot.mention('quickly 0?'))
    model.on('quickly 1', finish('To one.'))
    await Promise.all([other.edit(`${ASK} quickly 1?`), other.delete()])
    await slack.until(() => other.messages().length === 0, 'an empty thread')
    await slack.settle(500)
    expect([answers(thread), other.messages(), slack.refusals]).toEqual([['To 4.'], [], []])
  })

  test('deleting it while it is asked again deletes both answers', async () => {
    model.on('delete me again', finish('One.'), { hang: true })
    const thread = await bot.mention('delete me again?')
    await thread.ended()
    await thread.press(ASK_AGAIN, { user: asker(thread) })
    await slack.until(() => model.about('delete me again').length === 2, 'the second run')
    await thread.delete()
    await slack.until(() => thread.messages().length === 0 && thread.status() === '', 'an empty thread')
    await isCutOff(bot, 'delete me again')
  })

  test('a waiting question is asked with its current text, or not at all if it was deleted', async () => {
    const thread = await atWork(bot, 'the slow one', () => bot.mention('the slow one?'))
    const edited = await slack.say({ channel: GENERAL, thread_ts: thread.ts, text: `${ASK} waits as A?` })
    const deleted = await slack.say({ channel: GENERAL, thread_ts: thread.ts, text: `${ASK} waits in vain?` })
    model.condenses('waits as B', 'waits as B?')
    model.on('waits as B', finish('B it is.'))
    await slack.people.edit(edited, `${ASK} waits as B?`)
    await slack.people.remove(deleted)
    await thread.delete()
    await slack.until(() => answers(thread).length === 1, 'an answer')
    expect(answers(thread)).toEqual(['B it is.'])
    expect(model.about('waits as A')).toEqual([])
    expect(model.about('waits in vain')).toEqual([])
  })

  test('link previews, the bot’s own edits and unchanged texts do not count as edits', async () => {
    const thread = await atWork(bot, 'previewed', () => bot.mention('previewed https://example.org?'))
    const channel = slack.store.channels.get(GENERAL)
    const message = channel?.messages.find(({ ts }) => ts === thread.ts)
    const place = {
      type: 'message',
      subtype: 'message_changed',
      channel: GENERAL,
      channel_type: 'channel',
      hidden: true,
    }
    const delivered = (changed: object, previous: object = message ?? {}) =>
      slack.people.event({ ...place, ts: '9.9', message: changed, previous_message: previous })?.first
    await delivered({ ...message, attachments: [{ from_url: 'https://example.org' }] })
    await delivered({ ...message, edited: { user: ALICE, ts: '9.1' } })
    await delivered({ ...message, text: 'other', bot_id: 'B0OTHER', edited: { user: ALICE, ts: '9.2' } })
    await delivered({ ...message, text: 'other' })
    await delivered({})
    await slack.settle()
    expect(model.about('previewed').filter(({ aborted }) => aborted)).toEqual([])
    expect(thread.ephemerals(asker(thread)).filter((text) => text.includes(OFFER))).toEqual([])
    await thread.delete()
    await slack.until(() => thread.messages().length === 0, 'an empty thread')
  })

  test('edits of other messages cause no message and no call', async () => {
    const said = await slack.say({ text: 'Nice weather.' })
    const calls = slack.calls.length
    await slack.people.edit(said, 'Bad weather.')
    await slack.people.remove(said)
    await slack.settle()
    expect(slack.calls.slice(calls)).toEqual([])
  })

  test('the offer works only for the asker', async () => {
    model.on('mine alone', finish('Yours.'))
    const thread = await bot.mention('mine alone?')
    await thread.ended()
    await thread.edit(`${ASK} mine alone, edited?`)
    await slack.until(() => thread.ephemerals(asker(thread)).some((text) => text.includes(OFFER)), 'the offer')
    const stolen = slack.store.channels.get(GENERAL)?.ephemerals.findLast(({ text }) => text.includes('You edited'))
    Object.assign(stolen ?? {}, { user: BOB })
    await pressAskAgain(bot, thread, BOB)
    await slack.settle()
    expect(answers(thread)).toEqual(['Yours.'])
  })
})

describeWithRedis('when another process has the run', async () => {
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())

  test.for([
    ['an edit', async (thread: Thread) => thread.edit(`${ASK} asked anew?`), ['Anew.']],
    ['a deletion', async (thread: Thread) => thread.delete(), []],
  ] as const)('%s in between reaches whoever takes it up', async ([name, change, expected], t) => {
    const env = { REDIS_URL: server.url, REDIS_PREFIX: name.replace(' ', '-'), SHUTDOWN_MS: '200' }
    const first = await startBot(t, { env })
    const { model, slack } = first
    const thread = await atWork(first, 'asked at first', () => first.mention('asked at first?'))
    model.on('asked anew', finish('Anew.'))
    await first.stop()
    const front = await secondBot(t, first, { ...env, ROLE: 'front' })
    slack.setTarget(`http://127.0.0.1:${front.port}/slack/events`)
    await change(thread)
    await secondBot(t, first, { ...env, ROLE: 'worker' })
    await slack.until(() => answers(thread).length === expected.length && thread.steps().length === 0, 'the end')
    expect(answers(thread)).toEqual(expected)
    expect(model.about('asked at first')).toHaveLength(2)
  })
})

test('many edits cost few calls, and the last text is answered', async (t) => {
  const bot = await startBot(t)
  const { slack, model } = bot
  model.decide('number', ({ question }) =>
    question.includes('number 300') ? finish('The last one.') : { text: 'I wait.', hang: true },
  )
  const { ts } = await slack.say({ user: BOB, text: 'We count.', channel: GENERAL })
  const thread = await bot.mention('What is number 0?', { thread_ts: ts })
  for (let n = 1; n <= 300; n++) await thread.edit(`<@${BOT_USER}> What is number ${n}?`)
  await slack.until(() => thread.endings().some((text) => text.includes('The last one.')), 'the answer')
  await slack.settle()
  const calls = (method: RegExp) => slack.calls.filter((call) => method.test(call.method)).length
  expect(calls(/conversations\.(?:replies|history)/)).toBeLessThanOrEqual(60)
  expect(calls(/setStatus/)).toBeLessThanOrEqual(100)
  expect(answers(thread)).toHaveLength(1)
})
