import { expect, test } from 'vitest'
import { startBot } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'

const SUM = [
  act('I should work out the power.', 'calculator', '29^0.23'),
  act('And half.', 'calculator', '10/0'),
  finish('It is **2.169459462491557**.'),
]

test('STEPS=stream shows the steps as tasks of one streamed message, then the answer as a reply', async (t) => {
  const { mention, slack } = await startBot(t, { env: { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' }, model: SUM })
  const thread = await mention('29^0.23?')
  expect(await thread.lastAnswer()).toContain('*2.169459462491557*')

  const methods = slack.calls.filter(({ method, ok }) => /Stream$/.test(method) && ok).map(({ method }) => method)
  expect(methods.join(' ')).toMatch(/^chat\.startStream(?: chat\.appendStream){1,3} chat\.stopStream$/)
  const [steps] = thread.messages()
  expect(steps).toMatchObject({ streaming_state: 'completed' })
  expect(slack.shown(steps!)).toContain('calculator: 29^0.23')
  expect(slack.shown(steps!)).toContain('2.169459462491557')
  expect(slack.shown(steps!)).toContain('calculator: 10/0 (failed)')
  // Slack adds the details of each update to those that it has.
  const thoughts = steps?.chunks?.flatMap(({ details }) => (details === undefined ? [] : [details]))
  expect(thoughts).toEqual(['I should work out the power.', 'And half.'])
  expect(thread.messages()).toHaveLength(2)
  expect(slack.refusals).toEqual([])
})

test('where Slack takes no stream, the steps are on a card', async (t) => {
  const { mention, slack } = await startBot(t, { env: { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' }, model: SUM })
  slack.fault({ method: 'chat.startStream', times: 1, error: 'channel_type_not_supported' })
  const thread = await mention('29^0.23?')
  await thread.ended()

  await slack.until(() => thread.shown()[0]?.startsWith('2 steps, '), 'the folded card')
  expect(thread.messages()).toHaveLength(2)
  expect(slack.calls.filter(({ method }) => /Stream$/.test(method))).toHaveLength(1)
})

test('a stream that dies on the way takes no step with it', async (t) => {
  const { mention, slack } = await startBot(t, { env: { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' }, model: SUM })
  slack.fault({ method: 'chat.appendStream', times: 1, error: 'message_not_in_streaming_state' })
  const thread = await mention('29^0.23?')
  await thread.ended()

  expect(thread.shown()[0]).toContain('calculator: 29^0.23')
  await slack.until(() => thread.shown()[1]?.startsWith('2 steps, '), 'the folded card')
  expect(thread.shown()[1]).toContain('👁 2.169459462491557')
  expect(thread.endings()).toHaveLength(1)
})

test('nothing in a stream pings', async (t) => {
  const script = [act('Tell <!channel> and <@U0BOB>', 'calculator', '<!here>'), finish('done')]
  const { mention, slack } = await startBot(t, {
    env: { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' },
    model: script,
  })
  await (await mention('ping them')).ended()

  const sent = JSON.stringify(slack.calls.filter(({ method }) => method.startsWith('chat.')).map(({ args }) => args))
  expect(sent).not.toMatch(/<!channel|<!here|<@U0BOB/)
})

test('STEPS=hidden posts the answer alone', async (t) => {
  const { mention } = await startBot(t, { env: { STEPS: 'hidden' }, model: SUM })
  const thread = await mention('29^0.23?')
  await thread.ended()

  expect(thread.messages()).toHaveLength(1)
})
