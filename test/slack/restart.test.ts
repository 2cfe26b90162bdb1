/** A bot without Redis stops. Unfinished questions are lost, so everybody who waits is told. */
import { expect, test } from 'vitest'
import { ALICE, BOB, GENERAL } from '../../playground/slack/slack.ts'
import { startBot } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'

const TOLD = /^I am restarting and could not finish this\. Please ask again in a minute\.\n_Reference: [0-9a-f]{8}_$/

test('waiting askers get the message in the thread, like the current one', async (t) => {
  const bot = await startBot(t, { env: { WORKER_CONCURRENCY: '1', SHUTDOWN_MS: '500' }, model: [{ hang: true }] })
  const threads = [await bot.mention('The first?'), await bot.mention('The second?')]
  await threads[0]!.reply('And more?', { user: BOB })
  await bot.slack.until(() => bot.model.requests.length === 1, 'the model at work')
  await bot.stop()
  expect(threads.map((thread) => thread.shown())).toEqual([
    [expect.stringMatching(TOLD), expect.stringMatching(TOLD)],
    [expect.stringMatching(TOLD)],
  ])
  expect(threads.map((thread) => thread.isAtRest())).toEqual([true, true])
  expect(bot.model.requests).toHaveLength(1)
})

test('an asker whose /ask has no thread yet gets an ephemeral message, and no thread is opened', async (t) => {
  const bot = await startBot(t, { env: { SHUTDOWN_MS: '500' }, model: [finish('For nobody.')] })
  bot.slack.fault({ method: 'chat.postMessage', retryAfter: 600 })
  await bot.slack.slash('Anybody?')
  await bot.slack.until(() => bot.slack.calls.some(({ error }) => error === 'ratelimited'), 'a root that is refused')
  await bot.slack.slash('Nobody?', { user: BOB })
  await bot.stop()
  for (const user of [ALICE, BOB])
    expect(bot.slack.ephemerals(GENERAL, user)).toEqual([expect.stringMatching(/^I am restarting/)])
  expect(bot.slack.messages(GENERAL)).toEqual([])
})
