import type { StoreLog } from '../../base/store-log.ts'
import { isOf, type ThreadKey } from '../../base/place.ts'
import type { Sealer } from '../../base/encryption.ts'
import { below, forgettingKeys, kvKey, moveKeys, tagOf, type Kv } from '../../stores/kv/kv.ts'
import { withOriginal, type Asked } from '../../stores/runs/question.ts'
import { keptFile, MAX_KEPT, packed, unpacked, withoutRoom, type FileStore, type KeptFile } from './types.ts'

interface FilesOptions {
  log: StoreLog
  /** HISTORY_TTL_DAYS: how long files are kept after their conversation last used them. Milliseconds. */
  ttlMs: number
  /** Encrypts them. Absent without SECRETS_KEY. */
  sealer: Pick<Sealer, 'seal' | 'open'> | undefined
}

/** Keeps files in two hashes per conversation, `{team:channel:ts}:files` and `…:file-contents`, keyed by file id. */
export function createFiles(kv: Kv, options: FilesOptions): FileStore {
  const expiry = { ttlMs: options.ttlMs }
  const { seal, keysOf, aboutsIn, drop, dropWhere, contentOf } = openFiles(kv, options)
  const keep: FileStore['keep'] = async (thread, file, content) => {
    const plain = await packed(content)
    if (plain.length > MAX_KEPT.packed) return false
    const text = seal(plain, placeOf(thread, file.id, 'content'))
    const about = seal(JSON.stringify(file), placeOf(thread, file.id, 'about'))
    const keys = keysOf(thread)
    await kv.hashes.put(keys.contents, { [file.id]: text }, expiry)
    await kv.hashes.put(keys.about, { [file.id]: about }, expiry)
    const abouts = await aboutsIn(thread)
    const ids = abouts.map(({ id }) => id)
    const lengths = await kv.hashes.lengths(keys.contents, ids)
    const kept = abouts.map(({ id, about }, i) => ({ id, at: about?.at ?? 0, chars: lengths[i] ?? 0 }))
    await drop(thread, withoutRoom(kept))
    return true
  }
  return {
    keep,
    load: contentOf,
    async list(thread) {
      const { about, contents } = keysOf(thread)
      const [kept] = await Promise.all([
        aboutsIn(thread),
        kv.keys.renew(about, expiry),
        kv.keys.renew(contents, expiry),
      ])
      return kept.flatMap((file) => file.about ?? []).sort((a, b) => a.at - b.at)
    },
    remove: (thread, question) => dropWhere(thread, (about) => about.question === question),
    async forgetUser(person) {
      for await (const keys of kv.keys.matching(kvKey(below(person.team), 'files')))
        for (const key of keys) await dropWhere(tagOf(key), (about) => isOf(person, about))
    },
    // Each file is encrypted for its thread, so it is stored again.
    moveChannel: (place, to) =>
      moveKeys(kv, place, to, /^files$/, async (...keys) => {
        const [from, moved] = keys.map(tagOf) as [ThreadKey, ThreadKey]
        for (const { id, about } of await aboutsIn(from)) {
          const content = about && (await contentOf(from, id))
          if (content) await keep(moved, about, content)
          await drop(from, [id])
        }
      }),
    ...forgettingKeys(kv, /^file(?:s|-contents)$/),
  }
}

/** Returns the functions that read and delete a conversation's files. */
function openFiles(kv: Kv, { log, sealer = UNSEALED }: FilesOptions) {
  const { seal, open } = sealer
  const keysOf = (thread: ThreadKey) => ({
    about: kvKey(thread, 'files'),
    contents: kvKey(thread, 'file-contents'),
  })
  const drop = async (thread: ThreadKey, ids: string[]) => {
    const { about, contents } = keysOf(thread)
    await Promise.all([kv.hashes.remove(about, ...ids), kv.hashes.remove(contents, ...ids)])
  }
  /** `about` is undefined if it cannot be read. */
  const aboutsIn = async (thread: ThreadKey) => {
    const stored = Object.entries(await kv.hashes.all(keysOf(thread).about))
    return stored.map(([id, text]) => ({ id, about: parseAbout(() => open(text, placeOf(thread, id, 'about'))) }))
  }
  /** Deletes unreadable files too, because their owner and question are unknown. */
  const dropWhere = async (thread: ThreadKey, isGone: (about: KeptFile) => boolean) => {
    const gone = (await aboutsIn(thread)).filter(({ about }) => !about || isGone(about))
    await drop(
      thread,
      gone.map(({ id }) => id),
    )
  }
  const contentOf = async (thread: ThreadKey, id: string) => {
    const [text] = await kv.hashes.getAll(keysOf(thread).contents, [id])
    try {
      return text === undefined ? undefined : await unpacked(open(text, placeOf(thread, id, 'content')))
    } catch {
      log.warn({ thread, file: id }, 'a stored file cannot be opened')
      return undefined
    }
  }
  return { seal, keysOf, aboutsIn, drop, dropWhere, contentOf }
}

/** The purpose that a value is sealed for. A value cannot be opened for any other. */
function placeOf(thread: ThreadKey, id: string, part: 'about' | 'content'): string {
  return `file ${part} ${thread} ${id}`
}

const UNSEALED = { seal: (text: string) => text, open: (text: string) => text }

function parseAbout(open: () => string): KeptFile | undefined {
  try {
    const file = keptFile.parse(JSON.parse(open()))
    const { original }: Asked = withOriginal({ id: file.question })
    return original ? { original: original.id, ...file } : file
  } catch {
    return undefined
  }
}
