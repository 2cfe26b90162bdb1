import { scopeOf, scopesOf, type RememberedPlace, type RememberedScope } from '../../stores/remembered/types.ts'
import type { Installation } from '../client/installations.ts'
import { factsOfPlace } from '../client/place-facts.ts'

/**
 * The scope of a place as it is now: what was said in a channel before it was shared with another company is not known
 * there while it is.
 * @throws if Slack does not tell
 */
export async function scopeNow(place: RememberedPlace, installation: Installation): Promise<RememberedScope> {
  if (scopesOf(place).length === 1) return scopeOf(place, { isShared: false })
  return scopeOf(place, await factsOfPlace(place.channel, installation, 'once'))
}
