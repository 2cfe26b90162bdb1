import { expect, test } from 'vitest'
import { exactMatch, f1, normalise } from '../../../src/commands/eval/score-answer.ts'

test.each([
  ['case does not matter', 'Shirley TEMPLE', 'shirley temple'],
  ['punctuation is dropped without a space, as in the official script', "the U.S.A.'s An-swer", 'usas answer'],
  ['articles are dropped as words, not within words', 'The cat, an ant and a theatre', 'cat ant and theatre'],
  ['an article that punctuation made is dropped too', '"A" and t.h.e', 'and'],
  ['white space of any kind is folded', '  two\t\nwords ', 'two words'],
  ['other scripts keep their letters and their punctuation', 'L’Été à Paris', 'l’été à paris'],
  ['a letter with an accent makes no word of the article beside it', 'Éa an', 'éa'],
  ['nothing stays nothing', ' . ', ''],
])('%s', (_fact, answer, normal) => {
  expect(normalise(answer)).toBe(normal)
})

test('an answer is right if it equals a gold answer after normalisation', () => {
  expect(exactMatch('The Brooklyn Bridge.', ['Eiffel Tower', 'Brooklyn Bridge'])).toBe(1)
  expect(exactMatch('Brooklyn', ['Brooklyn Bridge'])).toBe(0)
})

test('FEVER’s labels are compared like any answer', () => {
  expect(exactMatch('not enough info', ['NOT ENOUGH INFO'])).toBe(1)
  expect(exactMatch('REFUTES', ['SUPPORTS'])).toBe(0)
})

test('F1 counts common tokens with their multiplicity', () => {
  expect(f1('the Atlantic Ocean', ['Atlantic'])).toBeCloseTo(2 / 3)
  expect(f1('New York New York', ['New York'])).toBeCloseTo(2 / 3)
  expect(f1('Atlantic', ['Pacific'])).toBe(0)
  expect(f1('exactly', ['Exactly.'])).toBe(1)
})

test('F1 is that of the best gold answer', () => {
  expect(f1('Richard Nixon', ['Nixon', 'Richard M. Nixon'])).toBeCloseTo(0.8)
})

test('yes, no and noanswer are right or wrong, never partly right', () => {
  expect(f1('yes it is', ['yes'])).toBe(0)
  expect(f1('no', ['no doubt'])).toBe(0)
  expect(f1('noanswer', ['noanswer given'])).toBe(0)
  expect(f1('Yes.', ['yes'])).toBe(1)
})

test('an empty answer has no F1, as in the official script', () => {
  expect(f1('', ['something'])).toBe(0)
  expect(f1('the', ['a'])).toBe(0)
})
