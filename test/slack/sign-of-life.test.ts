import { describe, expect, test } from 'vitest'
import { BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { startBot, type Thread } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { deferred } from '../harness/stores.ts'

const bot = await startBot(fileEnds())
const { slack, model } = bot
let count = 0

/** Returns a new channel, so that the test's faults affect no other test. */
function freshChannel(): string {
  return slack.addChannel(`C0LIFE${String(count++).padStart(5, '0')}`).id
}

/** Asks a question. It is answered when `goOn` is called. */
async function asked(channel: string): Promise<{ thread: Thread; goOn: () => void }> {
  const name = `life-${count++}-`
  const gate = deferred()
  model.decide(name, async () => gate.promise.then(() => finish('Alive.')))
  const thread = await bot.mention(`Are you there, ${name}?`, { channel })
  return { thread, goOn: gate.resolve }
}

const seen = ({ channel, ts }: Thread) => slack.until(() => slack.reactions(channel, ts).length > 0, 'a reaction')

describe.concurrent('the sign of life', () => {
  test('comes back after each step, which clears it, while the work continues', async () => {
    const gate = deferred()
    model.decide('a long way', async (_, n) =>
      n === 0 ? act('First.', 'calculator', '1+1') : gate.promise.then(() => finish('There.')),
    )
    const thread = await bot.mention('Is it a long way?')
    const isSet = ({ method, args }: (typeof slack.calls)[number]) =>
      method === 'assistant.threads.setStatus' && args['thread_ts'] === thread.ts && args['status'] !== ''
    await slack.until(() => thread.steps().length === 1 && slack.calls.filter(isSet).length > 1, 'the status again')
    expect(thread.status()).not.toBe('')
    gate.resolve()
    expect(await thread.lastAnswer()).toBe('There.')
  })

  test('is a reaction at once while Slack limits the status in this workspace', async (t) => {
    const isAdded = () => added() > count
    let count = 0
    const limited = await startBot(t, {
      model: async () => limited.slack.until(isAdded, 'a reaction').then(() => finish('Alive.')),
    })
    limited.slack.fault({ method: 'assistant.threads.setStatus', retryAfter: 600 })
    const added = () => limited.slack.calls.filter(({ method }) => method === 'reactions.add').length
    for (const [i, channel] of [GENERAL, limited.slack.addChannel('C0LIFEOTHER').id].entries()) {
      const thread = await limited.mention('Are you there?', { channel })
      expect(await thread.lastAnswer()).toBe('Alive.')
      expect(added()).toBe(i + 1)
      count = added()
    }
    expect(limited.slack.calls.filter(({ method }) => method === 'assistant.threads.setStatus')).toHaveLength(1)
  })

  test('is removed even if Slack fails at first', async () => {
    const channel = freshChannel()
    slack.fault({ method: 'assistant.threads.setStatus', channel, error: 'not_allowed_token_type' })
    slack.fault({ method: 'reactions.remove', channel, status: 503 })
    const { thread, goOn } = await asked(channel)
    await seen(thread)
    goOn()
    await thread.ended()
    expect(slack.reactions(channel, thread.ts)).toEqual([])
  })

  test('left by a lost run is removed too', async () => {
    const channel = freshChannel()
    slack.fault({ method: 'assistant.threads.setStatus', channel, error: 'not_allowed_token_type' })
    const left = [{ name: 'eyes', users: [BOT_USER], count: 1 }]
    model.on('seen before', { text: finish('Alive.'), delayMs: 400 })
    const said = await slack.mention('seen before?', { channel, extra: { reactions: left } })
    await slack.until(() => slack.replies(channel, said.ts).length > 0, 'the answer')
    await slack.until(() => slack.reactions(channel, said.ts).length === 0, 'no reaction')
  })
})

test('Slack would have refused nothing', () => {
  expect(slack.refusals).toEqual([])
})
