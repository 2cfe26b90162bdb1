import { expect, test } from 'vitest'
import { freshRun, type SavedRun } from '../../src/stores/runs/types.ts'
import { answeredFields } from '../../src/slack/answering/answer-in-thread.ts'
import { startBot } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'
import { question } from '../harness/stores.ts'

const usage = { model: 'm', inputTokens: 100, outputTokens: 10, estimated: false }
const answer = { text: 'secret', sources: [] }

function saved(parts: Partial<SavedRun>): SavedRun {
  return { ...freshRun(1_000), attempts: 1, answer, ...parts }
}

test('an answered question is one line of ids and sizes', async (t) => {
  const bot = await startBot(t, { model: [act('A sum.', 'calculator', '2+3'), finish('It is five.')] })
  const thread = await bot.mention('What is 2+3?')
  await thread.ended()
  await bot.stop()
  const lines = bot.logs.map((line) => JSON.parse(line) as Record<string, unknown>)
  const found = lines.filter((line) => line['msg'] === 'question answered')
  expect(found).toHaveLength(1)
  expect(found[0]).toEqual({
    level: 30,
    time: expect.any(String),
    msg: 'question answered',
    question: `T0LOCAL0001:${thread.channel}:${thread.ts}`,
    team: 'T0LOCAL0001',
    channel: thread.channel,
    thread: thread.ts,
    surface: 'mention',
    outcome: 'answered',
    steps: 1,
    ms: expect.any(Number),
    modelCalls: 2,
    inputTokens: expect.any(Number),
    outputTokens: expect.any(Number),
  })
})

test('tokens and dollars are those of all calls together', () => {
  const fields = answeredFields(
    question('1.0'),
    saved({ usage: [{ ...usage, costUsd: 0.1 }, { ...usage, costUsd: 0.2 }, usage] }),
    4_000,
  )
  expect(fields).toMatchObject({ modelCalls: 3, inputTokens: 300, outputTokens: 30, costUsd: 0.3, ms: 3_000 })
})

test('a model without a price has an unknown cost, not zero', () => {
  expect('costUsd' in answeredFields(question('1.0'), saved({ usage: [usage] }), 4_000)).toBe(false)
})

test('the line names the limit that ended the run, and the number of attempts', () => {
  const fields = answeredFields(question('1.0'), saved({ answer: { ...answer, stopped: 'time' }, attempts: 2 }), 4_000)
  expect(fields).toMatchObject({ outcome: 'stopped', stopped: 'time', attempts: 2 })
})

test('the line names the trace if there is one, and contains no text', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const fields = answeredFields(
    question('1.0', { text: 'secret', traceparent }),
    saved({ standalone: 'secret' }),
    4_000,
  )
  expect(fields).toMatchObject({ trace: '0af7651916cd43dd8448eb211c80319c' })
  expect(JSON.stringify(fields)).not.toContain('secret')
})

test('another machine’s fast clock gives no negative time', () => {
  expect(answeredFields(question('1.0', { at: 9_000 }), saved({}), 4_000)).toMatchObject({ ms: 0 })
})
