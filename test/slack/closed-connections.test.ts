/** A run that nobody waits for closes its connection, so that a slow server stops reading and writing for it. */
import { expect, test } from 'vitest'
import { BOT_USER } from '../../playground/slack/slack.ts'
import { startBot, type Thread } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'

const ASK = `<@${BOT_USER}>`
const NO_WORD = { hang: true }
/** It writes for an hour. */
const ENDLESS = { text: 'I write and write. '.repeat(10_000), chunkMs: 50 }

test.for<[string, object, (thread: Thread) => Promise<unknown>, object?]>([
  ['a stop before the first word', NO_WORD, (thread) => thread.reply('stop')],
  ['a stop while it writes', ENDLESS, (thread) => thread.reply('stop')],
  ['an edit before the first word', NO_WORD, (thread) => thread.edit(`${ASK} Otherwise, please`)],
  ['an edit while it writes', ENDLESS, (thread) => thread.edit(`${ASK} Otherwise, please`)],
  ['the time limit before the first word', NO_WORD, async () => {}, { AGENT_TIMEOUT_MS: '1500' }],
  ['the time limit while it writes', ENDLESS, async () => {}, { AGENT_TIMEOUT_MS: '1500' }],
])('%s closes the connection', async ([, turn, end, env = {}], t) => {
  const bot = await startBot(t, { env: { ...env, FIGURES: 'off' } })
  bot.model.on('Slowly', turn)
  bot.model.on('Otherwise', finish('Done.'))
  const thread = await bot.mention('Slowly, please')
  await bot.slack.until(() => bot.model.about('Slowly').length > 0, 'the call')
  await end(thread)
  await bot.slack.until(() => bot.model.about('Slowly').every(({ aborted }) => aborted), 'the end of the connection')
  expect(bot.model.about('Slowly').some(({ done }) => done)).toBe(false)
})
