/** Cases that custom tools cannot produce: rounds of questions, grants, removed tools, an unreachable list. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { zodInput } from '../../../src/agent/tool-input.ts'
import type { AwaitedDecision, ToolStep } from '../../../src/agent/contracts/run-events.ts'
import type { Tool } from '../../../src/agent/contracts/tool.ts'
import { createAuditLog } from '../../../src/stores/audit/audit-log.ts'
import { doneCalls, noteWrites, type WritesOf } from '../../../src/stores/audit/note-writes.ts'
import { callKey } from '../../../src/stores/runs/call-key.ts'
import { keptLog, question, toolStep } from '../../harness/stores.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'

const tool = (more: Partial<Tool> = {}): Tool => ({
  ...{ name: 'ledger__add', description: 'Adds.', effects: 'write', server: 'ledger' },
  ...zodInput(z.object({ what: z.string(), times: z.coerce.number().default(1) })),
  run: async () => 'added',
  ...more,
})

const step = (more: Partial<ToolStep>) =>
  toolStep(1, { action: { tool: 'ledger__add', input: { what: 'x' } }, ...more })
const APPROVAL: AwaitedDecision = {
  kind: 'approval',
  input: { what: 'shown', times: 2 },
  server: 'ledger',
  says: 'Adds.',
}
const QUESTION: AwaitedDecision = { kind: 'question', server: 'ledger', message: 'Sure?', state: 1 }
const observation = { text: 'x', ok: true }

async function noted(one: ToolStep, more: Partial<WritesOf> = {}) {
  const audit = createAuditLog(memoryKv({ now: Date.now }), { now: Date.now })
  const saved = { decisions: {} }
  const at = Date.now()
  const of = { question: question('1', { at }), saved, tools: [tool()], isOver: false, audit, log: keptLog(), ...more }
  await noteWrites([{ n: 3, step: one }], of)
  return (await audit.list({ team: 'T1' }, 9))[0]
}

const begun = Date.now()

describe('of a step', () => {
  test('a read-only tool is not a write, nor is a call that was never requested', async () => {
    const tools = [tool({ effects: 'read' })]
    expect(await noted(step({ waiting: { since: begun, for: APPROVAL }, observation }), { tools })).toBeUndefined()
    expect(await noted(step({ observation }))).toBeUndefined()
    expect(await noted(step({ waiting: { since: begun, for: APPROVAL } }))).toBeUndefined()
  })

  test('arguments are hashed as the tool gets them; of a call that was not made, as shown', async () => {
    const sent = await noted(step({ begun, waiting: { since: 1, for: APPROVAL } }))
    expect(sent?.argumentsHash).toBe(callKey('ledger__add', { times: 1, what: 'x' }))
    const refused = await noted(step({ waiting: { since: begun, for: APPROVAL }, observation }))
    expect(refused).toMatchObject({ at: begun, outcome: 'not_run', server: 'ledger' })
    expect(refused?.argumentsHash).toBe(callKey('ledger__add', { what: 'shown', times: 2 }))
  })

  test('the approval counts, not later answers to the tool', async () => {
    const decisions = {
      '3': { outcome: 'allowed', by: 'U2', at: 1, key: 'k' },
      '3.2': { outcome: 'answered', by: 'U1', action: 'accept' },
      '3.3': { outcome: 'expired' },
      '30': { outcome: 'denied', by: 'U3', at: 1, key: 'k' },
    } as const
    const waiting = { since: begun, round: 3, for: QUESTION }
    expect(await noted(step({ begun, waiting, observation }), { saved: { decisions } })).toMatchObject({
      ...{ how: 'once', decidedBy: 'U2', outcome: 'done' },
    })
  })

  test('a call that only asked a question had no effect', async () => {
    const asked = step({ waiting: { since: begun, for: QUESTION } })
    expect(await noted(asked)).toBeUndefined()
    expect(await noted(asked, { isOver: true })).toMatchObject({ how: 'config', outcome: 'not_run' })
  })

  test('a call that timed out may have taken effect', async () => {
    const late = step({ begun, observation: { text: 'It did not finish.', ok: false, down: true } })
    expect(await noted(late)).toMatchObject({ outcome: 'unknown' })
  })

  test('the entry names who granted the tool in the thread, else the settings', async () => {
    const grantedBy = async () => 'U7'
    const asks = [tool({ needsApproval: true })]
    expect(await noted(step({ begun }), { tools: asks, grantedBy })).toMatchObject({ how: 'always', decidedBy: 'U7' })
    expect(await noted(step({ begun }), { grantedBy })).toMatchObject({ how: 'config' })
  })

  test('a removed tool keeps what was shown', async () => {
    const gone = await noted(step({ begun, waiting: { since: 1, for: APPROVAL } }), { tools: [] })
    expect(gone).toMatchObject({ tool: 'ledger__add', server: 'ledger', outcome: 'begun' })
    expect(gone?.argumentsHash).toBe(callKey('ledger__add', { what: 'shown', times: 2 }))
    expect(await noted(step({ begun }), { tools: [] })).toMatchObject({ outcome: 'begun' })
  })
})

test('an unavailable audit list prevents a write, but not the end of a run', async () => {
  const away = {
    ...createAuditLog(memoryKv({ now: Date.now }), { now: Date.now }),
    note: () => Promise.reject(new Error('Redis is full')),
  }
  const log = keptLog()
  await expect(noted(step({ begun }), { audit: away })).rejects.toThrow('Redis is full')
  expect(await noted(step({ begun }), { audit: away, isOver: true, log })).toBeUndefined()
  expect(log.lines).toMatchObject([{ level: 'warn', message: 'the outcome of a write could not be recorded' }])
})

test.each<[input: object, shown: string]>([
  [{ target: '/srv/production.db', path: 'tmp/scratch.txt' }, '/srv/production.db'],
  [{ path: 'a.txt', name: 'b', title: 'c', target: 'd' }, 'd'],
  [{ target: 'x (Delete file), allowed by Bob' }, '“x (Delete file), allowed by Bob”'],
  [{ target: 'x” (Delete file), “y' }, "“x' (Delete file), 'y”"],
  [{ path: 'only undeclared' }, ''],
  [{ target: `/srv/production.db${'/.'.repeat(90)}` }, `/srv/production.db${'/.'.repeat(16)}…${'/.'.repeat(15)}`],
  [{ target: `tmp/${'a'.repeat(90)}/../../srv/production.db` }, `tmp/${'a'.repeat(46)}…aaaaaa/../../srv/production.db`],
  [{ target: '/srv/\u200bproduction\u2060\u202e.db\u3164' }, '/srv/production.db'],
  [{ target: `${'\u2800'.repeat(90)}/srv/production.db` }, '/srv/production.db'],
  [{ target: '\u200b\u3164' }, ''],
])('people are shown only declared arguments: of %j %j', async (input, shown) => {
  const deleting = tool(zodInput(z.looseObject({ target: z.string().optional() })))
  const tools = [{ ...deleting, parameters: { ...deleting.parameters, required: ['target'] } }]
  const call = step({ action: { tool: deleting.name, input }, begun: 1, observation })
  const calls = await doneCalls([call], { saved: { decisions: {} }, tools, isOver: true })
  expect(calls?.map(({ what }) => what)).toEqual([shown])
})

const LONG = 'x'.repeat(200)

test.each<[required: string[], input: object, shown: string]>([
  [
    ['recipient', 'reason'],
    { recipient: `${LONG}@example.com`, reason: 'tidy' },
    `${'x'.repeat(50)}…${'x'.repeat(18)}@example.com, tidy`,
  ],
  [['title', 'page_url'], { title: 'Scratch', page_url: 'https://wiki/main' }, 'Scratch, “https://wiki/main”'],
  [['title', 'text'], { title: 'Plan', text: 'Buy milk' }, 'Plan'],
  [['channel', 'text'], { channel: 'C1', text: LONG }, 'C1'],
])('of the required arguments %j none is hidden behind another', async (required, input, shown) => {
  const fields = Object.fromEntries(required.map((key) => [key, z.string()]))
  const writing = tool(zodInput(z.object(fields)))
  const call = step({ action: { tool: writing.name, input }, begun: 1, observation })
  const calls = await doneCalls([call], { saved: { decisions: {} }, tools: [writing], isOver: true })
  expect(calls?.map(({ what }) => what)).toEqual([shown])
})
