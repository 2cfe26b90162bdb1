import { LeaseLost } from '../base/errors.ts'
import type { ExpiringCache } from '../base/expiring-cache.ts'
import { isOf, movedKey, type ThreadKey } from '../base/place.ts'
import { conversationOf } from '../stores/runs/types.ts'
import type { ControlledQuestion, MemoryRunControl } from './memory-run-control.ts'
import type { WaitingLine } from './types.ts'

interface MemoryLine extends Omit<WaitingLine, 'place'> {
  /** Returns how long ago the oldest waiting question was asked, in milliseconds; 0 if none waits. */
  oldestMs(now: number): number
}

/**
 * The waiting line of a queue in memory. Nothing in here awaits, so each method is one atomic step. `inboxes`: the
 * unfinished questions of each thread, of which the first is at work if the thread is `running`. `known`: the threads
 * in which the bot was asked. `onWithdrawn` is called when the question at `at` has been taken out of an inbox.
 */
export function memoryLine<Item extends ControlledQuestion>(
  inboxes: ReadonlyMap<ThreadKey, Item[]>,
  running: ReadonlyMap<ThreadKey, { abort: AbortController }>,
  known: ExpiringCache<number>,
  control: MemoryRunControl<Item>,
  onWithdrawn: (thread: ThreadKey, at: number) => void,
): MemoryLine {
  const withdraw = (thread: ThreadKey, id: string, { neverBegun = false } = {}) => {
    const inbox = inboxes.get(thread) ?? []
    const at = inbox.findIndex(({ question }) => question.id === id)
    if (at < (running.has(thread) ? 1 : 0)) return false
    if (neverBegun && (inbox[at]?.saved.attempts ?? 0) > 0) return false
    inbox.splice(at, 1)
    onWithdrawn(thread, at)
    return true
  }
  return {
    oldestMs(now) {
      // The first waiting question of a thread is its oldest.
      const firsts = [...inboxes].flatMap(([thread, inbox]) => inbox[running.has(thread) ? 1 : 0] ?? [])
      const oldest = firsts.reduce((at, { question }) => Math.min(at, question.at), now)
      return now - oldest
    },
    async inThread(thread) {
      const ofThread = control.suspended.map((one) => one.question).filter((one) => conversationOf(one) === thread)
      const suspendedPart = ofThread.length > 0 ? { suspended: structuredClone(ofThread) } : {}
      const questions = (inboxes.get(thread) ?? []).map(({ question }) => structuredClone(question))
      if (!running.has(thread)) return { ...suspendedPart, waiting: questions }
      const [first, ...waiting] = questions
      return { ...suspendedPart, ...(first ? { running: first } : {}), waiting }
    },
    withdraw: async (...of) => withdraw(...of),
    async moveChannel(place, to) {
      for (const [thread, at] of [...known.entries()]) {
        const moved = movedKey(thread, place, to)
        if (moved !== undefined && !known.has(moved)) known.set(moved, at)
        if (moved !== undefined) known.delete(thread)
      }
      control.moveSuspended((thread) => movedKey(thread, place, to), to)
    },
    // Nothing else of a finished run is stored.
    forgetChannel: async ({ team, channel }) =>
      control.forgetEnded((one) => one.team === team && one.channel === channel),
    forgetUser: async (person) => control.forgetEnded((one) => one.team === person.team && isOf(person, one)),
    async forgetTeam(team) {
      const isMeant = (thread: ThreadKey) => thread.startsWith(`${team}:`)
      control.dropSuspended(isMeant)
      control.forgetEnded((one) => one.team === team)
      for (const [thread, inbox] of inboxes)
        if (isMeant(thread)) for (const { question } of [...inbox]) withdraw(thread, question.id)
      for (const [thread, { abort }] of running)
        if (isMeant(thread)) abort.abort(new LeaseLost('The team has been forgotten.'))
    },
  }
}
