import { expect, test } from 'vitest'
import type { AnswerEvent } from '../../src/answer.ts'
import { JsonLines, Terminal, type Output } from '../../src/cli/output.ts'

const STEP: AnswerEvent = { type: 'thought', step: 1, turn: 1, text: 'I should look.' }
const ANSWER: AnswerEvent = { type: 'answer', text: 'It is 4.', sources: [] }

/** A stream that keeps what is written to it. */
function kept(isTTY: boolean) {
  const written: string[] = []
  return { stream: { isTTY, write: (text: string) => written.push(text) }, written }
}

function showAll(output: Output): void {
  output.event(STEP)
  output.event(ANSWER)
  output.event({ type: 'observation', step: 1, observation: { ok: false, text: 'No such page.' }, ms: 3 })
  output.event({ type: 'gave_up', reason: 'steps', text: 'I could not get to an answer.' })
  output.fail('The model is down.')
}

test('in a terminal steps are blue, answers green and errors red', () => {
  const { stream, written } = kept(true)
  showAll(new Terminal(stream))
  const [blue, green, red] = [34, 32, 31].map((code) => `\u001b[${code}m`)
  expect(written).toEqual([
    `${blue}Thought: I should look.\u001b[0m\n`,
    `${green}It is 4.\u001b[0m\n`,
    `${red}Observation: No such page.\n\u001b[0m\n`,
    `${red}I could not get to an answer.\u001b[0m\n`,
    `${red}The model is down.\u001b[0m\n`,
  ])
})

test.each([
  ['NO_COLOR', true, false],
  ['a pipe', false, true],
])('%s takes the colours away', (_why, isTTY, isColoured) => {
  const { stream, written } = kept(isTTY)
  showAll(new Terminal(stream, isColoured))
  expect(written.join('')).not.toContain('\u001b')
})

test('what a model or a page writes cannot steer the terminal', () => {
  const { stream, written } = kept(true)
  new Terminal(stream).event({ type: 'answer', text: 'a\u001b[2Jb\u0007c\r\n\td\u009b31m', sources: [] })
  expect(written).toEqual(['\u001b[32ma[2Jbc\n\td31m\u001b[0m\n'])
})

test('what no person needs to see is not shown', () => {
  const { stream, written } = kept(false)
  const usage = { model: 'm', inputTokens: 1, outputTokens: 1, estimated: false }
  new Terminal(stream).event({ type: 'usage', usage, ms: 1 })
  new Terminal(stream).event({ ...STEP, text: '' })
  expect(written).toEqual([])
})

test('an answer that was stopped short says why', () => {
  const { stream, written } = kept(false)
  new Terminal(stream).event({ ...ANSWER, stopped: 'steps' })
  expect(written.join('')).toBe('It is 4.\n(stopped: steps)\n')
})

test('as JSON lines every event is there as it came, failures too, and no word besides', () => {
  const { stream, written } = kept(false)
  const output = new JsonLines(stream)
  output.note()
  output.event(STEP)
  output.event(ANSWER)
  output.fail('The model is down.')
  output.trace('sent to m', 'hello')
  expect(written.map((line) => JSON.parse(line) as unknown)).toEqual([
    STEP,
    ANSWER,
    { type: 'error', text: 'The model is down.' },
    { type: 'trace', title: 'sent to m', text: 'hello' },
  ])
})
