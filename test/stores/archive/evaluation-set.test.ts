import { expect, test } from 'vitest'
import { evaluationLine } from '../../../src/stores/archive/evaluation-set.ts'
import { recordOf } from '../../../src/question/archive-run.ts'
import type { Feedback } from '../../../src/stores/archive/types.ts'
import { freshRun, type SavedRun } from '../../../src/stores/runs/types.ts'
import { question } from '../../harness/stores.ts'

/** Returns the line of a run with this feedback: each person's thumb, and their right answer. */
function lineOf(said: string[], saved: Partial<SavedRun> = {}) {
  const answer = { text: 'Given', sources: [] }
  const record = recordOf(question('1.000001'), { ...freshRun(1), answer, ...saved }, ENDING)
  const feedback = said.map((one, i): Feedback => {
    const [rating, expected] = one.split(' ')
    const right = expected === undefined ? {} : { expected }
    return { by: `U${i}`, rating: rating === 'up' ? 'up' : 'down', at: i, ...right }
  })
  const line = evaluationLine({ ...record, feedback })
  return line && { gold: line.gold, rejected: line.rejected }
}

const ENDING = { model: 'm', dialect: 'text', endedAt: 2, hasFailed: false }

test.each([
  ['an answer that is liked is right', ['up'], { gold: ['Given'] }],
  ['one that is disliked is wrong', ['down'], { gold: [], rejected: ['Given'] }],
  ['the more thumbs count', ['up', 'up', 'down'], { gold: ['Given'] }],
  ['a tie is a dislike', ['up', 'down'], { gold: [], rejected: ['Given'] }],
  ['what people say is right is right', ['down A', 'down B', 'down A'], { gold: ['A', 'B'], rejected: ['Given'] }],
])('%s', (_, said, expected) => {
  expect(lineOf(said)).toEqual({ rejected: undefined, ...expected })
})

test('a run that gave up has no answer, only people’s corrections', () => {
  const answer = { text: 'What I know', sources: [], gaveUp: true as const, stopped: 'steps' as const }
  expect(lineOf(['down'], { answer })).toBeUndefined()
  expect(lineOf(['down A'], { answer })).toEqual({ gold: ['A'], rejected: undefined })
})

test('a follow-up is exported in its standalone form', () => {
  const record = recordOf(
    question('1.000001'),
    { ...freshRun(1), standalone: 'Whole?', answer: { text: 'a', sources: [] } },
    ENDING,
  )
  expect(evaluationLine({ ...record, feedback: [{ by: 'U1', rating: 'up', at: 1 }] })?.question).toBe('Whole?')
})
