import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConversation } from '../../../playground/recording/conversation-file.ts'
import { failureText } from '../../../playground/recording/play-conversation.ts'
import { replayWithBot } from '../../../playground/bot/replay-bot.ts'
import { saveTraceTest } from '../../../playground/bot/trace-test.ts'
import type { RunTrace } from '../../../src/stores/runs/run-trace.ts'
import { startCommand } from '../../harness/command.ts'
import { temporaryFolder } from '../../harness/command.ts'
import { act, finish } from '../../harness/played-model.ts'

/** Returns the trace of a run with one step. */
function traced(): RunTrace {
  const asked = (steps: string) => ({
    messages: [{ role: 'user' as const, content: `Question: How much is 6*7 apples?\nThought:${steps}` }],
  })
  const call = { kind: 'model' as const, for: 'step' as const, model: 'm', usage: [], at: 1, ms: 1 }
  const [first, last] = [act('I reckon.', 'calculator', '6*7'), finish('Forty-two apples.')]
  return {
    version: 1,
    ...{ id: 'T1:C1:1.1', team: 'T1', channel: 'C1', thread: '1.1', user: 'U1', startedAt: 1, attempts: 1 },
    ...{ question: 'And how much is it?', standalone: 'How much is 6*7 apples?', model: 'm', dialect: 'text' },
    calls: [
      { ...call, turn: 1, request: asked(''), output: { text: first } },
      { kind: 'tool', at: 1, ms: 1, step: 1, tool: 'calculator', input: { expression: '6*7' }, output: '42', ok: true },
      { ...call, turn: 2, request: asked(`${first}\nObservation: 42\nThought:`), output: { text: last } },
    ],
  }
}

test.concurrent('a trace becomes a test of its question with its expected result, and passes', async (t) => {
  const folder = await temporaryFolder(t)
  const said = await saveTraceTest(traced(), { folder })
  expect(said.join('\n')).toMatch(
    /Saved as .*and-how-much-is-it\.json[^]*please review it:[^]*thinkaloud: .*Forty-two apples\./,
  )
  const conversation = readConversation(await readFile(join(folder, 'and-how-much-is-it.json'), 'utf8'))
  expect(conversation.acts[0]?.with['text']).toBe('@thinkaloud How much is 6*7 apples?')
  const replayed = await replayWithBot(conversation)
  t.onTestFinished(replayed.stop)
  expect(failureText(replayed, '')).toBe('')
})

test.concurrent('a trace that cannot be replayed makes no test, and nothing is overwritten', async (t) => {
  const folder = await temporaryFolder(t)
  const trace = traced()
  await expect(saveTraceTest({ ...trace, calls: trace.calls.slice(0, 1) }, { folder })).rejects.toThrow(
    'The recording does not have this tool call: calculator',
  )
  await saveTraceTest(trace, { folder, name: 'one' })
  await expect(saveTraceTest(trace, { folder, name: 'one' })).rejects.toThrow(
    'is there already. Give another name: npm run trace',
  )
  await expect(saveTraceTest(trace, { folder, name: '../one' })).rejects.toThrow('A name has up to')
})

test.concurrent('a trace with calls that a replay never makes is no test', async (t) => {
  const folder = await temporaryFolder(t)
  const trace = traced()
  const [, , last] = trace.calls
  const calls = [last!, ...trace.calls]
  await expect(saveTraceTest({ ...trace, calls }, { folder })).rejects.toThrow(
    /differs from the trace[^]*2 of its 3 calls of the model were not made/,
  )
  expect(readdirSync(folder)).toEqual([])
})

test.concurrent('tokens in a trace do not get into the test', async (t) => {
  const folder = await temporaryFolder(t)
  const leaky = JSON.stringify(traced()).replaceAll('Forty-two apples.', 'Forty-two xoxb-1234567890-abcdef.')
  await saveTraceTest(JSON.parse(leaky) as RunTrace, { folder, name: 'clean' })
  expect(await readFile(join(folder, 'clean.json'), 'utf8')).not.toContain('xoxb-')
  const told = { ...traced(), question: 'Is xoxb-1234567890-abcdef mine?' }
  await saveTraceTest(told, { folder })
  expect(readdirSync(folder)).toEqual(['clean.json', 'is-a-token-mine.json'])
})

test.concurrent('npm run trace -- test FILE NAME takes the name', async (t) => {
  const file = join(await temporaryFolder(t), 'run.json')
  await writeFile(file, JSON.stringify(traced()))
  const command = startCommand(t, 'playground/trace.ts', { args: ['test', file, '../up'] })
  expect((await command.ended).code).toBe(1)
  expect(command.stderr()).toContain('A name has up to 60 lower-case letters')
})
