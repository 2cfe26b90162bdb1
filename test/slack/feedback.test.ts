/** Thumbs below an answer, the form for what was wrong, and the question set that is made from them. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadQuestions } from '../../src/commands/eval/parse-set.ts'
import { BOB, GENERAL, TEAM } from '../../playground/slack/slack.ts'
import { FEEDBACK } from '../../src/slack/format/action-ids.ts'
import { postButtons, questionId } from '../harness/answer-buttons.ts'
import { startBot, type TestBot } from '../harness/bot.ts'
import { runCommand, runHere, temporaryFolder } from '../harness/command.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { scrape } from '../harness/scrape.ts'
import { eventually } from '../harness/stores.ts'

const MAIN = 'src/commands/feedback.ts'

/** Asks a question. Returns functions to press a thumb below its answer. */
async function answered(bot: TestBot, question: string) {
  const thread = await bot.mention(question)
  await thread.ended()
  const value = (way: string) => `${way}:${questionId(thread)}`
  return { thumb: (way: 'up' | 'down', user: string) => thread.press(FEEDBACK, { user, value: value(way) }) }
}

test('thumbs-up gets a private thank-you, thumbs-down a private question about what was wrong; both are counted', async (t) => {
  const bot = await startBot(t, { model: [finish('It is so.')], env: { METRICS_PORT: '0' } })
  const { slack } = bot
  const { thumb } = await answered(bot, 'Is it so?')
  await thumb('up', BOB)
  await slack.until(() => slack.ephemerals(GENERAL, BOB)[0]?.includes('Thank you'), 'thanks')
  await thumb('down', BOB)
  const form = await bot.modal(BOB)
  expect(form.shown()).toMatch(/^What was wrong\?\n/)
  await form.submit({ comment: 'It is not.', expected: 'No' })
  expect(form.isOpen()).toBe(false)
  await eventually(async () => {
    const seen = await scrape(bot.bot.metricsPort!)
    expect(seen.value('thinkaloud_feedback_total', { rating: 'up' })).toBe(1)
    expect(seen.value('thinkaloud_feedback_total', { rating: 'down' })).toBe(1)
  })
  expect(slack.refusals).toEqual([])
  expect(bot.logs.join('')).not.toContain('It is not')
})

test('a thumb below an answer that is no longer stored says so', async (t) => {
  const bot = await startBot(t)
  const id = `${TEAM}:${GENERAL}:1.000001`
  const place = await postButtons(bot.slack, id, { channel: GENERAL })
  await bot.slack.press({ ...place, user: BOB }, { action_id: FEEDBACK, value: `down:${id}` })
  await bot.slack.until(
    () => bot.slack.ephemerals(GENERAL, BOB)[0]?.includes('no longer have this answer'),
    'a private word',
  )
  expect(bot.slack.modal(BOB)).toBeUndefined()
})

describeWithRedis('npm run feedback', () => {
  test('writes the rated answers as a question set, and fails without Redis', async (t) => {
    const redis = await startRedis()
    t.onTestFinished(() => redis.stop())
    const bot = await startBot(t, { env: { REDIS_URL: redis.url } })
    bot.model.on('good', finish('Good answer'))
    bot.model.on('bad', finish('Bad answer'))
    bot.model.on('known', finish('Wrong answer'))
    await (await answered(bot, 'A good one?')).thumb('up', BOB)
    await (await answered(bot, 'A bad one?')).thumb('down', BOB)
    await (await answered(bot, 'One that is known?')).thumb('down', BOB)
    const form = await bot.modal(BOB)
    await bot.slack.until(() => String(form.view()['private_metadata']).length > 0, 'the last form')
    await bot.slack.settle()
    await form.submit({ comment: 'No.', expected: 'Right answer' })
    const folder = await temporaryFolder(t)
    const file = join(folder, 'rated.jsonl')
    const env = { REDIS_URL: redis.url }
    const written = await runCommand(t, MAIN, { args: ['export', '--out', file], env })
    expect([written.code, written.stderr]).toEqual([0, expect.stringContaining('3 rated answers')])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const set = await loadQuestions(file)
    const byQuestion = set.map(({ question, gold, rejected }) => ({ question, gold, rejected }))
    expect(byQuestion.toSorted((a, b) => a.question.localeCompare(b.question))).toEqual([
      { question: 'A bad one?', gold: [], rejected: ['Bad answer'] },
      { question: 'A good one?', gold: ['Good answer'], rejected: undefined },
      { question: 'One that is known?', gold: ['Right answer'], rejected: ['Wrong answer'] },
    ])
    expect(await readFile(file, 'utf8')).toContain('"comments":["No."]')
    const without = await runHere(t, MAIN, { args: ['export'] })
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('REDIS_URL is missing')])
    const wrong = await runHere(t, MAIN, { args: ['import'], env })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Usage: npm run feedback')])
  })
})
