import { describe, expect, test } from 'vitest'
import { applyEvent, NO_PROGRESS, stepCount, waitedMs } from '../../src/agent/run-progress.ts'
import type { DialectName } from '../../src/config.ts'
import type { AgentEvent, MessageStep, ToolStep } from '../../src/agent/contracts/run-events.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { answer } from '../../src/question/answer.ts'
import { loadPrompts } from '../../src/base/prompts.ts'
import { embeddedRun } from '../../src/stores/runs/memory-run.ts'
import { freshRun, progressOf, type SavedRun } from '../../src/stores/runs/types.ts'
import { agentDeps, echo } from '../harness/agent-run.ts'
import type { Ends } from '../harness/ends.ts'
import { playModel, type Script, type Turn, structured } from '../harness/played-model.ts'
import { historyInMemory, question, toolStep } from '../harness/stores.ts'

const ECHO = 'Action: echo\nAction Input: x'

/** A turn that uses the dialect's tool, an unreadable turn, and an answer, in each dialect. */
const WRITTEN: Record<DialectName, (n: number) => Turn> = {
  text: (n) => turnOf(n, `Thought: so\n${ECHO}`, 'Thought: so\nFinal Answer: y'),
  json: (n) =>
    turnOf(
      n,
      'Thought: so\nAction:\n```\n{"action": "echo", "action_input": "x"}\n```',
      'Thought: so\nFinal Answer: y',
    ),
  docstore: (n) => turnOf(n, 'Thought 1: so\nAction 1: Search[x]', 'Thought 3: so\nAction 3: Finish[y]'),
  bracket: (n) => turnOf(n, 'Thought: so\nAction: echo[x]', 'Thought: so\nAction: Finish[y]'),
  'self-ask': (n) => turnOf(n, 'Follow up: x', 'So the final answer is: y'),
  // In this dialect plain prose is an answer, so only an empty text is unreadable.
  conversational: (n) =>
    n === 1 ? '' : turnOf(n, `Thought: Do I need to use a tool? Yes\n${ECHO}`, 'Thought: No\nAI: y'),
  structured: (n) => turnOf(n, structured('echo', { query: 'x' }), structured('answer', 'y')),
  native: (n) => (n === 0 ? { text: 'so', toolCalls: calls(7) } : n === 1 ? { text: '' } : 'y'),
}

function turnOf(n: number, action: string, final: string) {
  return [action, 'mumble mumble'][n] ?? final
}

function calls(count: number) {
  return Array.from({ length: count }, (_, i) => ({ name: 'echo', arguments: `{"query": "x${i}"}` }))
}

/** Returns a tool that counts its calls and asks the model something. */
function rememberingTool(dialect: DialectName): Tool {
  const name = dialect === 'docstore' ? 'wikipedia' : 'echo'
  const run = async (text: string, { memory, ask }: Parameters<Parameters<typeof echo>[0] & object>[1]) => {
    memory['calls'] = [...(Array.isArray(memory['calls']) ? memory['calls'] : []), text]
    return { text: await ask(`say ${text}`), sources: [{ title: text, url: `https://example.com/${text}` }] }
  }
  return echo(run, { name })
}

/** Answers in several processes. Each ends after `eventsEach` events, and the next continues from the saved run. */
async function eventsOf(t: Ends, dialect: DialectName, eventsEach: number) {
  let turn = 0
  const script: Script = ({ prompt }) => (/say x\d?$/.test(prompt.trim()) ? 'said' : WRITTEN[dialect](turn++))
  const model = await playModel(t, script)
  const agent = agentDeps(model.url, { dialect, tools: [rememberingTool(dialect)] })
  const saved: SavedRun = freshRun(1)
  const deps = {
    agent,
    history: historyInMemory(),
    prompts: loadPrompts(),
    condenseModel: agent.model,
  }
  const events: AgentEvent[] = []
  const ends = (event: AgentEvent | undefined) => event?.type === 'answer' || event?.type === 'gave_up'
  for (let processes = 0; processes < 40 && !ends(events.at(-1)); processes++) {
    let count = 0
    const signal = new AbortController().signal
    for await (const event of answer(
      question('Dune'),
      embeddedRun(saved, () => true),
      { ...deps, signal },
    )) {
      const { type } = event
      if (type !== 'understood' && type !== 'for_asker' && type !== 'done' && type !== 'figures' && type !== 'used')
        events.push(event)
      if (++count >= eventsEach) break
    }
  }
  return { events, saved }
}

const DIALECT_NAMES = Object.keys(WRITTEN) as DialectName[]

describe.concurrent.each(DIALECT_NAMES)('the events of a run in the dialect %s', (dialect) => {
  test('suffice to rebuild the steps, the tools’ memory and the usage, as saved', async (t) => {
    const { events, saved } = await eventsOf(t, dialect, Infinity)
    const progress = events.reduce(applyEvent, NO_PROGRESS)
    expect(progress).toEqual(progressOf(saved))
    expect(progress.steps.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: dialect === 'native' ? 5 : 1 }, () => 'tool'),
      'unreadable',
    ])
    expect(progress.memory['calls']).toHaveLength(dialect === 'native' ? 5 : 1)
    expect(events.at(-1)).toMatchObject({ type: 'answer', text: 'y' })
  })

  test.for([2, 3, 4])('do so where a new process goes on after each %i events', async (eventsEach, t) => {
    const { events, saved } = await eventsOf(t, dialect, eventsEach)
    const { steps, memory } = events.reduce(applyEvent, NO_PROGRESS)
    expect({ steps, memory }).toEqual({ steps: saved.steps, memory: saved.memory })
    expect(events.at(-1)).toMatchObject({ type: 'answer', text: 'y' })
    // Each process reports only its own usage. Usage at the end of a process is saved but no longer reported.
    expect(saved.usage.length).toBeGreaterThanOrEqual(events.filter(({ type }) => type === 'usage').length)
  })
})

test('an event’s data never changes afterwards', async (t) => {
  const model = await playModel(t, ({ prompt }) => (/say x\d$/.test(prompt.trim()) ? 'said' : WRITTEN.native(turn++)))
  let turn = 0
  const agent = agentDeps(model.url, { dialect: 'native', tools: [rememberingTool('native')] })
  const deps = {
    agent,
    history: historyInMemory(),
    prompts: loadPrompts(),
    condenseModel: agent.model,
  }
  const told: { event: unknown; copy: unknown }[] = []
  const run = embeddedRun(freshRun(1), () => true)
  for await (const event of answer(question('Dune'), run, { ...deps, signal: new AbortController().signal }))
    told.push({ event, copy: structuredClone(event) })
  for (const { event, copy } of told) expect(event).toEqual(copy)
})

test('additions and waiting calls are steps, and an addition is not the model’s', () => {
  const message: MessageStep = { kind: 'message', id: 'm1', turn: 1, text: 'In metres, please.', user: 'U1' }
  const waiting = toolStep(2, { waiting: { since: 5 } })
  const progress = [
    { type: 'action' as const, n: 1, step: toolStep(1) },
    { type: 'message' as const, n: 2, step: message },
    { type: 'waiting' as const, n: 3, step: waiting },
    { type: 'begun' as const, n: 1, step: toolStep(1, { begun: 7 }) },
    { type: 'understood' as const },
  ].reduce(applyEvent, NO_PROGRESS)
  expect(progress.steps).toEqual([toolStep(1, { begun: 7 }), message, waiting])
  expect(stepCount(progress.steps)).toBe(2)
})

test('waiting time counts once for parallel steps, over all rounds of one step, and until a stop', () => {
  const observation = { ok: true, text: 'Done.' }
  const waited = (waiting: ToolStep['waiting'], more = {}) => toolStep(1, { ...(waiting && { waiting }), ...more })
  expect(waitedMs([waited({ since: 100, until: 300 }), waited({ since: 150, until: 400 })], 900)).toBe(300)
  expect(waitedMs([waited({ since: 200, round: 3, from: 50, until: 250 }, { observation })], 900)).toBe(200)
  expect(waitedMs([toolStep(1), waited({ since: 800 })], 900)).toBe(100)
  expect(waitedMs([waited({ since: 100 }, { observation })], 900)).toBe(0)
})

test('an event that changes nothing returns the same value', () => {
  const step = toolStep(1)
  const progress = applyEvent(NO_PROGRESS, { type: 'thought', n: 1, step })
  expect(applyEvent(progress, { type: 'action', n: 1, step })).toBe(progress)
  expect(applyEvent(progress, { type: 'answer', text: 'y', sources: [] })).toBe(progress)
  expect(NO_PROGRESS.steps).toEqual([])
})
