/** What people are told of a prompt that was shortened, or that the model's server has cut. */
import { expect, test } from 'vitest'
import { BOB, GENERAL } from '../../playground/slack/slack.ts'
import { SHOW_WORK } from '../../src/slack/format/action-ids.ts'
import { startBot } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'

const WORDS = 'The harbour office opens at nine and closes at five. '

test('a cut prompt is told below the answer; the next one is shortened, and its work says so too', async (t) => {
  const bot = await startBot(t, { env: { FIGURES: 'off' } })
  bot.model.on('When', { text: finish('At nine.'), usage: { prompt_tokens: 2_400, completion_tokens: 5 } })
  bot.model.on('And then', finish('At five.'))
  const thread = await bot.mention(`When does it open? ${WORDS.repeat(600)}`)
  const answer = await thread.ended()
  expect(answer).toMatch(/✂️ The model’s server read only 2,400 of about \d+,\d{3} tokens, so this answer may miss/)
  expect(bot.logs.join('')).toContain('the endpoint has cut the prompt without an error')
  const { ts } = await bot.slack.say({ user: BOB, channel: GENERAL, text: 'About the harbour.' })
  await bot.slack.say({ user: BOB, channel: GENERAL, thread_ts: ts, text: `First, and ${WORDS.repeat(70)}` })
  await bot.slack.say({ user: BOB, channel: GENERAL, thread_ts: ts, text: `Last, and ${WORDS.repeat(70)}` })
  const other = await bot.mention('And then?', { thread_ts: ts })
  expect(await other.ended()).toContain('✂️ Shortened to fit the model’s limit: the thread.')
  await other.press(SHOW_WORK)
  const modal = await bot.modal()
  await bot.slack.until(() => modal.shown().includes('✂️ Shortened to fit'), 'the note in Show work')
})

test('a question that alone is too long gets a sentence with both sizes', async (t) => {
  const bot = await startBot(t, { env: { OPENAI_CONTEXT_TOKENS: '4000' } })
  const said = await (await bot.mention(`When? ${WORDS.repeat(700)}`)).ended()
  expect(said).toMatch(
    /Your question is too long for the model: it has about [78],\d{3} tokens, and the model takes 4,000/,
  )
  expect(bot.model.requests).toHaveLength(0)
})
