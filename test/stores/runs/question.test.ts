/** Questions as version 0.1.0 stored them (fixtures/stores/questions-0.1.0.json), by how they were asked. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { askedAt, originalId, questionSchema, withOriginal } from '../../../src/stores/runs/question.ts'
import type { Question } from '../../../src/stores/runs/types.ts'

const recorded = JSON.parse(
  readFileSync(new URL('../../fixtures/stores/questions-0.1.0.json', import.meta.url), 'utf8'),
) as Record<string, object>

const KINDS: Record<string, Question['kind']> = {
  ...{ mention: 'asked', reply: 'asked', dm: 'asked', files: 'asked', command: 'asked', edited: 'asked' },
  ...{ pressed: 'asked', bot: 'bot', addition: 'addition', about: 'about', share: 'share' },
  ...{ occurrence: 'occurrence', again: 'occurrence', try: 'occurrence' },
}

/** What 0.1.0 stored only in the ids. */
const original = { id: 'T1:C1:1700000000.000100', ts: '1700000000.000100' }
const READ_OF_IDS: Record<string, Partial<Question>> = { edited: { original }, pressed: { original, isRepeat: true } }

test.each(Object.keys(KINDS))('%s of 0.1.0 is read with its kind, and all of its fields', (name) => {
  const stored = recorded[name]!
  const fields: { wasAddition?: boolean } = { ...stored }
  delete fields.wasAddition
  const question = questionSchema.parse(stored)
  expect(question).toEqual({ ...fields, kind: KINDS[name], ...READ_OF_IDS[name] })
  expect(questionSchema.parse(JSON.parse(JSON.stringify(question)))).toEqual(question)
})

test.each([
  [
    'a repeated command',
    { id: 'T1:C1:ask-1.2.ab:again-U2-89' },
    { original: { id: 'T1:C1:ask-1.2.ab' }, isRepeat: true },
  ],
  ['a command', { id: 'T1:C1:ask-1.2.ab' }, {}],
  [
    'a question of this version, whatever its id',
    { id: 'a:b:1.1:again-c', original: { id: 'x' } },
    { original: { id: 'x' } },
  ],
])('%s has its original', (_, fields, read) => {
  const { original, isRepeat } = questionSchema.parse({ ...recorded.command, ...fields })
  expect({ ...(original && { original }), ...(isRepeat && { isRepeat }) }).toEqual(read)
})

test('a turn of 0.1.0 says which message asked it', () => {
  const turn = { question: 'q', standalone: 'q', answer: 'a', user: 'U1', at: 1 }
  const read = ['T1:C1:1.1', 'T1:C1:1.1:2.2', 'T1:C1:1.1:again-U2-8', 'T1:C1:ask-1'].map((id) =>
    withOriginal({ ...turn, id }),
  )
  expect(read.map((one) => [originalId(one), askedAt(one)])).toEqual([
    ['T1:C1:1.1', '1.1'],
    ['T1:C1:1.1', '1.1'],
    ['T1:C1:1.1', '1.1'],
    ['T1:C1:ask-1', undefined],
  ])
})

test('every recorded question is read', () => {
  expect(Object.keys(recorded).sort()).toEqual(Object.keys(KINDS).sort())
})

test.each([
  ['an occurrence without its schedule is a question', { kind: 'occurrence' }, 'asked'],
  ['a kind that is not known is a question', { kind: 'dance' }, 'asked'],
  ['a mark of the queue says more than the kind', { wasAddition: true, kind: 'asked' }, 'addition'],
])('%s', (_, fields, kind) => {
  expect(questionSchema.parse({ ...recorded.mention, ...fields }).kind).toBe(kind)
})

test('a quiet run’s work stays with its occurrence, and with nothing else', () => {
  const prior = { standalone: 'x' }
  expect(questionSchema.parse({ ...recorded.occurrence, prior })).toMatchObject({ kind: 'occurrence', prior })
  expect(questionSchema.parse({ ...recorded.mention, prior })).not.toHaveProperty('prior')
})
