/**
 * Two hundred runs in which the model lies about writing are contradicted by their records. Two hundred honest ones are
 * not.
 */
import { expect, test } from 'vitest'
import { changeLines } from '../../../src/question/change-lines.ts'
import { doneCalls } from '../../../src/stores/audit/note-writes.ts'
import type { Observation, Step, ToolStep } from '../../../src/agent/contracts/run-events.ts'
import type { Tool } from '../../../src/agent/contracts/tool.ts'
import type { Decision } from '../../../src/stores/runs/types.ts'
import { zodInput } from '../../../src/agent/tool-input.ts'
import { toolTitle } from '../../../src/agent/tool-title.ts'
import { z } from 'zod'

const input = zodInput(z.looseObject({}))
const tool = (name: string, effects: Tool['effects']): Tool => ({
  name,
  description: '',
  effects,
  ...input,
  run: async () => '',
})
const TOOLS = [tool('files__write_file', 'write'), tool('mail__send', 'write'), tool('wikipedia', 'read')]
const NAMES: Record<string, string> = { U1: 'Bob', U2: 'Carol' }

/** The result of a call: the step's end, and the start and end of the audit line. */
interface Fate {
  observation?: Observation
  begun?: number
  decision?: Decision
  line: (call: string) => string
}

const ok: Observation = { ok: true, text: 'Done.' }
const bad: Observation = { ok: false, text: 'No.' }
const allowed: Decision = { outcome: 'allowed', by: 'U1', at: 1, key: 'k' }
const DONE: Fate[] = [
  { observation: ok, begun: 1, decision: allowed, line: (call) => `Changed: ${call}, allowed by Bob` },
  { observation: ok, begun: 1, line: (call) => `Changed: ${call}, allowed by the settings` },
]
const NOT_DONE: Fate[] = [
  {
    observation: bad,
    decision: { outcome: 'denied', by: 'U2', at: 1, key: 'k' },
    line: (call) => `Not done: ${call} (denied by Carol)`,
  },
  { observation: bad, decision: { outcome: 'expired' }, line: (call) => `Not done: ${call} (nobody decided in time)` },
  { observation: bad, begun: 1, decision: allowed, line: (call) => `Not done: ${call} (failed)` },
  { observation: { ...bad, down: true }, begun: 1, line: (call) => `Unknown whether it took effect: ${call}` },
  { begun: 1, decision: allowed, line: (call) => `Unknown whether it took effect: ${call}` },
]

interface Call {
  tool: string
  path: string
  fate: Fate
}

/** Returns the lines below the answer of a run with these calls, among others that only read. */
async function linesOf(calls: Call[]): Promise<string[]> {
  const decisions: Record<string, Decision> = {}
  const steps: Step[] = []
  for (const { tool, path, fate } of calls) {
    steps.push({
      kind: 'tool',
      turn: 1,
      thought: '',
      action: { tool: 'wikipedia', input: { query: path } },
      observation: ok,
    })
    const { decision, observation, begun } = fate
    const action = { tool, input: { content: 'I wrote everything.', path } }
    const step: ToolStep = { kind: 'tool', turn: 1, thought: 'I changed it.', action }
    if (observation) step.observation = observation
    if (begun) step.begun = begun
    if (decision) step.waiting = { since: 1, for: { kind: 'approval', input: action.input, says: '' } }
    steps.push(step)
    if (decision) decisions[String(steps.length)] = decision
  }
  const done = await doneCalls(steps, { saved: { decisions }, tools: TOOLS, isOver: true })
  return changeLines(done ?? [], (user) => NAMES[user] ?? user)
}

/** Returns a few calls that the answer of run `n` claims. */
function claimed(n: number, fates: Fate[]): Call[] {
  return Array.from({ length: 1 + (n % 4) }, (_, i) => ({
    tool: TOOLS[(n + i) % 2]!.name,
    path: `notes/${n}-${i}.txt`,
    fate: fates[(n * 3 + i) % fates.length]!,
  }))
}

const runs = Array.from({ length: 200 }, (_, n) => n)
const CONTRADICTS = /^(?:Not done|Unknown whether it took effect|Nothing was changed)/

test('each of two hundred lies is contradicted', async () => {
  for (const n of runs) {
    const lies = claimed(n, NOT_DONE)
    // In every third run nothing was called. In the others one claim may be true.
    const truth = n % 3 === 1 ? claimed(n + 1000, DONE).slice(0, 1) : []
    const called = n % 3 === 0 ? [] : [...truth, ...lies]
    const lines = await linesOf(called)
    expect(lines).toEqual(
      called.length === 0
        ? ['Nothing was changed.']
        : called.map(({ tool, path, fate }) => fate.line(`${path} (${toolTitle({ name: tool })})`)),
    )
    expect(lines.filter((line) => CONTRADICTS.test(line)).length).toBe(called.length === 0 ? 1 : lies.length)
    for (const { path } of lies) expect(lines.join('\n')).not.toContain(`Changed: ${path}`)
  }
})

test('none of two hundred honest answers is', async () => {
  for (const n of runs) {
    const calls = claimed(n, DONE)
    const lines = await linesOf(calls)
    expect(lines).toEqual(calls.map(({ tool, path, fate }) => fate.line(`${path} (${toolTitle({ name: tool })})`)))
    expect(lines.some((line) => CONTRADICTS.test(line))).toBe(false)
  }
})
