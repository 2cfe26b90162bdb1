/** One contract for both implementations: memory and Redis. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectRedis } from '../../../src/base/redis/redis.ts'
import {
  createChannelSettings,
  MAX_INSTRUCTIONS,
  type ChannelSettings,
  type ChannelSettingsStore,
} from '../../../src/stores/settings/settings.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'
import { describeWithRedis, startRedis, suiteRedis } from '../../harness/redis.ts'
import { eventually, keptLog } from '../../harness/stores.ts'

const place = { team: 'T1', channel: 'C1' }

const ALL: ChannelSettings = {
  ...{ steps: 'hidden', followUps: 'mention', model: 'small-model', dialect: 'native', tools: ['calculator'] },
  ...{ instructions: 'Answer in "German". 🦉', whoMayStop: 'anyone', whoMayForget: 'admins' },
}

/** The contract of every store of channels' settings. */
function settingsContract(make: () => ChannelSettingsStore): void {
  test('a new channel has no settings', async () => {
    expect(await make().load(place)).toEqual({})
  })

  test('settings are returned unchanged, and saving replaces all of them', async () => {
    const store = make()
    await store.save(place, ALL)
    expect(await store.load(place)).toEqual(ALL)
    await store.save(place, { steps: 'stream', tools: [], model: undefined })
    expect(await store.load(place)).toEqual({ steps: 'stream', tools: [] })
    expect(await store.load({ ...place, channel: 'C2' })).toEqual({})
  })

  test('instructions are cut at a whole character; empty ones are removed', async () => {
    const store = make()
    await store.save(place, { instructions: `${'x'.repeat(MAX_INSTRUCTIONS - 1)}🦉` })
    expect(await store.load(place)).toEqual({ instructions: 'x'.repeat(MAX_INSTRUCTIONS - 1) })
    await store.save(place, { instructions: ' \n ' })
    expect(await store.load(place)).toEqual({})
  })

  test('a loaded value is a copy', async () => {
    const store = make()
    await store.save(place, ALL)
    ;(await store.load(place)).tools?.push('more')
    expect(await store.load(place)).toEqual(ALL)
  })

  test('forgetting a team removes all of its channels only', async () => {
    const store = make()
    const places = [place, { team: 'T1', channel: 'C2' }, { team: 'T12', channel: 'C1' }]
    for (const each of places) await store.save(each, ALL)
    for (const each of places) await store.load(each)
    await store.forgetTeam('T1')
    expect(await Promise.all(places.map((each) => store.load(each)))).toEqual([{}, {}, ALL])
  })
}

describe('in memory', () => {
  settingsContract(() => createChannelSettings(memoryKv({ now: Date.now }), { log: keptLog(), now: Date.now }))
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  let count = 0

  const open = ({ prefix = `s${count++}`, log = keptLog(), now = Date.now } = {}) => {
    const redis = server.connect(log)
    return createChannelSettings(redisKv({ redis, prefix }), { log, now })
  }

  settingsContract(() => open())

  test('a channel is one key, which expires', async () => {
    await open({ prefix: 'one' }).save(place, ALL)
    const redis = server.rawClient()
    expect(await redis.keys('one:*')).toEqual(['one:{T1:C1}:settings'])
    expect(await redis.pttl('one:{T1:C1}:settings')).toBeGreaterThan(300 * 86_400_000)
  })

  test('another process sees a change within seconds, with one Redis call in that time', async () => {
    let now = 1_000_000
    const [one, other] = [open({ prefix: 'two' }), open({ prefix: 'two', now: () => now })]
    expect(await other.load(place)).toEqual({})
    await one.save(place, ALL)
    expect(await other.load(place)).toEqual({})
    now += 5_001
    expect(await other.load(place)).toEqual(ALL)
  })

  test('unknown stored fields are dropped, and an invalid value is logged', async () => {
    const log = keptLog()
    const [store, redis] = [open({ prefix: 'torn', log }), server.rawClient()]
    const stored = { ...ALL, steps: 'dance', dialect: 'esperanto', tools: 'all', whoMayStop: 7, later: {} }
    await redis.set('torn:{T1:C1}:settings', JSON.stringify(stored), 'PX', 60_000)
    const { followUps, model, instructions, whoMayForget } = ALL
    expect(await store.load(place)).toEqual({ followUps, model, instructions, whoMayForget })
    expect(log.lines).toEqual([])
    for (const [i, text] of ['{"secret', 'null', '[]', '"x"'].entries()) {
      const channel = `C9${i}`
      await redis.set(`torn:{T1:${channel}}:settings`, text, 'PX', 60_000)
      expect(await store.load({ team: 'T1', channel })).toEqual({})
      expect(log.lines.at(-1)).toMatchObject({ level: 'warn', fields: { team: 'T1', channel } })
    }
  })

  test('while Redis does not answer, a load fails soon and the next one tries again', async () => {
    const own = await startRedis()
    onTestFinished(() => own.stop())
    const redis = connectRedis({ url: own.url }, { purpose: 'work', log: keptLog() })
    onTestFinished(() => redis.disconnect())
    const store = createChannelSettings(redisKv({ redis, prefix: 'away' }), { log: keptLog(), now: Date.now })
    await store.save(place, ALL)
    own.freeze()
    await expect(store.load(place)).rejects.toThrow('Redis did not give')
    own.thaw()
    await eventually(async () => expect(await store.load(place)).toEqual(ALL))
  })
})
