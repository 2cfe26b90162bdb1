import { scopeOf, scopesOf, type RememberedPlace, type RememberedScope } from '../../stores/remembered/types.ts'
import type { Installation } from '../client/installations.ts'
import { factsOfPlace } from '../client/place-facts.ts'

/**
 * The current scope of a place. Texts from before a channel was shared with another company are not known there while
 * it is. Undefined if Slack does not say what the channel is: nothing is remembered or known there then.
 * @throws if Slack does not answer
 */
export async function scopeNow(
  place: RememberedPlace,
  installation: Installation,
): Promise<RememberedScope | undefined> {
  if (scopesOf(place).length === 1) return scopeOf(place, { isShared: false })
  const facts = await factsOfPlace(place.channel, installation, 'once')
  return facts.isTold ? scopeOf(place, facts) : undefined
}
