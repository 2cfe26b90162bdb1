import type { Store } from '../store.ts'
import { Refusal } from '../types.ts'

/** The triggers for opening modals. */
interface Triggers {
  /** Returns a fresh trigger for a person who pressed something or sent a command. */
  issue(user: string): string
  /** Returns the trigger's person. @throws Refusal if the trigger is unknown, used or expired */
  use(trigger: string): string
}

/**
 * Creates the triggers. Each opens one modal, within a given time after the press or command.
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
