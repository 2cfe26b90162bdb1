import type { Store } from '../store.ts'
import { Refusal } from '../types.ts'

/** The triggers that modals are opened with. */
export interface Triggers {
  /** Returns a fresh trigger for a person who pressed or commanded. */
  issue(user: string): string
  /** Returns the person whom it was given to. @throws Refusal if it is unknown, used or old */
  use(trigger: string): string
}

/**
 * Creates the triggers. Each opens one modal, within some milliseconds of the press or command that it came with.
 * https://docs.slack.dev/interactivity/handling-user-interaction#trigger_ids
 */
export function createTriggers(store: Store, { now, triggerMs }: { now: () => number; triggerMs: number }): Triggers {
  const issued = new Map<string, { user: string; at: number; used: boolean }>()
  return {
    issue(user) {
      const trigger = store.id('trigger.')
      issued.set(trigger, { user, at: now(), used: false })
      return trigger
    },
    use(trigger) {
      const known = issued.get(trigger)
      if (!known) throw new Refusal('invalid_trigger_id', { why: 'The trigger is unknown.' })
      if (known.used) throw new Refusal('exchanged_trigger_id', { why: 'The trigger was used before.' })
      if (now() - known.at > triggerMs)
        throw new Refusal('expired_trigger_id', { why: `The trigger is over ${triggerMs / 1000} seconds old.` })
      known.used = true
      return known.user
    },
  }
}
