import type { ThreadKey } from '../base/place.ts'
import type { Question } from '../stores/runs/types.ts'

/**
 * Threads that are ready for a turn. Workspaces take turns, in a workspace its channels do, and the threads of a
 * channel (round robin over three levels), so a channel with a thousand questions delays another one by one turn.
 */
export class RoundRobin {
  // The order of insertion is the order of the rotation: an entry that had its turn is inserted again at the end.
  readonly #teams = new Map<string, Map<string, Set<ThreadKey>>>()

  add({ team, channel }: Question, thread: ThreadKey): void {
    const channels = this.#teams.get(team) ?? new Map<string, Set<ThreadKey>>()
    const threads = channels.get(channel) ?? new Set()
    threads.add(thread)
    channels.set(channel, threads)
    this.#teams.set(team, channels)
  }

  /** Takes the next thread out of the rotation; its owner adds it again when it is ready for another turn. */
  next(): ThreadKey | undefined {
    for (const [team, channels] of this.#teams) {
      this.#teams.delete(team)
      for (const [channel, threads] of channels) {
        channels.delete(channel)
        for (const thread of threads) {
          threads.delete(thread)
          if (threads.size > 0) channels.set(channel, threads)
          if (channels.size > 0) this.#teams.set(team, channels)
          return thread
        }
      }
    }
    return undefined
  }
}
