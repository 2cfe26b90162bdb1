/** Who may ask, and where. Other people get one ephemeral message, and the model gets nothing. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM, type LocalSlack } from '../../playground/slack/slack.ts'
import { REFERENCE, startBot, type TestBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { strangers } from '../harness/slack-hands.ts'

const mail = (email: string) => ({ profile: { display_name: 'Somebody', email } })

const started = async (t: Ends, env: Record<string, string> = {}, slack = {}) => {
  const bot = await startBot(t, { env, slack })
  bot.model.on('', finish('Answered.'))
  return bot
}

/** Waits for the message on why the person may not ask. Checks that nothing else happened. */
async function refused(bot: TestBot, { user, channel = GENERAL }: { user: string; channel?: string }): Promise<string> {
  const { slack, model } = bot
  const word = await slack.until(() => slack.ephemerals(channel, user)[0], `a word to ${user}`)
  await slack.settle(100)
  expect(model.requests).toEqual([])
  expect(slack.messages(channel).filter((message) => message.user === BOT_USER)).toEqual([])
  const reference = REFERENCE.exec(word)?.[1]
  expect(bot.logs.filter((line) => line.includes(`"reference":"${reference}"`))).toHaveLength(1)
  return word
}

/** The look-ups of a person. The model is told the bot's own name too. */
const infos = (slack: LocalSlack, user = ALICE) =>
  slack.calls.filter(({ method, args }) => method === 'users.info' && args['user'] === user)

describe('without a setting', () => {
  test.for([
    [
      'a person of a connected workspace',
      'outsider',
      /only take questions from people in my own workspace.*ALLOW_EXTERNAL/,
    ],
    ['a guest', 'guest', /not take questions from guests.*full member.*ALLOW_EXTERNAL/],
    ['a guest of one channel', 'singleChannelGuest', /not take questions from guests/],
  ] as const)('%s is told why not, and no more the second time', async ([, kind, reason], t) => {
    const bot = await started(t)
    const user = strangers[kind](bot.slack)
    await bot.mention('Anybody?', { user })
    expect(await refused(bot, { user })).toMatch(reason)
    await bot.mention('Please?', { user })
    await bot.slack.until(
      () => bot.logs.filter((line) => line.includes('may not ask here')).length === 2,
      'the refusal',
    )
    await bot.slack.settle(100)
    expect(bot.slack.ephemerals(GENERAL, user)).toHaveLength(1)
  })

  test('a person whom Slack hides may not ask', async (t) => {
    const bot = await started(t)
    bot.slack.fault({ method: 'users.info', error: 'user_not_found' })
    await bot.mention('Anybody?')
    expect(await refused(bot, { user: ALICE })).toMatch(/only take questions from people in my own workspace/)
  })

  test('a guest who asks privately is refused each time, and no progress message is left', async (t) => {
    const { slack, model } = await started(t)
    const guest = strangers.guest(slack)
    for (const times of [1, 2]) {
      await slack.slash('private: Anybody?', { user: guest, channel: GENERAL })
      const words = () => slack.ephemerals(GENERAL, guest).filter((word) => /not take questions from guests/.test(word))
      await slack.until(() => words().length === times, `${times} words why not`)
    }
    expect(model.requests).toEqual([])
  })

  test('a member is looked up once an hour, so a second question costs no call', async (t) => {
    const bot = await started(t)
    for (const text of ['First?', 'Second?']) expect(await (await bot.mention(text)).lastAnswer()).toBe('Answered.')
    expect(infos(bot.slack)).toHaveLength(1)
  })

  test('a guest gets no answer to /ask, to a direct message, to a follow-up and to help', async (t) => {
    const bot = await started(t)
    const guest = strangers.guest(bot.slack)
    const dm = `D${guest.slice(1)}`
    const thread = await bot.mention('First?')
    await thread.ended()
    await bot.slack.slash('Anybody?', { user: guest, channel: RANDOM })
    await bot.dm('Anybody?', { user: guest })
    await bot.slack.say({ text: 'And now?', user: guest, thread_ts: thread.ts })
    await bot.mention('help', { user: guest })
    for (const place of [RANDOM, dm, GENERAL])
      await bot.slack.until(() => bot.slack.ephemerals(place, guest).length === 1, `a word in ${place}`)
    await bot.slack.settle(100)
    expect([bot.model.requests.length, thread.shown().length, bot.slack.messages(RANDOM).length]).toEqual([1, 1, 0])
  })
})

describe('if Slack does not say who asks', () => {
  test('without the scope nobody may ask, and the log names it', async (t) => {
    const bot = await started(t, {}, { scopes: ['chat:write', 'channels:history', 'reactions:write'] })
    await bot.mention('Anybody?')
    expect(await refused(bot, { user: ALICE })).toMatch(/does not tell me who you are.*users:read/)
    expect(bot.logs.filter((line) => line.includes('missing_scope') && line.includes('users:read'))).toHaveLength(1)
  })

  test('for a moment, the question waits', async (t) => {
    const bot = await started(t)
    bot.slack.fault({ method: 'users.info', status: 503, times: 2 })
    expect(await (await bot.mention('Anybody?')).lastAnswer()).toBe('Answered.')
    expect(infos(bot.slack)).toHaveLength(3)
  })
})

describe('ALLOW_EXTERNAL=true', () => {
  test('lets outsiders and guests ask, whatever a look-up says', async (t) => {
    const bot = await started(t, { ALLOW_EXTERNAL: 'true' })
    bot.slack.fault({ method: 'users.info', error: 'user_not_found', times: 50 })
    for (const user of [strangers.outsider(bot.slack), strangers.guest(bot.slack)])
      expect(await (await bot.mention('Anybody?', { user })).lastAnswer()).toBe('Answered.')
  })
})

describe('ALLOW_CHANNELS', () => {
  test('are the places where it answers; elsewhere, and in a direct message, it refuses', async (t) => {
    const bot = await started(t, { ALLOW_CHANNELS: RANDOM })
    await bot.mention('Anybody?')
    expect(await refused(bot, { user: ALICE })).toMatch(/do not answer in this channel.*ALLOW_CHANNELS/)
    await bot.dm('Anybody?')
    await bot.slack.until(() => bot.slack.ephemerals(`D${ALICE.slice(1)}`, ALICE)[0], 'a private word')
    expect(await (await bot.mention('Anybody?', { channel: RANDOM })).lastAnswer()).toBe('Answered.')
  })

  test('with dm lets direct messages through', async (t) => {
    const bot = await started(t, { ALLOW_CHANNELS: `${RANDOM},dm` })
    expect(await (await bot.dm('Anybody?')).lastAnswer()).toBe('Answered.')
  })
})

describe('ALLOW_USERS', () => {
  test('with ids lets those people ask, including guests, whatever a look-up says', async (t) => {
    const bot = await started(t, { ALLOW_USERS: `${BOB},U0GUEST0001` })
    bot.slack.fault({ method: 'users.info', error: 'user_not_found', times: 50 })
    bot.slack.addUser('U0GUEST0001', { is_restricted: true })
    await bot.mention('Anybody?')
    expect(await refused(bot, { user: ALICE })).toMatch(/cannot take questions from you yet.*ALLOW_USERS/)
    for (const user of [BOB, 'U0GUEST0001'])
      expect(await (await bot.mention('Anybody?', { user })).lastAnswer()).toBe('Answered.')
  })

  test.for([
    ['of another domain', { ...mail('a@example.com.evil.example'), reason: /cannot take questions from you yet/ }],
    [
      'that is not confirmed',
      { ...mail('a@example.com'), is_email_confirmed: false, reason: /not confirmed.*settings/ },
    ],
    ['that Slack does not show', { profile: { display_name: 'Somebody' }, reason: /users:read\.email/ }],
  ] as const)('with a domain refuses an address %s', async ([, { reason, ...person }], t) => {
    const bot = await started(t, { ALLOW_USERS: '@Example.com' })
    bot.slack.addUser(BOB, { is_email_confirmed: true, ...person })
    await bot.mention('Anybody?', { user: BOB })
    expect(await refused(bot, { user: BOB })).toMatch(reason)
  })

  test('with a domain accepts its confirmed addresses, but no guests', async (t) => {
    const bot = await started(t, { ALLOW_USERS: 'example.com' })
    bot.slack.addUser(BOB, { ...mail('Bob@Example.COM'), is_email_confirmed: true, is_restricted: true })
    await bot.mention('Anybody?', { user: BOB })
    expect(await refused(bot, { user: BOB })).toMatch(/not take questions from guests/)
    bot.slack.addUser(ALICE, { ...mail('Alice@Example.COM'), is_email_confirmed: true })
    expect(await (await bot.mention('Anybody?')).lastAnswer()).toBe('Answered.')
  })
})

describe('other bots', () => {
  const ROBOT = { bot_id: 'B0ROBOT0001', app_id: 'A0ROBOT0001' }
  const from = (slack: LocalSlack, extra: object = ROBOT) => ({ user: strangers.otherBot(slack), extra: { ...extra } })
  const unheard = async (bot: TestBot) => {
    await bot.slack.settle(150)
    expect([bot.model.requests, bot.slack.messages(GENERAL).filter(({ user }) => user === BOT_USER)]).toEqual([[], []])
  }

  test('are not answered, whatever they write', async (t) => {
    const bot = await started(t, { ALLOW_BOTS: 'B0OTHER0001' })
    await bot.slack.mention('Anybody?', from(bot.slack))
    await unheard(bot)
  })

  test('that are allowed are answered when they mention this one', async (t) => {
    const bot = await started(t, { ALLOW_BOTS: 'A0ROBOT0001' })
    const robot = from(bot.slack)
    await bot.slack.say({ text: 'To nobody.', ...robot })
    await unheard(bot)
    expect(await (await bot.mention('Anybody?', robot)).lastAnswer()).toBe('Answered.')
    expect(infos(bot.slack, robot.user)).toEqual([])
  })

  test('get three answers in a row in a thread, and more after a person has written', async (t) => {
    const bot = await started(t, { ALLOW_BOTS: ROBOT.bot_id })
    const robot = from(bot.slack)
    const thread = await bot.mention('First?', robot)
    const answers = (n: number) => bot.slack.until(() => thread.endings().length === n, `${n} answers`)
    const asksAgain = () => bot.slack.mention('Again?', { ...robot, thread_ts: thread.ts })
    await answers(1)
    for (const n of [2, 3]) {
      await asksAgain()
      await answers(n)
    }
    await asksAgain()
    await bot.slack.until(() => bot.logs.some((line) => line.includes('"denial":"botTurns"')), 'the refusal')
    await bot.slack.settle(100)
    expect(thread.endings()).toHaveLength(3)
    await bot.slack.say({ text: 'Go on, then', thread_ts: thread.ts })
    await answers(4)
    await asksAgain()
    await answers(5)
  })
})

describe('a user group in ALLOW_USERS', () => {
  const GROUP = 'S0PILOT0001'

  test('lets its members ask, and nobody else; guests only where ALLOW_EXTERNAL lets them', async (t) => {
    const bot = await started(t, { ALLOW_USERS: GROUP })
    const guest = strangers.guest(bot.slack)
    bot.slack.store.usergroups.set(GROUP, [BOB, guest])
    await bot.mention('Anybody?')
    expect(await refused(bot, { user: ALICE })).toMatch(/cannot take questions from you yet.*ALLOW_USERS/)
    await bot.mention('Anybody?', { user: guest })
    expect(await refused(bot, { user: guest })).toMatch(/do not take questions from guests/)
    for (const text of ['First?', 'Second?'])
      expect(await (await bot.mention(text, { user: BOB })).lastAnswer()).toBe('Answered.')
    expect(bot.slack.calls.filter(({ method }) => method === 'usergroups.users.list')).toHaveLength(1)
  })

  test('whose members Slack does not list lets nobody in, and says what is missing', async (t) => {
    const bot = await started(t, { ALLOW_USERS: GROUP })
    bot.slack.fault({ method: 'usergroups.users.list', error: 'missing_scope', times: 5 })
    await bot.mention('Anybody?', { user: BOB })
    expect(await refused(bot, { user: BOB })).toMatch(/cannot see who is in the user group.*usergroups:read/)
  })
})
