import { expect, test } from 'vitest'
import { keptLog } from '../harness/stores.ts'
import { createFiles } from '../../src/files/store/file-store.ts'
import { runFiles } from '../../src/files/run-files.ts'
import { parsed, textFile } from '../harness/file-corpus.ts'
import { createFileParsers } from '../../src/files/parse-file.ts'
import { memoryKv } from '../../src/stores/kv/memory-kv.ts'

const parser = createFileParsers().forQuestion('U0', Date.now)

test('a run that searches many files holds few of them in memory and reloads others', async () => {
  const kept = createFiles(memoryKv({ now: Date.now }), { log: keptLog(), sealer: undefined, ttlMs: 60_000 })
  const text = await parsed(textFile('a.txt', 'The badger sleeps.'))
  const about = { kind: text.kind, what: 'A text', question: 'Q', user: 'U' }
  for (let i = 1; i <= 8; i += 1) await kept.keep('T:C:1', { ...about, id: `F${i}`, name: `${i}.txt`, at: i }, { text })
  const loaded: string[] = []
  const load = (thread: string, id: string) => (loaded.push(id), kept.load(thread, id))
  const files = runFiles({ ...kept, load }, 'T:C:1', parser, 4_000)
  expect((await files.search('badger')).text).toContain('1.txt, line 1')
  expect(loaded).toEqual(['F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8'])
  await files.read('8.txt', {})
  await files.read('5.txt', {})
  expect(loaded).toHaveLength(8)
  expect((await files.read('1.txt', {})).text).toContain('The badger sleeps.')
  expect(loaded.slice(8)).toEqual(['F1'])
})

test('a file that could not be loaded is loaded the next time', async () => {
  const kept = createFiles(memoryKv({ now: Date.now }), { log: keptLog(), sealer: undefined, ttlMs: 60_000 })
  const text = await parsed(textFile('a.txt', 'The badger sleeps.'))
  const about = { id: 'F1', name: 'a.txt', kind: text.kind, what: 'A text', question: 'Q', user: 'U', at: 1 }
  await kept.keep('T:C:1', about, { text })
  let tries = 0
  const load = async (thread: string, id: string) => {
    if ((tries += 1) === 1) throw new Error('Redis is away.')
    return kept.load(thread, id)
  }
  const files = runFiles({ ...kept, load }, 'T:C:1', parser, 4_000)
  await expect(files.read('a.txt', {})).rejects.toThrow('Redis is away.')
  expect((await files.read('a.txt', {})).text).toContain('The badger sleeps.')
})
