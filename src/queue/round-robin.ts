import type { ThreadKey } from '../history/types.ts'

/**
 * The threads that are ready for a turn, in fair order: channels take turns, and within a channel its threads do. So a
 * channel with a thousand questions holds another one up by one turn. (Round robin over two levels.)
 */
export class RoundRobin {
  // The order of insertion is the order of the rotation: what had its turn is put in again at the end.
  readonly #channels = new Map<string, Set<ThreadKey>>()

  add(channel: string, thread: ThreadKey): void {
    const threads = this.#channels.get(channel) ?? new Set()
    threads.add(thread)
    this.#channels.set(channel, threads)
  }

  /** Takes the next thread out of the rotation; its owner adds it again when it is ready for another turn. */
  next(): ThreadKey | undefined {
    for (const [channel, threads] of this.#channels) {
      this.#channels.delete(channel)
      for (const thread of threads) {
        threads.delete(thread)
        if (threads.size > 0) this.#channels.set(channel, threads)
        return thread
      }
    }
    return undefined
  }
}
