import { scopeOf, scopesOf } from '../../stores/remembered/types.ts'
import type { RememberedPlace, RememberedScope, RememberedStore } from '../../stores/remembered/types.ts'
import type { Installation } from '../client/installations.ts'
import { factsOfPlace } from '../client/place-facts.ts'

/**
 * The current scope of a place. While a channel is shared with another company, texts from before are not used.
 * Undefined if Slack does not say what the channel is: nothing is remembered or used there then. If `remembered` is
 * given, misplaced texts are moved.
 * @throws if Slack or the store does not answer
 */
export async function scopeNow(
  place: RememberedPlace,
  installation: Installation,
  remembered?: RememberedStore,
): Promise<RememberedScope | undefined> {
  const [own = '', shared] = scopesOf(place)
  if (shared === undefined) return own
  const facts = await factsOfPlace(place.channel, installation, 'once')
  if (!facts.isTold) return undefined
  // 0.1.0 took a channel that Slack did not describe, such as a private one without the bot, for a shared one.
  if (remembered && (!facts.isShared || facts.isCalledPrivate)) await moveUntold(shared, own, remembered)
  return scopeOf(place, facts)
}

/** Moves texts that may have been added before the channel was shared. */
async function moveUntold(from: RememberedScope, to: RememberedScope, remembered: RememberedStore): Promise<void> {
  const untold = (await remembered.list(from)).filter(({ isTold }) => !isTold)
  for (const one of untold) {
    await remembered.add(to, one)
    await remembered.remove(from, one.id)
  }
}
