/** Edits of a running question count against limits and budgets as soon as the model was asked about a version. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { REFERENCE, startBot, type TestBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish, type Turn } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'

const ASK = `<@${BOT_USER}>`
const LONG = 'word '.repeat(1_500)

/** Asks, and edits the question whenever the model has been asked about it, until the model is not asked any more. */
async function editOften(bot: TestBot, { text, turn, edits }: { text: string; turn: Turn; edits: number }) {
  const { slack, model } = bot
  const refusal = () => slack.ephemerals(GENERAL, ALICE).find((text) => REFERENCE.test(text))
  model.on('', turn)
  const thread = await bot.mention(`version 0 ${text}`)
  for (let n = 0; n < edits; n++) {
    const isAsked = () => model.requests.some(({ prompt }) => prompt.includes(`version ${n} `))
    await slack.until(() => isAsked() || refusal() !== undefined, `version ${n}`)
    if (!isAsked()) break
    await thread.edit(`${ASK} version ${n + 1} ${text}`)
  }
  return { told: await slack.until(refusal, 'a refusal'), asked: model.requests.length }
}

function limits(redisUrl: () => string | undefined): void {
  let starts = 0
  const start = async (t: Ends, env: Record<string, string>) => {
    const url = redisUrl()
    return startBot(t, {
      env: { STEPS: 'hidden', ...(url ? { REDIS_URL: url, REDIS_PREFIX: `edits${(starts += 1)}` } : {}), ...env },
    })
  }

  test.for<[string, Turn]>([
    ['before its first token', { hang: true }],
    ['in the middle of a thought', { text: act('I look.', 'calculator', '1+1'), stallAfter: 5 }],
    ['before it has answered with headers', { text: finish('never'), delayMs: 60_000 }],
  ])('two questions an hour are two versions, edited while the model is asked, %s', async ([, turn], t) => {
    const bot = await start(t, { LIMIT_USER_HOUR: '2' })
    const { told, asked } = await editOften(bot, { text: 'of it', turn, edits: 8 })
    expect([told, asked]).toEqual([expect.stringContaining('2 questions an hour'), 2])
  })

  test('the prompts of aborted calls are charged to a budget', async (t) => {
    const bot = await start(t, { BUDGET_USER_DAY_TOKENS: '12000' })
    const { told, asked } = await editOften(bot, { text: LONG, turn: { hang: true }, edits: 12 })
    expect(told).toMatch(/12,000 tokens a day/)
    expect(asked).toBeLessThan(8)
  })

  test('an edit of a question that waits for its turn costs nothing', async (t) => {
    const bot = await start(t, { LIMIT_USER_HOUR: '2' })
    bot.model.on('slow', { hang: true })
    bot.model.condenses('a quick one', 'a quick one')
    bot.model.on('quick', finish('Quick.'))
    const slow = await bot.mention('a slow one', { user: BOB })
    await bot.slack.until(() => bot.model.about('slow').length === 1, 'the model at work')
    const said = await slow.reply(`${ASK} a quick one 0`)
    for (let n = 1; n < 6; n++)
      await bot.slack.people.edit({ channel: GENERAL, ts: said.ts }, `${ASK} a quick one ${n}`)
    await slow.react('x', { ts: slow.ts, user: BOB })
    await bot.slack.until(() => slow.shown().some((text) => text.includes('Quick.')), 'the answer')
    expect(bot.slack.ephemerals(GENERAL, ALICE).join()).not.toContain('2 questions an hour')
    await (await bot.mention('another quick one')).ended()
  })
}

describe('in memory', () => limits(() => undefined))

describeWithRedis('with Redis', () => {
  const server = suiteRedis()
  limits(() => server.url)
})
