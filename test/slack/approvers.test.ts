/** Only the asker, and the people in APPROVERS, may allow a call. */
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { ALICE, BOB, GENERAL } from '../../playground/slack/slack.ts'
import { approversOf } from '../../src/slack/approvals/approvers.ts'
import { approvalBot, cards, DENY, notes, ONCE, press, waitingCard } from '../harness/approvals.ts'
import { strangers } from '../harness/slack-hands.ts'
import { standStill } from '../harness/stand-still.ts'
import { deferred } from '../harness/stores.ts'
import type { Ends } from '../harness/ends.ts'

const GROUP = 'S0DEVS00001'
const NOT_YOURS = 'You cannot approve this. The card says who can.'

/** Asks a question with a call that waits. Returns its card. */
async function waits(t: Ends, env: Record<string, string>, slack: { scopes?: string[] } = {}) {
  const bot = await approvalBot(t, {}, { env, slack })
  const ask = async (user: string = ALICE) => {
    notes(bot, 'Plan')
    const thread = await bot.mention('Write down Plan', { user })
    const card = await waitingCard(bot, thread)
    const pressed = (who: string, action = ONCE) => press(bot, { ...thread, ts: card.ts }, { action, user: who })
    const told = (who: string) => bot.slack.until(() => bot.slack.ephemerals(GENERAL, who).at(-1), `a word to ${who}`)
    return { bot, thread, card: bot.slack.shown(card), pressed, told }
  }
  return { bot, ask }
}

describe('who may press', () => {
  test('is the asker; other people get a refusal, and so do people of connected workspaces', async (t) => {
    const { bot, ask } = await waits(t, {})
    const { card, thread, pressed, told } = await ask()
    expect(card).toContain('Can approve: Alice')
    await pressed(BOB)
    expect(await told(BOB)).toBe(NOT_YOURS)
    const outsider = strangers.outsider(bot.slack)
    await pressed(outsider, DENY)
    expect(await told(outsider)).toBe(NOT_YOURS)
    expect(cards(thread)[0]).toMatch(/^🔐/)
    await pressed(ALICE)
    expect(await thread.lastAnswer()).toContain('Noted Plan')
  })

  test('are the people of APPROVERS, without the asker if it says so', async (t) => {
    const { ask } = await waits(t, { APPROVERS: `other=${ALICE},note*=${BOB}|not-asker` })
    const { card, thread, pressed, told } = await ask()
    expect(card).toContain('Can approve: Bob')
    await pressed(ALICE)
    expect(await told(ALICE)).toBe(NOT_YOURS)
    await pressed(BOB)
    expect(await thread.lastAnswer()).toContain('Noted Plan')
    await expect.poll(() => cards(thread)[0]).toContain('by @Bob')
  })

  test('are the members of a user group, which is loaded from time to time', async (t) => {
    const { bot, ask } = await waits(t, { APPROVERS: GROUP })
    bot.slack.store.usergroups.set(GROUP, [BOB])
    for (let i = 0; i < 2; i++) {
      const { card, thread, pressed } = await ask()
      expect(card).toContain('Can approve: Alice, the members of 1 user group')
      await pressed(BOB)
      expect(await thread.lastAnswer()).toContain('Noted Plan')
    }
    expect(bot.slack.calls.filter(({ method }) => method === 'usergroups.users.list')).toHaveLength(1)
  })

  test('is unknown without the scope for user groups: the presser reads what to do', async (t) => {
    const scopes = ['chat:write', 'users:read', 'channels:history', 'reactions:write']
    const { bot, ask } = await waits(t, { APPROVERS: GROUP }, { scopes })
    bot.slack.store.usergroups.set(GROUP, [BOB])
    const { thread, pressed, told } = await ask()
    await pressed(BOB)
    expect(await told(BOB)).toMatch(/^I cannot see who is in the user group .* usergroups:read/)
    bot.slack.clearFaults()
    await pressed(ALICE)
    expect(await thread.lastAnswer()).toContain('Noted Plan')
  })

  test('is unknown if Slack does not answer: the presser may press again', async (t) => {
    const { bot, ask } = await waits(t, { APPROVERS: GROUP })
    bot.slack.store.usergroups.set(GROUP, [BOB])
    const { thread, pressed, told } = await ask()
    bot.slack.fault({ method: 'usergroups.users.list', delayMs: 60_000 })
    expect((await pressed(BOB)).ok).toBe(true)
    expect(await told(BOB)).toMatch(/Please press again\.$/)
    bot.slack.clearFaults()
    await pressed(BOB)
    expect(await thread.lastAnswer()).toContain('Noted Plan')
  })

  test('is acked even if the process pauses for longer than Slack waits', async (t) => {
    const { bot, ask } = await waits(t, { APPROVERS: GROUP })
    bot.slack.store.usergroups.set(GROUP, [BOB])
    const { thread, pressed } = await ask()
    const isAsked = () => bot.slack.calls.some(({ method }) => method === 'usergroups.users.list')
    const gate = deferred()
    bot.slack.fault({ method: 'usergroups.users.list', hold: gate.promise })
    const press = pressed(BOB)
    await bot.slack.until(isAsked, 'the question who is in the group')
    standStill(3_200)
    gate.resolve()
    expect(await press).toMatchObject({ status: 200 })
    expect(await thread.lastAnswer()).toContain('Noted Plan')
    expect(bot.logs.join()).not.toContain('could not be stored')
  })

  test('for a bot’s question are only the people of APPROVERS', async (t) => {
    const bots = await approvalBot(t, {}, { env: { ALLOW_BOTS: 'U0ROBOT0001', APPROVERS: BOB } })
    bots.slack.addUser('U0ROBOT0001', { name: 'robot', real_name: 'Robot', is_bot: true })
    notes(bots, 'Report')
    const thread = await bots.mention('Write down Report', { user: 'U0ROBOT0001' })
    const card = await waitingCard(bots, thread)
    expect(bots.slack.shown(card)).toMatch(/^🔐 A bot's request needs approval[^]*Can approve: Bob$/m)
    await press(bots, { ...thread, ts: card.ts }, { action: ONCE, user: ALICE })
    await bots.slack.until(() => thread.ephemerals().includes(NOT_YOURS), 'a word')
    await press(bots, { ...thread, ts: card.ts }, { action: ONCE, user: BOB })
    await bots.slack.until(() => cards(thread)[0]?.startsWith('✅'), 'the decided card')
  })

  test('for a bot’s question is nobody without APPROVERS, and the card says so', async (t) => {
    const bot = await approvalBot(t, {}, { env: { ALLOW_BOTS: 'U0ROBOT0001' } })
    bot.slack.addUser('U0ROBOT0001', { name: 'robot', real_name: 'Robot', is_bot: true })
    notes(bot, 'Report')
    const card = await waitingCard(bot, await bot.mention('Write down Report', { user: 'U0ROBOT0001' }))
    expect(bot.slack.shown(card)).toContain(
      'Nobody can approve this. The person who runs me needs to name somebody in APPROVERS.',
    )
  })
})

test('APPROVERS: lists for everything, a server, a tool and a tool’s prefix add up', () => {
  const env = {
    OPENAI_API_KEY: 'k',
    APPROVERS: 'U0AAAAAAAA, S0BBBBBBBB,gh=U0CCCCCCCC|not-asker,gh__read=W0DDDDDDDD,files__*=U0AAAAAAAA',
  }
  const { APPROVERS } = loadConfig(env)
  const question = { kind: 'asked' as const, team: 'T1', user: 'U0ASKER000' }
  const of = (tool: string, server?: string) => approversOf({ question, tool, server }, APPROVERS)
  const all = ['U0AAAAAAAA', 'S0BBBBBBBB']
  expect(of('calculator')).toEqual({ ids: all, asker: 'U0ASKER000' })
  expect(of('gh__push', 'gh')).toEqual({ ids: [...all, 'U0CCCCCCCC'] })
  expect(of('gh__read', 'gh')).toEqual({ ids: [...all, 'U0CCCCCCCC', 'W0DDDDDDDD'] })
  expect(of('gh__read')).toEqual({ ids: [...all, 'W0DDDDDDDD'], asker: 'U0ASKER000' })
  expect(of('files__write', 'files')).toEqual({ ids: all, asker: 'U0ASKER000' })
  expect(approversOf({ question: { ...question, kind: 'bot' }, tool: 'x' }, APPROVERS)).toEqual({ ids: all })
})
