import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Env } from '../../src/config.ts'
import { ALICE, BOB, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { startBot, type TestBot } from './bot.ts'
import type { Ends } from './ends.ts'
import { finish, type Turn } from './played-model.ts'
import { deferred } from './stores.ts'

/** An answer with 900 input tokens and 100 output tokens: 0.019 dollars by the prices above. */
export const ANSWER: Turn = { text: finish('Here you are.'), usage: { prompt_tokens: 900, completion_tokens: 100 } }

interface Case {
  env: Env
  /** The sentence that the next asker reads. */
  says: RegExp
  /** The people who are over the limit after Alice's question in #general, and those who are not. */
  over: Who
  free?: Who
}
export type Who = { user: string; channel: string }

export const aliceElsewhere = { user: ALICE, channel: RANDOM }
export const bobElsewhere = { user: BOB, channel: RANDOM }
const bobHere = { user: BOB, channel: GENERAL }

/** Returns each limit at its minimum, or so that one answer uses up the budget. */
export const casesOf = (PRICES_FILE: string): Case[] => [
  {
    env: { LIMIT_USER_HOUR: '1' },
    says: /1 question an hour for one person.* in \d+ minutes/,
    over: aliceElsewhere,
    free: bobHere,
  },
  {
    env: { LIMIT_CHANNEL_HOUR: '1' },
    says: /1 question an hour for one channel.* in \d+ minutes/,
    over: bobHere,
    free: aliceElsewhere,
  },
  {
    env: { BUDGET_USER_DAY_TOKENS: '600' },
    says: /600 tokens a day for one person.* in 1[67] hours/,
    over: aliceElsewhere,
    free: bobHere,
  },
  {
    env: { BUDGET_TEAM_DAY_TOKENS: '1000' },
    says: /1,000 tokens a day for the workspace.* in 2 minutes/,
    over: bobElsewhere,
  },
  {
    env: { BUDGET_TEAM_DAY_USD: '0.01', PRICES_FILE },
    says: /\$0.01 a day for the workspace.* in 22 hours/,
    over: bobElsewhere,
  },
  // A debt of any size blocks for one day at most.
  {
    env: { BUDGET_TEAM_DAY_USD: '0.0001', PRICES_FILE },
    says: /\$0.0001 a day for the workspace.* in 24 hours/,
    over: bobElsewhere,
  },
]

/** Asks, and waits for the bot's ephemeral message. Nothing else may happen. */
export async function refused(bot: TestBot, who: Who): Promise<string> {
  const { slack, model } = bot
  const before = { ephemerals: slack.ephemerals(who.channel, who.user).length, requests: model.requests.length }
  const thread = await bot.mention('One more?', who)
  const sendEphemeral = await slack.until(
    () => slack.ephemerals(who.channel, who.user)[before.ephemerals],
    'a private word',
  )
  await slack.until(() => thread.isAtRest(), 'the end of the sign of life')
  await slack.settle(100)
  expect(thread.shown()).toEqual([])
  expect(model.requests).toHaveLength(before.requests)
  return sendEphemeral
}

/** Asks one question, and waits for its answer. */
export async function answered(bot: TestBot, who: Who = { user: ALICE, channel: GENERAL }): Promise<void> {
  expect(await (await bot.mention('Just this?', who)).lastAnswer()).toBe('Here you are.')
}

/** Runs a test for each case. `place` returns the settings of the store, by a name. */
export function limitsHold(cases: Case[], place: (name: string) => Env): void {
  test.for(cases)('$env', async ({ env, says, over, free }, t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { ...env, ...place(nameOf(env)) } })
    await answered(bot)
    const sentence = await refused(bot, over)
    expect(sentence).toMatch(says)
    expect(sentence).toMatch(
      /^You have reached the limit here: .*\. .* This question did not count\.\n_Reference: [0-9a-f]{8}_$/,
    )
    if (free) await answered(bot, free)
    expect(bot.slack.refusals).toEqual([])
  })
}

/** Returns a name for a setting and its value, which keeps the counts of cases apart. */
function nameOf(env: Env): string {
  return Object.entries(env)[0]!.join('-').replaceAll('.', '_')
}

/** Asks many questions of one person at once. Each would use up the budget. Checks how many are admitted. */
export async function budgetHoldsForManyAtOnce(t: Ends, place: Env): Promise<void> {
  const bot = await startBot(t, { env: { ...place, BUDGET_USER_DAY_TOKENS: '1000' } })
  const gate = deferred()
  bot.model.decide('', async () => (await gate.promise, ANSWER))
  const threads = await Promise.all(Array.from({ length: 15 }, (_, n) => bot.mention(`Question ${n}?`)))
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length === 14, 'fourteen private words')
  gate.resolve()
  await bot.slack.until(() => threads.some((thread) => thread.endings().length > 0), 'an answer')
  await bot.slack.settle(200)
  expect(threads.flatMap((thread) => thread.endings())).toHaveLength(1)
  expect(bot.model.requests).toHaveLength(1)
  expect(await refused(bot, aliceElsewhere)).toContain('1,000 tokens a day for one person')
}

/** Writes prices for the simulated model into a file that is deleted after the test. */
export async function pricesFile(t: Ends): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'thinkaloud-limits-'))
  t.onTestFinished(() => rm(dir, { recursive: true }))
  const file = join(dir, 'prices.json')
  await writeFile(file, JSON.stringify({ 'played-model': { in: 10, out: 100 } }))
  return file
}
