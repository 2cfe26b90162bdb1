import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { connectRedis } from '../../../src/base/redis/redis.ts'
import { redisScript } from '../../../src/base/redis/redis-script.ts'
import { startCluster } from '../../harness/redis-cluster.ts'
import { describeWithRedis, startRedis } from '../../harness/redis.ts'
import { filesIn, textOf } from '../../harness/project-files.ts'
import { sourcesIn } from '../../harness/source.ts'
import { keptLog } from '../../harness/stores.ts'

async function scriptFile(text: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'thinkaloud-lua-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'add.lua'), `local function add(a, b) return a + b end\n`)
  await writeFile(join(folder, 'script.lua'), text)
  return pathToFileURL(join(folder, 'script.lua'))
}

const TEXT = `
local first, second = unpack(KEYS)
local left, right = unpack(ARGV)

--- @include "add"

return { first, second, KEYS[3] or '', left, right, ARGV[3] or '', add(left, right) }
`
const NAMES = { keys: ['second', 'first'], args: ['right', 'left'] } as const

test('a script whose keys or arguments differ from its caller’s is refused when it is loaded', async () => {
  const file = await scriptFile(TEXT)
  expect(() => redisScript(file, { ...NAMES, args: ['left'] })).toThrow('names ARGV as left, right')
  expect(() => redisScript(file, { ...NAMES, keys: ['first', 'second', 'third'] })).toThrow('names KEYS as')
  expect(() => redisScript(file, { ...NAMES, keys: ['first', 'other'] })).toThrow('names KEYS as first, second')
})

test('every Lua file in the sources is used', () => {
  const all = filesIn('src').filter((path) => path.endsWith('.lua'))
  const texts = [...sourcesIn('src').map(({ text }) => text), ...all.map(textOf)].join('\n')
  const isUsed = (name: string) => texts.includes(`/lua/${name}.lua'`) || texts.includes(`@include "${name}"`)
  expect(all.filter((path) => !isUsed(basename(path, '.lua')))).toEqual([])
  expect(all.length).toBeGreaterThan(0)
})

describeWithRedis('a script', () => {
  const named = { first: 'k{1}', second: 'l{1}', left: 2, right: 3 }
  const result = ['k{1}', 'l{1}', '', '2', '3', '', 5]

  test('receives named keys and arguments, then the rest', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const redis = connectRedis({ url: server.url }, { purpose: 'work', log: keptLog() })
    onTestFinished(() => redis.disconnect())
    const script = redisScript(await scriptFile(TEXT), NAMES)
    expect(await script(redis, named)).toEqual(result)
    const rest = { keys: ['m{1}'], args: ['more'] }
    expect(await script(redis, named, rest)).toEqual(['k{1}', 'l{1}', 'm{1}', '2', '3', 'more', 5])
  })

  test('is sent again if Redis has lost it', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const redis = connectRedis({ url: server.url }, { purpose: 'work', log: keptLog() })
    onTestFinished(() => redis.disconnect())
    const script = redisScript(await scriptFile(TEXT), NAMES)
    await script(redis, named)
    await redis.script('FLUSH')
    expect(await script(redis, named)).toEqual(result)
  })

  test('runs in a cluster on the node of its keys', async () => {
    const { settings } = await startCluster({ onTestFinished }, { silentMs: 15_000 })
    const redis = connectRedis(settings, { purpose: 'work', log: keptLog() })
    onTestFinished(() => redis.disconnect())
    const script = redisScript(await scriptFile(TEXT), NAMES)
    for (const tag of ['a', 'b', 'c', 'd']) {
      const keys = { first: `k{${tag}}`, second: `l{${tag}}` }
      expect(await script(redis, { ...named, ...keys })).toEqual([keys.first, keys.second, ...result.slice(2)])
    }
  })
})
