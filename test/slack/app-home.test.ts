/** The App Home, the start of an agent's direct messages, and the channel that a person looks at. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ALICE, BOB, GENERAL, type Json } from '../../playground/slack/slack.ts'
import { HOME_EXAMPLE } from '../../src/slack/format/action-ids.ts'
import { pressesCountAsOne } from '../harness/answer-buttons.ts'
import { secondBot, startBot, Thread, type TestBot } from '../harness/bot.ts'
import { temporaryFolder } from '../harness/command.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { strangers } from '../harness/slack-hands.ts'
import { deferred } from '../harness/stores.ts'

const DM = `D${ALICE.slice(1)}`
const callsOf = ({ slack }: TestBot, name: string) => slack.calls.filter(({ method }) => method === name)

describe('the App Home', () => {
  test('says what the bot can do, with which tools, and what it cannot and why', async (t) => {
    const bot = await startBot(t)
    const shown = (await bot.openHome(strangers.admin(bot.slack))).shown()
    expect((await bot.openHome()).shown()).not.toContain('➖')
    expect(shown).toMatch(/I answer questions/)
    expect(shown).toMatch(/✅ Calculator: .+\n✅ Wikipedia: .+\n/)
    expect(shown).toContain('➖ search: needs SERPAPI_API_KEY')
    expect(shown).toContain('➖ llm_math: not among TOOLS')
    expect(shown).toMatch(/Your latest questions\nNothing yet/)
    expect(shown).not.toContain('Your limits')
    expect(shown).toMatch(
      /Settings here\nHow I show my work: Each step as a reply in the thread\n.*\nModel: played-model\n/,
    )
    expect(bot.slack.refusals).toEqual([])
  })

  test('describes how steps are shown', async (t) => {
    const bot = await startBot(t, { env: { STEPS: 'card' } })
    const shown = (await bot.openHome()).shown()
    expect(shown).toMatch(/a message in the thread shows my reasoning/)
    expect(shown).not.toMatch(/is a reply in the thread/)
  })

  test('has the person’s last questions with links to their answers, and nobody else’s', async (t) => {
    const bot = await startBot(t, { model: [finish('Yes.')] })
    const hostile = 'Is <!channel> *bold* `x` <https://evil.example/?q=1|here>?'
    const thread = await bot.mention(hostile)
    await thread.ended()
    await (await bot.mention('Bobs question?', { user: BOB })).ended()
    await bot.slack.settle()
    const shown = (await bot.openHome()).shown()
    const answer = thread.messages().at(-1)!.ts.replace('.', '')
    expect(shown).toMatch(new RegExp(`\\(http://127\\.0\\.0\\.1:\\d+/archives/${GENERAL}/p${answer}.*\\) ✓ answered`))
    expect(shown).not.toContain('Bobs question')
    expect(JSON.stringify(bot.slack.home())).not.toMatch(/<!channel>|"url":"https:\/\/evil/)
    expect(bot.slack.refusals).toEqual([])
  })

  test('shows the rest of the limits, and when they are full again', async (t) => {
    const bot = await startBot(t, {
      model: [finish('Yes.')],
      env: { LIMIT_USER_HOUR: '2', BUDGET_USER_DAY_TOKENS: '9000' },
    })
    await (await bot.mention('One?')).ended()
    await (await bot.mention('Two?')).ended()
    const shown = (await bot.openHome()).shown()
    expect(shown).toMatch(
      /Your questions per hour: 0 of 2 left; next question in (?:29|30) minutes; full again in 60 minutes/,
    )
    expect(shown).toMatch(/Your tokens per day: [\d,]+ of 9,000 left; full again in/)
  })

  test('names a broken tool, and is shown without facts that Slack does not return in time', async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'broken.js'), 'export default {}\n')
    const bot = await startBot(t, { env: { CUSTOM_TOOLS_DIR: folder } })
    const { promise, resolve } = deferred()
    bot.slack.fault({ method: 'users.info', hold: promise })
    const shown = (await bot.openHome()).shown()
    resolve()
    expect(shown).not.toMatch(/➖|Settings here/)
  })

  test('shows a guest no settings', async (t) => {
    const bot = await startBot(t)
    const shown = (await bot.openHome(strangers.guest(bot.slack))).shown()
    expect(shown).toContain('Try asking')
    expect(shown).not.toContain('Settings here')
  })

  test('shows the settings only to admins if only they may change them', async (t) => {
    const bot = await startBot(t, { env: { SETTINGS_BY: 'admins' } })
    expect((await bot.openHome(strangers.admin(bot.slack))).shown()).toContain(
      'Settings here\nHow I show my work: Each step as a reply in the thread',
    )
    const shown = (await bot.openHome()).shown()
    expect(shown).toContain('Try asking')
    expect(shown).not.toContain('Settings here')
  })

  test('asks an example in the direct message once for two quick presses, and lists it without being reopened', async (t) => {
    const bot = await startBot(t, { model: [finish('Four people.')] })
    const home = await bot.openHome()
    const question = 'Who founded Slack?'
    await pressesCountAsOne()
    await Promise.all([home.press(HOME_EXAMPLE, question), home.press(HOME_EXAMPLE, question)])
    const isRoot = ({ thread_ts, text }: { thread_ts?: string; text: string }) =>
      !thread_ts && text.includes('Who founded')
    const root = await bot.slack.until(() => bot.slack.messages(DM).find(isRoot), 'the root')
    expect(bot.slack.shown(root)).toBe(`@Alice asked:\n> ${question}`)
    const thread = new Thread(bot.slack, { ts: root.ts, thread: root.ts, channel: DM, deliveries: [] })
    expect(await thread.lastAnswer()).toBe('Four people.')
    await bot.slack.until(
      () => /Your latest questions\nWho founded Slack\? .*✓ answered/.test(home.shown()),
      'the Home again',
    )
    await bot.slack.settle()
    expect(bot.slack.messages(DM).filter(isRoot)).toHaveLength(1)
    expect(callsOf(bot, 'views.publish')).toHaveLength(2)
  })

  test('lists questions asked elsewhere while it stays open, for ten minutes', async (t) => {
    const clock = { ms: Date.now() }
    const model = [finish('Four people.'), finish('In Canada.'), finish('In 2013.')]
    const bot = await startBot(t, { now: () => new Date(clock.ms), model })
    const home = await bot.openHome()
    await (await bot.mention('Who founded Slack?')).lastAnswer()
    await bot.slack.until(() => /Your latest questions\n.*Who founded Slack\?/.test(home.shown()), 'the Home again')
    // A Home that was read before the answer is published late, and is then replaced.
    clock.ms += 60_000
    bot.slack.fault({ method: 'views.publish', delayMs: 500 })
    await Promise.all([bot.openHome(), (await bot.mention('Where was it?')).lastAnswer()])
    await bot.slack.settle(600)
    expect(home.shown()).toContain('Where was it?')
    clock.ms += 11 * 60_000
    await (await bot.mention('When was it?')).lastAnswer()
    await bot.slack.settle()
    expect(callsOf(bot, 'views.publish')).toHaveLength(4)
  })

  test('suggests the questions of EXAMPLES_FILE instead of ours, and they can be asked', async (t) => {
    const EXAMPLES_FILE = join(await temporaryFolder(t), 'examples.txt')
    await writeFile(EXAMPLES_FILE, 'Who is on call?\n\n  Where is the wiki?  \r\nThree?\nFour?\nFive?\n')
    const bot = await startBot(t, { slack: { agent: true }, env: { EXAMPLES_FILE }, model: [finish('There.')] })
    const home = await bot.openHome()
    expect(home.shown()).toMatch(/Try asking\nWho is on call\?\n[^]*\nWhere is the wiki\?\n[^]*\nFive\?\n/)
    expect(home.shown()).not.toContain('Who founded Slack?')
    await home.press(HOME_EXAMPLE, 'Where is the wiki?')
    await bot.slack.until(
      () => bot.slack.messages(DM).some(({ text }) => text.includes('Where is the wiki?')),
      'the root',
    )
    bot.slack.people.event({ type: 'app_home_opened', user: ALICE, channel: DM, tab: 'chat' })
    const prompted = () => callsOf(bot, 'assistant.threads.setSuggestedPrompts')
    await bot.slack.until(() => prompted().length > 0, 'prompts')
    expect(JSON.stringify(prompted()[0])).toMatch(/Who is on call\?.*Four\?/)
    expect(prompted()[0]).toMatchObject({ ok: true })
    expect(JSON.stringify(prompted()[0])).not.toContain('Five?')
  })

  test('is published once when it is opened repeatedly, and a refusal by Slack does no harm', async (t) => {
    const bot = await startBot(t, { model: [finish('Yes.')] })
    bot.slack.fault({ method: 'views.publish', error: 'internal_error' })
    // All at once: the Home is published again for one that opens it some seconds later.
    await Promise.all([1, 2, 3].map(() => bot.slack.people.openHome(BOB)))
    await bot.slack.until(() => callsOf(bot, 'views.publish').length > 0, 'the try')
    await bot.slack.settle()
    expect(callsOf(bot, 'views.publish')).toHaveLength(1)
    await (await bot.mention('Still there?')).ended()
  })

  test('shows news even if it is reopened within three seconds', async (t) => {
    const bot = await startBot(t, { model: [finish('Yes.')] })
    const home = await bot.openHome(BOB)
    await (await bot.mention('Is it fresh?', { user: BOB })).ended()
    await bot.slack.people.openHome(BOB)
    await bot.slack.until(() => home.shown().includes('Is it fresh?'), 'the question on the Home')
  })
})

describe('the Home of an admin', () => {
  const WRITER = `export default {
    name: 'write', description: 'Writes down.', effects: 'write', needsApproval: false, run: async () => 'written',
  }\n`

  const afterTwelveWrites = async (t: Ends) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'writer.js'), WRITER)
    const model = ({ question }: { question: string }, n: number) =>
      n % 2 === 0 ? act('I write.', 'write', `a secret ${question}`) : finish('Written.')
    const bot = await startBot(t, { env: { CUSTOM_TOOLS_DIR: folder }, model })
    for (let n = 1; n <= 12; n++) await (await bot.mention(`Write ${n}`, { user: BOB })).ended()
    // The outcome of the last question is recorded after its answer.
    await bot.slack.settle()
    return bot
  }

  test('shows the last ten writes with tool, outcome, asker, approver and time, newest first; other Homes show none, and the asker’s their last ten questions', async (t) => {
    const bot = await afterTwelveWrites(t)
    const shown = (await bot.openHome(strangers.admin(bot.slack))).shown()
    const lines = shown.split('\n').filter((line) => line.startsWith('write'))
    expect(lines).toHaveLength(10)
    for (const line of lines)
      expect(line).toMatch(/^write: done; asked by @Bob, allowed by the settings; \d{4}-\d\d-\d\dT\S+Z$/)
    expect(lines).toEqual(lines.toSorted((a, b) => when(b) - when(a)))
    expect(shown).toContain('Latest changes by tools\nwrite: done')
    expect(shown).not.toContain('a secret')
    for (const user of [BOB, strangers.guest(bot.slack), strangers.outsider(bot.slack)])
      expect((await bot.openHome(user)).shown()).not.toMatch(/What tools wrote|write: done/)
    const asked = [...(await bot.openHome(BOB)).shown().matchAll(/Write (\d+)/g)].map(([, n]) => Number(n))
    expect(asked).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
    expect(bot.slack.refusals).toEqual([])
  })

  test('says if nothing was written, and does not mention servers if there are none', async (t) => {
    const bot = await startBot(t)
    const shown = (await bot.openHome(strangers.admin(bot.slack))).shown()
    expect(shown).toContain('Latest changes by tools\nNothing yet.')
    expect(shown).not.toContain('MCP')
  })
})

/** Returns the time in a line of a Home. */
function when(line: string): number {
  return Date.parse(/\S+Z$/.exec(line)?.[0] ?? '')
}

describe('the direct message of', () => {
  const prompted = (bot: TestBot) => callsOf(bot, 'assistant.threads.setSuggestedPrompts')

  test('an agent app suggests questions when it is opened, whatever the tab is called', async (t) => {
    const bot = await startBot(t, { slack: { agent: true } })
    bot.slack.people.event({ type: 'app_home_opened', user: ALICE, channel: DM, tab: 'chat' })
    await bot.slack.until(() => prompted(bot).length > 0, 'prompts')
    expect(prompted(bot)[0]).toMatchObject({ ok: true, args: { channel_id: DM } })
    expect(callsOf(bot, 'views.publish')).toEqual([])
  })

  test('a plain app may not suggest any, which is tried once', async (t) => {
    const bot = await startBot(t)
    await bot.slack.people.openHome(ALICE, 'messages')
    await bot.slack.until(() => prompted(bot).length > 0, 'a try')
    await bot.slack.settle()
    await bot.slack.people.openHome(BOB, 'messages')
    await bot.slack.settle()
    expect(prompted(bot)).toHaveLength(1)
  })
})

/** Returns the model's prompt for a question in Alice's direct messages while she looks at something. */
async function asksWhileLookingAt(bot: TestBot, entity: Json): Promise<string> {
  const { slack } = bot
  await slack.people.lookAt([{ canvas_id: 'F1' }, entity])
  await slack.settle()
  return asks(bot)
}

async function asks(bot: TestBot): Promise<string> {
  await (await bot.dm('What is going on?')).ended()
  return bot.model.about('going on').at(-1)?.prompt ?? ''
}

describe('the channel that a person looks at beside an agent', () => {
  test.each<[string, Json]>([
    ['a channel', { channel_id: GENERAL }],
    ['a message', { message_context: { message_ts: '1.1', channel_id: GENERAL } }],
  ])('is told to the model with the next question: %s', async (_, entity) => {
    const bot = await startBot({ onTestFinished }, { slack: { agent: true }, model: [finish('Much.')] })
    expect(await asksWhileLookingAt(bot, entity)).toContain('(The asker is looking at #general.)')
    const told = await bot.mention('Elsewhere going on?')
    await told.ended()
    expect(bot.model.about('Elsewhere').at(-1)?.prompt).not.toContain('looking at')
  })

  test('is left out if its kind is unknown', async (t) => {
    const bot = await startBot(t, { slack: { agent: true }, model: [finish('Much.')] })
    expect(await asksWhileLookingAt(bot, { channel_id: 'C1> <!channel' })).not.toContain('looking at')
  })
})

describeWithRedis('with Redis', () => {
  test('is known to every process', async (t) => {
    const redis = await startRedis()
    t.onTestFinished(() => redis.stop())
    const bot = await startBot(t, { slack: { agent: true }, model: [finish('Much.')], env: { REDIS_URL: redis.url } })
    const other = await secondBot(t, bot, { REDIS_URL: redis.url })
    const deliverTo = ({ port }: { port: number }) => bot.slack.setTarget(`http://127.0.0.1:${port}/slack/events`)
    deliverTo(other)
    await bot.slack.people.lookAt([{ channel_id: GENERAL }])
    deliverTo(bot.bot)
    // It is stored after the ack, and questions do not wait for it. The next question that finds it has it.
    await expect.poll(() => asks(bot), { timeout: 60_000 }).toContain('(The asker is looking at #general.)')
  })
})
