/** The facts about an asker: their workspace, how long the facts are valid, and how long a question waits for them. */
import { describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { ALICE, BOB, BOT_USER, GENERAL, TEAM } from '../../playground/slack/slack.ts'
import { Directory } from '../../src/slack/client/directory.ts'
import { SlackWeb } from '../../src/slack/client/web-api.ts'
import { startBot } from '../harness/bot.ts'
import { localSlack } from '../harness/local-slack.ts'
import { finish } from '../harness/played-model.ts'
import { strangers } from '../harness/slack-hands.ts'
import { deferred } from '../harness/stores.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function directoryOf({ enterprise, now = Date.now }: { enterprise?: string; now?: () => number } = {}) {
  const slack = await localSlack()
  const log = createLog('silent')
  const web = new SlackWeb({ now: Date.now, log, token: slack.botToken, apiUrl: slack.apiUrl })
  return { slack, directory: new Directory(web, log, now, enterprise) }
}

/** Slack's facts on people in organisations, which the local Slack does not simulate. */
const inOrganisation = (enterprise_user: object) => ({ team_id: 'T0OTHER', ...{ enterprise_user } })

describe('the facts of a person', () => {
  test.each([
    ['of another workspace of the same organisation', { enterprise_id: 'E0OURS', teams: ['T0OTHER'] }, false],
    ['of another organisation', { enterprise_id: 'E0THEIRS', teams: ['T0OTHER'] }, true],
    ['of another organisation, who is a member here too', { enterprise_id: 'E0THEIRS', teams: [TEAM] }, false],
    ['of no organisation', {}, true],
  ])('%s', async (_, enterprise_user, isExternal) => {
    const { slack, directory } = await directoryOf({ enterprise: 'E0OURS' })
    slack.addUser(BOB, inOrganisation(enterprise_user))
    expect(await directory.factsOf(TEAM, BOB)).toMatchObject({ isExternal })
  })

  test('mark members of organisations as external for a bot outside any organisation', async () => {
    const { slack, directory } = await directoryOf()
    slack.addUser(BOB, inOrganisation({ enterprise_id: 'E0OURS', teams: ['T0OTHER'] }))
    expect(await directory.factsOf(TEAM, BOB)).toMatchObject({ isExternal: true })
  })

  test('that are 50 minutes old are loaded again, and stay valid for a day if Slack is slow or down', async () => {
    let now = 1_000_000
    const { slack, directory } = await directoryOf({ now: () => now })
    expect(await directory.factsOf(TEAM, BOB)).toMatchObject({ isGuest: false })
    slack.addUser(BOB, { is_restricted: true })
    now += 50 * MINUTE - 1
    expect(await directory.factsOf(TEAM, BOB)).toMatchObject({ isGuest: false })
    now += 1
    const gate = deferred()
    slack.fault({ method: 'users.info', hold: gate.promise })
    expect(await directory.factsOf(TEAM, BOB)).toMatchObject({ isGuest: false })
    gate.resolve()
    await expect.poll(() => directory.knownFacts(TEAM, BOB)).toMatchObject({ isGuest: true })
    now += 2 * HOUR
    slack.fault({ method: 'users.info', status: 500, times: 20 })
    expect(await directory.factsOf(TEAM, BOB)).toMatchObject({ isGuest: true })
    now += 24 * HOUR
    expect(await directory.factsOf(TEAM, BOB)).toBe('unreachable')
  })
})

describe('while Slack is slow to say who asks', () => {
  test('the asker sees a sign of life, and then the answer', async (t) => {
    const bot = await startBot(t, { model: [finish('Here.')] })
    const gate = deferred()
    bot.slack.fault({ method: 'users.info', hold: gate.promise })
    const thread = await bot.mention('Anybody?')
    await bot.slack.until(() => thread.status() !== '', 'a status')
    expect(bot.model.requests).toEqual([])
    gate.resolve()
    expect(await thread.lastAnswer()).toBe('Here.')
    expect(
      bot.slack.calls.filter(({ method, args }) => method === 'assistant.threads.setStatus' && args['status']),
    ).toHaveLength(1)
  })

  test('a person who may not ask sees no sign of life after the refusal', async (t) => {
    const bot = await startBot(t, { model: [] })
    const guest = strangers.guest(bot.slack)
    const gate = deferred()
    bot.slack.fault({ method: 'users.info', hold: gate.promise })
    const thread = await bot.mention('Anybody?', { user: guest })
    await bot.slack.until(() => thread.status() !== '', 'a status')
    gate.resolve()
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, guest)[0], 'the reason')
    await bot.slack.until(() => thread.isAtRest(), 'no sign of life')
  })

  test('nobody waits for long', async (t) => {
    const bot = await startBot(t, { model: [] })
    bot.slack.fault({ method: 'users.info', hold: new Promise(() => {}), times: 9 })
    const thread = await bot.mention('Anybody?')
    const told = await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE)[0], 'the reason')
    expect(told).toMatch(/just now.*in a minute/)
    await bot.slack.until(() => thread.isAtRest(), 'no sign of life')
  })
})

describe('if the app may not look people up', () => {
  test('a person whose message names another workspace is treated as an outsider', async (t) => {
    const bot = await startBot(t, { model: [] })
    const outsider = strangers.outsider(bot.slack)
    bot.slack.fault({ method: 'users.info', error: 'missing_scope', times: 9 })
    await bot.mention('Anybody?', { user: outsider })
    const told = await bot.slack.until(() => bot.slack.ephemerals(GENERAL, outsider)[0], 'the reason')
    expect(told).toMatch(/only take questions from people in my own workspace/)
  })
})

test('an old-style bot message without a user is answered if its bot is allowed', async (t) => {
  const bot = await startBot(t, { env: { ALLOW_BOTS: 'B0OLDKIND01' }, model: [finish('Here.')] })
  const extra = { user: undefined, subtype: 'bot_message', bot_id: 'B0OLDKIND01', username: 'Old' }
  expect(await (await bot.mention('Anybody?', { extra })).lastAnswer()).toBe('Here.')
})

test('in a thread with only refused questions members’ messages are not follow-ups', async (t) => {
  const bot = await startBot(t, { model: [finish('Here.')] })
  const guest = strangers.guest(bot.slack)
  const thread = await bot.mention('Anybody?', { user: guest })
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, guest)[0], 'the reason')
  await bot.slack.settle(300)
  await bot.slack.say({ text: 'I can help you.', user: BOB, thread_ts: thread.ts })
  await bot.slack.settle(150)
  expect([bot.model.requests, thread.shown()]).toEqual([[], []])
  await bot.slack.say({ text: `<@${BOT_USER}> Anybody?`, user: BOB, thread_ts: thread.ts })
  expect(await thread.lastAnswer()).toBe('Here.')
})
