/** The models of the settings, and what each is used for. */
import { expect, test } from 'vitest'
import { startBot } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'

test('OPENAI_CONDENSE_MODEL only condenses follow-ups', async (t) => {
  const bot = await startBot(t, { env: { OPENAI_CONDENSE_MODEL: 'small-model', TOOLS: 'calculator,llm_math' } })
  bot.model.decide('the sum', ({ prompt }) =>
    prompt.includes('Action Input:')
      ? /\bObservation: /.test(prompt.split(/\bQuestion: /).at(-1) ?? '')
        ? finish('It is 4.')
        : act('In words.', 'llm_math', 'two and two')
      : '2+2',
  )
  bot.model.on('two and two', '2+2')
  bot.model.condenses('and for Bob?', 'What is the sum, again?')
  const thread = await bot.mention('What is the sum?')
  await thread.ended()
  await thread.reply('and for Bob?')
  expect(await thread.ended()).toMatch(/· small-model, played-model ·/)
  const models = (kind: string) =>
    new Set(bot.model.requests.filter((one) => one.kind === kind).map(({ body }) => body.model))
  expect([models('condense'), models('turn')]).toEqual([new Set(['small-model']), new Set(['played-model'])])
})

test('without it the same model condenses', async (t) => {
  const bot = await startBot(t, { model: [finish('Yes.')] })
  bot.model.condenses('and again?', 'Is it so again?')
  const thread = await bot.mention('Is it so?')
  await thread.ended()
  await thread.reply('and again?')
  expect(await thread.lastAnswer()).toContain('Yes.')
  expect(new Set(bot.model.requests.map(({ body }) => body.model))).toEqual(new Set(['played-model']))
})

test('OPENAI_STREAM=false requests unstreamed answers, with the same result', async (t) => {
  const script = [act('A sum.', 'calculator', '2+2'), finish('It is 4.')]
  const bot = await startBot(t, { model: script, env: { OPENAI_STREAM: 'false' } })
  const thread = await bot.mention('What is 2+2?')
  expect(await thread.lastAnswer()).toBe('It is 4.')
  expect(thread.steps()).toEqual(['💭 A sum.\n🔧 *Calculator* `2+2`\n👁 4'])
  for (const { body } of bot.model.requests) expect(body).toMatchObject({ stream: false })
  for (const { body } of bot.model.requests) expect(body).not.toHaveProperty('stream_options')
})

test('OPENAI_HEADERS are sent with every call, including condensing', async (t) => {
  const bot = await startBot(t, {
    model: [finish('Yes.')],
    env: { OPENAI_HEADERS: '{"x-team": "search", "x-cost-centre": "42"}', OPENAI_CONDENSE_MODEL: 'small-model' },
  })
  const thread = await bot.mention('Is it so?')
  await thread.ended()
  await thread.reply('really?')
  await thread.ended()
  expect(bot.model.requests).toHaveLength(3)
  for (const { headers } of bot.model.requests)
    expect(headers).toMatchObject({ 'x-team': 'search', 'x-cost-centre': '42', authorization: 'Bearer sk-played-key' })
})
