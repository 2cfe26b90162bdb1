/** The demo below alerts, forwards and tables, from the prompt's text. */
import { describe, expect, test } from 'vitest'
import { complete } from '../../../playground/demo/demo-model.ts'
import { actionIn, demoPrompt, finalIn } from '../../harness/demo-talk.ts'
import type { Message } from '../../../src/agent/contracts/model.ts'

/** Returns the prompt of a question below messages. */
function below(said: string, question: string, observations: string[] = []): Message[] {
  const tools = ['calculator', 'wikipedia', 'search_file']
  const [system, last] = demoPrompt(question, { tools, observations })
  const before = `What people wrote in this thread before the question, oldest first:\n<k9>${said}</k9>\n\n`
  return [system!, { role: 'user', content: before + last!.content }]
}

const ALERT = 'Monitor (a bot): [Firing] CPU 97% on web-3 (https://m.example/1)\n  Above 90%\n  Limit: 90%'
const TABLE = '(Attached to the question): Yarn | Cones | Price\n  Merino | 1,417 | €2.50\n  Tussah | 17 | €4'

describe('what is shown above the question', () => {
  test.each(['What is this about?', "what's this?", 'What is this alert about?', 'What happened here?'])(
    'an alert is told with its app: %s',
    (question) => {
      const answer = finalIn(complete(below(`${ALERT}\nBob: looking`, question)))
      expect(answer).toContain('a message of **Monitor (a bot)**')
      expect(answer).toMatch(/CPU 97% on web-3[^]*\n- Above 90%\n- Limit: 90%$/)
    },
  )

  test('what is attached to the question is meant, before what began the thread', () => {
    expect(finalIn(complete(below(`${ALERT}\n${TABLE}`, 'What is this about?')))).toMatch(/what you attached[^]*Merino/)
  })

  test.each([
    ['Add up the cones', '1417+17'],
    ['What is the total?', '2.50+4'],
    ['What is the sum of the column Price?', '2.50+4'],
    ['sum up the Cones column', '1417+17'],
    ['How many cones are there in total?', '1417+17'],
  ])('a column is added up: %s', (question, sum) => {
    expect(actionIn(complete(below(TABLE, question)))).toEqual(['calculator', sum])
  })

  test('the sum is the answer, with the name of the column', () => {
    expect(finalIn(complete(below(TABLE, 'Add up the cones', ['1434'])))).toBe(
      'The column “Cones” adds up to **1434**.',
    )
  })

  test('nothing is made up: a column of words, an unknown one, no table, no message', () => {
    for (const [said, question] of [
      [TABLE, 'Add up the yarn'],
      [TABLE, 'Add up the shelves'],
      [ALERT, 'What is the total?'],
    ] as const)
      expect(actionIn(complete(below(said, question)))?.[0]).not.toBe('calculator')
    expect(finalIn(complete(demoPrompt('What is this about?'))) ?? '').not.toContain('It says')
  })

  test('a summary of the thread keeps the lines of one message together', () => {
    expect(finalIn(complete(below(`${ALERT}\nBob: looking`, 'Summarise this thread')))).toMatch(
      /\n- Monitor \(a bot\): \[Firing\][^\n]* Above 90% Limit: 90%\n- Bob: looking$/,
    )
  })
})
