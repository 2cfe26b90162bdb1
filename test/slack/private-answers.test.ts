/** `/ask private:`: only the asker sees the answer until they share it. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { forget, pressAlone } from '../harness/answer-buttons.ts'
import { FOOTER, secondBot, startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'

const CHOICE = 'Only you see this answer.'

/** @returns the ephemeral messages to a person since then */
async function askPrivately(bot: TestBot, text: string, { user = ALICE, channel = GENERAL } = {}): Promise<string[]> {
  const before = bot.slack.ephemerals(channel, user).length
  expect((await bot.slack.slash(`private: ${text}`, { user, channel })).ok).toBe(true)
  const words = () => bot.slack.ephemerals(channel, user).slice(before)
  await bot.slack.until(() => words().some((word) => word.includes(CHOICE)), 'the private answer')
  return words()
}

const press = (bot: TestBot, action_id: string) => pressAlone(bot.slack, action_id)

const posted = (bot: TestBot, channel = GENERAL) =>
  bot.slack
    .messages(channel)
    .filter(({ user }) => user === BOT_USER)
    .map((message) => bot.slack.shown(message))

describe('/ask private:', () => {
  test('answers in one ephemeral message, and posts nothing', async (t) => {
    const bot = await startBot(t)
    bot.model.on('secret', act('Add.', 'calculator', '1+1'), finish('It is **two**.'))
    const words = await askPrivately(bot, 'What is the secret?')
    expect(words).toEqual([expect.stringMatching(/^It is \*two\*\.\n1 step · [^]*\nOnly you see this answer\./)])
    expect(bot.model.requests[0]!.question).toBe('What is the secret?')
    expect([posted(bot), bot.slack.ephemerals(GENERAL, BOB)]).toEqual([[], []])
    expect(
      bot.slack.calls
        .map(({ method }) => method)
        .filter((method) => /chat\.|reactions|assistant\.threads/.test(method)),
    ).toEqual([])
  })

  test('says after a moment that it works, is stopped by the asker’s /ask stop, and shows its place while it waits', async (t) => {
    const bot = await startBot(t)
    const { slack, model } = bot
    model.on('slow secret', { hang: true })
    for (const text of ['private: A slow secret?', 'private: Another one?'])
      await slack.slash(text, { channel: GENERAL })
    const words = (said: RegExp) => slack.ephemerals(GENERAL, ALICE).filter((word) => said.test(word))
    await slack.until(() => words(/Yours is next/).length === 1, 'the place')
    await slack.until(() => words(/^I'm working on your private question/).length === 2, 'a sign of each')
    await slack.slash('stop', { channel: GENERAL, user: BOB })
    await slack.until(() => slack.ephemerals(GENERAL, BOB).length === 1, 'a word to Bob')
    expect(slack.ephemerals(GENERAL, BOB)[0]).toMatch(/^You have nothing running here/)
    await slack.slash('stop', { channel: GENERAL })
    await slack.until(() => words(/I was asked to stop/).length === 1, 'the end')
    await slack.until(() => words(/^Your question was removed before/).length === 1, 'the end of the other')
    expect([model.requests.length, posted(bot), slack.refusals]).toEqual([1, [], []])
  })

  test('continues the same person’s private questions, and nothing else', async (t) => {
    const bot = await startBot(t)
    bot.model.condenses('and half', 'What is half of the secret?')
    bot.model.on('', finish('It is two.'))
    await (await bot.mention('What is the public thing?')).ended()
    await askPrivately(bot, 'What is the secret?')
    await askPrivately(bot, 'and half of it?')
    await askPrivately(bot, 'and half of it?', { user: BOB })
    const condensed = bot.model.requests.filter(({ kind }) => kind === 'condense')
    expect(condensed).toHaveLength(1)
    expect(condensed[0]!.prompt).toContain('What is the secret?')
    expect(condensed[0]!.prompt).not.toContain('public')
  })

  test('works in channels without the bot, and reports a failure only to the asker', async (t) => {
    const bot = await startBot(t)
    const channel = 'G0PRIVATE01'
    bot.slack.addChannel(channel, { kind: 'group', members: new Set([ALICE]) })
    bot.model.on('secret', finish('It is two.'))
    bot.model.on('trouble', { status: 401 })
    await bot.slack.slash('private: any trouble?', { channel })
    const failed = () => bot.slack.ephemerals(channel, ALICE).find((word) => /refused my key[^]*Reference/.test(word))
    await bot.slack.until(failed, 'a failure')
    expect((await askPrivately(bot, 'What is the secret?', { channel })).join('\n')).toContain('It is two.')
    expect(posted(bot, channel)).toEqual([])
  })

  test('sends the answer as an ephemeral message if the response_url is used up', async (t) => {
    const bot = await startBot(t)
    bot.model.on('secret', finish('It is two.'))
    for (let i = 0; i < 9; i++) bot.slack.fault({ method: 'response_url', status: 404 })
    expect((await askPrivately(bot, 'What is the secret?')).join('\n')).toContain('It is two.')
    expect(bot.slack.calls.filter(({ method }) => method === 'chat.postEphemeral').length).toBeGreaterThan(0)
  })

  test('asked again after a failure is one message: the failure, then the progress, then the answer', async (t) => {
    const bot = await startBot(t)
    bot.model.on('trouble', { status: 401 }, { text: finish('None.'), delayMs: 200 })
    await bot.slack.slash('private: any trouble?')
    const word = (said: RegExp) =>
      bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).some((one) => said.test(one)), String(said))
    await word(/refused my key/)
    await press(bot, 'thinkaloud_ask_again')
    await word(/^I'm working on your private question/)
    expect(bot.slack.ephemerals(GENERAL, ALICE)).toHaveLength(1)
    await word(/^None\./)
    expect([bot.slack.ephemerals(GENERAL, ALICE).length, posted(bot), bot.slack.refusals]).toEqual([1, [], []])
  })

  test('in a direct message is an ordinary question', async (t) => {
    const bot = await startBot(t)
    bot.model.on('secret', finish('It is two.'))
    const channel = `D${ALICE.slice(1)}`
    await bot.slack.slash('private: What is the secret?', { channel })
    await bot.slack.until(() => posted(bot, channel).some((text) => FOOTER.test(text)), 'an answer')
    expect(posted(bot, channel)[0]).not.toContain('private:')
  })
})

describe('below a private answer', () => {
  test('Share posts question and answer once and removes the buttons; a mention there continues from it', async (t) => {
    const bot = await startBot(t)
    bot.model.condenses('half of it', 'What is half of the secret?')
    bot.model.on('half of the secret', finish('One.'))
    bot.model.on('What is the secret', finish('It is two.'))
    await bot.slack.mention('remember: the secret is a number')
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).join().includes('Remembered'), 'that it is kept')
    bot.slack.store.channel(GENERAL).ephemerals.length = 0
    await askPrivately(bot, 'What is the secret?')
    await Promise.all([press(bot, 'thinkaloud_share'), press(bot, 'thinkaloud_share')])
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).includes('Shared with the channel.'), 'a word')
    await bot.slack.settle()
    expect(bot.slack.ephemerals(GENERAL, ALICE)).toEqual(['Shared with the channel.'])
    expect(posted(bot)).toEqual([
      expect.stringMatching(/^@Alice asked:\n> What is the secret\?\nIt is two\.\n\d+\.\d s · .*$/),
    ])
    expect(JSON.stringify(bot.slack.messages(GENERAL))).not.toContain('"actions"')
    const root = bot.slack.messages(GENERAL).find(({ user }) => user === BOT_USER)!
    const thread = await bot.mention('and half of it?', { thread_ts: root.ts })
    await bot.slack.until(() => thread.shown().some((text) => text.includes('One.')), 'an answer')
  })

  test('a long answer is shared with its rest in the thread', async (t) => {
    const bot = await startBot(t)
    bot.model.on(
      'secret',
      finish(Array.from({ length: 60 }, (_, i) => `Part ${i}: ${'word '.repeat(60)}`).join('\n\n')),
    )
    await askPrivately(bot, 'What is the secret?')
    await press(bot, 'thinkaloud_share')
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).includes('Shared with the channel.'), 'a word')
    expect(posted(bot).length).toBeGreaterThan(1)
    expect(posted(bot).join('\n')).toMatch(/Part 0:[^]*Part 59:/)
  })

  test('Keep removes the buttons', async (t) => {
    const bot = await startBot(t)
    bot.model.on('secret', finish('It is two.'))
    await askPrivately(bot, 'What is the secret?')
    await press(bot, 'thinkaloud_keep')
    await bot.slack.until(() => !bot.slack.ephemerals(GENERAL, ALICE).join('\n').includes(CHOICE), 'no buttons')
    expect(bot.slack.ephemerals(GENERAL, ALICE)).toEqual([expect.stringMatching(/^It is two\.\n\d+\.\d s · /)])
    expect(posted(bot)).toEqual([])
  })

  test('Show work and the other buttons work only for the asker', async (t) => {
    const bot = await startBot(t)
    bot.model.on('secret', act('Add.', 'calculator', '1+1'), finish('It is two.'))
    await askPrivately(bot, 'What is the secret?')
    await press(bot, 'thinkaloud_show_work')
    const modal = await bot.modal()
    await bot.slack.until(() => modal.shown().includes('What is the secret?'), 'the work')
    const [, value] = /"value":"([^"]+)"/.exec(JSON.stringify(bot.slack.store.channel(GENERAL).ephemerals)) ?? []
    const elements = ['thinkaloud_show_work', 'thinkaloud_share', 'thinkaloud_ask_again'].map((action_id) => ({
      ...{ type: 'button', action_id, value, text: { type: 'plain_text', text: 'x' } },
    }))
    const blocks = [{ type: 'actions', elements }]
    const { ts } = bot.slack.store.post(bot.slack.store.channel(GENERAL), { user: BOT_USER, text: 'x', blocks })
    for (const { action_id } of elements) await bot.slack.press({ channel: GENERAL, ts, user: BOB }, { action_id })
    const other = await bot.modal(BOB)
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, BOB).length >= 2, 'two words')
    await bot.slack.settle()
    expect(bot.slack.ephemerals(GENERAL, BOB)).toHaveLength(2)
    expect(other.shown()).not.toContain('secret')
    expect(posted(bot)).toEqual(['x\nx\nx'])
  })

  test('a deleted answer cannot be shared', async (t) => {
    const bot = await startBot(t)
    bot.slack.addUser(ALICE, { is_admin: true })
    bot.model.on('secret', finish('It is two.'))
    await askPrivately(bot, 'What is the secret?')
    await forget(bot.slack)
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).some((word) => /Done/.test(word)), 'done')
    await press(bot, 'thinkaloud_share')
    await bot.slack.until(
      () => bot.slack.ephemerals(GENERAL, ALICE).some((word) => /cannot share it/.test(word)),
      'a word',
    )
    expect(posted(bot)).toEqual([])
  })
})

describeWithRedis('with Redis', async () => {
  const ends = fileEnds()
  const { url, stop } = await startRedis()
  ends.onTestFinished(stop)

  test('the answer comes from another worker when the first has stopped', async (t) => {
    const bot = await startBot(t, { env: { REDIS_URL: url, SHUTDOWN_MS: '100' } })
    bot.model.on('secret', { hang: true }, finish('It is two.'))
    await bot.slack.slash('private: What is the secret?')
    await bot.slack.until(() => bot.model.requests.length > 0, 'a run')
    await secondBot(t, bot, { REDIS_URL: url })
    await bot.stop()
    const answers = () => bot.slack.ephemerals(GENERAL, ALICE).filter((word) => word.startsWith('It is two.'))
    await bot.slack.until(() => answers().length > 0, 'the answer')
    await bot.slack.settle()
    expect(answers()).toHaveLength(1)
    expect(posted(bot)).toEqual([])
  })
})
