import { existsSync, readFileSync } from 'node:fs'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { evalQuestions } from '../../../src/commands/eval/run-set.ts'
import { parseOptions } from '../../../src/commands/eval/options.ts'
import { runCommand, runHere, startCommand, temporaryFolder } from '../../harness/command.ts'
import type { Ends } from '../../harness/ends.ts'
import { act, finish, playModel, type PlayedModel } from '../../harness/played-model.ts'
import { deferred } from '../../harness/stores.ts'

const SET = [
  { id: 'sum', question: 'What is 29 to the power 0.23?', gold: '2.169459462491557' },
  { id: 'colour', question: 'Which colour is the sky?', gold: ['blue', 'azure'] },
  { id: 3, question: 'Is water wet?', gold: true },
]

/** A set of three questions, and a model that answers two of them correctly. */
async function smallSet(t: Ends) {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'small.jsonl')
  await writeFile(file, SET.map((line) => JSON.stringify(line)).join('\n'))
  const model = await playModel(t)
  model.on('29 to the power', act('I should work it out.', 'calculator', '29^0.23'), finish('2.169459462491557'))
  model.on('sky', finish('The azure.'))
  model.on('water', finish('no'))
  return { folder, file, out: join(folder, 'out'), model }
}

function envOf(model: PlayedModel): Record<string, string> {
  return { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-played', OPENAI_MODEL: 'played', TOOLS: 'calculator' }
}

/** Runs the evaluation in this process. Returns its output. */
async function evaluate(model: PlayedModel, args: string[], env: Record<string, string> = {}) {
  const config = loadConfig({ ...envOf(model), ...env })
  const options = parseOptions(args, { dialect: config.AGENT_DIALECT, model: config.OPENAI_MODEL, now: new Date() })
  if (options.kind !== 'ask') throw new Error('this asks no questions')
  let progress = ''
  const stream = { write: (text: string) => (progress += text) }
  const stdout = await evalQuestions(options, {
    config,
    signal: new AbortController().signal,
    progress: stream,
    now: () => new Date(),
  })
  const results = JSON.parse(await readFile(join(options.out, 'results.json'), 'utf8')) as Results
  return { stdout, progress, sides: results.sides }
}

interface Results {
  sides: {
    summary: { name: string; right: number; em: number; f1: number; steps: number; costUsd?: number; ends: object }
    questions: {
      id: string
      answer?: string
      em: number
      f1: number
      steps: number
      inputTokens: number
      gold: string[]
    }[]
  }[]
}

test('without a gold answer any answer counts that was not rejected', async (t) => {
  const { folder, out, model } = await smallSet(t)
  const file = join(folder, 'rated.jsonl')
  const set = [
    { id: 'same', question: 'Which colour is the sky?', rejected: ['Azure'] },
    { id: 'other', question: 'Is water wet?', gold: [], rejected: 'yes' },
  ]
  await writeFile(file, set.map((line) => JSON.stringify(line)).join('\n'))
  const { stdout, sides } = await evaluate(model, [file, '--out', out])
  expect(sides[0]!.questions.map(({ id, em, f1 }) => [id, em, f1])).toEqual([
    ['same', 0, 0],
    ['other', 1, 1],
  ])
  expect(stdout).toMatch(/1 of 2 right$/)
  await writeFile(file, JSON.stringify({ id: 'none', question: 'What?', gold: [] }))
  await expect(evaluate(model, [file, '--out', out])).rejects.toThrow('is not a question')
})

test('npm run eval needs no Slack setting, its last line gives the score, and it writes to eval-results', async (t) => {
  const { file, model, folder } = await smallSet(t)
  const { code, stdout, stderr } = await runCommand(t, 'src/commands/eval.ts', {
    args: [file],
    env: envOf(model),
    cwd: folder,
  })
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('2 of 3 right')
  expect(code).toBe(0)
  expect(stderr).toContain('3/3, 2 right')
  expect(stdout).toContain('| text · played | 2 of 3 ')
  expect(existsSync(join(folder, 'eval-results'))).toBe(true)
})

test('the report has EM, F1, steps, tokens and ends, per question and in total', async (t) => {
  const { file, out, model } = await smallSet(t)
  const { sides } = await evaluate(model, [file, '--out', out])
  const [side] = sides
  expect(side?.summary).toMatchObject({ name: 'text · played', right: 2, ends: { answered: 3 } })
  expect(side?.summary.em).toBeCloseTo(2 / 3)
  expect(side?.summary.steps).toBeCloseTo(1 / 3)
  expect(side?.questions.map(({ id, em, steps }) => [id, em, steps])).toEqual([
    ['sum', 1, 1],
    ['colour', 1, 0],
    ['3', 0, 0],
  ])
  expect(side?.questions[0]).toMatchObject({ answer: '2.169459462491557', gold: ['2.169459462491557'] })
  expect(side?.summary).toMatchObject({ figures: { total: 1, unsupported: 0 } })
  expect(side?.questions[0]?.inputTokens).toBeGreaterThan(100)
  expect(await readFile(join(out, 'results.md'), 'utf8')).toContain('66.7 %')
})

test('the cost is shown if the prices are known', async (t) => {
  const { file, folder, model } = await smallSet(t)
  const prices = join(folder, 'prices.json')
  await writeFile(prices, JSON.stringify({ played: { in: 1, out: 2 } }))
  const priced = await evaluate(model, [file, '--out', join(folder, 'priced')], { PRICES_FILE: prices })
  const unpriced = await evaluate(model, [file, '--out', join(folder, 'unpriced')])
  expect(priced.sides[0]?.summary.costUsd).toBeGreaterThan(0)
  expect(unpriced.sides[0]?.summary).not.toHaveProperty('costUsd')
  expect(unpriced.stdout).toContain('unknown')
})

test('answered questions are not asked again, and count in the score', async (t) => {
  const { file, out, model } = await smallSet(t)
  const first = await evaluate(model, [file, '--out', out, '--limit', '2'])
  expect(first.stdout).toMatch(/2 of 2 right$/)
  const asked = model.requests.length
  const second = await evaluate(model, [file, '--out', out])
  expect(second.stdout).toMatch(/2 of 3 right$/)
  expect(model.requests.length - asked).toBe(1)
  expect(model.about('water')).toHaveLength(1)
})

test('a changed question is asked again', async (t) => {
  const { file, out, model } = await smallSet(t)
  await evaluate(model, [file, '--out', out])
  await writeFile(file, JSON.stringify({ ...SET[1], question: 'Which colour has the sky?' }))
  const asked = model.requests.length
  await evaluate(model, [file, '--out', out])
  expect(model.requests.length - asked).toBe(1)
})

test('a line that was written half by a killed process is ignored', async (t) => {
  const { file, out, model } = await smallSet(t)
  await evaluate(model, [file, '--out', out, '--limit', '2'])
  await appendFile(join(out, 'text-played.jsonl'), '{"id":"3","question":"Is wa')
  const { stdout } = await evaluate(model, [file, '--out', out])
  expect(stdout).toMatch(/2 of 3 right$/)
  const lines = (await readFile(join(out, 'text-played.jsonl'), 'utf8')).trimEnd().split('\n')
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ id: '3', answer: 'no' })
})

test('a failed question counts as wrong, is reported, and is asked again next time', async (t) => {
  const { file, out, model } = await smallSet(t)
  model.on('sky', { status: 400, body: { error: { message: 'no colours today' } } })
  const first = await evaluate(model, [file, '--out', out])
  expect(first.stdout).toMatch(/1 of 3 right$/)
  expect(first.progress).toContain('status 400')
  expect(first.sides[0]?.summary.ends).toEqual({ answered: 2, failed: 1 })
  model.on('sky', finish('blue'))
  expect((await evaluate(model, [file, '--out', out])).stdout).toMatch(/2 of 3 right$/)
})

test('a model that rejects every question ends it with a sentence', async (t) => {
  const { file, out, model } = await smallSet(t)
  for (const word of ['power', 'sky', 'water']) model.on(word, { status: 401, body: { error: { message: 'no' } } })
  await expect(evaluate(model, [file, '--out', out])).rejects.toThrow('check OPENAI_API_KEY')
})

test('a run without an answer is never right, and its end is counted', async (t) => {
  const { folder, model } = await smallSet(t)
  const file = join(folder, 'loop.jsonl')
  await writeFile(file, '{"id": 1, "question": "Where is the loop?", "gold": "the"}')
  model.on('loop', act('Again.', 'calculator', '1+1'))
  const { stdout, sides } = await evaluate(model, [file, '--out', join(folder, 'out')])
  expect(stdout).toMatch(/0 of 1 right$/)
  expect(sides[0]?.summary.ends).toEqual({ loop: 1 })
})

test('several dialects and models are compared in the table, the file and the chart', async (t) => {
  const { file, out, model } = await smallSet(t)
  model.decide('power', ({ body }) => {
    const isJson = body.messages[0]?.content?.includes('$JSON_BLOB')
    return isJson ? finish('2.17') : finish('2.169459462491557')
  })
  const { stdout, sides } = await evaluate(model, [file, '--out', out, '--compare', 'text,json:other:8b'])
  expect(sides.map(({ summary }) => [summary.name, summary.right])).toEqual([
    ['text · played', 2],
    ['json · other:8b', 1],
  ])
  expect(stdout).toMatch(/3 of 6 right$/)
  expect(new Set(model.requests.map(({ body }) => body.model))).toEqual(new Set(['played', 'other:8b']))
  const svg = await readFile(join(out, 'chart.svg'), 'utf8')
  for (const label of ['text · played', 'json · other:8b', 'Exact match', '66.7 %', '33.3 %', 'Tokens a question'])
    expect(svg).toContain(label)
})

test('--concurrency limits the questions that run at once', async (t) => {
  const { folder, model } = await smallSet(t)
  const file = join(folder, 'many.jsonl')
  await writeFile(
    file,
    Array.from({ length: 12 }, (_, id) => JSON.stringify({ id, question: `Number ${id}?`, gold: 'x' })).join('\n'),
  )
  let [atWork, most] = [0, 0]
  const threeAtWork = deferred()
  model.decide('Number', async () => {
    most = Math.max(most, ++atWork)
    if (most === 3) threeAtWork.resolve()
    await threeAtWork.promise
    await new Promise((resolve) => setTimeout(resolve, 20))
    atWork--
    return finish('x')
  })
  const { stdout } = await evaluate(model, [file, '--out', join(folder, 'out'), '--concurrency', '3'])
  expect(stdout).toMatch(/12 of 12 right$/)
  expect(most).toBe(3)
})

test('--append is added to each question', async (t) => {
  const { file, out, model } = await smallSet(t)
  await evaluate(model, [file, '--out', out, '--append', 'Be brief.'])
  expect(model.requests.every(({ question }) => question.includes('? Be brief.'))).toBe(true)
})

test('Ctrl-C keeps the answers and says how to continue', async (t) => {
  const { file, out, model, folder } = await smallSet(t)
  model.on('water', { hang: true })
  const command = startCommand(t, 'src/commands/eval.ts', {
    args: [file, '--out', out],
    env: envOf(model),
    cwd: folder,
  })
  await command.shows('2/3')
  command.signal('SIGINT')
  const { code, stderr } = await command.ended
  expect(code).toBe(1)
  expect(stderr).toContain(`run the same command with --out ${out}.`)
  expect(readFileSync(join(out, 'text-played.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2)
})

test('without a model the demo can be evaluated', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'sum.jsonl')
  await writeFile(file, '{"id": 1, "question": "What is 2+2?", "gold": "4"}')
  const env = { TOOLS: 'calculator' }
  const refused = await runHere(t, 'src/commands/eval.ts', { args: [file], env, cwd: folder })
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('No model is set')
  const out = join(folder, 'out')
  const { stdout } = await runHere(t, 'src/commands/eval.ts', { args: [file, '--model', 'demo', '--out', out], env })
  expect(stdout).toMatch(/\d of 1 right\n$/)
})

test('omitted custom tools are named once, and a tool that ignores its signal does not keep it from ending', async (t) => {
  const { file, out, model, folder } = await smallSet(t)
  const waits = `export default { name: 'wait', description: 'x', run: () => new Promise((done) => setTimeout(done, 3_600_000)) }`
  await mkdir(join(folder, 'tools'))
  await writeFile(join(folder, 'tools', 'wait.js'), waits)
  await writeFile(join(folder, 'tools', 'broken.js'), 'export default {')
  model.on('sky', act('I wait.', 'wait', 'long'), finish('blue'))
  const env = { ...envOf(model), CUSTOM_TOOLS_DIR: join(folder, 'tools'), TOOL_TIMEOUT_MS: '3000' }
  const args = [file, '--out', out, '--compare', 'text:one,text:two', '--limit', '2']
  const { code, stdout, stderr } = await runCommand(t, 'src/commands/eval.ts', { args, env })
  expect([code, stderr.match(/Skipped the custom tool broken\.js: .+/g)?.length]).toEqual([0, 1])
  expect(stdout).toContain('4 of 4 right')
})

test('the demo is graded by values, gives no answer it does not know, and refuses unsupported dialects', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'sums.jsonl')
  const lines = [
    { id: 1, question: 'What is 2+2?', gold: '4' },
    { id: 2, question: 'What is 6*7, and half of it?', gold: ['21'] },
    { id: 3, question: 'What is 54°F in celsius?', gold: '12.22 °C' },
    { id: 4, question: 'What is 2+3?', gold: '4' },
    { id: 5, question: 'Could you write a poem?', gold: 'a poem of a language model' },
    { id: 6, question: 'Write a poem about 4 cats', rejected: ['4'] },
    { id: 7, question: 'Can you tell me what 7*6 is, please?', gold: '42' },
  ]
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  const env = { TOOLS: 'calculator' }
  const ask = (...args: string[]) =>
    runHere(t, 'src/commands/eval.ts', {
      args: [file, '--model', 'demo', '--out', join(folder, `out-${args.length}`), ...args],
      env,
    })
  const { stdout } = await ask()
  expect(stdout).toMatch(/4 of 7 right\n$/)
  expect(stdout).toMatch(/\| 4 of 7 \| 57\.1 % \| 57\.1 % \|.*answered 5, not answered 2/)
  const refused = await ask('--compare', 'text,json')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('The demo knows only the dialect text, not json')
})
