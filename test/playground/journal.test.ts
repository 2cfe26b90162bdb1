import { describe, expect, test } from 'vitest'
import { createJournal } from '../../playground/journal/journal.ts'
import { journalTraces } from '../../playground/bot/journal-traces.ts'
import type { RunTrace, TracedCall } from '../../src/stores/runs/run-trace.ts'

const note = { kind: 'call' as const, name: 'api.test' }

describe('the journal', () => {
  test('keeps entries in order, reports each start and end, and finds an entry by its number', () => {
    let clock = 1_000
    const journal = createJournal({ now: () => clock })
    const told: string[] = []
    const unwatch = journal.watch(({ n, ms }) => void told.push(`${n} ${ms ?? 'under way'}`))
    const first = journal.begin({ ...note, request: { a: 1 } })
    journal.note({ kind: 'fault', name: 'Redis gone', request: {} })
    clock += 250
    journal.end(first, { ok: false, error: 'fatal_error', response: { b: 2 } })
    unwatch()
    journal.amend(first, { thread: 'C1:1.0', ok: true })
    expect(told).toEqual(['1 under way', '2 0', '1 250'])
    expect(journal.find(1)).toEqual({
      n: 1,
      at: 1_000,
      ...note,
      request: { a: 1 },
      ms: 250,
      ok: true,
      response: { b: 2 },
      thread: 'C1:1.0',
    })
    expect(journal.entries().map(({ n }) => n)).toEqual([1, 2])
    expect([0, 3, -1, Number.NaN, 1.5].map((n) => journal.find(n))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('drops the oldest beyond its limits, and a dropped entry that ends later stays dropped', () => {
    const journal = createJournal({ max: 100, maxChars: 5_000 })
    const first = journal.begin({ ...note, request: {} })
    for (let i = 0; i < 1_000; i++) journal.note({ ...note, request: { i } })
    journal.end(first, { ok: true, response: { late: true } })
    expect(journal.entries().length).toBe(100)
    expect(
      journal
        .entries()
        .map(({ n }) => n)
        .at(0),
    ).toBe(902)
    expect([journal.find(1), journal.find(901), journal.find(902)?.n, journal.find(1_001)?.n]).toEqual([
      undefined,
      undefined,
      902,
      1_001,
    ])
    journal.note({ ...note, request: { text: 'x'.repeat(4_000) } })
    expect(journal.entries().length).toBeLessThan(100)
    for (let i = 0; i < 3; i++) journal.note({ ...note, request: { text: 'y'.repeat(4_900) } })
    expect(journal.entries().map(({ n }) => n)).toEqual([1_005])
  })

  test('holds no secret, no picture and nothing endless, and marks omissions; the sent body is unchanged', () => {
    const journal = createJournal()
    journal.hide('the-key-of-mine', '$KEY')
    const circle: Record<string, unknown> = {}
    circle['circle'] = circle
    const request = {
      header: 'Bearer the-key-of-mine',
      theirs: 'xoxb-123-abcdef and sk-proj-0123456789abcdef',
      picture: `data:image/png;base64,${'A'.repeat(5_000)}`,
      long: 'x'.repeat(100_000),
      list: Array.from({ length: 5_000 }, (_, i) => i),
      bytes: new Uint8Array(7),
      ['__proto__']: 1,
      circle,
    }
    const entry = journal.note({ ...note, error: 'no the-key-of-mine', request })
    const kept = JSON.stringify(entry)
    expect(kept).not.toMatch(/the-key-of-mine|xoxb|sk-proj|A{100}/)
    expect(kept).not.toContain('x'.repeat(70_000))
    expect(entry.request['header']).toBe('Bearer $KEY')
    expect(entry.error).toBe('no $KEY')
    expect(kept).toMatch(/5000 characters of base64.*40000 characters more.*\(3000 more\).*\(7 bytes\).*left out/)
    expect(kept.length).toBeLessThan(200_000)
    expect([entry.isShortened, journal.whole(entry)]).toEqual([true, request])
    const cut = journal.note({ ...note, request: { text: `${'x'.repeat(59_990)}the-key-of-mine${'x'.repeat(100)}` } })
    expect(JSON.stringify(cut)).not.toContain('the-key')
    const plain = journal.note({ ...note, request: { a: 1 } })
    expect([plain.isShortened, journal.whole(plain)]).toEqual([undefined, { a: 1 }])
  })

  test('only the newest requests are kept whole', () => {
    const journal = createJournal()
    const entries = Array.from({ length: 300 }, (_, i) =>
      journal.note({ ...note, request: { i, text: 'x'.repeat(70_000) } }),
    )
    expect(journal.whole(entries[0]!)).toBeUndefined()
    expect(journal.whole(entries[299]!)?.['i']).toBe(299)
  })
})

describe('run traces in the journal', () => {
  const trace = (calls: TracedCall[], id = 'q1'): RunTrace => ({
    version: 1,
    id,
    ...{ team: 'T1', channel: 'C1', thread: '1.0', user: 'U1', question: 'Why?', model: 'm', dialect: 'text' },
    startedAt: 0,
    attempts: 1,
    calls,
  })
  const tool = { kind: 'tool', at: 5, step: 1, tool: 'calculator', input: '6*7', ok: false } as const

  test('a tool call is one entry of its thread, from its start to its end', () => {
    const journal = createJournal()
    const tell = journalTraces(journal)
    tell(trace([tool]))
    expect(journal.find(1)).toMatchObject({
      kind: 'tool',
      name: 'calculator',
      thread: 'C1:1.0',
      at: 5,
      request: { tool: 'calculator', input: '6*7', step: 1 },
    })
    expect(journal.find(1)?.ms).toBeUndefined()
    const ended = { ...tool, ms: 3, ok: true, output: '42' }
    const failed = { ...tool, ms: 1, output: { text: 'no such page' } }
    tell(trace([ended, failed]))
    tell(trace([ended, failed]))
    tell(trace([{ ...tool, ms: 2, error: 'too slow' }], 'q2'))
    expect(journal.entries().map(({ ms, ok, error, response }) => [ms, ok, error, response])).toEqual([
      [3, true, undefined, { text: '42' }],
      [1, false, 'no such page', { text: 'no such page' }],
      [2, false, 'too slow', undefined],
    ])
  })

  test('a model call gets the thread of its run, found by its messages', () => {
    const journal = createJournal()
    const tell = journalTraces(journal)
    const call = (content: unknown) =>
      journal.begin({ kind: 'model', name: 'm', request: { body: { messages: [{ role: 'user', content }] } } })
    const [mine, other, seen] = [
      call('Question: Why?'),
      call('Question: When?'),
      call([{ type: 'text', text: 'Look' }, { type: 'image_url' }]),
    ]
    const traced = (content: string) => ({
      ...({ kind: 'model', for: 'step', turn: 2, at: 0, model: 'm' } as const),
      ...{ request: { messages: [{ role: 'user' as const, content }] }, output: { text: '' }, usage: [] },
    })
    tell(trace([traced('Question: Why?'), { ...traced('Look'), for: 'condense' }]))
    expect([mine, other, seen].map(({ name, thread }) => `${name} ${thread}`)).toEqual([
      'm, turn 2 C1:1.0',
      'm undefined',
      'm, condensing C1:1.0',
    ])
  })
})
