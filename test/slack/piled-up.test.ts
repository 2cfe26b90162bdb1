import { describe, expect, test } from 'vitest'
import { STEPS_A_MESSAGE, stepsContent } from '../../src/slack/format/step-message.ts'
import { secondBot, startBot } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'
import { deferred } from '../harness/stores.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { accept } from '../harness/slack-content.ts'

test('steps that share a message fit into it, whatever their text', () => {
  for (const text of ['&'.repeat(5_000), 'a '.repeat(5_000), '<!channel> '.repeat(500), '🎉'.repeat(5_000)]) {
    const view = { thought: text, action: { tool: text, input: text }, observation: { ok: true, text } }
    const views = Array.from({ length: STEPS_A_MESSAGE }, () => view)
    accept(stepsContent([{ ...view, understood: text }, ...views.slice(1)]))
  }
})

const isPost = ({ method }: { method: string }) => method === 'chat.postMessage'

/** Returns a number of the model's turns, each a sum. */
const sums = (n: number) => Array.from({ length: n }, (_, i) => act(`Thought ${i + 1}.`, 'calculator', `${i + 1}*10`))

describe.concurrent('while Slack is slow', () => {
  test('the steps that pile up come as one message, and are completed in it', async (t) => {
    const { slack, model, mention } = await startBot(t)
    const [gate, last] = [deferred(), deferred()]
    slack.fault({ method: 'chat.postMessage', hold: gate.promise })
    model.decide('piled up', async (_, n) => {
      if (n === 1) await slack.until(() => slack.calls.some(isPost), 'the first step')
      // All five are done by then. The first call counts as slow after a second.
      if (n === 5) setTimeout(gate.resolve, 1_100)
      if (n === 5) await last.promise
      return sums(5)[n] ?? finish('All five.')
    })
    const thread = await mention('Have they piled up?')
    await slack.until(() => thread.shown().join().includes('5*10'), 'the fifth step')
    last.resolve()
    expect(await thread.lastAnswer()).toBe('All five.')
    expect(thread.messages()).toHaveLength(3)
    expect(thread.shown()[0]).toMatch(/^💭 Thought 1\.\n.*\n👁 10$/)
    for (const n of [2, 3, 4, 5]) expect(thread.shown()[1]).toContain(`👁 ${n * 10}`)
    expect(slack.refusals).toEqual([])
  })

  test('a card has all of them with its next update', async (t) => {
    const { slack, model, mention } = await startBot(t, { env: { STEPS: 'card' } })
    const gate = deferred()
    slack.fault({ method: 'chat.postMessage', hold: gate.promise })
    model.decide('piled up', (_, n) => {
      if (n === 5) gate.resolve()
      return sums(5)[n] ?? finish('All five.')
    })
    const thread = await mention('Have they piled up?')
    expect(await thread.lastAnswer()).toBe('All five.')
    await slack.until(() => thread.shown()[0]?.startsWith('5 steps'), 'the folded card')
    const calls = slack.calls.map(({ method }) => method).filter((method) => method.startsWith('chat.'))
    expect(calls).toEqual(['chat.postMessage', 'chat.postMessage', 'chat.update'])
  })
})

describeWithRedis('steps that came as one message', () => {
  test('stay in it when another process continues', async (t) => {
    const server = await startRedis()
    t.onTestFinished(() => server.stop())
    const env = { REDIS_URL: server.url, SHUTDOWN_MS: '300' }
    const first = await startBot(t, { env })
    const gate = deferred()
    first.slack.fault({ method: 'chat.postMessage', hold: gate.promise })
    first.model.decide('taken over', async (_, n) => {
      if (n === 1) await first.slack.until(() => first.slack.calls.some(isPost), 'the first step')
      if (n === 3) setTimeout(gate.resolve, 1_100)
      return sums(3)[n] ?? { hang: true }
    })
    const thread = await first.mention('Is it taken over?')
    await first.slack.until(() => thread.shown()[1]?.includes('👁 30'), 'the third step')
    await first.stop()
    first.model.on('taken over', act('Thought 4.', 'calculator', '4*10'), finish('Taken.'))
    await secondBot(t, first, env)
    expect(await thread.lastAnswer()).toBe('Taken.')
    expect(thread.messages()).toHaveLength(4)
    expect(thread.shown()[1]).toMatch(/👁 20[^]*👁 30/)
    expect(thread.shown()[2]).toMatch(/^💭 Thought 4\.\n.*\n👁 40$/)
  })
})
