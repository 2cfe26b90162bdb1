/** One contract for both implementations: memory and Redis. */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sealerOf } from '../../src/base/encryption.ts'
import { MAX_KEPT, withoutRoom, type FileStore, type KeptFile } from '../../src/files/store/types.ts'
import { createFiles } from '../../src/files/store/file-store.ts'
import type { ParsedFile } from '../../src/files/types.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { eventually, keptLog } from '../harness/stores.ts'
import { memoryKv } from '../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../src/stores/kv/redis-kv.ts'

const DAY_MS = 86_400_000
const thread = 'T1:C1:1.0'

function file(id: string, more: Partial<KeptFile> = {}): KeptFile {
  const about = { name: `${id}.pdf`, kind: 'pdf' as const, what: 'A PDF of 1 page', question: 'T1:C1:1.0', user: 'U1' }
  return { id, ...about, at: 5, ...more }
}

function text(words: string): { text: ParsedFile } {
  return { text: { kind: 'pdf', sections: [{ text: words, lines: 1 }] } }
}

const PICTURE = { picture: { mime: 'image/png', base64: 'Y2hhcnQ=' } }

/** The contract of every store of files. */
function filesContract(make: (settings?: { ttlMs?: number }) => FileStore): void {
  test('a conversation without files has none', async () => {
    expect(await make().list(thread)).toEqual([])
    expect(await make().load(thread, 'F1')).toBeUndefined()
  })

  test('a text and a picture are returned unchanged, the oldest first', async () => {
    const files = make()
    const second = file('F2', { kind: 'png', at: 9, permalink: 'https://x.slack.com/files/U1/F2/ü.png' })
    expect(await files.keep(thread, second, PICTURE)).toBe(true)
    expect(await files.keep(thread, file('F1'), text('Über "Dune" 🦉\n\u2028'))).toBe(true)
    expect(await files.list(thread)).toEqual([file('F1'), second])
    expect(await files.load(thread, 'F1')).toEqual(text('Über "Dune" 🦉\n\u2028'))
    expect(await files.load(thread, 'F2')).toEqual(PICTURE)
    expect(await files.load('T1:C1:1.01', 'F1')).toBeUndefined()
  })

  test('a file stored again is one file, with its latest details', async () => {
    const files = make()
    await files.keep(thread, file('F1'), text('a'))
    await files.keep(thread, file('F1', { question: 'T1:C1:2.0' }), text('b'))
    expect(await files.list(thread)).toEqual([file('F1', { question: 'T1:C1:2.0' })])
    expect(await files.load(thread, 'F1')).toEqual(text('b'))
  })

  test('the largest accepted picture is stored', async () => {
    const files = make()
    const picture = { mime: 'image/png', base64: randomBytes(4_000_000).toString('base64') }
    expect(await files.keep(thread, file('F1'), { picture })).toBe(true)
    expect(await files.load(thread, 'F1')).toEqual({ picture })
  })

  test('one that is too large is not stored, and the oldest of too many are removed', async () => {
    const files = make()
    const noise = randomBytes(5_000_000)
    const large = { picture: { mime: 'image/png', base64: noise.toString('base64') } }
    expect(await files.keep(thread, file('F0'), large)).toBe(false)
    for (let i = 1; i <= MAX_KEPT.files + 2; i++) await files.keep(thread, file(`F${i}`, { at: i }), text('a'))
    const kept = await files.list(thread)
    expect(kept).toHaveLength(MAX_KEPT.files)
    expect(kept[0]?.id).toBe('F3')
    expect(await files.load(thread, 'F2')).toBeUndefined()
  })

  test('the files of one question are removed, and those of others stay', async () => {
    const files = make()
    await files.keep(thread, file('F1'), text('a'))
    await files.keep(thread, file('F2', { question: 'T1:C1:1.01' }), text('b'))
    await files.remove(thread, 'T1:C1:1.0')
    expect((await files.list(thread)).map(({ id }) => id)).toEqual(['F2'])
    expect(await files.load(thread, 'F1')).toBeUndefined()
  })

  test('forgetting a channel, a person or a team removes only theirs', async () => {
    const all = ['T1:C1:1.0', 'T1:C1:2.0', 'T1:C2:1.0', 'T12:C1:1.0']
    const kept = async (files: FileStore) => {
      const lists = await Promise.all(all.map((each) => files.list(each)))
      const loads = await Promise.all(all.flatMap((each) => ['F1', 'F2'].map((id) => files.load(each, id))))
      expect(loads.filter((one) => one !== undefined)).toHaveLength(lists.flat().length)
      return all.flatMap((each, i) => (lists[i] ?? []).map(({ id }) => `${each} ${id}`))
    }
    const files = make()
    for (const each of all) {
      await files.keep(each, file('F1'), text('a'))
      await files.keep(each, file('F2', { user: 'U2', at: 6 }), text('b'))
    }
    await files.forgetUser({ team: 'T1', user: 'U2' })
    expect(await kept(files)).toEqual([
      'T1:C1:1.0 F1',
      'T1:C1:2.0 F1',
      'T1:C2:1.0 F1',
      'T12:C1:1.0 F1',
      'T12:C1:1.0 F2',
    ])
    await files.forgetChannel({ team: 'T1', channel: 'C1' })
    expect(await kept(files)).toEqual(['T1:C2:1.0 F1', 'T12:C1:1.0 F1', 'T12:C1:1.0 F2'])
    await files.forgetTeam('T1')
    expect(await kept(files)).toEqual(['T12:C1:1.0 F1', 'T12:C1:1.0 F2'])
  })

  test('a channel’s files move to its new id, once', async () => {
    const files = make()
    for (const where of [thread, 'T1:C12:1.0']) await files.keep(where, file('F1'), text('a'))
    for (let times = 0; times < 2; times++) await files.moveChannel({ team: 'T1', channel: 'C1' }, 'C9')
    expect(await files.list('T1:C9:1.0')).toEqual([file('F1')])
    expect(await files.load('T1:C9:1.0', 'F1')).toEqual(text('a'))
    expect([await files.list(thread), await files.load(thread, 'F1')]).toEqual([[], undefined])
    expect(await files.load('T1:C12:1.0', 'F1')).toEqual(text('a'))
  })

  test('files expire, unless they are used', async () => {
    const files = make({ ttlMs: 400 })
    const isThere = async (where: string) => (await files.load(where, 'F1')) !== undefined
    // Retried if the whole machine paused between two uses for longer than files are kept.
    await eventually(async () => {
      await files.keep(thread, file('F1'), text('a'))
      await files.keep('T1:C1:2.0', file('F1'), text('a'))
      while (await isThere('T1:C1:2.0')) await files.list(thread)
      expect(await files.load(thread, 'F1')).toEqual(text('a'))
    })
  })
}

describe('in memory', () => {
  filesContract(({ ttlMs = DAY_MS } = {}) =>
    createFiles(memoryKv({ now: Date.now }), { log: keptLog(), sealer: undefined, ttlMs }),
  )
})

test('the newest files are kept first, by number and size', () => {
  const sizes = [1, 2, 3].map((at) => ({ id: `F${at}`, at, chars: MAX_KEPT.all / 2 }))
  expect(withoutRoom(sizes)).toEqual(['F1'])
  expect(withoutRoom(sizes.slice(1))).toEqual([])
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  const SECRET = 'c2VjcmV0LW9mLXRoaXJ0eS10d28tYnl0ZXMtb3Itc28='
  let count = 0
  const open = ({ ttlMs = DAY_MS, secretsKey = undefined as string | undefined, prefix = `f${count++}` } = {}) => {
    const log = keptLog()
    return createFiles(redisKv({ redis: server.connect(log), prefix }), {
      log,
      ttlMs,
      sealer: secretsKey === undefined ? undefined : sealerOf(secretsKey),
    })
  }

  describe('unencrypted', () => filesContract((settings) => open(settings)))
  describe('encrypted', () => filesContract((settings) => open({ ...settings, secretsKey: SECRET })))

  test('a conversation has two keys, with its hash tag, which expire together', async () => {
    await open({ prefix: 'two', ttlMs: 1_000_000 }).keep(thread, file('F1'), text('a'))
    const redis = server.rawClient()
    const keys = (await redis.keys('two*')).sort()
    expect(keys).toEqual(['two:{T1:C1:1.0}:file-contents', 'two:{T1:C1:1.0}:files'])
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(900_000)
  })

  test('a long text is compressed, and with SECRETS_KEY no file is readable in Redis', async () => {
    await open({ prefix: 'long' }).keep(thread, file('F1'), text('word '.repeat(100_000)))
    await open({ prefix: 'shut', secretsKey: SECRET }).keep(thread, file('F1'), text('secretword'))
    const redis = server.rawClient()
    expect(await redis.hstrlen('long:{T1:C1:1.0}:file-contents', 'F1')).toBeLessThan(5_000)
    const stored = JSON.stringify([
      await redis.hgetall('shut:{T1:C1:1.0}:files'),
      await redis.hgetall('shut:{T1:C1:1.0}:file-contents'),
    ])
    expect(stored).toMatch(/v1\./)
    // What is sealed has no quotes; letters such as `pdf` may stand in it by chance.
    expect(stored).not.toMatch(/\\"|secretword|H4sI/)
  })

  test('values sealed with another key count as missing, and are forgotten too', async () => {
    await open({ prefix: 'other', secretsKey: SECRET }).keep(thread, file('F1'), text('a'))
    const files = open({ prefix: 'other', secretsKey: SECRET.replace('c2', 'd2') })
    expect(await files.list(thread)).toEqual([])
    expect(await files.load(thread, 'F1')).toBeUndefined()
    await files.forgetUser({ team: 'T1', user: 'U9' })
    expect(await server.rawClient().keys('other*')).toEqual([])
  })
})
