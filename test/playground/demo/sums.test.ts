import { expect, test } from 'vitest'
import { complete } from '../../../playground/demo/demo-model.ts'
import { calculate } from '../../../tools/calculator.ts'

/** Returns the demo's answer in the text dialect, with the real calculator. */
function ask(question: string): { sums: string[]; answer: string } {
  const frame = 'Today is 2026-11-21.\n\nAction: one of [calculator]\nAction Input: the input\n'
  const sums: string[] = []
  let steps = ''
  for (;;) {
    const said = complete([
      { role: 'system', content: frame },
      { role: 'user', content: `Question: ${question}\n${steps}Thought:` },
    ])
    const [, input] = /Action: calculator\nAction Input: ([^]*)$/.exec(said) ?? []
    if (input === undefined) return { sums, answer: /Final Answer: ([^]*)$/.exec(said)?.[1] ?? said }
    sums.push(input)
    steps += `Thought: t\nAction: calculator\nAction Input: ${input}\nObservation: <k7>${seen(input)}</k7>\n`
  }
}

function seen(expression: string): string {
  try {
    return String(calculate(expression))
  } catch (error) {
    return (error as Error).message
  }
}

test('degrees Fahrenheit become degrees Celsius by their formula, rounded to two digits', () => {
  expect(ask('What is 54°F in celsius?')).toEqual({
    sums: ['round((54-32)*5/9, 2)'],
    answer: 'That is **12.22 °C**.',
  })
})

test.each([
  ['What is 15% of 80?', '12'],
  ['1,000 divided by 8', '125'],
  ['what is 12 × 7', '84'],
  ['√16 + 2²', '8'],
  ['What is 7 plus three squared?', '16'],
  ['How much is half of 21?', '10.5'],
  ['what is 2 to the 10th power', '1024'],
  ['What is the square root of 2.25?', '1.5'],
  ['(1 + 2) * -3', '-9'],
  ['5!', '120'],
])('what the calculator takes as it is and what it does not: %s', (question, result) => {
  expect(ask(question).answer).toContain(` = **${result}**`)
})

test.each(['What is 3 parsecs in cubits?', '2026', 'What is 7?', 'one two three', 'what is it of'])(
  'no sum: %s',
  (question) => {
    expect(ask(question)).toEqual({ sums: [], answer: expect.stringContaining('I am only the demo') })
  },
)

test('a refusal of the calculator is passed on verbatim', () => {
  expect(ask('What is 1/0?').answer).toMatch(/^The calculator says: .*division by zero/)
})
