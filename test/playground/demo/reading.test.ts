import { describe, expect, test } from 'vitest'
import { ageExpression, readSpan } from '../../../src/playground/demo/ages.ts'
import { readPrompt } from '../../../src/playground/demo/read-prompt.ts'
import { readPhrase, readRelation, relationOfVerb } from '../../../src/playground/demo/relations.ts'
import { conversionOf, expressionOf } from '../../../src/playground/demo/sums.ts'
import {
  bestSentence,
  contentWords,
  sentencesOf,
  subjectOf,
  trimName,
} from '../../../src/playground/demo/sentence-words.ts'

describe('sentences', () => {
  test.each([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    ['J. R. R. Tolkien wrote it. He was born in 1892.', ['J. R. R. Tolkien wrote it.', 'He was born in 1892.']],
    [
      'William Crowe Jr. was an admiral. He served in the U.S. Navy.',
      ['William Crowe Jr. was an admiral.', 'He served in the U.S. Navy.'],
    ],
    ['It costs approx. 3.50 pounds. That is little.', ['It costs approx. 3.50 pounds.', 'That is little.']],
    ['He said “Stop.” Then he left.', ['He said “Stop.”', 'Then he left.']],
    ['no end', ['no end']],
    ['', []],
  ])('%j', (text, expected) => {
    expect(sentencesOf(text)).toEqual(expected)
  })
})

describe('what a question is about', () => {
  test.each([
    ['Who was Ada Lovelace?', 'Ada Lovelace'],
    ['How tall is the Eiffel Tower?', 'Eiffel Tower'],
    ["Can a robot solve a Rubik's cube faster?", "Rubik's cube"],
    ['Who founded AT&T?', 'AT&T'],
    ['Where did Ludwig van Beethoven live?', 'Ludwig van Beethoven'],
    ['What is the record for solving a rubiks cube?', 'rubiks cube'],
    ['And who was William J. Crowe?', 'William J. Crowe'],
    ['how are you?', undefined],
    ['', undefined],
  ])('%s → %s', (question, expected) => {
    expect(subjectOf(question)).toBe(expected)
  })

  test('its other words lose what says nothing', () => {
    expect(contentWords('What is the world record for solving a Rubik’s Cube?', 'Rubik’s Cube')).toEqual([
      'world',
      'record',
    ])
    expect(contentWords('Can a robot do it faster?')).toEqual(['robot', 'fastest'])
  })

  test('the sentence with most of them wins, the first of equals', () => {
    const sentences = ['A world.', 'A world record.', 'Another world record.']
    expect(bestSentence(sentences, ['world', 'record'])).toBe('A world record.')
    expect(bestSentence(sentences, ['moon'])).toBeUndefined()
  })

  test('a name loses the full stop of its sentence and keeps its own', () => {
    expect([trimName('Bill Clinton.'), trimName('Tim Curry Jr.'), trimName('John F.')]).toEqual([
      'Bill Clinton',
      'Tim Curry Jr.',
      'John F.',
    ])
  })
})

describe('phrases', () => {
  test.each([
    ['Alan Turing', { name: 'Alan Turing' }],
    ['the Eiffel Tower', { name: 'Eiffel Tower' }],
    ['Olivia Wilde’s boyfriend', { relation: 'boyfriend', of: { name: 'Olivia Wilde' } }],
    ["Sherlock Holmes' brother", { relation: 'brother', of: { name: 'Sherlock Holmes' } }],
    ['the capital of France', { relation: 'capital', of: { name: 'France' } }],
    [
      "the author of Dune's first publisher",
      { relation: 'first publisher', of: { relation: 'author', of: { name: 'Dune' } } },
    ],
    ['the history of France', { name: 'history of France' }],
  ])('%s', (text, expected) => {
    expect(readPhrase(text)).toEqual(expected)
  })

  test('a verb asks for the relation that it makes', () => {
    expect(['wrote', 'invented', 'founded', 'ate'].map(relationOfVerb)).toEqual([
      'author',
      'inventor',
      'founder',
      undefined,
    ])
  })

  test.each([
    ['brother', 'His brother was John Ferrier Turing, who was older.', 'John Ferrier Turing'],
    ['first publisher', 'The first publisher of the book was Chilton Company, of Philadelphia.', 'Chilton Company'],
    ['author', 'Dune is a novel by the American author Frank Herbert.', 'Frank Herbert'],
    ['inventor', 'It was invented in 1974 by the Hungarian architect Ernő Rubik.', 'Ernő Rubik'],
    ['designer', 'It was designed by Anders Hejlsberg and presented in 2000.', 'Anders Hejlsberg'],
    ['capital', 'Its capital is Paris.', 'Paris'],
    ['wife', 'She had a cat.', undefined],
  ])('the %s in “%s” is %s', (relation, sentence, expected) => {
    expect(readRelation([sentence], relation)?.name).toBe(expected)
  })
})

describe('dates and ages', () => {
  test.each([
    ['Harry Styles (born 1 February 1994) is', { from: { year: 1994, month: 2, day: 1 } }],
    [
      'Crowe (January 2, 1925 – October 18, 2007) was',
      { from: { year: 1925, month: 1, day: 2 }, to: { year: 2007, month: 10, day: 18 } },
    ],
    ['It was founded in Philadelphia in 1904.', { from: { year: 1904 } }],
    ['The novel of 1 May 1965 is', undefined],
    ['no date', undefined],
  ])('%s', (text, expected) => {
    expect(readSpan(text)).toEqual(expected)
  })

  test.each([
    [{ from: { year: 1994, month: 2, day: 1 } }, '2026-11-21', '2026-1994'],
    [{ from: { year: 1994, month: 12, day: 1 } }, '2026-11-21', '2026-1994-1'],
    [{ from: { year: 1994, month: 11, day: 21 } }, '2026-11-21', '2026-1994'],
    [{ from: { year: 1904 } }, '2026-11-21', '2026-1904'],
    [{ from: { year: 1815, month: 12, day: 10 }, to: { year: 1852, month: 11, day: 27 } }, '2026-11-21', '1852-1815-1'],
  ])('%j at %s is %s', (span, today, expected) => {
    expect(ageExpression(span, today)).toBe(expected)
  })
})

describe('sums in words', () => {
  test.each([
    ['half of it', 'it/2'],
    ['What is 10 minus 2 times 3?', '10-2*3'],
    ['the cube root of 27', '27^(1/3)'],
    ['12 ÷ 4 − 1', '12/4-1'],
    ['what is 2 to the 10th power', '2^10'],
    ['sqrt(16) + 1', 'sqrt(16)+1'],
    ['5!', '5!'],
    ['42', undefined],
    ['the year 1984', undefined],
    ['1 2 3', undefined],
    ['two cats plus a dog', undefined],
  ])('%s → %s', (text, expected) => {
    expect(expressionOf(text)).toBe(expected)
  })

  test.each([
    ['What is 100 °C in fahrenheit?', { expression: '100*9/5+32', unit: '°F' }],
    ['how much is 1,500 feet in metres', { expression: '1500*0.3048', unit: 'm' }],
    ['80 kg in pounds', { expression: '80/0.45359237', unit: 'lb' }],
    ['3 apples in a bag', undefined],
  ])('%s', (text, expected) => {
    expect(conversionOf(text)).toEqual(expected)
  })
})

describe('prompts', () => {
  const system = { role: 'system' as const, content: 'Today is 2026-11-21.\nAction: one of [a, b_c]\nAction Input: x' }

  test('the last question counts, with what was observed below it', () => {
    const content =
      'Question: old\nThought: t\nAction: a\nAction Input: i\nObservation: <n>o</n>\n\nQuestion: new\nThought: t\nAction: a\nAction Input: i\nObservation: <n>two\nlines</n>\nThought:'
    expect(readPrompt([system, { role: 'user', content }])).toEqual({
      kind: 'step',
      asked: {
        question: 'new',
        tools: ['a', 'b_c'],
        today: '2026-11-21',
        observations: ['two\nlines'],
        finalTurn: false,
      },
    })
  })

  test('a question may have several paragraphs', () => {
    const read = readPrompt([system, { role: 'user', content: 'Question: one\n\ntwo\nThought:' }])
    expect(read).toMatchObject({ asked: { question: 'one\n\ntwo', finalTurn: false } })
  })

  test('the seed’s own prompt for follow-ups is read as ours is', () => {
    const content =
      'Given the following conversation and a follow up question, rephrase the follow up question to be a standalone question.\nChat History:\nQ: one?\nA: two\nlines\n\nFollow Up Input: three?\nStandalone question:'
    expect(readPrompt([{ role: 'user', content }])).toEqual({
      kind: 'standalone',
      history: [{ question: 'one?', answer: 'two\nlines' }],
      followUp: 'three?',
    })
  })

  test('anything else is foreign', () => {
    expect(readPrompt([])).toEqual({ kind: 'foreign' })
    expect(readPrompt([{ role: 'user', content: 'Hello' }])).toEqual({ kind: 'foreign' })
  })
})
