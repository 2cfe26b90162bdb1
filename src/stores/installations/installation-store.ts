import { randomUUID } from 'node:crypto'
import { redisScript } from '../../base/redis/redis-script.ts'
import { threadKey, type RedisKeyspace } from '../../base/redis/redis-keys.ts'
import { SealBroken, type Sealer } from '../../base/encryption.ts'
import { installationRecord, type InstallationRecord, type InstallationStore } from './types.ts'

/** Stores the texts of the records. An empty `expected` generation matches any; an empty `text` removes the record. */
interface RecordTexts {
  get(id: string): Promise<string | undefined>
  swap(id: string, change: { expected: string; text: string }): Promise<boolean>
  ids(): Promise<string[]>
}

/** Keeps installations in this process's memory. */
export function memoryInstallations(sealer: Sealer): InstallationStore {
  const texts = new Map<string, string>()
  return installationStore(sealer, {
    get: async (id) => texts.get(id),
    async swap(id, { expected, text }) {
      const stored = texts.get(id)
      if (expected !== '' && (stored === undefined || generationOf(stored) !== expected)) return false
      if (text === '') return texts.delete(id)
      texts.set(id, text)
      return true
    },
    ids: async () => [...texts.keys()],
  })
}

const swapRecord = redisScript(new URL('./lua/swap-record.lua', import.meta.url), {
  keys: ['records'],
  args: ['id', 'expected', 'text', 'ttlMs'],
})

/**
 * The records are one hash, which expires a year after the last write or listing (each process lists them at its
 * start).
 */
const YEAR_MS = 365 * 86_400_000

/** Keeps installations in Redis, in the hash `PREFIX:{installations}:records`. */
export function redisInstallations(sealer: Sealer, { redis, prefix }: RedisKeyspace): InstallationStore {
  const records = threadKey(prefix, 'installations', 'records')
  return installationStore(sealer, {
    get: async (id) => (await redis.hget(records, id)) ?? undefined,
    swap: async (id, change) => (await swapRecord(redis, { records, id, ...change, ttlMs: YEAR_MS })) === 1,
    async ids() {
      await redis.pexpire(records, YEAR_MS)
      return redis.hkeys(records)
    },
  })
}

/** A record's text is `GENERATION SEALED`. Generations are random, so that none is ever used twice. */
function installationStore(sealer: Sealer, texts: RecordTexts): InstallationStore {
  const sealed = (record: InstallationRecord) => sealer.seal(JSON.stringify(record), nameOf(record.id))
  /** The last opened text of each record: it is read at every event and rarely changes. */
  const opened = new Map<string, { text: string; record: InstallationRecord }>()
  return {
    async load(id) {
      const text = await texts.get(id)
      if (text === undefined) {
        opened.delete(id)
        return undefined
      }
      const known = opened.get(id)
      const record = known?.text === text ? known.record : read(sealer, id, text)
      opened.set(id, { text, record })
      return { record, generation: generationOf(text) }
    },
    save: (record, expected = '') =>
      texts.swap(record.id, { expected, text: `${randomUUID()} ${sealed(installationRecord.parse(record))}` }),
    remove: (id, expected = '') => texts.swap(id, { expected, text: '' }),
    ids: async () => (await texts.ids()).sort(),
  }
}

function read(sealer: Sealer, id: string, text: string): InstallationRecord {
  const { data } = installationRecord.safeParse(JSON.parse(sealer.open(text.slice(text.indexOf(' ') + 1), nameOf(id))))
  if (!data) throw new SealBroken('It was stored by a version that writes it in another form.')
  return data
}

const nameOf = (id: string) => `installation ${id}`

const generationOf = (text: string) => text.slice(0, text.indexOf(' '))
