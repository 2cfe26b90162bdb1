import { expect, test } from 'vitest'
import { complete } from '../../../src/playground/demo/demo-model.ts'
import { calculate } from '../../../tools/calculator.ts'

/** What the demo says to a question in the text dialect, its sums done by the real calculator. */
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

test.each([
  ['What is 54°F in celsius?', '12.22 °C'],
  ['20 degrees celsius in fahrenheit?', '68 °F'],
  ['How much is 10 miles in km?', '16.09 km'],
  ['Convert 42 km to miles', '26.1 miles'],
  ['What is 6 feet in meters?', '1.83 m'],
  ['How long is 100 m in feet?', '328.08 ft'],
  ['What is 150 lbs in kg?', '68.04 kg'],
  ['How much is 1,000 kg in pounds?', '2204.62 lb'],
])('%s is a conversion by its formula, rounded to two digits', (question, result) => {
  const { sums, answer } = ask(question)
  expect(sums).toHaveLength(1)
  expect(answer).toContain(`That is **${result}** (${sums[0]} = `)
})

test('a unit that it has no formula for is no sum of its own', () => {
  expect(ask('What is 3 parsecs in cubits?').answer).toContain('I am only the demo')
})

test('what the calculator refuses is told as it was said', () => {
  expect(ask('What is 1/0?').answer).toMatch(/^The calculator says: .*division by zero/)
})
