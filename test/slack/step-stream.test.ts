/** A stream whose process ends: the next process continues or ends it, and the answer is posted once. */
import { expect, test } from 'vitest'
import { secondBot, startBot, type TestBot, type Thread } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'

const WORDS = 'The lighthouse keeper counted every ship that passed the cape before the storm came in from the west. '
const ANSWER = WORDS.repeat(12).trim()

async function durable(t: Ends): Promise<{ bot: TestBot; env: Record<string, string> }> {
  const server = await startRedis()
  t.onTestFinished(() => server.stop())
  const env = { STEPS: 'stream', REDIS_URL: server.url, SHUTDOWN_MS: '500' }
  return { bot: await startBot(t, { env }), env }
}

function done({ slack }: TestBot): string[] {
  return slack.calls.flatMap(({ method, ok }) => (ok && /(?:start|stop)Stream|update/.test(method) ? [method] : []))
}

function open(thread: Thread): number {
  return thread.messages().filter(({ streaming_state }) => streaming_state === 'in_progress').length
}

describeWithRedis('a stream whose process ends', () => {
  test('is left open for the next process, which continues it and ends it once', async (t) => {
    const { bot, env } = await durable(t)
    const { slack, model } = bot
    model.on('handed over', act('One.', 'calculator', '1+1'), { hang: true })
    const thread = await bot.dm('Is it handed over?')
    await slack.until(() => model.about('handed over').length === 2 && open(thread) === 1, 'the second call')
    await bot.stop()
    expect(open(thread)).toBe(1)
    model.on('handed over', act('Two.', 'calculator', '2+2'), finish('Handed over.'))
    await secondBot(t, bot, env)
    expect(await thread.ended()).toMatch(/^Handed over\.\n/)
    expect(thread.messages()).toHaveLength(1)
    for (const part of ['Calculator: 1+1', 'Calculator: 2+2']) expect(thread.shown()[0]).toContain(part)
    expect(done(bot)).toEqual(['chat.startStream', 'chat.stopStream'])
  })

  test('in the middle of its answer is ended, and gets the next process’s answer once', async (t) => {
    const { bot, env } = await durable(t)
    const { slack, model } = bot
    model.on('half way', act('One.', 'calculator', '1+1'), { text: finish(ANSWER), chunkMs: 8, stallAfter: 900 })
    const thread = await bot.dm('Is it half way?')
    await slack.until(() => (thread.messages()[0]?.text ?? '').length > 100, 'a part of the answer')
    await bot.stop()
    model.on('half way', finish(`Otherwise: ${ANSWER}`))
    await secondBot(t, bot, env)
    await thread.ended()
    expect(thread.messages()).toHaveLength(1)
    const shown = thread.shown()[0] ?? ''
    expect(shown.replace(/\s+/g, ' ')).toContain(`Otherwise: ${ANSWER}`)
    expect(shown.split('The lighthouse keeper')).toHaveLength(13)
    expect(shown).toContain('Calculator: 1+1')
    expect([open(thread), slack.refusals]).toEqual([0, []])
  })
})
