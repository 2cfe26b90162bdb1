import { expect, test } from 'vitest'
import type { AnswerEvent } from '../../../src/question/answer.ts'
import type { ToolStep } from '../../../src/agent/contracts/run-events.ts'
import { JsonLines, TerminalOutput, type Output } from '../../../src/commands/cli/output.ts'

const STEP: ToolStep = {
  kind: 'tool',
  turn: 1,
  thought: 'I should look.',
  action: { tool: 'wikipedia', input: { query: 'Dune' }, callId: 'c1' },
}
const observation = { ok: false, text: 'No such page.' }
const THOUGHT: AnswerEvent = { type: 'thought', n: 1, step: STEP }
const ANSWER: AnswerEvent = { type: 'answer', text: 'It is 4.', sources: [] }

/** A stream that keeps its output. */
function kept(isTTY: boolean) {
  const written: string[] = []
  return { stream: { isTTY, write: (text: string) => written.push(text) }, written }
}

function showAll(output: Output): void {
  output.event(THOUGHT)
  output.event(ANSWER)
  output.event({ type: 'observation', n: 1, step: { ...STEP, observation }, ms: 3 })
  output.event({ type: 'gave_up', reason: 'steps', text: 'I could not get to an answer.' })
  output.fail('The model is down.')
}

test('in a terminal steps are blue, answers green and errors red', () => {
  const { stream, written } = kept(true)
  showAll(new TerminalOutput(stream))
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
  showAll(new TerminalOutput(stream, isColoured))
  expect(written.join('')).not.toContain('\u001b')
})

test('text of a model or a page cannot control the terminal', () => {
  const { stream, written } = kept(true)
  new TerminalOutput(stream).event({ type: 'answer', text: 'a\u001b[2Jb\u0007c\r\n\td\u009b31m', sources: [] })
  expect(written).toEqual(['\u001b[32ma[2Jbc\n\td31m\u001b[0m\n'])
})

test('internal events are not shown', () => {
  const { stream, written } = kept(false)
  const usage = { model: 'm', inputTokens: 1, outputTokens: 1, estimated: false }
  new TerminalOutput(stream).event({ type: 'usage', usage, ms: 1 })
  new TerminalOutput(stream).event({ ...THOUGHT, step: { ...STEP, thought: '' } })
  expect(written).toEqual([])
})

test('an answer that was cut short says why', () => {
  const { stream, written } = kept(false)
  new TerminalOutput(stream).event({ ...ANSWER, stopped: 'steps' })
  expect(written.join('')).toBe('It is 4.\n(stopped: steps)\n')
})

test('as JSON lines every event is printed flat, in stable fields, failures too', () => {
  const { stream, written } = kept(false)
  const output = new JsonLines(stream)
  const unreadable = { kind: 'unreadable' as const, turn: 2, thought: '', text: 'Gibberish!', observation }
  output.note()
  output.event({ type: 'understood', question: 'When was Dune written?' })
  output.event(THOUGHT)
  output.event({ type: 'action', n: 1, step: STEP })
  output.event({ type: 'observation', n: 1, step: { ...STEP, observation }, ms: 3, memory: { page: 'long' } })
  output.event({ type: 'thought', n: 2, step: unreadable })
  output.event({ type: 'message', n: 3, step: { kind: 'message', id: 'm1', turn: 2, text: 'Hurry!', user: 'U1' } })
  output.event({ type: 'waiting', n: 1, step: { ...STEP, waiting: { since: 5 } } })
  output.event(ANSWER)
  output.figures('1 of 6 figures is not from a source')
  output.done(['Nothing was changed.'])
  output.fail('The model is down.')
  output.trace('sent to m', 'hello')
  const action = '"action":{"tool":"wikipedia","input":{"query":"Dune"},"callId":"c1"}'
  expect(written.map((line) => line.trimEnd())).toEqual([
    '{"type":"understood","question":"When was Dune written?"}',
    '{"type":"thought","step":1,"turn":1,"text":"I should look."}',
    `{"type":"action","step":1,"turn":1,${action}}`,
    '{"type":"observation","step":1,"observation":{"ok":false,"text":"No such page."},"ms":3}',
    '{"type":"thought","step":2,"turn":2,"text":"","unreadable":"Gibberish!"}',
    '{"type":"message","step":3,"turn":2,"text":"Hurry!","user":"U1"}',
    `{"type":"waiting","step":1,"turn":1,${action},"since":5}`,
    '{"type":"answer","text":"It is 4.","sources":[]}',
    '{"type":"figures","text":"1 of 6 figures is not from a source"}',
    '{"type":"done","lines":["Nothing was changed."]}',
    '{"type":"error","text":"The model is down."}',
    '{"type":"trace","title":"sent to m","text":"hello"}',
  ])
})
