import { expect, test } from 'vitest'
import { parseOptions } from '../../../src/commands/eval/options.ts'
import { runHere } from '../../harness/command.ts'

const DEFAULTS = { dialect: 'text', model: 'configured', now: new Date('2026-11-21T10:35:00Z') } as const

const parse = (...args: string[]) => parseOptions(args, DEFAULTS)

test('by default it uses the configured dialect and model, and a results folder named after the set and the time', () => {
  expect(parse('sets/hotpot.jsonl')).toEqual({
    kind: 'ask',
    file: 'sets/hotpot.jsonl',
    out: 'eval-results/hotpot-20261121-103500',
    variants: [{ dialect: 'text', model: 'configured' }],
    append: '',
    concurrency: 4,
  })
})

test('a variant is a dialect, with a model after the first colon', () => {
  expect(parse('x.jsonl', '--compare', 'text, json:llama3.1:8b')).toMatchObject({
    variants: [
      { dialect: 'text', model: 'configured' },
      { dialect: 'json', model: 'llama3.1:8b' },
    ],
  })
})

test('the parser score accepts any dialect, and by default the one of each line', () => {
  const read = { kind: 'read', file: 'a.jsonl', out: 'b.jsonl' }
  expect(parse('--read', 'a.jsonl', '--out', 'b.jsonl')).toEqual(read)
  expect(parse('--read', 'a.jsonl', '--out', 'b.jsonl', '--dialect', 'json')).toEqual({ ...read, dialect: 'json' })
  for (const other of ['--model', '--compare', '--append', '--concurrency', '--limit'])
    expect(() => parse('--read', 'a.jsonl', '--out', 'b.jsonl', other, '1')).toThrow(
      `${other} cannot be used with --read`,
    )
})

test('a replay uses the bracket dialect and may be limited', () => {
  expect(parse('--replay', 'sets/fever.jsonl', '--limit', '7')).toEqual({
    kind: 'replay',
    file: 'sets/fever.jsonl',
    out: 'eval-results/fever-20261121-103500',
    dialect: 'bracket',
    limit: 7,
  })
})

test.each([
  [[], 'Name a question set'],
  [['a.jsonl', 'b.jsonl'], 'Name one file only'],
  [['a.jsonl', '--replay', 'b.jsonl'], 'Name one file only'],
  [['a.jsonl', '--nope'], "Unknown option '--nope'"],
  [['a.jsonl', '--limit'], "'--limit <value>' argument missing"],
  [['a.jsonl', '--limit', '0'], '--limit should be a whole number, 1 or more'],
  [['a.jsonl', '--concurrency', 'x'], '--concurrency should be a whole number, 1 or more'],
  [['a.jsonl', '--dialect', 'latin'], 'there is no dialect "latin". Choose from text, json'],
  [['a.jsonl', '--compare', 'text,latin'], 'there is no dialect "latin"'],
  [['a.jsonl', '--compare', 'text,text:configured'], 'text · configured twice'],
  [['a.jsonl', '--compare', 'text', '--dialect', 'json'], '--dialect cannot be used with --compare'],
  [['--replay', 'a.jsonl', '--compare', 'text'], '--compare cannot be used with --replay'],
  [['--read', 'a.jsonl'], '--read needs --out'],
])('%j is answered with a sentence', (args, sentence) => {
  expect(() => parse(...args)).toThrow(sentence)
})

test('a wrong option ends npm run eval with a sentence, exit code 1 and nothing on stdout', async (t) => {
  const { code, stdout, stderr } = await runHere(t, 'src/commands/eval.ts', { args: ['--nope'] })
  expect({ code, stdout, stderr: stderr.trim() }).toEqual({
    code: 1,
    stdout: '',
    stderr: "Unknown option '--nope'. --help lists the options.",
  })
})

test('--help lists every option', async (t) => {
  const { code, stdout } = await runHere(t, 'src/commands/eval.ts', { args: ['--help'] })
  expect(code).toBe(0)
  for (const option of ['replay', 'read', 'out', 'dialect', 'model', 'compare', 'append', 'concurrency', 'limit'])
    expect(stdout).toContain(`--${option} `)
})
