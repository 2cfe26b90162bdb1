import { describe, expect, test } from 'vitest'
import { canBeTitle, isSameTitle, listTitles, offeredTitles, pointsElsewhere } from '../../tools/wikipedia/titles.ts'
import { encodedText } from '../../tools/wikipedia/package.ts'

test.each(['AT&T', '1984', 'A/B', 'C++', "L'Être", '日本', '50%'])('%s can be a title', (text) => {
  expect(canBeTitle(text)).toBe(true)
})

test.each(['', 'C#', 'a|b', '[x]', '{x}', '<x>', 'a\nb', 'é'.repeat(128)])('%j cannot be a title', (text) => {
  expect(canBeTitle(text)).toBe(false)
})

test.each([
  ['Ernő Rubik', 'erno rubik'],
  ['Dune (novel)', 'dune novel'],
  ['C Sharp (programming language)', 'C#'],
  ['F Sharp (programming language)', 'f#'],
  ['C# (programming language)', 'C Sharp programming language'],
  ['AT&T', 'at&t'],
  ['C++', 'c++'],
])('%s is what %s asks for', (title, query) => expect(isSameTitle(title, query)).toBe(true))

test.each([
  ['Dune (novel)', 'dune'],
  ['C', 'C#'],
  ['C', 'C++'],
  ['William J. Crowe', 'Admiral William J. Crowe'],
  ['', ''],
  ['!', '?'],
])('%s is not what %s asks for', (title, query) => expect(isSameTitle(title, query)).toBe(false))

test('titles are listed as Python prints them', () => {
  expect(listTitles(['A', "B's", 'C "D"'])).toBe(`['A', "B's", 'C "D"']`)
  expect(listTitles([])).toBe('[]')
})

describe('a disambiguation page', () => {
  test.each([
    'Jet may refer to:\nJet (plane)',
    'Mercury most commonly refers to:\n',
    'X may also refer to the following:\n',
    'X can refer to:',
  ])('is known by %j', (text) => expect(pointsElsewhere(text)).toBe(true))

  test.each([
    'Jet is a plane.',
    'The term refers to a plane. It flies.',
    'They refer to: nobody in particular, he said.',
  ])('is not %j', (text) => expect(pointsElsewhere(text)).toBe(false))

  test('offers the titles that begin its lines and are linked, longest first, each once', () => {
    const text = 'Jet may refer to:\nJet (plane), an aircraft\n• Jet Li, an actor\nJet Li’s film\nSee also\nJetty'
    expect(offeredTitles(text, ['Jet', 'Jet Li', 'Jet (plane)', 'Other'])).toEqual(['Jet', 'Jet (plane)', 'Jet Li'])
  })

  test('offers its links if no line begins with one', () => {
    expect(offeredTitles('X may refer to:\na plane', ['B', 'A'])).toEqual(['B', 'A'])
  })

  test('offers the beginnings of its lines if links are unknown', () => {
    expect(offeredTitles('X may refer to:\n\n== Things ==\nX (a), a thing\nX – another', [])).toEqual(['X (a)', 'X'])
  })
})

test.each(['AT&T', 'C#', '1984', '0x10', '1e3', 'Infinity', 'a b+c', 'é日😀', '%26', '50%', '?=&#'])(
  '%s arrives unharmed through the package’s own encoding',
  (text) => {
    expect(Number.isNaN(Number(encodedText(text)))).toBe(true)
    const sent = encodeURI(`titles=${encodedText(text)}&`)
    expect(new URLSearchParams(decodeURI(sent)).get('titles')).toBe(text)
  },
)
