import { describe, expect, test } from 'vitest'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const WARNING = '⚠️ The model’s output could not be read, so I asked it again.'
const SCRIPT = [
  'no form\nAction:',
  'none again\nAction:',
  act('A sum.', 'calculator', '1+1'),
  'lost\nAction:',
  finish('Two.'),
]

describe('an output that cannot be read', async () => {
  const ends = fileEnds()

  test('is a warning in the thread, one for several in a row, without its text', async () => {
    const bot = await startBot(ends, { model: SCRIPT })
    const thread = await bot.mention('One and one?')
    expect(await thread.lastAnswer()).toBe('Two.')
    const steps = thread.shown().slice(0, -1)
    expect(steps).toEqual([WARNING, '💭 A sum.\n🔧 *Calculator* `1+1`\n👁 2', WARNING])
    expect(JSON.stringify(bot.slack.calls)).not.toContain('That reply could not be read')
  })

  test('is a task of the stream with STEPS=stream', async () => {
    const bot = await startBot(ends, { model: SCRIPT, env: { STEPS: 'stream' } })
    const thread = await bot.dm('One and one?')
    expect(await thread.lastAnswer()).toMatch(/^Two\./)
    const [stream, ...rest] = thread.messages()
    expect(rest).toHaveLength(0)
    const tasks = new Map(stream?.chunks?.flatMap(({ id, title, status }) => (id ? [[id, { title, status }]] : [])))
    const unreadable = { title: 'The model’s output could not be read', status: 'complete' }
    expect([...tasks.values()]).toEqual([unreadable, { title: 'Calculator: 1+1', status: 'complete' }, unreadable])
    expect(bot.slack.shown(stream!)).not.toMatch(/no form|none again|lost/)
  })
})
