import { expect, test } from 'vitest'
import { startBot } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'

const SUM = [
  act('I should work out the power.', 'calculator', '29^0.23'),
  act('And half.', 'calculator', '10/0'),
  finish('It is **2.169459462491557**.'),
]

test('nothing in a stream pings', async (t) => {
  const script = [act('Tell <!channel> and <@U0BOB>', 'calculator', '<!here>'), finish('done')]
  const { dm, slack } = await startBot(t, { env: { STEPS: 'stream' }, model: script })
  await (await dm('ping them')).ended()

  const sent = JSON.stringify(slack.calls.filter(({ method }) => method.startsWith('chat.')).map(({ args }) => args))
  expect(sent).not.toMatch(/<!channel|<!here|<@U0BOB/)
})

test('STEPS=hidden posts only the answer', async (t) => {
  const { mention } = await startBot(t, { env: { STEPS: 'hidden' }, model: SUM })
  const thread = await mention('29^0.23?')
  await thread.ended()

  expect(thread.messages()).toHaveLength(1)
})
