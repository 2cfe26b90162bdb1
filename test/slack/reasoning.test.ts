/** Reasoning models: what people see of the reasoning, over both APIs, and what survives a change of process. */
import { expect, test } from 'vitest'
import { startBot } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { scrape } from '../harness/scrape.ts'
import { steeredBot } from '../harness/steered-bot.ts'
import { fileEnds } from '../harness/ends.ts'

fileEnds()

const sum = (n: number) => ({ name: 'calculator', arguments: `{"expression": "1+${n}"}` })
const usage = {
  ...{ input_tokens: 900, output_tokens: 100, input_tokens_details: { cached_tokens: 800 } },
  output_tokens_details: { reasoning_tokens: 60 },
}

test('over the Responses API the summaries are thoughts, marked, and the footer and the metrics count the reasoning', async (t) => {
  const bot = await startBot(t, {
    env: { OPENAI_API: 'responses', AGENT_DIALECT: 'native', METRICS_PORT: '0' },
    model: [
      { reasoning: '**Adding up**\n\nI must add.\n\n**Next**\n\nThen I tell.', toolCalls: [sum(1)], usage },
      { text: 'It is 2.', usage },
    ],
  })
  const thread = await bot.mention('What is 1+1?')
  expect(await thread.ended()).toContain(' · 2,000 tokens (1,600 cached, 120 reasoning)')
  expect(thread.steps()[0]).toContain('💭 The model’s own reasoning: Adding up. I must add.\nNext. Then I tell.')
  const seen = await scrape(bot.bot.metricsPort!)
  expect(seen.value('thinkaloud_reasoning_tokens_total')).toBe(120)
  expect(seen.value('thinkaloud_cached_tokens_total')).toBe(1_600)
})

test('a refusal is the answer, and an incomplete answer says so', async (t) => {
  const bot = await startBot(t, { env: { OPENAI_API: 'responses' } })
  bot.model.on('refused', { refusal: 'I cannot help with that.' })
  bot.model.on('too long', { text: finish('It is a long st'), finish: 'max_output_tokens' })
  bot.model.on('ordinary', act('I add.', 'calculator', '1+1'), finish('It is 2.'))
  expect(await (await bot.mention('Is it refused?')).lastAnswer()).toBe('I cannot help with that.')
  expect(await (await bot.mention('Is it too long?')).lastAnswer()).toMatch(/^It is a long st\n+.*cut off/s)
  expect(await (await bot.mention('Is it ordinary?')).lastAnswer()).toBe('It is 2.')
  expect(bot.model.requests.map(({ api }) => api)).toEqual(Array(4).fill('responses'))
})

test('without the endpoint the person gets a message, the log names OPENAI_API, and nothing falls back', async (t) => {
  const bot = await startBot(t, { env: { OPENAI_API: 'responses', OPENAI_FALLBACK_MODEL: 'second' } })
  bot.model.lacks.add('responses')
  expect(await (await bot.mention('Is it there?')).ended()).toMatch(/no Responses API.*OPENAI_API/s)
  expect(bot.logs.filter((line) => line.includes('OPENAI_API=responses cannot work'))).not.toEqual([])
  expect(bot.model.requests).toHaveLength(1)
})

describeWithRedis('over Redis', () => {
  const server = suiteRedis()

  test('the process that continues a run sends the same reasoning back', async (t) => {
    const env = { OPENAI_API: 'responses', AGENT_DIALECT: 'native' }
    const bot = await steeredBot(t, { redisUrl: server.url }, { env })
    bot.model.on('moved', { reasoning: 'I must add.', toolCalls: [sum(1), sum(2)] }, { hang: true })
    const thread = await bot.mention('Is it moved?')
    const reasoningOf = (n: number) =>
      (bot.model.about('moved')[n]?.body['input'] as { type: string }[] | undefined)?.filter(
        ({ type }) => type === 'reasoning',
      )
    await bot.slack.until(() => bot.model.about('moved').length === 2, 'the second thought')
    expect(reasoningOf(1)).toEqual([expect.objectContaining({ id: 'rs_2', encrypted_content: 'gAAAA-2-I must add.' })])
    bot.model.on('moved', 'They are 2 and 3.')
    await bot.worker?.stop()
    await bot.startWorker()
    expect(await thread.lastAnswer()).toBe('They are 2 and 3.')
    expect(reasoningOf(bot.model.about('moved').length - 1)).toEqual(reasoningOf(1))
  })
})
