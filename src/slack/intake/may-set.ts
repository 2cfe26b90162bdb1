import { settledWithin } from '../../base/async.ts'
import type { NamedInPlace } from '../../base/place.ts'
import { isMember } from '../client/channel-members.ts'
import type { PersonFacts } from '../client/people-and-channels.ts'
import type { NoFacts } from '../client/directory.ts'
import type { Installation } from '../client/installations.ts'
import type { Settings } from '../../stores/settings/settings.ts'

/** `denial`: why they may not. `mayChangeForget`: whether they may change `whoMayForget`. */
type MaySet =
  | { denial: 'notAdmin' | 'notMember' | 'notAllowed' | 'notHere' | 'untold' }
  | { denial?: undefined; mayChangeForget: boolean }

/** Returns whether somebody is an admin or owner of the workspace. False if Slack does not say. */
export function isAdmin(person: PersonFacts | NoFacts | undefined): boolean {
  return typeof person === 'object' && person.isAdmin && !person.isGuest && !person.isExternal
}

/** Time limit for asking Slack, in ms: a modal must be opened or answered within three seconds. */
const PATIENCE_MS = 1_800

/**
 * Returns whether somebody may change the settings of a place. Anyone who could type the command in a channel was a
 * member at that moment. `isLater` checks the membership, and asks Slack again who the person is.
 */
export async function maySet(
  person: NamedInPlace,
  settings: Settings,
  { installation, isLater }: { installation: Installation; isLater: boolean },
): Promise<MaySet> {
  const { channel, user } = person
  const { directory, client } = installation
  const isDirect = channel.startsWith('D')
  const asking = directory.factsOfAuthor(person, { isFresh: isLater })
  const looking = isLater && !isDirect ? isMember(person, client) : undefined
  if (!(await settledWithin(PATIENCE_MS, [asking, ...(looking ? [looking] : [])]))) return { denial: 'untold' }
  if ((await looking) === false) return { denial: 'notHere' }
  const { access, settingsBy, whoMayForget } = settings
  const facts = await asking
  if (typeof facts === 'string') {
    const mayAnybody = settingsBy === 'members' && access.external && access.users.length === 0
    return mayAnybody ? { mayChangeForget: whoMayForget === 'anyone' } : { denial: 'untold' }
  }
  const { isAdmin, isExternal, isGuest, mailDomain = '', isEmailConfirmed } = facts
  if (settingsBy === 'admins' && !isAdmin) return { denial: 'notAdmin' }
  if ((isExternal || isGuest) && !access.external) return { denial: 'notMember' }
  const domain = isEmailConfirmed ? mailDomain : ''
  if (access.users.length > 0 && ![user, domain].some((one) => access.users.includes(one)))
    return { denial: 'notAllowed' }
  return { mayChangeForget: isAdmin || whoMayForget === 'anyone' }
}
