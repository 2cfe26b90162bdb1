import { randomUUID } from 'node:crypto'
import { SealBroken, type Sealer } from '../../base/encryption.ts'
import { kvKey, type Kv } from '../kv/kv.ts'
import { createValues } from '../values/value-store.ts'
import { installationRecord, type InstallationRecord, type InstallationStore, type InstallStores } from './types.ts'

/**
 * The records are one hash, which expires a year after the last write or listing (each process lists them at its
 * start).
 */
const RECORDS = kvKey('installations', 'records')
const EXPIRY = { ttlMs: 365 * 86_400_000 }

export function installStores(kv: Kv, sealer: Sealer): InstallStores {
  return { records: createInstallations(kv, sealer), shared: createValues(kv, { room: 'installs' }) }
}

/** A record's text is `GENERATION SEALED`. Generations are random, so that none is ever used twice. */
export function createInstallations(kv: Kv, sealer: Sealer): InstallationStore {
  const sealed = (record: InstallationRecord) => sealer.seal(JSON.stringify(record), nameOf(record.id))
  /** The last opened text of each record: it is read at every event and rarely changes. */
  const opened = new Map<string, { text: string; record: InstallationRecord }>()
  /** Replaces a record if it has the expected generation. @returns whether it was done */
  const swap = async (id: string, expected: string, after: string | undefined) => {
    const [before] = await kv.hashes.getAll(RECORDS, [id])
    const isExpected = before !== undefined && generationOf(before) === expected
    return isExpected && kv.swap(RECORDS, { field: id, before, after, ...EXPIRY })
  }
  return {
    async load(id) {
      const [text] = await kv.hashes.getAll(RECORDS, [id])
      if (text === undefined) {
        opened.delete(id)
        return undefined
      }
      const known = opened.get(id)
      const record = known?.text === text ? known.record : read(sealer, id, text)
      opened.set(id, { text, record })
      return { record, generation: generationOf(text) }
    },
    async save(record, expected) {
      const text = `${randomUUID()} ${sealed(installationRecord.parse(record))}`
      if (expected !== undefined) return swap(record.id, expected, text)
      await kv.hashes.put(RECORDS, { [record.id]: text }, EXPIRY)
      return true
    },
    remove: async (id, expected) =>
      expected === undefined ? (await kv.hashes.remove(RECORDS, id)) === 1 : swap(id, expected, undefined),
    async ids() {
      await kv.keys.renew(RECORDS, EXPIRY)
      return Object.keys(await kv.hashes.all(RECORDS)).sort()
    },
  }
}

function read(sealer: Sealer, id: string, text: string): InstallationRecord {
  const { data } = installationRecord.safeParse(JSON.parse(sealer.open(text.slice(text.indexOf(' ') + 1), nameOf(id))))
  if (!data) throw new SealBroken('It was stored by a version that writes it in another form.')
  return data
}

const nameOf = (id: string) => `installation ${id}`

const generationOf = (text: string) => text.slice(0, text.indexOf(' '))
