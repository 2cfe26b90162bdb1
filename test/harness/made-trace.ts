import type { RunTrace, TracedCall, TracedModelCall, TracedToolCall } from '../../src/stores/runs/run-trace.ts'

const START = Date.UTC(2026, 10, 22, 12)

/** Returns a model call at a time in ms. */
export function modelCall(at: number, parts: Partial<TracedModelCall> = {}): TracedModelCall {
  return {
    ...{ kind: 'model', for: 'step', at: START + at, ms: 900, firstMs: 300, model: 'gpt-5-mini' },
    request: {
      messages: [
        { role: 'user', content: `Question: which is higher?\nThought: ${'x'.repeat(Math.min(at, 9_000) / 10)}` },
      ],
    },
    output: { text: '' },
    usage: [
      {
        model: 'gpt-5-mini',
        inputTokens: 1_200,
        outputTokens: 40,
        cachedTokens: 800,
        estimated: false,
        costUsd: 0.0004,
      },
    ],
    ...parts,
  }
}

/** Returns a tool call at a time in ms. */
export function toolCall(at: number, step: number, parts: Partial<TracedToolCall> = {}): TracedToolCall {
  const given = {
    tool: 'wikipedia',
    input: { title: 'Alps' },
    output: 'The Alps are mountains.',
    shown: 'The Alps are mountains.',
  }
  return { kind: 'tool', at: START + at, ms: 400, step, ok: true, ...given, ...parts }
}

export function madeTrace(calls: TracedCall[], parts: Partial<RunTrace> = {}): RunTrace {
  return {
    ...{
      version: 1,
      id: 'T1:C1:1',
      team: 'T1',
      channel: 'C1',
      thread: '1',
      user: 'U1',
      model: 'gpt-5-mini',
      dialect: 'text',
    },
    ...{ question: 'Which is higher?', startedAt: START, endedAt: START + 9_000, attempts: 1, end: 'answered' },
    answer: 'Mont Blanc is higher.',
    calls,
    ...parts,
  }
}

/**
 * Returns a run with everything: a follow-up, two tools at once, a failure, an unreadable turn, a wait, a tool that
 * asks.
 */
export function fullTrace(): RunTrace {
  const WAIT_MS = 7_380_000
  const after = WAIT_MS + 5_200
  const read = (thought: string, ...actions: [step: number, tool: string, input: unknown][]) => ({
    ...{ kind: 'actions' as const, thought },
    actions: actions.map(([step, tool, input]) => ({ step, tool, input })),
  })
  const calls: TracedCall[] = [
    modelCall(0, { for: 'condense', ms: 420, output: { text: 'Which is higher, Mont Blanc or the Matterhorn?' } }),
    modelCall(450, {
      turn: 1,
      output: {
        text: ' I look up both.\nAction: wikipedia\nAction Input: Mont Blanc\nAction: wikipedia\nAction Input: Matterhorn',
      },
      read: read('I look up both.', [1, 'wikipedia', 'Mont Blanc'], [2, 'wikipedia', 'Matterhorn']),
    }),
    toolCall(1_360, 1, {
      ms: 620,
      input: { title: 'Mont Blanc' },
      output: {
        text: 'Mont Blanc is 4,806 m high.',
        sources: [{ title: 'Mont Blanc', url: 'https://en.wikipedia.org/wiki/Mont_Blanc' }],
      },
      shown: 'Mont Blanc is 4,806 m high.',
    }),
    toolCall(1_370, 2, {
      ms: 1_240,
      input: { title: 'Matterhorn' },
      ok: false,
      error: 'Wikipedia answered 503.',
      shown: 'Wikipedia answered 503.',
    }),
    modelCall(2_620, {
      turn: 2,
      retries: 1,
      output: { text: 'Hm, let me see …' },
      read: { kind: 'unreadable', step: 3, thought: '', hint: 'Write Action and Action Input, or Final Answer.' },
    }),
    modelCall(3_540, {
      turn: 3,
      output: { text: ' It fails: I know it. Half of it I compute.\nAction: llm_math\nAction Input: 4478 / 2' },
      read: read('It fails: I know it. Half of it I compute.', [4, 'llm_math', '4478 / 2']),
    }),
    toolCall(4_450, 4, { tool: 'llm_math', input: { question: '4478 / 2' }, ms: 700, output: '2239', shown: '2239' }),
    modelCall(4_480, { for: 'tool', turn: 3, step: 4, ms: 600, output: { text: '```text\n4478 / 2\n```' } }),
    modelCall(after, {
      turn: 4,
      output: { text: ' I note it down.\nAction: notes__add\nAction Input: {"text": "Mont Blanc"}' },
      read: read('I note it down.', [5, 'notes__add', { text: 'Mont Blanc' }]),
    }),
    toolCall(after + 950, 5, {
      tool: 'notes__add',
      input: { text: 'Mont Blanc' },
      ms: 90,
      output: 'Noted.',
      shown: 'Noted.',
    }),
    modelCall(after + 1_100, {
      turn: 5,
      ms: 1_400,
      output: { text: ' I now know the final answer\nFinal Answer: Mont Blanc is higher.\n\nThat is all.' },
      read: { kind: 'finish', answer: 'Mont Blanc is higher.' },
    }),
  ]
  return madeTrace(calls, {
    ...{ question: 'And the Matterhorn?', standalone: 'Which is higher, Mont Blanc or the Matterhorn?', attempts: 2 },
    waits: [{ step: 5, from: START + 5_200, until: START + after, for: 'approval' }],
    endedAt: START + after + 2_600,
    added: [{ step: 5, at: START + 5_180, user: 'U1', text: 'And write it down, please.' }],
    posts: { 'step-1': '1.1', 'answer-1': '1.2' },
  })
}
