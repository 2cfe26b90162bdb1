/** Who is told that a call waits for them: a mention on the card, or the card in their direct messages. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, TEAM } from '../../playground/slack/slack.ts'
import { approvalBot, cards, DENY, notes, ONCE, press, waitingCard } from '../harness/approvals.ts'
import type { TestBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'

const GROUP = 'S0DEVS00001'
const CAROL = 'U0CAROL0001'
const DAN = 'U0DAN000001'
const GHOST = 'U0GHOST0001'
const LEFT = 'U0LEFT00001'
const ROBOT = 'U0ROBOT0001'

/** A workspace with people who are not in #general, and one who has left. */
async function office(t: Ends, env: Record<string, string>) {
  const bot = await approvalBot(t, {}, { env })
  const add = (id: string, name: string, more = {}) =>
    bot.slack.addUser(id, { name: name.toLowerCase(), real_name: name, team_id: TEAM, ...more })
  add(CAROL, 'Carol')
  add(DAN, 'Dan')
  add(LEFT, 'Lee', { deleted: true })
  add(ROBOT, 'Robot', { is_bot: true })
  return bot
}

async function asks(bot: TestBot, title: string, user: string = ALICE) {
  notes(bot, title)
  const thread = await bot.mention(`Write down ${title}`, { user })
  const card = await waitingCard(bot, thread)
  return { thread, card, json: JSON.stringify(card.blocks), shown: bot.slack.shown(card) }
}

const directOf = (bot: TestBot, user: string) => bot.slack.messages(`D${user.slice(1)}`)
const shownTo = (bot: TestBot, user: string) => directOf(bot, user).map((message) => bot.slack.shown(message))

describe('an asker who may not decide', () => {
  test('is waiting for people: those in the channel are mentioned, others get the card, and all copies settle', async (t) => {
    const bot = await office(t, { APPROVERS: `${BOB}|${CAROL}|${DAN}|not-asker` })
    const { thread, json, shown } = await asks(bot, 'Plan')
    expect(json).toContain(`<@${BOB}>, this waits for you.`)
    expect(json).not.toContain(`<@${CAROL}>`)
    expect(shown).toContain('Carol, Dan have this in a direct message.')
    expect([directOf(bot, CAROL).length, directOf(bot, DAN).length, directOf(bot, BOB).length]).toEqual([1, 1, 0])
    const [copy] = directOf(bot, CAROL)
    expect(bot.slack.shown(copy!)).toMatch(/^🔐 @Alice's request needs approval[^]*Allow once/)
    await press(bot, { channel: `D${CAROL.slice(1)}`, ts: copy!.ts }, { action: ONCE, user: CAROL })
    expect(await thread.lastAnswer()).toContain('Noted Plan')
    await expect.poll(() => cards(thread)).toEqual([expect.stringContaining('✅ *Allowed once* by @Carol')])
    for (const user of [CAROL, DAN])
      await expect.poll(() => shownTo(bot, user)).toEqual([expect.stringContaining('by @Carol')])
    expect(JSON.stringify(directOf(bot, DAN))).not.toContain(ONCE)
    expect(bot.slack.refusals).toEqual([])
  })

  test('is decided in the channel: the copies settle too', async (t) => {
    const bot = await office(t, { APPROVERS: `${BOB}|${CAROL}|not-asker` })
    const { thread, card } = await asks(bot, 'Memo')
    await press(bot, { ...thread, ts: card.ts }, { action: DENY, user: BOB, reason: 'Not now.' })
    await thread.ended()
    await expect.poll(() => shownTo(bot, CAROL)).toEqual([expect.stringContaining('⛔ *Denied* by @Bob')])
  })

  test('has the members of a group asked, each where they are', async (t) => {
    const bot = await office(t, { APPROVERS: `${GROUP}|not-asker` })
    bot.slack.store.usergroups.set(GROUP, [BOB, DAN])
    const { json, shown } = await asks(bot, 'Group')
    expect(json).toContain(`<@${BOB}>, this waits for you.`)
    expect(shown).toContain('Can approve: the members of 1 user group')
    expect(directOf(bot, DAN)).toHaveLength(1)
  })

  test('is a bot: the approvers are asked', async (t) => {
    const bot = await office(t, { ALLOW_BOTS: ROBOT, APPROVERS: `${BOB},${CAROL}` })
    const { json } = await asks(bot, 'Report', ROBOT)
    expect(json).toContain(`<@${BOB}>, this waits for you.`)
    expect(directOf(bot, CAROL)).toHaveLength(1)
  })

  test('asks in a direct message: nobody else sees it before "Ask approvers"', async (t) => {
    const bot = await office(t, { APPROVERS: `${CAROL}|not-asker` })
    notes(bot, 'Quiet')
    const thread = await bot.dm('Write down Quiet')
    const card = await waitingCard(bot, thread)
    await bot.slack.settle()
    expect(directOf(bot, CAROL)).toEqual([])
    await press(bot, { ...thread, ts: card.ts }, { action: 'thinkaloud_ask_approvers' })
    await bot.slack.until(() => directOf(bot, CAROL).length === 1, 'the card')
    expect(shownTo(bot, CAROL)[0]).toMatch(/^🔐 @Alice's request/)
  })

  test('takes the question back: the copies are removed', async (t) => {
    const bot = await office(t, { APPROVERS: `${CAROL}|not-asker` })
    const { thread } = await asks(bot, 'Gone')
    expect(directOf(bot, CAROL)).toHaveLength(1)
    await thread.delete()
    await expect.poll(() => directOf(bot, CAROL)).toEqual([])
  })
})

test('an asker who may decide pings nobody, whether by default or by name', async (t) => {
  for (const APPROVERS of [`${BOB},${CAROL}`, `${ALICE}|${BOB}|${CAROL}|not-asker`, `${GROUP}|not-asker`]) {
    const bot = await office(t, { APPROVERS })
    bot.slack.store.usergroups.set(GROUP, [ALICE, BOB, CAROL])
    const { json, shown } = await asks(bot, 'Own')
    expect([json.includes(`<@${BOB}>`), json.includes('this waits for'), directOf(bot, CAROL).length]).toEqual([
      false,
      false,
      0,
    ])
    expect(shown).toContain('Can approve: Alice')
  }
})

test.for([
  { APPROVERS: `${GHOST}|not-asker`, what: 'people who do not exist' },
  { APPROVERS: `${LEFT}|S0NOGROUP01|not-asker`, what: 'somebody who has left, and no group' },
  { APPROVERS: `${GROUP}|not-asker`, what: 'a group without members' },
])('a card that nobody can press says so: $what', async ({ APPROVERS }, t) => {
  const bot = await office(t, { APPROVERS })
  bot.slack.store.usergroups.set(GROUP, [])
  const { shown } = await asks(bot, 'Nobody')
  expect(shown).toMatch(/Nobody can approve this: the people in APPROVERS do not exist here or have left\./)
  notes(bot, 'Alone')
  await bot.slack.slash('private: Write down Alone')
  const alone = () => bot.slack.ephemerals(GENERAL, ALICE).find((text) => text.startsWith('🔐'))
  expect(await bot.slack.until(alone, 'the private card')).toMatch(/Nobody can approve this: the people/)
})

test('the start names ids that do not exist', async (t) => {
  const bot = await office(t, { APPROVERS: `${BOB}|${GHOST}|S0NOGROUP01`, ALLOW_USERS: `${ALICE},U0ALLOW0001` })
  const found = () => bot.logs.join('').match(/(?:APPROVERS|ALLOW_USERS) names \w+/g) ?? []
  await expect
    .poll(() => found().toSorted())
    .toEqual([`ALLOW_USERS names U0ALLOW0001`, `APPROVERS names S0NOGROUP01`, `APPROVERS names ${GHOST}`])
})

test('one who exists is enough, and one who cannot be reached is not named as asked', async (t) => {
  const bot = await office(t, { APPROVERS: `${GHOST}|${CAROL}|${DAN}|not-asker` })
  const isDan = ({ channel }: { channel?: unknown }) => channel === DAN
  bot.slack.fault({ method: 'chat.postMessage', error: 'cannot_dm_bot', where: isDan, times: 9 })
  const { shown } = await asks(bot, 'Half')
  expect(shown).toContain('Carol has this in a direct message.')
  expect(shown).toContain('Can approve: Carol, Dan')
  expect(shown).not.toContain('somebody')
})

test('a copy works for the one who got it alone', async (t) => {
  const bot = await office(t, { APPROVERS: `${CAROL}|${DAN}|not-asker` })
  const { thread } = await asks(bot, 'Copy')
  const [copy] = directOf(bot, CAROL)
  const channel = bot.slack.store.channel(`D${ALICE.slice(1)}`)
  const elsewhere = bot.slack.store.post(channel, { user: copy!.user!, text: '', blocks: copy!.blocks ?? [] })
  await press(bot, { channel: channel.id, ts: elsewhere.ts }, { action: ONCE, user: ALICE })
  await bot.slack.until(() => bot.slack.ephemerals(channel.id, ALICE).length > 0, 'a word')
  expect(cards(thread)[0]).toMatch(/^🔐/)
})
