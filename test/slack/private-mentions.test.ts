/** A mention or a reply that asks for a private answer is never answered in the channel. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, type StoredMessage } from '../../playground/slack/slack.ts'
import { ASK_ALONE, ASK_HERE } from '../../src/slack/format/action-ids.ts'
import { pressAlone } from '../harness/answer-buttons.ts'
import { startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'

const ONLY_YOU = 'Only you see this answer.'
const CARD = '*Who should see my answer?* I have not answered yet.'

const posts = ({ slack }: TestBot) => slack.messages(GENERAL).filter(({ user }) => user === BOT_USER)
const own = ({ slack }: TestBot) =>
  slack.store.channel(GENERAL).ephemerals.filter(({ user }) => user === ALICE) as unknown as StoredMessage[]

/** A bot and what Alice has seen alone since the last look. */
async function privateBot() {
  const bot = await startBot(fileEnds(), {
    model: ({ kind, question }) => (kind === 'turn' ? finish('An answer.') : question),
  })
  let looked = 0
  const since = () => bot.slack.ephemerals(GENERAL, ALICE).slice(looked)
  const next = async (what: string) => {
    await bot.slack.until(() => since().length > 0, what)
    await bot.slack.settle(50)
    const seen = since()
    looked += seen.length
    return seen
  }
  return { bot, next }
}

describe('in a mention', async () => {
  const { bot, next } = await privateBot()

  test.each([
    'private: what is my salary?',
    'privately, what is my salary?',
    'PRIVATE what is my salary?',
    'what is my salary? (private)',
    'nur für mich: mein Gehalt?',
    'Wie hoch ist mein Gehalt? Antworte mir privat.',
    'en privé : mon salaire ?',
    'en privado: mi salario',
    'só para mim: meu salário?',
    'in privato: il mio stipendio?',
    'alleen voor mij: mijn salaris?',
    '内緒で：私の給料は？',
    '私下：我的工资是多少？',
  ])('%j is answered to the asker alone', async (text) => {
    const { ts } = await bot.slack.mention(text)
    expect(await next('a private answer')).toEqual([expect.stringContaining(ONLY_YOU)])
    expect([posts(bot), bot.slack.replies(GENERAL, ts), bot.slack.ephemerals(GENERAL, BOB)]).toEqual([[], [], []])
    expect(bot.model.requests.at(-1)?.question).not.toMatch(/^private|^\(private|nur für mich/i)
  })

  test.each([
    'private equity in Europe?',
    'Private repos',
    'Puoi dirmelo in privato?',
    'private Daten: wo liegen sie?',
  ])('%j is asked back, once', async (text) => {
    const asked = bot.model.requests.length
    const { ts } = await bot.slack.mention(text)
    expect(await next('a card')).toEqual([`${CARD}\n> ${text}\nOnly me\nEveryone here`])
    await bot.slack.settle(100)
    expect([bot.model.requests.length, bot.slack.replies(GENERAL, ts)]).toEqual([asked, []])
  })

  test('Only me answers alone, Everyone here in the thread, each once', async () => {
    await bot.slack.mention('private clouds?')
    await next('the card')
    await Promise.all([pressAlone(bot.slack, ASK_ALONE), pressAlone(bot.slack, ASK_ALONE).catch(() => undefined)])
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).at(-1)?.includes(ONLY_YOU), 'the answer')
    expect(posts(bot)).toEqual([])
    const thread = await bot.mention('private trains?')
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).at(-1)?.includes('private trains'), 'the card')
    await pressAlone(bot.slack, ASK_HERE)
    expect(await thread.lastAnswer()).toBe('An answer.')
    expect(bot.slack.ephemerals(GENERAL, ALICE).at(-1)).toBe('I am answering it for everyone here.')
    expect(bot.slack.refusals).toEqual([])
  })

  test.each(['How do I make a repository private?', 'Is the private sector growing?', 'What is a private key?'])(
    '%j is an ordinary question',
    async (text) => {
      const thread = await bot.mention(text)
      expect(await thread.lastAnswer()).toBe('An answer.')
    },
  )
})

describe('in a thread', async () => {
  const { bot } = await privateBot()

  test('a reply is answered to its author alone, in the thread, with what was said there', async () => {
    const thread = await bot.mention('What is a quark?')
    await thread.ended()
    await thread.reply('Bob says the budget is 4711.', { user: BOB })
    await thread.ended()
    const before = [thread.shown().length, own(bot).length]
    const asked = bot.model.requests.length
    await thread.reply('private: what did Bob say of the budget?')
    const answer = await bot.slack.until(
      () =>
        own(bot)
          .slice(before[1])
          .find((one) => bot.slack.shown(one).includes(ONLY_YOU)),
      'the answer',
    )
    expect(answer.thread_ts).toBe(thread.ts)
    expect(thread.shown()).toHaveLength(before[0]!)
    const since = (asked: number) => bot.model.requests.slice(asked).map(({ prompt }) => prompt)
    expect(since(asked).join('\n')).toContain('the budget is 4711')
    const next = bot.model.requests.length
    await thread.reply('private: explain your first answer here')
    await bot.slack.until(() => own(bot).length > before[1]! + 1, 'another private answer')
    expect(since(next).join('\n')).toContain('What is a quark?')
    await thread.reply('And what is a gluon?')
    await bot.slack.until(() => thread.endings().length === 3, 'a public answer')
  })

  test('a reply in a thread that the bot does not follow stays unheard', async () => {
    const asked = bot.model.requests.length
    const said = await bot.slack.say({ channel: GENERAL, text: 'Lunch?' })
    await bot.slack.say({ channel: GENERAL, thread_ts: said.ts, text: 'private: what is my salary?' })
    await bot.slack.say({ channel: GENERAL, thread_ts: said.ts, text: 'private equity?' })
    await bot.slack.settle(100)
    expect(bot.model.requests.length).toBe(asked)
    expect(bot.slack.ephemerals(GENERAL, ALICE).join()).not.toContain('private equity')
  })

  test('a card that Slack refuses leads to a private answer', async () => {
    bot.slack.fault({ method: 'chat.postEphemeral', error: 'channel_not_found', times: 1 })
    const thread = await bot.mention('private jets?')
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).at(-1)?.includes(ONLY_YOU), 'the answer')
    expect(thread.shown()).toEqual([])
  })
})

test('in a direct message everything is private already, and bots ask nobody', async (t) => {
  const bot = await startBot(t, { model: () => finish('An answer.'), env: { ALLOW_BOTS: 'U0ROBOT0001' } })
  expect(await (await bot.dm('private: what is my salary?')).lastAnswer()).toBe('An answer.')
  bot.slack.addUser('U0ROBOT0001', { name: 'robot', real_name: 'Robot', is_bot: true })
  const thread = await bot.mention('private equity?', { user: 'U0ROBOT0001' })
  expect(await thread.lastAnswer()).toBe('An answer.')
})

test('a private question of a message is stopped by its author: by a word, a reaction or the command', async (t) => {
  const bot = await startBot(t, { model: [{ hang: true }, { hang: true }, { hang: true }] })
  const ways = [
    async (ts: string) => void (await bot.slack.say({ channel: GENERAL, thread_ts: ts, text: `<@${BOT_USER}> stop` })),
    async (ts: string) => bot.slack.people.react({ channel: GENERAL, ts, name: 'x' }),
    async () => void (await bot.slack.slash('stop', { channel: GENERAL })),
  ]
  for (const [i, stop] of ways.entries()) {
    const { ts } = await bot.slack.mention(`private: what is my salary in year ${i}?`)
    await bot.slack.until(() => bot.model.requests.length === i + 1, 'the model at work')
    await stop(ts)
    const stopped = () => bot.slack.ephemerals(GENERAL, ALICE).filter((text) => text.includes('I was asked to stop'))
    await bot.slack.until(() => stopped().length === i + 1, 'the end')
  }
  expect(posts(bot)).toEqual([])
})

describe('a message that is edited', () => {
  const BEFORE = `<@${BOT_USER}> private: what is my salary?`
  test.each([
    ['a private question stays private', BEFORE, `<@${BOT_USER}> what is my bonus?`],
    ['with new words of privacy too', BEFORE, `<@${BOT_USER}> private: what is my bonus?`],
    ['a question becomes private', `<@${BOT_USER}> what is my salary?`, `<@${BOT_USER}> what is my bonus? (private)`],
  ])('%s', async (_what, before, after) => {
    const bot = await startBot(fileEnds(), { model: [{ hang: true }, finish('An answer.')] })
    const thread = await bot.mention(before)
    await bot.slack.until(() => bot.model.requests.length === 1, 'the model at work')
    await thread.edit(after)
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).at(-1)?.includes(ONLY_YOU), 'the answer')
    expect(bot.model.requests.at(-1)?.question).toBe('what is my bonus?')
    await bot.slack.settle(100)
    expect(posts(bot)).toEqual([])
  })
})

test('a private question whose message is deleted while it works is not answered', async (t) => {
  const bot = await startBot(t, { model: [{ hang: true }] })
  const thread = await bot.mention('private: what is my salary?')
  await bot.slack.until(() => bot.model.requests.length === 1, 'the model at work')
  await thread.delete()
  await bot.slack.until(() => bot.model.requests[0]?.aborted, 'the end of the request')
  await bot.slack.settle(100)
  expect(bot.slack.ephemerals(GENERAL, ALICE).join()).not.toContain(ONLY_YOU)
})
