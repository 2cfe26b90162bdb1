import { expect, test } from 'vitest'
import type { Step } from '../../../src/agent/contracts/run-events.ts'
import { fieldOf, parseRun } from '../../../src/stores/runs/stored-run.ts'
import { question, toolStep } from '../../harness/stores.ts'

/** Returns the steps of a run that is stored with these values in its hash. */
function stepsIn(...values: unknown[]): Step[] | undefined {
  const steps = values.map((value, i) => [`step:${i + 1}`, JSON.stringify(value)] as const)
  return parseRun({ question: JSON.stringify(question('Dune')), ...Object.fromEntries(steps) })?.saved.steps
}

test('every kind of step is read back as it was stored', () => {
  const observation = {
    ok: true,
    text: 'page',
    sources: [{ title: 'Dune', url: 'https://example.com/' }],
    series: { title: 'Sold', points: [{ label: '1965', value: 2 }] },
    exhausted: true as const,
    hint: true as const,
    note: 'Only the first.',
    forAsker: true as const,
  }
  const steps: Step[] = [
    toolStep(1, { action: { tool: 'x', input: { query: 'y' }, callId: 'c1' }, observation, dropped: 4 }),
    { kind: 'unreadable', turn: 2, thought: 'hm', text: 'mumble', observation: { ok: false, text: 'Write it so.' } },
    { kind: 'message', id: 'm1', turn: 2, text: 'In metres, please.', user: 'U1' },
    toolStep(3, {
      waiting: { since: 5, for: { kind: 'question', server: 's', message: 'Which?', state: 1, forAsker: true } },
    }),
  ]
  const fields = steps.map((value, i) => fieldOf({ part: 'step', n: i + 1, value }))
  const run = parseRun({ question: JSON.stringify(question('Dune')), ...Object.fromEntries(fields) })
  expect(run?.saved.steps).toEqual(steps)
})

test.each([
  ['no object', 5],
  ['nothing', null],
  ['a kind that is unknown', { kind: 'dance', turn: 1 }],
  ['without a kind', { turn: 2, thought: 'look', action: { tool: 'wikipedia', input: 'Dune' } }],
  ['an action without a tool', { turn: 2, thought: '', action: {} }],
])('what is stored in a step’s place counts as not saved if it is %s, and what follows too', (_what, value) => {
  expect(stepsIn(toolStep(1), value, toolStep(3))).toEqual([toolStep(1)])
})
