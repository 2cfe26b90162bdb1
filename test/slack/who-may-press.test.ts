/** Buttons and forms work for the people they were made for, and not for people who may no longer ask. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, TEAM } from '../../playground/slack/slack.ts'
import { HOME_EXAMPLE, SHOW_WORK, WORK_NEXT } from '../../src/slack/format/action-ids.ts'
import { EXAMPLES } from '../../src/slack/views/home.ts'
import { approvalBot, cards, notes, ONCE, press, waitingCard } from '../harness/approvals.ts'
import { questionId } from '../harness/answer-buttons.ts'
import { secondBot, startBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import type { ViewInHand } from '../harness/slack-hands.ts'
import { atSecondThought } from '../harness/steered-bot.ts'

const NOT_YOURS = 'You cannot approve this. The card says who can.'
const DM = (user: string) => `D${user.slice(1)}`

/** Replaces the text of the view's metadata behind its signature. */
function forge(form: ViewInHand, change: (text: string) => string): void {
  const view = form.view()
  const [signature, ...text] = String(view['private_metadata']).split('.')
  const forged = change(text.join('.'))
  expect(forged).not.toBe(text.join('.'))
  Object.assign(view, { private_metadata: `${signature}.${forged}` })
}

test('a press by somebody with the asker’s id in another workspace decides nothing', async (t) => {
  const bot = await approvalBot(t, {}, { env: { ALLOW_EXTERNAL: 'true' } })
  notes(bot, 'Plan')
  const thread = await bot.mention('Write down Plan')
  const card = await waitingCard(bot, thread)
  bot.slack.addUser(ALICE, { team_id: 'T0OTHER0001', is_stranger: true })
  await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).includes(NOT_YOURS), 'a word')
  expect(cards(thread)[0]).toMatch(/^🔐/)
  bot.slack.addUser(ALICE, { team_id: TEAM, is_stranger: false })
  await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
  expect(await thread.lastAnswer()).toContain('Noted Plan')
})

test('a press by somebody with an approver’s id in another workspace decides nothing', async (t) => {
  const bot = await approvalBot(t, {}, { env: { APPROVERS: BOB } })
  notes(bot, 'Budget')
  const thread = await bot.mention('Write down Budget')
  const card = await waitingCard(bot, thread)
  bot.slack.addUser(BOB, { team_id: 'T0OTHER0001', is_stranger: true })
  await press(bot, { ...thread, ts: card.ts }, { action: ONCE, user: BOB })
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, BOB).includes(NOT_YOURS), 'a word')
  expect(cards(thread)[0]).toMatch(/^🔐/)
})

describeWithRedis('a person removed from ALLOW_USERS', () => {
  const redis = suiteRedis()
  let count = 0

  /** Starts a bot that Alice may ask, with a function that replaces it by one that she may not ask. */
  async function start(t: Ends) {
    const env = { REDIS_URL: redis.url, REDIS_PREFIX: `press${count++}`, SHUTDOWN_MS: '300' }
    const bot = await approvalBot(t, {}, { env: { ...env, ALLOW_USERS: `${ALICE},${BOB}`, SETTINGS_BY: 'members' } })
    const remove = async () => {
      const front = { ...env, ALLOW_USERS: BOB, ROLE: 'front', CUSTOM_TOOLS_DIR: 'test/fixtures/approval-tools' }
      const { port } = await secondBot(t, bot, front)
      bot.slack.setTarget(`http://127.0.0.1:${port}/slack/events`)
    }
    return { bot, remove }
  }

  test('cannot allow their own earlier call', async (t) => {
    const { bot, remove } = await start(t)
    notes(bot, 'Gone')
    const thread = await bot.mention('Write down Gone')
    const card = await waitingCard(bot, thread)
    await remove()
    await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).includes(NOT_YOURS), 'a word')
    expect(cards(thread)[0]).toMatch(/^🔐/)
  })

  test('cannot stop another person’s question', async (t) => {
    const { bot, remove } = await start(t)
    await bot.slack.slash('settings', { channel: GENERAL, user: BOB })
    await (await bot.modal(BOB)).submit({ who_may_stop: 'anyone' })
    const thread = await atSecondThought(bot, 'bobs', () => bot.mention('What is bobs?', { user: BOB }))
    await remove()
    await thread.react('x', { ts: thread.ts, user: ALICE })
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length > 0, 'a word')
    expect(bot.slack.ephemerals(GENERAL, ALICE).at(-1)).toContain('Only the person who asked can stop')
    expect(thread.endings()).toEqual([])
  })
})

describe('a form or a page with metadata that was not made for it', () => {
  test('changes no settings of another person’s direct message', async (t) => {
    const bot = await startBot(t)
    await bot.slack.slash('settings', { channel: DM(BOB), user: BOB })
    const form = await bot.modal(BOB)
    forge(form, (text) => text.replaceAll(DM(BOB), DM(ALICE)))
    await form.submit({ steps: 'hidden' })
    bot.model.on('', act('Add.', 'calculator', '1+1'), finish('2'))
    const thread = await bot.dm('One and one?', { user: ALICE })
    await thread.ended()
    expect(thread.steps()).toHaveLength(1)
  })

  test('asks nothing in another person’s direct message', async (t) => {
    const bot = await startBot(t)
    const home = await bot.openHome(BOB)
    forge(home, (text) => text.replaceAll(DM(BOB), DM(ALICE)))
    await home.press(HOME_EXAMPLE, EXAMPLES[0])
    await bot.slack.settle()
    expect(bot.slack.messages(DM(ALICE))).toEqual([])
    expect(bot.model.requests).toEqual([])
  })

  test('shows nothing of another answer’s work', async (t) => {
    const bot = await startBot(t)
    const steps = Array.from({ length: 9 }, (_, n) => act('A long thought. '.repeat(400), 'calculator', `${n}+1`))
    bot.model.on('long', ...steps, finish('Nine.'))
    bot.model.on('hidden', finish('A hidden word.'))
    const hidden = await bot.mention('What is hidden?')
    await hidden.ended()
    const thread = await bot.mention('How long?')
    await thread.ended()
    await thread.press(SHOW_WORK)
    const modal = await bot.modal()
    await bot.slack.until(() => modal.shown().includes('A long thought'), 'the work')
    forge(modal, () => questionId(hidden))
    await modal.press(WORK_NEXT)
    await bot.slack.settle()
    expect(modal.shown()).not.toContain('hidden')
  })
})
