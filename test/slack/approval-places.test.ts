/**
 * The place of a card: with each display, in direct messages, as an ephemeral message, and in the forms that a Slack
 * accepts.
 */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, type Json } from '../../playground/slack/slack.ts'
import { STEPS } from '../../src/config.ts'
import { ALWAYS, approvalBot, cards, DENY, note, notes, ONCE, press, waitingCard } from '../harness/approvals.ts'
import type { TestBot } from '../harness/bot.ts'

const WAYS = [
  ...STEPS.map((steps) => ({ STEPS: steps, how: steps === 'replies' ? 'ask' : 'mention' }) as const),
  { STEPS: 'stream', how: 'dm' },
] as const

describe('a card in a thread', () => {
  test.for(WAYS)('is a separate message with STEPS=$STEPS, for a question by $how', async (way, t) => {
    const bot = await approvalBot(t, {}, { env: { STEPS: way.STEPS } })
    notes(bot, 'Ways')
    const thread = await bot[way.how]('Write down Ways')
    const card = await waitingCard(bot, thread)
    await bot.slack.until(() => thread.isAtRest(), 'the end of the sign of life')
    await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
    expect(await thread.lastAnswer()).toMatch(/It said: Noted Ways \(9 characters\), written \d times\./)
    await expect.poll(() => cards(thread)).toEqual([expect.stringContaining('✅ *Allowed once* by @Alice')])
    expect(bot.slack.refusals).toEqual([])
  })

  test('suspends an agent’s session', async (t) => {
    const bot = await approvalBot(t, {}, { slack: { agent: true } })
    notes(bot, 'Session')
    const thread = await bot.mention('Write down Session')
    const card = await waitingCard(bot, thread)
    await bot.slack.until(() => thread.session()?.status === 'suspended', 'a suspended session')
    await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
    await thread.ended()
    await bot.slack.until(() => thread.session()?.status === 'active', 'an active session')
  })

  test('is posted once for each call, and each call is decided separately', async (t) => {
    const bot = await approvalBot(t, {}, { env: { AGENT_DIALECT: 'native' } })
    const call = (title: string) => ({ name: 'notebook', arguments: JSON.stringify({ title, text: 'x' }) })
    bot.model.on('Both', { toolCalls: [call('One'), call('Two')] }, { text: 'Done with both.' })
    const thread = await bot.mention('Write down Both')
    await bot.slack.until(() => cards(thread).length === 2, 'two cards')
    const [one, two] = thread.messages().filter((message) => bot.slack.shown(message).startsWith('🔐'))
    await press(bot, { ...thread, ts: two!.ts }, { action: DENY, reason: 'One is enough.' })
    await bot.slack.until(() => cards(thread)[1]?.startsWith('⛔'), 'the denied one')
    await bot.slack.settle()
    expect(cards(thread)[0]).toMatch(/^🔐/)
    await press(bot, { ...thread, ts: one!.ts }, { action: ONCE })
    expect(await thread.lastAnswer()).toContain('Done with both.')
    await expect.poll(() => cards(thread).map((text) => text.slice(0, 1))).toEqual(['✅', '⛔'])
    const prompt = JSON.stringify(bot.model.about('Both').at(-1)?.body.messages)
    expect(prompt).toMatch(/Noted One .*One is enough\./)
    expect(prompt).not.toContain('Noted Two')
  })

  test('is decided separately, even if another card’s press allows the tool always', async (t) => {
    const bot = await approvalBot(t, {}, { env: { AGENT_DIALECT: 'native' } })
    const call = (title: string) => ({ name: 'notebook', arguments: JSON.stringify({ title, text: 'x' }) })
    bot.model.on(
      'Always',
      { toolCalls: [call('A1'), call('A2')] },
      { toolCalls: [call('A3')] },
      { text: 'Done with all.' },
    )
    const thread = await bot.mention('Write down Always')
    await bot.slack.until(() => cards(thread).length === 2, 'two cards')
    const [one, two] = thread.messages().filter((message) => bot.slack.shown(message).startsWith('🔐'))
    await press(bot, { ...thread, ts: one!.ts }, { action: ALWAYS })
    await bot.slack.until(() => thread.shown().join().includes('Noted A1'), 'the first note')
    await expect.poll(() => cards(thread).map((text) => text.slice(0, 2))).toEqual(['✅ ', '🔐'])
    await bot.slack.settle()
    expect(cards(thread).map((text) => text.slice(0, 2))).toEqual(['✅ ', '🔐'])
    await press(bot, { ...thread, ts: two!.ts }, { action: ONCE })
    expect(await thread.lastAnswer()).toContain('Done with all.')
    await expect.poll(() => cards(thread).map((text) => text.slice(0, 1))).toEqual(['✅', '✅'])
    expect(thread.shown().join()).toMatch(/Noted A2 .*Noted A3 /s)
  })

  test('has simpler forms if Slack does not accept inputs, or rich text', async (t) => {
    const bot = await approvalBot(t, {}, { slack: { refusedBlocks: ['input', 'rich_text'] } })
    notes(bot, 'Simple')
    const thread = await bot.mention('Write down Simple')
    const card = await waitingCard(bot, thread)
    expect(bot.slack.shown(card)).toContain('"title": "Simple"')
    await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
    expect(await thread.lastAnswer()).toContain('Noted Simple')
    await bot.slack.until(() => cards(thread)[0]?.startsWith('✅'), 'the decided card')
  })

  test('is replaced by an update if the response_url fails, and by the worker', async (t) => {
    const bot = await approvalBot(t, {})
    notes(bot, 'Fallback')
    const thread = await bot.mention('Write down Fallback')
    const card = await waitingCard(bot, thread)
    bot.slack.fault({ method: 'response_url', error: 'expired_url', status: 404, times: 9 })
    await press(bot, { ...thread, ts: card.ts }, { action: DENY })
    await thread.ended()
    await bot.slack.until(() => cards(thread)[0]?.includes('⛔ *Denied* by @Alice'), 'the decided card')
    const updates = () => bot.slack.calls.filter(({ method, ok }) => method === 'chat.update' && ok).length
    await bot.slack.until(() => updates() > 1, 'both updates')
  })

  test('that Slack refuses ends the run, with a message to the asker', async (t) => {
    const bot = await approvalBot(t, {})
    notes(bot, 'Refused')
    const isCard = ({ text }: Json) => String(text).startsWith('🔐')
    bot.slack.fault({ method: 'chat.postMessage', error: 'restricted_action', where: isCard, times: 9 })
    const thread = await bot.mention('Write down Refused')
    await bot.slack.until(() => thread.ephemerals().length > 0, 'a word')
    expect(thread.ephemerals()[0]).toMatch(/Reference: [0-9a-f]{8}/)
    expect(bot.model.about('Refused').at(-1)?.prompt).not.toContain('Noted')
  })
})

describe('the card of a private question', () => {
  const posted = ({ slack }: TestBot) => slack.messages(GENERAL).filter(({ user }) => user === BOT_USER)
  const card = ({ slack }: TestBot) =>
    slack.store
      .channel(GENERAL)
      .ephemerals.findLast((one) => one.user === ALICE && JSON.stringify(one.blocks).includes(ONCE))

  test('is seen and pressed only by the asker, and nothing is posted', async (t) => {
    const bot = await approvalBot(t, {})
    notes(bot, 'Secret', note('Secrecy'))
    await bot.slack.slash('private: Write down Secret')
    const { ts, thread_ts } = await bot.slack.until(() => card(bot), 'the card')
    expect(thread_ts).toBeUndefined()
    expect(bot.slack.ephemerals(GENERAL, ALICE).join('\n')).toContain('Only you can approve.')
    await press(bot, { channel: GENERAL, ts }, { action: ALWAYS })
    const words = () => bot.slack.ephemerals(GENERAL, ALICE).join('\n')
    await bot.slack.until(() => /It said: Noted Secrecy/.test(words()), 'the answer')
    await bot.slack.until(
      () => words().includes('✅ *Always allowed in this conversation* by @Alice'),
      'the decided card',
    )
    expect(card(bot)).toBeUndefined()
    expect([posted(bot), bot.slack.ephemerals(GENERAL, BOB), bot.slack.refusals]).toEqual([[], [], []])
  })

  test('goes to the people of APPROVERS when its asker sends it to them', async (t) => {
    const bot = await approvalBot(t, {}, { env: { APPROVERS: `${BOB}|not-asker` } })
    notes(bot, 'Secret', note('Secrecy'))
    await bot.slack.slash('private: Write down Secret')
    const { ts } = await bot.slack.until(() => card(bot), 'the card')
    await press(bot, { channel: GENERAL, ts }, { action: 'thinkaloud_ask_approvers' })
    const sent = await bot.slack.until(() => bot.slack.messages(`D${BOB.slice(1)}`).at(-1), 'the card for Bob')
    await press(bot, { channel: `D${BOB.slice(1)}`, ts: sent.ts }, { action: DENY, user: BOB, reason: 'Not now.' })
    await bot.slack.until(() => bot.model.about('Secret').at(-1)?.prompt.includes('Not now.'), 'the reason')
    expect([posted(bot), bot.slack.ephemerals(GENERAL, BOB)]).toEqual([[], []])
  })

  test('cannot be pressed in another person’s copy', async (t) => {
    const bot = await approvalBot(t, {}, { env: { APPROVERS: BOB } })
    notes(bot, 'Hidden')
    await bot.slack.slash('private: Write down Hidden')
    const { blocks = [] } = await bot.slack.until(() => card(bot), 'the card')
    const copy = bot.slack.store.sendEphemeral(bot.slack.store.channel(GENERAL), { user: BOB, text: '', blocks })
    await press(bot, { channel: GENERAL, ts: copy.ts }, { action: ONCE, user: BOB })
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, BOB).length > 1, 'a word to Bob')
    expect(bot.slack.ephemerals(GENERAL, BOB).at(-1)).toMatch(/^This button only works in the channel of its answer/)
    expect(bot.model.about('Hidden')).toHaveLength(1)
  })

  test('is in the direct messages if the channel accepts none, and can be pressed there', async (t) => {
    const bot = await approvalBot(t, {})
    notes(bot, 'Elsewhere')
    bot.slack.fault({ method: 'response_url', error: 'expired_url', status: 404, times: 99 })
    bot.slack.fault({ method: 'chat.postEphemeral', error: 'user_not_in_channel', times: 99 })
    await bot.slack.slash('private: Write down Elsewhere')
    const channel = `D${ALICE.slice(1)}`
    const inDirect = () => bot.slack.messages(channel).find(({ blocks }) => JSON.stringify(blocks).includes(ONCE))
    const { ts } = await bot.slack.until(inDirect, 'the card')
    await press(bot, { channel, ts }, { action: ONCE })
    const said = () =>
      bot.slack
        .messages(channel)
        .map((message) => bot.slack.shown(message))
        .join('\n')
    await bot.slack.until(() => said().includes('It said: Noted Elsewhere'), 'the answer')
    await bot.slack.until(() => said().includes('✅ *Allowed once* by @Alice'), 'the decided card')
  })
})

test('a copy of a card in another channel is refused', async (t) => {
  const bot = await approvalBot(t, {})
  notes(bot, 'Moved')
  const thread = await bot.mention('Write down Moved')
  const { blocks = [] } = await waitingCard(bot, thread)
  for (const channel of ['C0RANDOM001', `D${ALICE.slice(1)}`]) {
    const copy = bot.slack.store.post(bot.slack.store.channel(channel), { user: BOT_USER, text: '', blocks })
    await press(bot, { channel, ts: copy.ts }, { action: ONCE })
    await bot.slack.until(() => bot.slack.ephemerals(channel, ALICE).length > 0, 'a word')
  }
  expect(cards(thread)[0]).toMatch(/^🔐/)
})
