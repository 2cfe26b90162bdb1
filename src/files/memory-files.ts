import { ExpiringMap, forgettingIn, movingIn } from '../base/expiring-map.ts'
import { MAX_KEPT, packed, unpacked, withoutRoom, type FileStore, type KeptFile } from './file-store.ts'

interface MemoryFile {
  about: KeptFile
  content: string
}

/** The maximum for all files of all conversations, in characters. */
const MAX_CHARS = 128_000_000

/** Keeps files compressed in this process's memory. They are lost when it ends. */
export function memoryFiles({ ttlMs, now }: { ttlMs: number; now: () => number }): FileStore {
  const weight = { max: MAX_CHARS, of: (files: Map<string, MemoryFile>) => charsIn([...files.values()]) }
  const threads = new ExpiringMap<Map<string, MemoryFile>>({ ttlMs, maxSize: 10_000, weight, now })
  // Changed in place, because `set` would restart the expiry.
  const drop = (thread: string, isGone: (about: KeptFile) => boolean) => {
    const files = threads.get(thread) ?? new Map<string, MemoryFile>()
    for (const [id, { about }] of files) if (isGone(about)) files.delete(id)
  }
  return {
    async keep(thread, about, content) {
      const text = await packed(content)
      if (text.length > MAX_KEPT.packed) return false
      const files = new Map(threads.get(thread)).set(about.id, { about, content: text })
      const sizes = [...files.values()].map(({ about, content }) => ({ ...about, chars: content.length }))
      for (const id of withoutRoom(sizes)) files.delete(id)
      threads.set(thread, files)
      return true
    },
    async load(thread, id) {
      const content = threads.get(thread)?.get(id)?.content
      return content === undefined ? undefined : unpacked(content)
    },
    async list(thread) {
      const files = threads.get(thread)
      if (files) threads.set(thread, files)
      return [...(files?.values() ?? [])].map(({ about }) => about).sort((a, b) => a.at - b.at)
    },
    async remove(thread, question) {
      drop(thread, (about) => about.question === question)
    },
    async forgetUser({ team, user }) {
      for (const thread of threads.keys())
        if (thread.startsWith(`${team}:`)) drop(thread, (about) => about.user === user)
    },
    ...movingIn(threads),
    ...forgettingIn(threads),
  }
}

function charsIn(files: MemoryFile[]): number {
  return files.reduce((sum, { content }) => sum + content.length, 0)
}
