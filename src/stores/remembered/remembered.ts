/** Stores texts that people ask the bot to remember: one text for each scope, which is changed by compare-and-swap. */
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { isOf, personIn } from '../../base/place.ts'
import { SealBroken, type Sealer } from '../../base/encryption.ts'
import type { StoreLog } from '../../base/store-log.ts'
import { below, changeText, forgettingKeys, kvKey, tagOf, type Kv } from '../kv/kv.ts'
import {
  MAX_PER_PERSON,
  MAX_REMEMBERED,
  rememberedSchema,
  type Remembered,
  type RememberedScope,
  type RememberedStore,
} from './types.ts'

interface RememberedOptions {
  /** MEMORY_TTL_DAYS: how long something is kept after its last use. Milliseconds. */
  ttlMs: number
  /** The clock, in milliseconds. */
  now: () => number
  log: StoreLog
  /** Encrypts the texts if SECRETS_KEY is set. */
  sealer?: Sealer | undefined
}

const NAME = 'remembered'

/** `usedAt`: when it was last used. */
const storedMemory = rememberedSchema.extend({ usedAt: z.number() })
type StoredMemory = z.infer<typeof storedMemory>

const documentSchema = z.object({
  kept: z.array(storedMemory),
  /** Ids that were removed lately, so that a late redelivery does not add them again. */
  gone: z.array(z.object({ id: z.string(), at: z.number() })),
})
type Document = z.infer<typeof documentSchema>

/** How long a removed id stays known. Slack delivers events again hours later at most. */
const GONE_MS = 86_400_000
/** A use is not written if the last one is more recent than this. */
const USE_MS = 3_600_000

/** The documents of the scopes. */
function documentsIn(kv: Kv, { ttlMs, now, log, sealer }: RememberedOptions) {
  const sealName = (scope: RememberedScope) => `${NAME} ${scope}`

  /** A text that begins with `{` was stored without SECRETS_KEY. @throws SealBroken if it cannot be read */
  function parse(scope: RememberedScope, text: string | undefined): Document {
    let stored: Document = { kept: [], gone: [] }
    try {
      const json = sealer && text?.startsWith('{') === false ? sealer.open(text, sealName(scope)) : text
      if (json !== undefined) stored = documentSchema.parse(JSON.parse(json))
    } catch (error) {
      log.warn({ scope, error: messageOf(error) }, 'what was remembered in a place cannot be read')
      throw new SealBroken('What was remembered in a place cannot be read.')
    }
    const kept = stored.kept.filter(({ usedAt }) => usedAt > now() - ttlMs)
    return { kept, gone: stored.gone.filter(({ at }) => at > now() - GONE_MS) }
  }

  return {
    read: async (scope: RememberedScope) => parse(scope, await kv.texts.get(kvKey(scope, NAME))),
    /** Changes a scope; `change` returns undefined to leave it as it is. */
    async update(scope: RememberedScope, change: (document: Document) => Document | undefined): Promise<void> {
      await changeText(kv, kvKey(scope, NAME), (before) => {
        const changed = change(parse(scope, before))
        const json = JSON.stringify(changed)
        const isEmpty = changed && changed.kept.length + changed.gone.length === 0
        return changed && { after: isEmpty ? undefined : (sealer?.seal(json, sealName(scope)) ?? json), ttlMs }
      })
    },
  }
}

/** Keeps the texts under `{SCOPE}:remembered`. */
export function createRemembered(kv: Kv, options: RememberedOptions): RememberedStore {
  const { now } = options
  const { read, update } = documentsIn(kv, options)
  return {
    list: async (scope) => (await read(scope)).kept.map(({ usedAt: _, ...one }) => one),
    async add(scope, one) {
      let outcome: Awaited<ReturnType<RememberedStore['add']>> = 'added'
      await update(scope, ({ kept, gone }) => {
        const isKnown = [...kept, ...gone].some(({ id }) => id === one.id)
        const isSame = kept.some(({ text }) => wordsOf(text) === wordsOf(one.text))
        const oldest = kept.length >= MAX_REMEMBERED ? oldestBeyondShare(kept, one) : undefined
        const rest = kept.filter((other) => other !== oldest)
        outcome = isKnown ? 'known' : isSame ? 'same' : rest.length >= MAX_REMEMBERED ? 'full' : 'added'
        return outcome === 'added' ? { kept: byTime([...rest, { ...one, usedAt: now() }]), gone } : undefined
      })
      return outcome
    },
    use: (scope, ids) =>
      update(scope, ({ kept, gone }) => {
        const isStale = (one: StoredMemory) => ids.includes(one.id) && one.usedAt <= now() - USE_MS
        const used = kept.map((one) => (isStale(one) ? { ...one, usedAt: now() } : one))
        return kept.some(isStale) ? { kept: used, gone } : undefined
      }),
    remove: (scope, id) =>
      update(scope, ({ kept, gone }) => {
        const rest = kept.filter((one) => one.id !== id)
        return rest.length < kept.length ? { kept: rest, gone: [...gone, { id, at: now() }] } : undefined
      }),
    async forgetUser(person) {
      // Only people here can have somebody else's words remembered.
      const isTheirs = ({ by, userTeam, keptBy = '' }: Remembered) =>
        isOf(person, { user: by, userTeam }) || isOf(person, { user: keptBy })
      const without = ({ kept, gone }: Document) => {
        const rest = kept.filter((one) => !isTheirs(one))
        return rest.length < kept.length ? { kept: rest, gone } : undefined
      }
      // A place that cannot be read does not keep the others from being forgotten.
      for await (const keys of kv.keys.matching(kvKey(below(person.team), NAME)))
        for (const key of keys)
          await update(tagOf(key), without).catch((error: unknown) => {
            if (!(error instanceof SealBroken)) throw error
          })
    },
    ...forgettingKeys(kv, new RegExp(`^${NAME}$`)),
  }
}

/**
 * In a full scope, returns the text to drop for a person below their share: the oldest text of the person who has most.
 */
function oldestBeyondShare(kept: StoredMemory[], one: Remembered): StoredMemory | undefined {
  const counts = new Map<string, number>()
  for (const other of kept) counts.set(adderOf(other), (counts.get(adderOf(other)) ?? 0) + 1)
  const [[most, count] = ['', 0]] = [...counts].sort(([, a], [, b]) => b - a)
  const hasRoom = (counts.get(adderOf(one)) ?? 0) < MAX_PER_PERSON && count > MAX_PER_PERSON
  return hasRoom && most !== adderOf(one) ? kept.find((other) => adderOf(other) === most) : undefined
}

/** Whoever had a text remembered. Only people here have somebody else's words remembered. */
function adderOf({ by, userTeam, keptBy }: Remembered): string {
  return keptBy ?? personIn({ team: '', user: by, userTeam })
}

/** Two texts with the same words say the same. */
function wordsOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}

function byTime(kept: StoredMemory[]): StoredMemory[] {
  return kept.sort((a, b) => a.at - b.at)
}
