/**
 * Version 0.1.0 wrote fixtures/stores/redis-0.1.0.json: each key with its type, its value, and the minutes that it is
 * kept. The stores read it, and write the same.
 */
import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { sealerOf } from '../../src/base/encryption.ts'
import { createFiles } from '../../src/files/store/file-store.ts'
import { HOME_ADMINS, OPEN_HOMES, UNANSWERED } from '../../src/question/stores/store-bounds.ts'
import { createArchive } from '../../src/stores/archive/run-archive.ts'
import type { RunRecord } from '../../src/stores/archive/types.ts'
import { createAuditLog } from '../../src/stores/audit/audit-log.ts'
import { createHistory } from '../../src/stores/history/history-store.ts'
import { createInstallations } from '../../src/stores/installations/installation-store.ts'
import type { Kv } from '../../src/stores/kv/kv.ts'
import { memoryKv } from '../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../src/stores/kv/redis-kv.ts'
import { createOncePerDay } from '../../src/stores/limits/once-per-day.ts'
import { createRecentList } from '../../src/stores/recent-list.ts'
import { createRemembered } from '../../src/stores/remembered/remembered.ts'
import type { RunTrace } from '../../src/stores/runs/run-trace.ts'
import { Schedules } from '../../src/stores/schedules/schedule-store.ts'
import { pausedSchedule, type Schedule } from '../../src/stores/schedules/types.ts'
import { createChannelSettings } from '../../src/stores/settings/settings.ts'
import { createThreadStates } from '../../src/stores/threads/thread-states.ts'
import { createSearchTokens } from '../../src/stores/search-tokens/search-tokens.ts'
import { createUseStore } from '../../src/stores/use/use-store.ts'
import { createPeople } from '../../src/stores/values/people-store.ts'
import { createValues } from '../../src/stores/values/value-store.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { keptLog } from '../harness/stores.ts'

interface RecordedKey {
  type: string
  value: string | string[] | Record<string, string>
  minutes: number
}

const recorded = JSON.parse(
  readFileSync(new URL('../fixtures/stores/redis-0.1.0.json', import.meta.url), 'utf8'),
) as Record<string, RecordedKey>

const NOW = Date.UTC(2026, 10, 26, 12)
const DAY_MS = 86_400_000
const PREFIX = 'thinkaloud'
const [TEAM, CHANNEL] = ['T1', 'C1']
const THREAD = 'T1:C1:1700000000.000100'
const PLACE = { team: TEAM, channel: CHANNEL }

function openStores(kv: Kv) {
  const now = () => NOW
  const [log, sealer, ttlMs] = [keptLog(), sealerOf('a key that is long enough for a key'), 30 * DAY_MS]
  return {
    history: createHistory(kv, { log, ttlMs }),
    threads: createThreadStates(kv, { ttlMs }),
    archive: createArchive(kv, { log, prefix: PREFIX, ttlMs, sealer, now }),
    files: createFiles(kv, { log, ttlMs, sealer }),
    audit: createAuditLog(kv, { now }),
    tokens: createSearchTokens(kv, { log, sealer }),
    settings: createChannelSettings(kv, { log, now }),
    schedules: new Schedules(kv, { log, now, sealer }),
    plainSchedules: new Schedules(kv, { log, now }),
    remembered: createRemembered(kv, { log, now, ttlMs }),
    oncePerDay: createOncePerDay(kv),
    use: createUseStore(kv),
    lists: [UNANSWERED, HOME_ADMINS, OPEN_HOMES].map((bounds) => createRecentList(kv, { ...bounds, now })),
    people: createPeople(kv),
    mcp: createValues(kv, { room: 'mcp' }),
    installs: createValues(kv, { room: 'installs' }),
    installations: createInstallations(kv, sealer),
  }
}

type AllStores = ReturnType<typeof openStores>

const turn = (n: number) => ({
  ...{ id: `${THREAD}${n}`, question: `q${n} "x" ü`, standalone: `s${n}`, answer: `a${n}\n🦉`, user: `U${n}` },
  ...(n === 2 ? { said: '@Bob: hello', saidBy: ['U3'] } : {}),
  at: NOW + n,
})
const GRANTS = [
  { tool: 'ledger__add', by: 'U1', at: NOW, version: 'v' },
  { tool: 'x', by: 'U2', at: NOW },
]
const STATE = { muted: true, title: 'Moons', renamed: true, lookingAt: { channel: 'C2', at: NOW }, movedTo: 'C3' }
const RECORD: RunRecord = {
  question: {
    kind: 'asked',
    ...{ id: THREAD, team: TEAM, channel: CHANNEL, thread: '1700000000.000100', user: 'U1', text: 'How many moons?' },
    ...{ ts: '1700000000.000100', surface: 'mention', eventId: 'Ev1', at: NOW },
  },
  ...{ steps: [], usage: [], answer: { text: 'Two.', sources: [] }, posts: { root: '1.0' }, model: 'm' },
  ...{ dialect: 'xml', startedAt: NOW, endedAt: NOW + 5, end: 'answered', feedback: [] },
}
const RATING = { by: 'U2', rating: 'down', comment: 'no', at: NOW + 9 } as const
const FILE = { id: 'F1', name: 'a.pdf', kind: 'pdf', what: 'A PDF', question: THREAD, user: 'U1', at: NOW } as const
const CONTENT = { text: { kind: 'pdf' as const, sections: [{ text: 'words', lines: 1 }] } }
const WRITE = {
  ...{ run: THREAD, step: 1, team: TEAM, channel: CHANNEL, thread: '1.0', askedBy: 'U1', how: 'config' as const },
  ...{ tool: 'ledger__add', argumentsHash: 'ab', at: NOW, outcome: 'done' as const },
}
const SETTINGS = { steps: 'hidden', instructions: 'Answer in "German". 🦉' } as const
const SCHEDULE: Schedule = {
  ...{ id: 'a', team: TEAM, channel: CHANNEL, user: 'U1', createdAt: NOW, text: 'every 20 minutes what?' },
  ...{ question: 'what?', when: { kind: 'every', minutes: 20, start: NOW, zone: 'UTC' }, gapMs: 1_200_000 },
  ...{ state: 'active', due: NOW + 1_200_000, place: { isPrivate: false, isShared: false, isMember: true } },
  ...{ failures: 0, runs: [], spent: {} },
}
const PAUSED = pausedSchedule({ ...SCHEDULE, id: 'b' }, { why: 'person', at: NOW })
const USE = { 'all - questions': 1, 'tool x calls': 3 }
const INSTALLATION = {
  ...{ id: TEAM, name: 'Acme', isOrgWide: false, appId: 'A1', token: 'xoxb-1', botUser: 'U9', botId: 'B9' },
  ...{ url: 'https://acme.slack.com/', scopes: ['chat:write'], installer: 'U2', installedAt: 1 },
}

async function writeAll(stores: AllStores): Promise<void> {
  for (const n of [1, 2]) await stores.history.append(THREAD, turn(n))
  await stores.threads.patch(THREAD, { ...STATE, grants: [GRANTS[0]!] })
  await stores.threads.patch(THREAD, { grants: [GRANTS[1]!] })
  await stores.archive.keep(RECORD)
  await stores.archive.rate(THREAD, RATING)
  await stores.archive.keepTrace({ id: THREAD, team: TEAM, user: 'U1', startedAt: NOW } as RunTrace)
  await stores.files.keep(THREAD, FILE, CONTENT)
  await stores.audit.note(WRITE)
  await stores.tokens.keep(THREAD, { action_token: '12.34.abc' })
  await stores.settings.save(PLACE, SETTINGS)
  await stores.schedules.add(SCHEDULE)
  await stores.plainSchedules.add(PAUSED)
  for (const [id, text] of ['The boss is Ann.', 'Gone.'].entries())
    await stores.remembered.add('T1:C1:all', { id: String(id + 1), text, by: 'U1', at: NOW })
  await stores.remembered.remove('T1:C1:all', '2')
  await stores.oncePerDay.isFirst(TEAM, 'full')
  for (const calls of [2, 3])
    await stores.use.book({ team: TEAM, id: THREAD, at: NOW }, { ...USE, 'tool x calls': calls })
  for (const list of stores.lists)
    for (const [id, ago] of Object.entries({ x: 5, y: 0 })) await list.add(TEAM, id, NOW - ago)
  await stores.people.of('T1:U1').put('login', { token: 'sealed' })
  await stores.people.shared.put('link', { to: 'U1' }, { ttlMs: 600_000 })
  await stores.mcp.put('tools:ledger', [{ name: 'add' }])
  await stores.installs.put('note', 7, { ttlMs: DAY_MS })
  await stores.installations.save(INSTALLATION)
}

async function expectAll(stores: AllStores): Promise<void> {
  expect(await stores.history.load(THREAD)).toMatchObject([turn(1), turn(2)])
  expect(await stores.threads.load(THREAD)).toEqual({ ...STATE, grants: GRANTS })
  expect(await stores.archive.lastOf({ team: TEAM, user: 'U1' }, 9)).toEqual([{ ...RECORD, feedback: [RATING] }])
  expect(await stores.files.list(THREAD)).toEqual([FILE])
  expect(await stores.files.load(THREAD, 'F1')).toEqual(CONTENT)
  expect(await stores.audit.list({ team: TEAM }, 9)).toEqual([WRITE])
  expect(await stores.tokens.load(THREAD)).toBe('12.34.abc')
  expect(await stores.settings.load(PLACE)).toEqual(SETTINGS)
  expect(await stores.schedules.list({ team: TEAM })).toEqual([SCHEDULE, PAUSED])
  expect(await stores.schedules.due(NOW + 1_300_000, 9)).toMatchObject([{ id: 'a' }])
  expect(await stores.remembered.list('T1:C1:all')).toMatchObject([{ id: '1', text: 'The boss is Ann.' }])
  expect(await stores.remembered.add('T1:C1:all', { id: '2', text: 'Gone.', by: 'U1', at: NOW })).toBe('known')
  expect(await stores.oncePerDay.isFirst(TEAM, 'full')).toBe(false)
  expect(await stores.use.days(TEAM, ['2026-11-26'])).toEqual([USE])
  for (const list of stores.lists) expect(await list.newest(TEAM, 9)).toEqual(['y', 'x'])
  expect(await stores.people.list()).toEqual([{ team: TEAM, user: 'U1' }])
  expect(await stores.people.of('T1:U1').get('login')).toEqual({ token: 'sealed' })
  expect(await stores.people.shared.get('link')).toEqual({ to: 'U1' })
  expect([await stores.mcp.get('tools:ledger'), await stores.installs.get('note')]).toEqual([[{ name: 'add' }], 7])
  expect((await stores.installations.load(TEAM))?.record).toEqual(INSTALLATION)
}

test('in memory, everything that is written is read back', async () => {
  const stores = openStores(memoryKv({ now: () => NOW }))
  await writeAll(stores)
  await expectAll(stores)
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()

  test('what 0.1.0 stored is read', async () => {
    const redis = server.rawClient()
    await redis.flushall()
    for (const [key, { type, value, minutes }] of Object.entries(recorded)) {
      const flat = Array.isArray(value) ? value : []
      if (type === 'string') await redis.set(key, String(value))
      else if (type === 'hash') await redis.hset(key, value as Record<string, string>)
      else if (type === 'list') await redis.rpush(key, ...flat)
      else if (type === 'set') await redis.sadd(key, ...flat)
      else for (let i = 0; i < flat.length; i += 2) await redis.zadd(key, flat[i + 1]!, flat[i]!)
      await redis.pexpire(key, minutes * 60_000)
    }
    const stores = openStores(redisKv({ redis: server.connect(), prefix: PREFIX }))
    await expectAll(stores)
    expect(await stores.archive.loadTrace(THREAD)).toMatchObject({ question: 'How many moons?' })
    const everyone = [stores.history, stores.threads, stores.archive, stores.files, stores.remembered, stores.people]
    for (const store of everyone) await store.forgetUser({ team: TEAM, user: 'U2' })
    expect((await stores.archive.load(THREAD))?.feedback).toEqual([])
    expect(await redis.keys('*{T1:U2}*')).toEqual([])
  })

  test('it is written as 0.1.0 did: keys, types, values and expiry', async () => {
    const redis = server.rawClient()
    await redis.flushall()
    await writeAll(openStores(redisKv({ redis: server.connect(), prefix: PREFIX })))
    const keys = (await redis.keys('*')).sort()
    // Ratings were also indexed by person.
    const expected = Object.keys(recorded).filter((key) => !key.includes('}:rated:'))
    expect(keys).toEqual(expected)
    for (const key of keys) {
      const { type, value, minutes } = recorded[key]!
      expect([key, await redis.type(key)]).toEqual([key, type])
      expect(Math.abs((await redis.pttl(key)) / 60_000 - minutes), key).toBeLessThan(2)
      expect(shapeOf(await valueOf(redis, key)), key).toEqual(shapeOf(value))
    }
  })
})

async function valueOf(redis: Redis, key: string): Promise<RecordedKey['value']> {
  const type = await redis.type(key)
  if (type === 'string') return (await redis.get(key)) ?? ''
  if (type === 'hash') return redis.hgetall(key)
  return type === 'list' ? redis.lrange(key, 0, -1) : redis.zrange(key, '0', '-1', 'WITHSCORES')
}

/** A value with its JSON parsed. Of what is sealed, and of a random generation, only the form is compared. */
function shapeOf(value: RecordedKey['value']): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([field, text]) => [field, shapeOf(text)]))
  // Questions have a kind since then.
  if (/^[[{]/.test(value)) return JSON.parse(value.replace('{"kind":"asked",', '{'))
  return value.replace(/^[\da-f-]{36} /, 'GENERATION ').replace(/\bv1\.\w+\.[\w-]+$/, 'SEALED')
}
