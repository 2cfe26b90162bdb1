import { expect, test } from 'vitest'
import { ALICE, BOB } from '../../playground/slack/slack.ts'
import { startBot } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { deferred } from '../harness/stores.ts'
import type { Env } from '../../src/config.ts'
import type { Ends } from '../harness/ends.ts'

async function conversation(t: Ends, env: Env): Promise<void> {
  const { slack, model, mention, dm } = await startBot(t, { env })
  const gate = deferred()
  model.decide('first', async () => gate.promise.then(() => finish('One.')))
  for (const name of ['second', 'third']) model.condenses(name, `the ${name} question`)
  for (const name of ['second', 'third']) model.on(`the ${name} question`, finish('Next.'))
  const thread = await mention('The first?')
  await slack.until(() => model.about('first').length === 1, 'the first at work')
  await thread.reply('<@U0THINK0001> the second?', { user: BOB })
  await slack.until(() => thread.ephemerals(BOB).length === 1, 'a word to Bob')
  await thread.reply('<@U0THINK0001> the third?')
  await slack.until(() => thread.ephemerals(ALICE).length === 1, 'a word to Alice')
  expect(thread.ephemerals(BOB)).toEqual(["I'm still working on another question here. Yours is next."])
  expect(thread.ephemerals(ALICE)).toEqual([
    "I'm still working on another question here. 2 questions come before yours.",
  ])

  const direct = await dm('The first, directly?')
  await slack.until(() => model.about('directly').length === 1, 'the direct one at work')
  await dm('And the second, in the same hour?')
  await slack.until(() => direct.ephemerals().length === 1, 'a word in the direct message')
  gate.resolve()
  await thread.ended()
  await direct.ended()
  expect([thread.ephemerals(BOB).length, thread.ephemerals(ALICE).length, slack.refusals]).toEqual([1, 1, []])
}

test('only a question that waits for others of its conversation gets a message with its place', async (t) => {
  await conversation(t, {})
})

describeWithRedis('over Redis', () => {
  test('a question that waits for others of its conversation gets a message with its place', async (t) => {
    const server = await startRedis()
    t.onTestFinished(() => server.stop())
    await conversation(t, { REDIS_URL: server.url })
  })
})
