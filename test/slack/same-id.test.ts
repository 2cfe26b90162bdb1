/** A person of a connected company may have the id of somebody here. They share nothing that is kept by a person. */
import { expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, TEAM } from '../../playground/slack/slack.ts'
import { FORGET_REMEMBERED, OPEN_SETTINGS } from '../../src/slack/format/action-ids.ts'
import { ALWAYS, approvalBot, note, press, waitingCard } from '../harness/approvals.ts'
import { startBot, Thread } from '../harness/bot.ts'
import { answeredAlone, connect, connectingBot, listConnections } from '../harness/connecting-bot.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { ephemerals } from '../harness/schedules.ts'
import { textFile } from '../harness/said-files.ts'
import { atSecondThought, steeredBot } from '../harness/steered-bot.ts'

const ALLOW_EXTERNAL = 'true'
/** As Slack sends the message of a person of another workspace. */
const NAMESAKE = { user: ALICE, extra: { user_team: 'T0OTHER0001', team: 'T0OTHER0001' } }

test('they do not use a login', async (t) => {
  const { bot, server, browser, ask } = await connectingBot(t, {}, { env: { ALLOW_EXTERNAL } })
  await connect(bot, ALICE, { server, browser })
  await answeredAlone(bot, await ask())
  const calls = server.calls.length
  bot.model.on('theirs', act('I look.', 'tickets__read_ticket', '{"id": "7"}'), finish('I cannot look.'))
  const thread = await bot.mention('What of theirs?', NAMESAKE)
  expect(await thread.ended()).toContain('I cannot look.')
  expect(server.calls).toHaveLength(calls)
})

test('they do not use what was always allowed in a thread', async (t) => {
  const bot = await approvalBot(t, {}, { env: { ALLOW_EXTERNAL } })
  bot.model.on('Quince', note('Quince'), finish('Noted.'))
  const thread = await bot.mention('Write down Quince')
  const card = await waitingCard(bot, thread)
  await press(bot, { ...thread, ts: card.ts }, { action: ALWAYS })
  await thread.ended()
  bot.model.condenses('Medlar', 'Write down Medlar')
  bot.model.on('Medlar', note('Medlar'), finish('Noted too.'))
  await thread.reply('and Medlar', NAMESAKE)
  await waitingCard(bot, thread)
})

describeWithRedis('limits, in memory and in Redis', () => {
  const server = suiteRedis()
  test.for([false, true])('they have limits of their own (Redis: %s)', async (isStored, t) => {
    const env = { ALLOW_EXTERNAL, LIMIT_USER_HOUR: '1', ...(isStored ? { REDIS_URL: server.url } : {}) }
    const bot = await startBot(t, { env })
    bot.model.on('', finish('Here.'))
    await (await bot.mention('one')).ended()
    await (await bot.mention('two', NAMESAKE)).ended()
    await bot.mention('three', NAMESAKE)
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length === 1, 'a refusal')
  })
})

const FORBIDDEN = 'Only the person who asked can stop this question.'

test('they do not stop a question here, by a word or a reaction, and nobody here stops theirs', async (t) => {
  const bot = await steeredBot(t, {}, { env: { ALLOW_EXTERNAL } })
  const mine = await atSecondThought(bot, 'mine', () => bot.mention('mine?'))
  await mine.reply('stop', NAMESAKE)
  await bot.slack.until(() => mine.ephemerals().length === 1, 'the word')
  const reacted = { type: 'reaction_added', reaction: 'x', user: ALICE, user_team: 'T0OTHER0001', item_user: ALICE }
  const item = { type: 'message', channel: GENERAL, ts: mine.ts }
  await bot.slack.people.event({ ...reacted, item, event_ts: String(Number(mine.ts) + 1) })?.first
  await bot.slack.until(() => mine.ephemerals().length === 2, 'the second word')
  const theirs = await atSecondThought(bot, 'theirs', () => bot.mention('theirs?', NAMESAKE))
  await theirs.react('x', { ts: theirs.ts })
  await bot.slack.until(() => theirs.ephemerals().length === 3, 'the third word')
  expect(theirs.ephemerals()).toEqual([FORBIDDEN, FORBIDDEN, FORBIDDEN])
  expect([...mine.endings(), ...theirs.endings()]).toEqual([])
  await theirs.reply('stop', NAMESAKE)
  await bot.slack.until(() => theirs.endings().length === 1, 'their end')
  await mine.react('x', { ts: mine.ts })
  await bot.slack.until(() => mine.endings().length === 1, 'the end')
})

describeWithRedis('additions, in memory and in Redis', () => {
  const server = suiteRedis()
  test.for([undefined, 'stored'])('they add nothing to a question here (%s)', async (stored, t) => {
    const bot = await steeredBot(t, stored ? { redisUrl: server.url } : {}, { env: { ALLOW_EXTERNAL } })
    const mine = await atSecondThought(bot, 'mine', () => bot.mention('mine?'))
    bot.model.condenses('of theirs', 'of theirs')
    bot.model.on('of theirs', finish('Theirs.'))
    await mine.reply('and what of theirs?', NAMESAKE)
    await bot.slack.settle()
    await mine.react('x', { ts: mine.ts })
    await bot.slack.until(() => mine.shown().some((text) => text.includes('Theirs.')), 'an answer of its own')
  })
})

test('they are people of another company, whatever the id says', async (t) => {
  for (const env of [{}, { ALLOW_USERS: ALICE }, { ALLOW_USERS: ALICE, ALLOW_EXTERNAL }]) {
    const bot = await startBot(t, { env })
    bot.model.on('', finish('Here.'))
    await bot.mention('one', NAMESAKE)
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length === 1, 'a refusal')
    expect(bot.model.requests).toHaveLength(0)
    expect(await (await bot.mention('two')).ended()).toContain('Here.')
  }
})

test('they have nothing remembered, and nobody here forgets their words', async (t) => {
  const bot = await startBot(t, { env: { ALLOW_EXTERNAL } })
  await bot.slack.say({ channel: GENERAL, text: `<@${BOT_USER}> remember: the lock is 7`, ...NAMESAKE })
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length === 1, 'a refusal')
  expect(bot.slack.ephemerals(GENERAL, ALICE)[0]).toMatch(/full members/)
  const said = await bot.slack.say({ channel: GENERAL, text: 'the price is 9', ...NAMESAKE })
  await bot.slack.shortcut({ channel: GENERAL, ts: said.ts, user: BOB }, 'thinkaloud_remember')
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, BOB).length === 1, 'a confirmation')
  await bot.slack.slash('memory', { channel: GENERAL, user: ALICE })
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length === 2, 'the list')
  const list = JSON.stringify(ephemerals(bot).at(-1)?.blocks)
  expect(list).toContain('the price is 9')
  expect(list).not.toContain(FORGET_REMEMBERED)
})

/** Slack's `reaction_added` names no workspace of who reacts: only its envelope may. */
const ENVELOPE = { is_ext_shared_channel: true, team_id: 'T0OTHER0001', context_team_id: 'T0OTHER0001' }

/** The same, where our workspace sees it too: the other one is that of the person, or the host of the channel. */
const SEEN_HERE = { ...ENVELOPE, context_team_id: TEAM }

test.for([
  ['of a namesake in a shared channel', ALICE, ENVELOPE, false],
  ['of a namesake whom Slack hides', ALICE, { ...ENVELOPE, team_id: 'T0THIRD0001' }, false],
  ['of a namesake in a channel that we host', ALICE, SEEN_HERE, false, TEAM],
  ['of a namesake in a channel that a third company hosts', ALICE, SEEN_HERE, false, 'T0THIRD0001'],
  ['of the asker in a shared channel', ALICE, { ...ENVELOPE, team_id: 'T0LOCAL0001' }, true],
  ['of the asker, if the envelope names the host', ALICE, ENVELOPE, true, 'T0OTHER0001'],
  ['of the asker, if the envelope names the host and us', ALICE, SEEN_HERE, true, 'T0OTHER0001'],
  ['of the asker, if the envelope names another company and us', ALICE, SEEN_HERE, true],
  ['of the asker in a channel without others', ALICE, { ...ENVELOPE, is_ext_shared_channel: false }, true],
  ['of somebody else there', BOB, ENVELOPE, false],
  ['of somebody else here, if the envelope names the host', BOB, ENVELOPE, false, 'T0OTHER0001'],
] as const)('a reaction %s stops the asker’s question only if it is theirs', async ([, ...given], t) => {
  const [user, around, isTheirs, host] = given
  const bot = await steeredBot(t, {}, { env: { ALLOW_EXTERNAL } })
  const general = bot.slack.store.channels.get(GENERAL)
  if (general && host !== undefined) Object.assign(general, { shared: true, host })
  const mine = await atSecondThought(bot, 'mine', () => bot.mention('mine?'))
  const item = { type: 'message', channel: GENERAL, ts: mine.ts }
  const reacted = { type: 'reaction_added', reaction: 'x', user, item_user: ALICE, item }
  await bot.slack.people.event({ ...reacted, event_ts: String(Number(mine.ts) + 1) }, around)?.first
  const words = () => bot.slack.ephemerals(GENERAL, user)
  await bot.slack.until(() => (isTheirs ? mine.endings().length : words().length) === 1, 'an outcome')
  expect(words()).toEqual(isTheirs ? [] : [FORBIDDEN])
  expect(mine.endings()).toHaveLength(isTheirs ? 1 : 0)
})

test.for([
  ['a namesake', ENVELOPE, 0],
  ['somebody here', {}, 1],
] as const)('the emoji of ASK_REACTION by %s asks only for people here', async ([, around, answers], t) => {
  const bot = await startBot(t, { env: { ASK_REACTION: 'robot_face' } })
  bot.model.on('What does this mean', finish('Broken.'))
  const { ts } = await bot.slack.say({ text: 'CI is red', user: BOB })
  const item = { type: 'message', channel: GENERAL, ts }
  const reacted = { type: 'reaction_added', reaction: 'robot_face', user: ALICE, item_user: BOB, item }
  await bot.slack.people.event({ ...reacted, event_ts: String(Number(ts) + 1) }, around)?.first
  await bot.slack.settle(200)
  expect(bot.model.requests).toHaveLength(answers)
})

test.for([
  ['theirs', NAMESAKE, false],
  ['the asker’s', { user: ALICE }, true],
] as const)('a file of a thread that is %s is read: %s', async ([, from, isRead], t) => {
  const bot = await startBot(t)
  bot.model.on('what is in it', finish('Done.'))
  const files = [textFile('plan.txt', 'The word is HOUSEWORD.')]
  const root = await bot.slack.say({ text: 'see', channel: GENERAL, files, ...from })
  const asked = await bot.slack.say({ text: `<@${BOT_USER}> what is in it?`, user: ALICE, thread_ts: root.ts })
  await new Thread(bot.slack, asked).ended()
  expect(bot.model.requests.some(({ raw }) => raw.includes('HOUSEWORD'))).toBe(isRead)
})

test.for([
  ['a namesake', ENVELOPE, false],
  ['the asker', SEEN_HERE, true],
] as const)('Slack’s own Stop, pressed by %s, stops only their own question', async ([, around, isTheirs], t) => {
  const bot = await steeredBot(t, {}, { env: { ALLOW_EXTERNAL } })
  const mine = await atSecondThought(bot, 'mine', () => bot.mention('mine?'))
  const stopped = { type: 'agent_session_stopped', channel: GENERAL, thread_ts: mine.ts, user: ALICE }
  await bot.slack.people.event({ ...stopped, event_ts: String(Number(mine.ts) + 1) }, around)?.first
  await bot.slack.until(() => mine.endings().length + mine.ephemerals().length === 1, 'an outcome')
  expect(mine.endings()).toHaveLength(isTheirs ? 1 : 0)
})

test.for([
  ['of another company', { team_id: 'T0OTHER0001' }, true],
  ['of another company, who is a stranger', { team_id: TEAM, is_stranger: true }, true],
  [
    'of another organisation',
    { team_id: 'T0OTHER0001', enterprise_user: { enterprise_id: 'E0OTHER0001', teams: [] } },
    true,
  ],
  ['of here', { team_id: TEAM }, false],
  ['of another workspace of the organisation', { team_id: 'T0OTHER0001', enterprise_user: { teams: [TEAM] } }, false],
  ['of here, as far as the event says', {}, false],
] as const)('a login here stays when a person with the id is deactivated who is %s', async ([, person, stays], t) => {
  const { bot, server, browser, slack } = await connectingBot(t, {})
  await connect(bot, ALICE, { server, browser })
  await slack.people.event({ type: 'user_change', user: { id: ALICE, deleted: true, ...person } })?.first
  await slack.settle(100)
  expect(await listConnections(bot, ALICE)).toContain(stays ? 'tickets: connected' : 'tickets: not connected')
})

test('they change no settings as somebody here, not even from a card', async (t) => {
  const env = { ALLOW_EXTERNAL, SETTINGS_BY: 'admins' }
  const bot = await startBot(t, { env })
  bot.slack.addUser(ALICE, { name: 'Alice', team_id: TEAM, is_admin: true })
  bot.model.on('fewer steps', act('I offer it.', 'propose_settings', '{}'), finish('There is a card.'))
  const thread = await bot.mention('fewer steps', NAMESAKE)
  await thread.ended()
  const card = ephemerals(bot).at(-1)
  expect(JSON.stringify(card?.blocks)).toContain(OPEN_SETTINGS)
  bot.slack.addUser(ALICE, { name: 'Alice', team_id: 'T0OTHER0001', is_admin: true })
  await bot.slack.press({ channel: GENERAL, ts: card?.ts ?? '', user: ALICE }, { action_id: OPEN_SETTINGS })
  await bot.slack.until(() => bot.slack.modal(ALICE) ?? ephemerals(bot).length > 1, 'an outcome')
  expect(bot.slack.modal(ALICE)).toBeUndefined()
})

test.for([
  ['theirs', NAMESAKE],
  ['the asker’s', { user: ALICE }],
] as const)('a private question that is %s is forgotten when its message is deleted', async ([, from], t) => {
  const bot = await startBot(t, { env: { ALLOW_EXTERNAL } })
  bot.model.on('salary', finish('It is 7.'))
  const thread = await bot.mention('private: what is the salary?', from)
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).some((word) => word.includes('It is 7.')), 'it')
  await bot.slack.until(() => bot.logs.some((line) => line.includes('question answered')), 'its end')
  await thread.delete()
  await bot.slack.until(() => bot.logs.some((line) => line.includes('a deleted question is forgotten')), 'its removal')
  bot.model.on('known', finish('Nothing.'))
  await bot.mention('private: what is known?', from)
  await bot.slack.until(() => bot.model.about('known').length > 0, 'the next')
  expect(bot.model.requests.at(-1)?.prompt).not.toContain('salary')
})
