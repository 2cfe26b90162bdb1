import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadEpisodes } from '../../../src/commands/eval/episodes.ts'
import { loadQuestions } from '../../../src/commands/eval/parse-set.ts'
import { temporaryFolder } from '../../harness/command.ts'
import type { Ends } from '../../harness/ends.ts'

async function fileOf(t: Ends, text: string): Promise<string> {
  const file = join(await temporaryFolder(t), 'set.jsonl')
  await writeFile(file, text)
  return file
}

const SKY = '{"id": 1, "question": "Which colour is the sky?", "gold": "blue"}'

test('a set may have blank lines, CRLF, and gold answers that are not text', async (t) => {
  const wet = '{"id": "wet", "question": "Is water wet?", "gold": [true, 1, "yes"]}'
  const file = await fileOf(t, `\n${SKY}\r\n  \r\n${wet}\r\n`)
  expect(await loadQuestions(file)).toEqual([
    { id: '1', question: 'Which colour is the sky?', gold: ['blue'] },
    { id: 'wet', question: 'Is water wet?', gold: ['true', '1', 'yes'] },
  ])
  expect(await loadQuestions(file, 1)).toHaveLength(1)
})

test.for([
  ['no JSON', `${SKY}\nid: 2`, ':2 is not a question ({id, question, gold or rejected}).'],
  ['a question of nothing', `${SKY}\n\n{"id": 2, "question": "", "gold": "x"}`, ':3 is not a question'],
  ['no gold answer', '{"id": 2, "question": "Why?", "gold": []}', ':1 is not a question'],
  ['an id that stands twice', `${SKY}\n${SKY.replace('1', '"1"')}`, ':2 repeats the id "1".'],
  ['nothing', ' \n\n', ' is empty.'],
] as const)('a set with %s is refused, by its line', async ([, text, sentence], t) => {
  const file = await fileOf(t, text)
  await expect(loadQuestions(file)).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringContaining(`${file}${sentence}`),
  })
})

test('a missing file is one sentence, for recordings and questions', async (t) => {
  const file = join(await temporaryFolder(t), 'none.jsonl')
  for (const load of [loadQuestions, loadEpisodes])
    await expect(load(file)).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/none\.jsonl cannot be read: ENOENT/),
    })
})
