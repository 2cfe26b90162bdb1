/** What an endpoint's finish_reason makes of its answer, and pieces of tool calls as endpoints send them. */
import { describe, expect, test } from 'vitest'
import type { ToolCall } from '../../src/agent/contracts/model.ts'
import type { Ends } from '../harness/ends.ts'
import { callModel, modelsOf, type ModelCall } from '../harness/model-call.ts'
import { playModel, type Turn } from '../harness/played-model.ts'

function stream(...chunks: (object | string)[]): Turn {
  const body = chunks.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('')
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
}

const said = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, finish_reason: null, ...more }] })

async function asked(t: Ends, ...turns: Turn[]): Promise<ModelCall & { requests: number }> {
  const endpoint = await playModel(t, turns)
  const call = await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url }).model)
  return { ...call, requests: endpoint.requests.length }
}

const isCut = ({ events }: ModelCall) => events.some(({ type }) => type === 'cut_off')
const ended = (reason: string, more: object = {}) =>
  stream(said({ content: 'It is 42.' }), said({}, { finish_reason: reason, ...more }), '[DONE]')

describe.concurrent('a finish_reason', () => {
  const WHOLE = [
    'stop',
    'eos',
    'end_turn',
    'stop_sequence',
    'tool_calls',
    'function_call',
    'tool_use',
    'COMPLETE',
    '',
    'endTurn',
    'FinishReason.STOP',
    'FINISH_REASON_STOP',
    'tool-calls',
    'null',
  ]
  test.for(WHOLE)('"%s" ends a whole answer', async (reason, t) => {
    const call = await asked(t, ended(reason))
    expect([call.text, isCut(call), call.requests]).toEqual(['It is 42.', false, 1])
  })

  const CUT = ['length', 'model_context_window_exceeded', 'MAX_TOKENS', 'token_limit', 'something_new']
  test.for(CUT)('"%s" marks the answer as cut off', async (reason, t) => {
    const call = await asked(t, ended(reason))
    expect([call.text, isCut(call), call.requests]).toEqual(['It is 42.', true, 1])
  })

  const BROKEN = [
    'insufficient_system_resource',
    'network_error',
    'abort',
    'error',
    'cancelled',
    'timeout',
    'preempted',
    'OOM',
  ]
  test.for(BROKEN)('"%s" is tried again', async (reason, t) => {
    const call = await asked(t, ended(reason), 'Whole.')
    expect([call.text, call.requests]).toEqual(['Whole.', 2])
  })

  test('of the provider behind a gateway counts if it broke off', async (t) => {
    expect((await asked(t, ended('stop', { native_finish_reason: 'network_error' }), 'Whole.')).text).toBe('Whole.')
  })

  test('with an error in the choice is that error', async (t) => {
    const { error } = await asked(t, ended('error', { error: { message: 'no', code: 401 } }))
    expect(error).toMatchObject({ retryable: false, hint: expect.stringMatching(/OPENAI_API_KEY/) })
  })
})

function callsOf({ events }: ModelCall): Omit<ToolCall, 'id'>[] {
  const calls = events.flatMap((event) => (event.type === 'tool_calls' ? event.calls : []))
  return calls.map(({ name, arguments: args }) => ({ name, arguments: args }))
}

describe.concurrent('pieces of a tool call', () => {
  const END = said({}, { finish_reason: 'tool_calls' })
  const part = (id: string | undefined, ...[name, args, index]: [name: string, args: string, index?: number]) =>
    said({ tool_calls: [{ ...(index === undefined ? {} : { index }), id, function: { name, arguments: args } }] })
  const SUM = [{ name: 'calculator', arguments: '{"expression":"6*7"}' }]

  test.for<[string, object[]]>([
    [
      'without index, the id only at first',
      [part('a', 'calculator', ''), part('', '', '{"expression"'), part('', '', ':"6*7"}')],
    ],
    ['without index or id afterwards', [part('a', 'calculator', '{"expression"'), part(undefined, '', ':"6*7"}')]],
    ['with a new id each', [part('a', 'calculator', '{"expression"', 0), part('b', '', ':"6*7"}', 0)]],
    ['after an empty object', [part('a', 'calculator', '{}', 0), part('a', '', '{"expression":"6*7"}', 0)]],
    [
      'with a new id and the name each',
      [part('a', 'calculator', '{"expression"', 0), part('b', 'calculator', ':"6*7"}', 0)],
    ],
    [
      'that repeat everything so far',
      [
        part('a', 'calculator', '{"exp', 0),
        part('a', '', '{"expression":', 0),
        part('a', '', '{"expression":"6*7"}', 0),
      ],
    ],
    [
      'with a new index each',
      [part('a', 'calculator', '', 0), part('', '', '{"expression"', 1), part('', '', ':"6*7"}', 2)],
    ],
    ['whose name grows', [part('a', 'calc', '', 0), part('a', 'calculator', '{"expression":"6*7"}', 0)]],
    ['whose name has spaces', [part('a', ' calculator\n', '{"expression":"6*7"}', 0)]],
    ['after an empty text', [part('a', 'calculator', '""', 0), part('a', '', '{"expression":"6*7"}', 0)]],
    ['whole under two indexes', [0, 1].map((index) => part('a', 'calculator', '{"expression":"6*7"}', index))],
    ['beside null', [said({ tool_calls: [null] }), part('a', 'calculator', '{"expression":"6*7"}', 0)]],
    [
      'without a list',
      [said({ tool_calls: { id: 'a', function: { name: 'calculator', arguments: '{"expression":"6*7"}' } } })],
    ],
    [
      'without a function',
      [said({ tool_calls: [{ id: 'a', name: 'calculator', arguments: '{"expression":"6*7"}' }] })],
    ],
    ['after null', [part('a', 'calculator', 'null', 0), part('a', '', '{"expression":"6*7"}', 0)]],
    [
      'in the older form',
      [
        said({ function_call: { name: 'calculator', arguments: '{"expression"' } }),
        said({ function_call: { arguments: ':"6*7"}' } }),
      ],
    ],
    ['with a leaked token in the name', [part('a', 'calculator<|channel|>commentary', '{"expression":"6*7"}', 0)]],
    [
      'sent whole once more',
      [part('a', 'calculator', '{"expression":"6*7"}', 0), part('a', '', '{"expression":"6*7"}', 0)],
    ],
  ])('%s are one call', async ([, pieces], t) => {
    expect(callsOf(await asked(t, stream(...pieces, END)))).toEqual(SUM)
  })

  test('that begin like the whole call are not taken for a repetition', async (t) => {
    const nested = [part('a', 'calculator', '{"a":', 0), part('a', '', '{"a":1}}', 0)]
    expect(callsOf(await asked(t, stream(...nested, END)))).toEqual([
      { name: 'calculator', arguments: '{"a":{"a":1}}' },
    ])
  })

  test.for([
    ['{"a":{"b":1}', ',"c":2}'],
    ['{"a":"{x}', ' y"}'],
    ['{"a":[1]', '}'],
  ])(
    'of one object that are split at %j are one call, also with a new id and the name again',
    async ([one, two], t) => {
      const split = stream(part('a', 'look', one!, 0), part('b', 'look', two!, 0), END)
      expect(callsOf(await asked(t, split))).toEqual([{ name: 'look', arguments: `${one}${two}` }])
    },
  )

  test.for([',', '\n', '}{'])('that are two objects with %j between are two calls', async (gap, t) => {
    const [one, two] = ['{"q":1}', '{"q":2}']
    const text = gap === '}{' ? `[${one}, ${two}]` : one + gap + two
    expect(callsOf(await asked(t, stream(part('a', 'look', text, 0), END)))).toEqual([
      { name: 'look', arguments: one },
      { name: 'look', arguments: two },
    ])
  })

  test('with new ids and whole arguments are as many calls', async (t) => {
    const two = [part('a', 'calculator', '{"expression":"6*7"}', 0), part('b', 'calculator', '{"expression":"1+1"}', 0)]
    expect(callsOf(await asked(t, stream(...two, END)))).toHaveLength(2)
  })

  test('that are two objects glued together are two calls', async (t) => {
    const glued = part('a', 'calculator', '{"expression":"6*7"}{"expression":"1+1"}', 0)
    expect(callsOf(await asked(t, stream(glued, END)))).toEqual([
      ...SUM,
      { name: 'calculator', arguments: '{"expression":"1+1"}' },
    ])
  })

  test('cut before the arguments are no call without arguments', async (t) => {
    const [call] = callsOf(await asked(t, stream(part('a', 'restart', '', 0), said({}, { finish_reason: 'length' }))))
    expect(call?.arguments).toBe('{')
  })
})

test('only the first of two choices is read', async (t) => {
  const other = { choices: [{ index: 1, delta: { content: 'WRONG' } }] }
  const { text } = await asked(
    t,
    stream(other, said({ content: 'It is 42.' }), other, said({}, { finish_reason: 'stop' })),
  )
  expect(text).toBe('It is 42.')
})
