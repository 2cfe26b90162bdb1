import { threadKey } from '../../base/redis/redis-keys.ts'
import type { ThreadKey } from '../../base/place.ts'

/**
 * The keys of one thread's questions, all under one hash tag, so that one script may touch them all:
 *
 *     PREFIX:{T:C:ts}:thread      hash: asked (ms), asks, gen, told (a message was added to a run), and while there is
 *                                 work: active, begun, lease
 *     PREFIX:{T:C:ts}:inbox       list of the questions' ids, oldest first; the head stays until it is finished
 *     PREFIX:{T:C:ts}:run:ID      hash: the question and what its run has done; that it exists is the question's claim
 *     PREFIX:{T:C:ts}:parked      sorted set of the ids of runs that wait for a person, scored by when that ends (ms)
 *     PREFIX:{T:C:ts}:signals:ID  list of the signals to a run, as JSON, oldest first
 *     PREFIX:{T:C:ts}:event:ID    Slack's event id, claimed
 *
 * The keys of a direct message's conversations have its own tag, because they decide which thread's keys are used:
 *
 *     PREFIX:{T:D}:conversation     hash: first and last message of the current conversation
 *     PREFIX:{T:D}:conversation:ts  the conversation of the thread under this message
 *
 * `active` is the generation of the one job that may work on the thread; every turn of the thread is a generation of
 * its own. `begun` is how often that job has been started; `lease` is `gen.begun` of who holds the thread, the fencing
 * token.
 */
export interface ThreadKeys {
  thread: string
  inbox: string
  /** Before a run's id. */
  runs: string
  suspended: string
  /** Before a run's id. */
  signals: string
  /** Before an event's id. */
  events: string
}

/** The channel that announces signals to runs. */
export function signalChannel(prefix: string): string {
  return `${prefix}:signals`
}

export function threadKeys(prefix: string, thread: ThreadKey): ThreadKeys {
  return {
    thread: threadKey(prefix, thread, 'thread'),
    inbox: threadKey(prefix, thread, 'inbox'),
    runs: threadKey(prefix, thread, 'run:'),
    suspended: threadKey(prefix, thread, 'parked'),
    signals: threadKey(prefix, thread, 'signals:'),
    events: threadKey(prefix, thread, 'event:'),
  }
}

/** The keys that map the thread under `root` in a direct message (`team:channel`) to its conversation. */
export function dmKeys(prefix: string, dm: string, root: string): { current: string; root: string } {
  const current = threadKey(prefix, dm, 'conversation')
  return { current, root: `${current}:${root}` }
}

/** The thread in a key's hash tag. */
export function threadInKey(key: string): ThreadKey {
  return key.slice(key.indexOf('{') + 1, key.indexOf('}:'))
}
