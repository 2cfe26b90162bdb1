import { scopeOf, scopesOf, type RememberedPlace, type RememberedScope } from '../../stores/remembered/types.ts'
import type { Installation } from '../client/installations.ts'
import { factsOfPlace } from '../client/place-facts.ts'

/**
 * The current scope of a place. Texts from before a channel was shared with another company are not known there while
 * it is.
 * @throws if Slack does not say
 */
export async function scopeNow(place: RememberedPlace, installation: Installation): Promise<RememberedScope> {
  if (scopesOf(place).length === 1) return scopeOf(place, { isShared: false })
  return scopeOf(place, await factsOfPlace(place.channel, installation, 'once'))
}
