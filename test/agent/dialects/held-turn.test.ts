/** What the dialects of labels do when a run repeats itself: the next turn is asked for in the form that a schema holds. */
import { describe, expect, test } from 'vitest'
import { HELD_FORM } from '../../../src/agent/dialects/held-turn.ts'
import { echo, runOn } from '../../harness/agent-run.ts'
import { act, finish, structured, type PlayedRequest } from '../../harness/played-model.ts'

const tools = [echo(), echo(undefined, { name: 'other' })]
const again = act('Look.', 'echo', 'x')

/** The actions that the schema of each request allows, or undefined where the form is not held. */
function heldActions(requests: readonly PlayedRequest[]): (string[] | undefined)[] {
  return requests.map(({ raw }) =>
    raw.includes('"json_schema"') ? Array.from(raw.matchAll(/"enum":\["(\w+)"\]/g), ([, name]) => name!) : undefined,
  )
}

describe.concurrent.each(['text', 'json'] as const)('%s', (dialect) => {
  test('a repeated call: the next turns are held, and its tool is out of the first', async (t) => {
    const model = [again, again, structured('other', { query: 'y' }), finish('z')]
    const { model: asked, final, observations } = await runOn(t, { dialect, tools, model })
    expect(heldActions(asked.requests)).toEqual([
      undefined,
      undefined,
      ['other', 'answer'],
      ['echo', 'other', 'answer'],
    ])
    expect(asked.requests[2]!.body.messages.at(-1)!.content).toMatch(HELD_FORM)
    expect(observations.at(-1)).toBe('echo of y')
    expect(final).toEqual({ type: 'answer', text: 'z', sources: [] })
  })

  test('the held turn may be the answer', async (t) => {
    const { final } = await runOn(t, { dialect, tools, model: [again, again, structured('answer', 'It is **x**.')] })
    expect(final).toEqual({ type: 'answer', text: 'It is **x**.', sources: [] })
  })

  test.for([
    'Nothing found for "…".',
    'There isn’t a page "…".',
    'Kein Eintrag zu „…“.',
    'По запросу «…» ничего не найдено.',
    '没有找到“…”。',
  ])('three inputs about which nothing is found: the next turn is held: %s', async (nothing, t) => {
    const looks = ['a1', 'b2', 'c3'].map((query) => act('Another word.', 'echo', query))
    const { model: asked, final } = await runOn(t, {
      dialect,
      tools: [echo((query) => nothing.replace('…', query)), tools[1]!],
      model: [...looks, structured('answer', 'Nothing is known.')],
    })
    expect(heldActions(asked.requests)).toEqual([undefined, undefined, undefined, ['other', 'answer']])
    expect(final).toMatchObject({ type: 'answer', text: 'Nothing is known.' })
  })

  test('the same call once more, after another, is no loop yet: its tool is out from then on', async (t) => {
    const held = (tool: string, query: string) => structured(tool, { query })
    const { model: asked, final } = await runOn(t, {
      dialect,
      tools,
      model: [again, again, held('other', 'y'), held('echo', 'x'), structured('answer', 'z')],
    })
    expect(heldActions(asked.requests)[4]).toEqual(['other', 'answer'])
    expect(final).toEqual({ type: 'answer', text: 'z', sources: [] })
  })

  test('three inputs about which something is found leave the tool in', async (t) => {
    const looks = ['a', 'b', 'c'].map((query) => act('Next.', 'echo', query))
    const { model: asked } = await runOn(t, {
      dialect,
      tools: [echo((query) => `${query}.com is available.`), tools[1]!],
      model: [...looks, finish('z')],
    })
    expect(heldActions(asked.requests)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('the same call twice that changes something is no repetition', async (t) => {
    const add = echo(() => 'Row added.', { name: 'add', effects: 'write' })
    const model = [act('One.', 'add', 'x'), act('Two.', 'add', 'x'), finish('z')]
    const { model: asked } = await runOn(t, { dialect, tools: [add], model })
    expect(heldActions(asked.requests)).toEqual([undefined, undefined, undefined])
    expect(add.calls).toHaveLength(2)
  })

  test('an input in the held form is the same call as one with labels, and keeps its marks', async (t) => {
    const first = act('Look.', 'echo', '"a b"')
    const held = (query: string) => structured('echo', { query })
    const same = await runOn(t, { dialect, tools, model: [first, first, held('"a b"'), finish('z')] })
    expect(same.final).toMatchObject({ stopped: 'loop' })
    const tool = echo()
    await runOn(t, { dialect, tools: [tool, tools[1]!], model: [first, first, held('"c d"'), finish('z')] })
    expect(tool.calls.at(-1)).toBe('"c d"')
  })

  test('an endpoint that ignores the form writes its labels, and the third time ends the run', async (t) => {
    const other = act('Elsewhere.', 'other', 'y')
    const goesOn = await runOn(t, { dialect, tools, model: [again, again, other, finish('z')] })
    expect(goesOn.final).toEqual({ type: 'answer', text: 'z', sources: [] })
    const loops = await runOn(t, { dialect, tools, model: [again, again, again, finish('z')] })
    expect(loops.final).toMatchObject({ type: 'answer', text: 'z', stopped: 'loop' })
  })

  test('an endpoint that refuses the field is asked without it', async (t) => {
    const model = [again, again, structured('answer', 'z')]
    const { model: asked, final } = await runOn(t, { dialect, tools, model, refuses: ['response_format'] })
    expect(final).toEqual({ type: 'answer', text: 'z', sources: [] })
    expect(asked.requests.at(-1)!.raw).not.toContain('json_schema')
  })
})
