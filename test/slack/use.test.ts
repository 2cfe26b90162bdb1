/** Use and cost: the Home's *Use* and *Could not answer*, the command, and the notices about a budget. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, RANDOM, TEAM } from '../../playground/slack/slack.ts'
import { FEEDBACK, HOME_WORK } from '../../src/slack/format/action-ids.ts'
import { createAuditLog } from '../../src/stores/audit/audit-log.ts'
import { secondBot, startBot, type TestBot } from '../harness/bot.ts'
import { runCommand, runHere, temporaryFolder } from '../harness/command.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { strangers } from '../harness/slack-hands.ts'
import { eventually } from '../harness/stores.ts'
import { redisKv } from '../../src/stores/kv/redis-kv.ts'

const JOT = `export default { name: 'jot', description: 'Notes it.', effects: 'write', needsApproval: false, run: () => 'Noted.' }`

/** Writes a tool that writes without asking, and prices: a dollar for a million tokens. */
async function settings(t: Ends) {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'jot.js'), JOT)
  const PRICES_FILE = join(folder, 'prices.json')
  await writeFile(PRICES_FILE, JSON.stringify({ 'played-model': { in: 1, out: 1 } }))
  return { CUSTOM_TOOLS_DIR: folder, PRICES_FILE }
}

const used = (prompt_tokens: number, completion_tokens: number) => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
})

describeWithRedis('after many questions', () => {
  const server = suiteRedis()

  test('the figures match the model’s calls and the audit list, in each process and in the command', async (t) => {
    const env = {
      ...(await settings(t)),
      REDIS_URL: server.url,
      REDIS_PREFIX: 'storm',
      BUDGET_USER_DAY_TOKENS: '1000000',
    }
    const bot = await startBot(t, { env })
    await secondBot(t, bot, { ...env, ROLE: 'worker' })
    const spent = { in: 0, out: 0 }
    bot.model.decide('', ({ question, prompt }) => {
      const [, kind = '', number = '0'] = /(\w+) (\d+)/.exec(question) ?? []
      if (kind === 'broken') return { status: 400, body: { error: { message: 'no' } } }
      const isFirst = !/Action: (?:jot|calculator)\n/.test(prompt)
      const [asked, written] = [100 + Number(number), isFirst ? 10 : 20]
      spent.in += asked
      spent.out += written
      const call = kind === 'jot' ? act('Note.', 'jot', 'x') : act('Add.', 'calculator', '1+1')
      return { text: isFirst ? call : finish('Done.'), ...used(asked, written) }
    })
    const kinds = ['jot', 'sum', 'broken', 'jot', 'sum', 'jot']
    const people = [ALICE, BOB, strangers.admin(bot.slack)]
    const threads = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        bot.mention(`Do ${kinds[i % 6]} ${i}`, { user: people[i % 3]!, channel: i % 2 ? GENERAL : RANDOM }),
      ),
    )
    await Promise.all(threads.map((thread) => thread.ended()))
    const usage = async () => {
      const { stdout } = await runHere(t, 'src/commands/runs.ts', { args: ['usage', '--json'], env })
      return JSON.parse(stdout) as { days7: Use; days30: Use }
    }
    await eventually(async () => expect((await usage()).days7.questions).toBe(24))
    const { days7, days30 } = await usage()
    expect(days30).toEqual(days7)
    expect(days7).toMatchObject({ inputTokens: spent.in, outputTokens: spent.out })
    expect(days7.costUsd).toBeCloseTo((spent.in + spent.out) / 1e6, 9)
    expect(days7.ends).toMatchObject({ answered: 20, failed: 4, gave_up: 0, stopped: 0 })
    const audit = createAuditLog(redisKv({ redis: server.connect(), prefix: 'storm' }), { now: Date.now })
    const writes = await audit.list({ team: TEAM }, 100)
    expect(writes.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual(Array(12).fill('jot done'))
    expect(days7.byTool).toMatchObject({ jot: { calls: 12, questions: 12 }, calculator: { calls: 8, questions: 8 } })
    for (const by of [days7.byChannel, days7.byPerson])
      for (const unit of ['questions', 'inputTokens', 'outputTokens'] as const)
        expect(Object.values(by).reduce((sum, one) => sum + one[unit], 0)).toBe(days7[unit])
    const table = await runCommand(t, 'src/commands/runs.ts', { args: ['usage'], env })
    expect(table.stdout).toMatch(
      /^Last 7 days: 24 questions, [\d,]+ tokens, \$0\.\d+\n20 answered, 0 gave up, 0 stopped, 4 failed/,
    )
    const home = await bot.openHome(strangers.admin(bot.slack))
    expect(home.shown()).toMatch(
      /Use\nLast 7 days: 24 questions, [\d,]+ tokens, \$0\.\d{4}\n20 answered, 0 without an answer, 0 stopped, 4 failed/,
    )
    expect(home.shown()).toMatch(/Could not answer\nDo broken 20 /)
    // A list that cannot be loaded does not affect the rest.
    await server.connect().set(`storm:{${TEAM}}:unanswered`, 'no list')
    expect((await bot.openHome(strangers.admin(bot.slack))).shown()).toMatch(
      /Use\nLast 7 days: 24 questions, [^]*Could not answer\nI could not load this list\./,
    )
    expect(bot.slack.refusals).toEqual([])
  })
})

interface Use {
  questions: number
  inputTokens: number
  outputTokens: number
  costUsd: number
  ends: Record<string, number>
  byChannel: Record<string, Use>
  byPerson: Record<string, Use>
  byTool: Record<string, Use & { calls: number }>
}

describe('an admin’s Home', () => {
  /** A private channel with these members. */
  const SECRET = 'G0SECRET001'

  test('shows who used what, and unanswered questions only of channels that the admin may read', async (t) => {
    const bot = await startBot(t, {
      env: { ...(await settings(t)), AGENT_MAX_STEPS: '1' },
      model: ({ question, prompt }) =>
        !question.includes('Lost')
          ? finish('Four.')
          : prompt.includes('Action: calculator')
            ? { text: '', ...used(5, 1) }
            : act('Add.', 'calculator', '1+1'),
    })
    const [admin, insider] = [strangers.admin(bot.slack), strangers.admin(bot.slack)]
    const botUser = [...bot.slack.store.users.values()].find(({ is_bot }) => is_bot)!.id
    bot.slack.addChannel(SECRET, { name: 'secret-plans', members: new Set([ALICE, insider, botUser]) })
    const ask = async (text: string, channel: string, user = ALICE) => {
      const thread = await bot.mention(text, { channel, user })
      await thread.ended()
      return thread
    }
    await ask('Lost <!channel> one?', GENERAL)
    await ask('Lost secret two?', SECRET)
    await ask('Lost secret three?', SECRET)
    const liked = await ask('Fine three?', GENERAL, BOB)
    const disliked = await ask('Wrong four?', RANDOM, BOB)
    await (await bot.dm('Lost private five?')).ended()
    await bot.slack.settle()
    for (const [thread, thumb] of [
      [liked, 'up'],
      [disliked, 'down'],
    ] as const)
      await thread.press(FEEDBACK, { value: await thumbOf(bot, thread.ts, thumb) })
    const home = await bot.openHome(admin)
    const shown = home.shown()
    expect(shown).toMatch(
      /Use\nLast 7 days: 6 questions, [\d,]+ tokens, \$[\d.]+\n2 answered, 4 without an answer, 0 stopped, 0 failed, 1 rated down\n/,
    )
    expect(shown).toMatch(
      /By channel:\n• private channels: 2 questions, .*\n• #general: 2 questions, .*\n(?:• #random: .*\n)?• direct messages: 1 question/,
    )
    expect(shown).toMatch(/By person:\n• Alice: 4 questions, .*\n• Bob: 2 questions/)
    expect(shown).toMatch(/By tool:\n• Calculator: 4 questions/)
    expect(shown).toMatch(
      /Could not answer\n[^]*Wrong four\? \(#random, rated down\)[^]*Lost .*one\? \(#general, no answer\)/,
    )
    expect(shown).toContain('And 3 questions in private channels and direct messages that you cannot see.')
    expect(shown).not.toMatch(/secret|private five|Fine three/)
    expect(JSON.stringify(bot.slack.home(admin))).not.toMatch(/<!channel>|<@|secret/)
    expect(bot.slack.calls.filter(({ method }) => method === 'conversations.members')).toHaveLength(1)
    expect((await bot.openHome(insider)).shown()).toMatch(
      /Lost secret three\? \(#secret-plans, no answer\)\n[^]*Lost secret two\? \(#secret-plans, no answer\)[^]*And 1 question in private channels and direct messages/,
    )
    expect((await bot.openHome(BOB)).shown()).not.toMatch(/Could not answer|Last 7 days/)

    await home.press(HOME_WORK)
    expect((await bot.modal(admin)).shown()).toContain('Wrong four?')
    bot.slack.store.users.get(admin)!.is_admin = false
    await home.press(HOME_WORK)
    await bot.slack.until(
      () => bot.slack.shownView(bot.slack.modal(admin)!).includes('I no longer have this run'),
      'nothing',
    )
  })

  /** Returns the value of a thumb below an answer. */
  async function thumbOf(bot: TestBot, ts: string, thumb: string): Promise<string> {
    const texts = [...bot.slack.store.channels.values()].flatMap(({ messages }) => JSON.stringify(messages))
    const value = texts.flatMap((text) => [...text.matchAll(/"value":"((?:up|down):[^"]+)"/g)].map(([, one]) => one!))
    return value.find((one) => one.startsWith(`${thumb}:`) && one.includes(ts)) ?? ''
  }
})

describe('80 % of a budget', () => {
  test('is reported once a day: privately to the asker, and for the workspace’s to admins who have opened the Home', async (t) => {
    const env = { ...(await settings(t)), BUDGET_USER_DAY_TOKENS: '1000', BUDGET_TEAM_DAY_TOKENS: '2000' }
    const bot = await startBot(t, { env, model: () => ({ text: finish('Yes.'), ...used(390, 10) }) })
    const [admin, other] = [strangers.admin(bot.slack), strangers.admin(bot.slack)]
    await bot.openHome(admin)
    const ask = async (user: string) => {
      const thread = await bot.mention('One?', { user })
      await thread.ended()
      await bot.slack.settle()
    }
    const told = (user: string) => bot.slack.ephemerals(GENERAL, user).filter((text) => /daily budget/.test(text))
    await ask(ALICE)
    expect(told(ALICE)).toEqual([])
    await ask(ALICE)
    await bot.slack.until(() => told(ALICE)[0], 'the notice')
    expect(told(ALICE)).toEqual([
      expect.stringMatching(/^You have used 80% of the daily budget: 800 of 1,000 tokens\./),
    ])
    await ask(BOB)
    await ask(BOB)
    await ask(ALICE)
    await bot.slack.until(() => told(BOB)[0], 'Bob’s notice')
    expect([told(ALICE), told(BOB)].map(({ length }) => length)).toEqual([1, 1])
    const words = (user: string) => bot.slack.messages(`D${user.slice(1)}`).map((message) => bot.slack.shown(message))
    await bot.slack.until(() => words(admin)[0], 'the admin’s notice')
    expect(words(admin)).toEqual([
      expect.stringMatching(/^This workspace has used 80% of the daily budget: 1,600 of 2,000 tokens/),
    ])
    expect(words(other)).toEqual([])
    expect(bot.slack.refusals).toEqual([])
  })
})
