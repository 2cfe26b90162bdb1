import type { Sealer } from '../../base/encryption.ts'
import { isOf, personIn, type Person } from '../../base/place.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { StoreLog } from '../../base/store-log.ts'
import { below, forgetKeys, forgettingKeys, kvKey, tagOf, type Kv, type KvKey } from '../kv/kv.ts'
import { openTrace, packTrace } from './packed-trace.ts'
import { feedbackSchema, recordSchema, type RunArchive, type RunRecord } from './types.ts'

interface ArchiveOptions {
  log: StoreLog
  /** The prefix of all keys, for which traces are sealed. */
  prefix: string
  /** How long a run is kept. Milliseconds. */
  ttlMs: number
  /** Seals traces if SECRETS_KEY is set. */
  sealer?: Sealer | undefined
  now: () => number
}

const NAMES = /^(?:record|feedback|trace)$/
const NAMES_IN_TEAM = /^(?:record|feedback|trace|asked:\d+|rated:\d+)$/

/**
 * Keeps the runs that have ended:
 *
 *     {T:C:ts}:record    the run, as JSON; the tag is its question's id
 *     {T:C:ts}:feedback  hash: a person's id to their feedback, as JSON; expires with the record
 *     {T:C:ts}:trace     the run's trace, packed (packed-trace.ts), sealed if there is a key
 *     {T:U}:asked:N      index of the ids of the runs that a person asked for, scored by time (ms)
 *
 * N counts the spans of `ttlMs` since the epoch. An index needs no trimming that way: every kept run is in the index of
 * this span or the last one. Version 0.1.0 also kept `{T:U}:rated:N`.
 */
export function createArchive(kv: Kv, options: ArchiveOptions): RunArchive {
  const { ttlMs } = options
  const { spansOf, askedBy, load, remove } = openRuns(kv, options)
  return {
    load,
    remove,
    // In a Cluster the index and the record are on different nodes.
    async keep({ feedback: _, ...record }) {
      const { id, at } = record.question
      const [asked] = spansOf(record.question, 'asked')
      await Promise.all([
        kv.texts.put(keysOf(id).record, JSON.stringify(record), { ttlMs }),
        kv.indexes.add(asked, id, { score: at, ttlMs: 2 * ttlMs }),
      ])
    },
    async lastOf(person, n) {
      const found: RunRecord[] = []
      const ids = await askedBy(person)
      // The record of an indexed run may be gone.
      while (found.length < n && ids.length > 0) {
        const some = await Promise.all(ids.splice(0, n - found.length).map(load))
        found.push(...some.filter((record) => record !== undefined))
      }
      return found
    },
    async rate(id, { by, ...rating }) {
      const { record, feedback } = keysOf(id)
      const left = await kv.keys.leftMs(record)
      if (left > 0) await kv.hashes.put(feedback, { [by]: JSON.stringify(rating) }, { ttlMs: left })
      return left > 0
    },
    async *rated() {
      const seen = new Set<string>()
      for await (const keys of kv.keys.matching(kvKey('*', 'feedback')))
        for (const id of keys.map(tagOf).filter((id) => !seen.has(id))) {
          seen.add(id)
          const record = await load(id)
          if (record && record.feedback.length > 0) yield record
        }
    },
    ...tracesIn(kv, options, spansOf),
    async forgetUser(person) {
      const isHere = isOf(person, person)
      for (const id of await askedBy(person)) {
        const record = await load(id)
        if (!(record ? isOf(person, record.question) : isHere)) continue
        await remove(id)
        for (const key of spansOf(person, 'asked')) await kv.indexes.remove(key, id)
      }
      const keysHere = (person.homes ?? [person.team]).map((userTeam) => personIn({ ...person, userTeam }))
      for await (const keys of kv.keys.matching(kvKey(below(person.team), 'feedback')))
        for (const key of keys) await kv.hashes.remove(key, ...keysHere)
      if (isHere) await kv.keys.remove(...spansOf(person, 'rated'))
    },
    ...forgettingKeys(kv, NAMES),
    forgetTeam: (team) => forgetKeys(kv, below(team), NAMES_IN_TEAM),
  }
}

const keysOf = (id: string) => ({
  record: kvKey(id, 'record'),
  feedback: kvKey(id, 'feedback'),
  trace: kvKey(id, 'trace'),
})

function openRuns(kv: Kv, { log, ttlMs, now }: ArchiveOptions) {
  /** The keys of this time span's index and of the previous one's. */
  const spansOf = ({ team, user }: Person, name: string): [now: KvKey, before: KvKey] => {
    const span = Math.floor(now() / ttlMs)
    return [kvKey(`${team}:${user}`, `${name}:${span}`), kvKey(`${team}:${user}`, `${name}:${span - 1}`)]
  }
  /** Returns the ids of the runs that a person asked for, the newest first. */
  const askedBy = async (person: Person) => {
    const parts = spansOf(person, 'asked').map((key) => kv.indexes.range(key, { newest: true }))
    return [...new Set((await Promise.all(parts)).flat())]
  }
  const remove = async (id: string) => void (await kv.keys.remove(...Object.values(keysOf(id))))
  const load = async (id: string) => {
    const { record: key, feedback } = keysOf(id)
    const [text, rated] = await Promise.all([kv.texts.get(key), kv.hashes.all(feedback)])
    const record = text === undefined ? undefined : parseRecord(text, rated)
    if (text !== undefined && !record) log.warn({ question: id }, 'skipped an unreadable record of a run')
    return record
  }
  return { spansOf, askedBy, load, remove }
}

/**
 * Parses a stored record and its feedback by person. A step that cannot be read is left out.
 * @returns undefined for anything but a record
 */
function parseRecord(text: string, rated: Record<string, string>): RunRecord | undefined {
  const stored = recordSchema.safeParse(parseJson(text)).data
  if (!stored) return undefined
  const ratings = Object.entries(rated).flatMap(([by, one]) => {
    const parsed = feedbackSchema.safeParse(parseJson(one)).data
    return parsed ? [{ by, ...parsed }] : []
  })
  return { ...stored, feedback: ratings.sort((one, other) => one.at - other.at) }
}

function tracesIn(
  kv: Kv,
  { log, prefix, ttlMs, sealer }: ArchiveOptions,
  spansOf: ReturnType<typeof openRuns>['spansOf'],
): Pick<RunArchive, 'keepTrace' | 'loadTrace'> {
  return {
    // Indexed like its run, which may not have ended.
    async keepTrace(trace) {
      const { trace: key } = keysOf(trace.id)
      const packed = await packTrace(trace)
      const [asked] = spansOf(trace, 'asked')
      await Promise.all([
        kv.texts.put(key, sealer?.seal(packed, `${prefix}:${key}`) ?? packed, { ttlMs }),
        kv.indexes.add(asked, trace.id, { score: trace.startedAt, onlyNew: true, ttlMs: 2 * ttlMs }),
      ])
    },
    async loadTrace(id) {
      const { trace: key } = keysOf(id)
      const kept = await kv.texts.get(key)
      if (kept === undefined) return undefined
      const trace = await openTrace(kept, { key: `${prefix}:${key}`, sealer })
      if (!trace) log.warn({ question: id }, 'skipped an unreadable trace of a run')
      return trace
    },
  }
}
