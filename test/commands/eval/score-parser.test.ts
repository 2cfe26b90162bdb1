import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCases, readCompletion, scoreCases, scoreTable } from '../../../src/commands/eval/score-parser.ts'
import { ConfigError } from '../../../src/base/errors.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-cases-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function fileOf(name: string, ...cases: unknown[]): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, cases.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)) + '\n').join(''))
  return file
}

async function linesOf(file: string): Promise<unknown[]> {
  const text = await readFile(file, 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

const search = { id: 'a', dialect: 'text', tools: ['search'], completion: 'Action: Search\nAction Input: x' }

describe('reading a case file', () => {
  test('writes a line per case in the form of the expected one', async () => {
    const file = await fileOf(
      'cases.jsonl',
      search,
      { id: 'b', dialect: 'docstore', tools: ['Search', 'Finish'], completion: 'Action 1: Finish[42]' },
      { id: 'c', dialect: 'json', tools: [], completion: 'Hm.' },
      { id: 'd', dialect: 'json', tools: ['sum'], completion: '{"action": "sum", "action_input": {"a": 1}}' },
    )
    const out = join(folder, 'out.jsonl')
    expect(await readCases(file, out)).toBe(4)
    expect(await linesOf(out)).toEqual([
      { id: 'a', got: { kind: 'action', tool: 'search', input: 'x' } },
      { id: 'b', got: { kind: 'finish', answer: '42' } },
      { id: 'c', got: { kind: 'unparsable' } },
      { id: 'd', got: { kind: 'action', tool: 'sum', input: { a: 1 } } },
    ])
  })

  test('parses every line in one given dialect', async () => {
    const out = join(folder, 'override.jsonl')
    await readCases(await fileOf('one.jsonl', search), out, 'docstore')
    expect(await linesOf(out)).toEqual([{ id: 'a', got: { kind: 'action', tool: 'search', input: 'x' } }])
  })

  test('skips blank lines and needs no tool list', async () => {
    const out = join(folder, 'blank.jsonl')
    const file = await fileOf('blanks.jsonl', '', { id: 'a', dialect: 'text', completion: 'Final Answer: 42' }, '')
    expect(await readCases(file, out)).toBe(1)
  })

  test('keeps a line separator inside a completion as text', async () => {
    const raw = '{"id":"a","dialect":"text","tools":[],"completion":"Final Answer: a\u2028b"}'
    const out = join(folder, 'separator.jsonl')
    await readCases(await fileOf('separators.jsonl', raw), out)
    expect(await linesOf(out)).toEqual([{ id: 'a', got: { kind: 'finish', answer: 'a\u2028b' } }])
  })

  test('streams many cases', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({ ...search, id: String(i) }))
    const out = join(folder, 'many.out.jsonl')
    expect(await readCases(await fileOf('many.jsonl', ...many), out)).toBe(20_000)
    expect(await linesOf(out)).toHaveLength(20_000)
  })

  test('names an invalid line', async () => {
    const out = join(folder, 'broken.out.jsonl')
    await expect(readCases(await fileOf('broken.jsonl', search, '{"id": 1'), out)).rejects.toThrow(
      /broken\.jsonl:2 is no case/,
    )
    await expect(readCases(await fileOf('partial.jsonl', { id: 'a' }), out)).rejects.toThrow(ConfigError)
  })

  test('names the known dialects', () => {
    expect(() => readCompletion('klingon', '', [])).toThrow(/no dialect "klingon".*text, json, docstore/)
  })
})

describe('the score', () => {
  const expected = { kind: 'action', tool: 'search', input: 'x' }
  const cases = [
    { ...search, tier: 'R', expected },
    { ...search, id: 'b', tier: 'R', expected: { ...expected, input: ' x\n' } },
    { ...search, id: 'c', tier: 'R', expected: { ...expected, input: 'y' } },
    { ...search, id: 'd', tier: 'M', expected: { ...expected, tool: 'other' } },
    { ...search, id: 'e', tier: 'M' },
    {
      id: 'f',
      dialect: 'json',
      tier: 'R',
      completion: '{"action": "s", "action_input": {"b": 1, "a": 2}}',
      expected: { kind: 'action', tool: 's', input: { a: 2, b: 1 } },
    },
  ]

  test('counts by dialect and tier, and names the misses', async () => {
    expect(await scoreCases(await fileOf('scored.jsonl', ...cases))).toEqual([
      { dialect: 'text', tier: 'R', right: 2, total: 3, misses: ['c'] },
      { dialect: 'text', tier: 'M', right: 0, total: 1, misses: ['d'] },
      { dialect: 'json', tier: 'R', right: 1, total: 1, misses: [] },
    ])
  })

  test('is shown as a table', async () => {
    const table = scoreTable(await scoreCases(await fileOf('table.jsonl', ...cases)))
    expect(table.split('\n')).toEqual([
      '| dialect | tier | right | |',
      '|---|---|---|---|',
      '| text | R | 2 of 3 | 66.67 % |',
      '| text | M | 0 of 1 | 0.00 % |',
      '| json | R | 1 of 1 | 100.00 % |',
    ])
  })
})
