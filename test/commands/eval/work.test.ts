/** `npm run eval -- --set work`: the shipped questions, played by a model that knows some of them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { holdsAnswer } from '../../../src/commands/eval/work/ask-work.ts'
import { WORK_FOLLOW_UPS } from '../../../src/commands/eval/work/follow-ups.ts'
import { WORK_QUESTIONS } from '../../../src/commands/eval/work/work-questions.ts'
import { workTools } from '../../../src/commands/eval/work/work-tools.ts'
import { runCommand, temporaryFolder } from '../../harness/command.ts'
import { playModel, structured } from '../../harness/played-model.ts'
import { toolContext } from '../../harness/tool-context.ts'

describe('the set', () => {
  test('has 40 questions of six kinds and 30 follow-ups, and every tool that a question needs', () => {
    expect(WORK_QUESTIONS).toHaveLength(40)
    expect(new Set(WORK_QUESTIONS.map(({ question }) => question)).size).toBe(40)
    expect(WORK_FOLLOW_UPS).toHaveLength(30)
    const tools = workTools().map(({ name }) => name)
    for (const { calls = [] } of WORK_QUESTIONS) for (const name of calls) expect(tools).toContain(name)
  })

  test.each([
    ['colleague', { name: 'jonas vik' }, /manager Priya Nair/],
    ['article', { name: 'headsets' }, /price 62 euros/],
    ['task', { key: 'XYZ-1' }, /^Nothing found for "XYZ-1"\.$/],
    ['house_rules', { words: 'receipt' }, /within 21 days/],
    ['house_rules', { words: 'dogs' }, /^No rule/],
    ['day_of_week', { date: '2026-11-24' }, /Tuesday/],
  ])('%s %j', async (name, input, expected) => {
    const tool = workTools().find((one) => one.name === name)
    expect(await tool!.run(input, toolContext())).toMatch(expected)
  })
})

describe('an answer', () => {
  test.each([
    [['15466'], [], 'It is 15,466.', true],
    [['15466'], [], 'It is 15 466.', true],
    [['not found|no such'], ['urgent'], 'There is no such task.', true],
    [['not found|no such'], ['urgent'], 'No such task is urgent.', false],
    [['a', 'b'], [], 'only a', false],
  ])('must hold %j and not %j: %s', (contains, excludes, answer, right) => {
    expect(holdsAnswer({ contains, excludes }, answer)).toBe(right)
  })
})

test('prints right answers by kind, broken turns, loops, leaks, answers asked again, seconds, tokens and follow-ups', async (t) => {
  const folder = await temporaryFolder(t)
  const model = await playModel(t, ({ kind, prompt, body }) => {
    if (kind === 'condense') return 'Who is the manager of Priya Nair?'
    const last = body.messages.at(-1)?.content ?? ''
    if (!prompt.includes('polite') || !last.startsWith('Question:')) return 'Final Answer: analyses'
    return 'response_format' in body ? structured('answer', 'Please send the numbers today.') : 'Final Answer: Now!'
  })
  const args = ['--set', 'work', '--compare', 'structured,text', '--limit', '2', '--out', folder]
  const { code, stdout } = await runCommand(t, 'src/commands/eval.ts', {
    args,
    env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: 'm' },
  })
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /\| right \| nothing \|.*\| broken turns \| loops \| leaks \| asked again \| seconds \| tokens in \/ out \| follow-ups \|/,
  )
  expect(stdout).toMatch(/\| structured · m \| 2 of 2 \| 2 of 2 \|/)
  expect(stdout).toMatch(/\n3 of 4 right\s*$/)
  expect(await readFile(join(folder, 'results.md'), 'utf8')).toContain('structured · m')
})

test.for([
  [['--set', 'other'], 'there is no set "other"'],
  [['--set', 'work', 'x.jsonl'], 'x.jsonl is too much'],
  [['--set', 'work', '--append', 'x'], '--append cannot be used with --set'],
] as const)('%j is refused', async ([args, sentence], t) => {
  const { code, stderr } = await runCommand(t, 'src/commands/eval.ts', { args: [...args] })
  expect(stderr).toContain(sentence)
  expect(code).not.toBe(0)
})
