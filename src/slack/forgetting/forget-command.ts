/**
 * `/ask forget` asks for confirmation, and its button Delete forgets. Admins may use it, or everyone if an admin has
 * set `whoMayForget` so for the channel. `ForgettingAll` (question/stores/forget-all.ts) deletes from each store.
 */
import { messageOf } from '../../base/errors.ts'
import type { Place } from '../../base/place.ts'
import { foreignTeam, type Presser } from '../../stores/runs/audience.ts'
import type { Question } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { forgetContent, noteContent, type Content } from '../format/blocks.ts'
import { FORGET, FORGET_WHAT } from '../format/forget-words.ts'
import { newReference, withReference } from '../format/messages.ts'
import type { Services, WorkspaceServices } from '../services.ts'

/** The person who wants to forget, and the place. */
interface ForgetWish extends Place, Presser {}

/** `/ask forget`: shows the asker alone what would be deleted, with buttons. Never rejects. */
export async function forgetByCommand(
  { command }: { command: Question },
  { installation, services }: WorkspaceServices,
): Promise<Content> {
  return outcomeOf(command, services, async () => {
    const refusal = await whyNot(command, installation, services)
    const what = isOfPerson(command) ? FORGET_WHAT.person : FORGET_WHAT.channel
    return refusal ?? { content: forgetContent(what, command.team) }
  })
}

/**
 * The button Delete: forgets a direct message and its person, or a channel. May take longer than Slack waits for an
 * ack. Never rejects. @returns the outcome for the person
 */
export async function forgetNow(wish: ForgetWish, installation: Installation, services: Services): Promise<Content> {
  return outcomeOf(wish, services, async () => {
    const { team, channel, user } = wish
    const refusal = await whyNot(wish, installation, services)
    if (refusal) return refusal
    if (!isOfPerson(wish)) {
      await services.forgetting.forgetChannel({ team, channel })
      return { content: noteContent(FORGET.channel), outcome: 'channel' }
    }
    // What somebody here has stored is not that of a person from another company with the same id.
    const isOfTeam = foreignTeam(wish, team).userTeam === undefined
    const known = await installation.directory.homesOf(wish)
    if (known === 'unreachable' && !isOfTeam) return 'untold'
    const homes = [...(isOfTeam ? [team] : []), ...(known === 'unreachable' ? [] : known)]
    if (homes.includes(team)) await services.connections?.end({ team, user })
    await services.forgetting.forgetPerson({ team, channel, user, homes })
    return { content: noteContent(FORGET.person), outcome: 'person' }
  })
}

function isOfPerson({ channel }: ForgetWish): boolean {
  return channel.startsWith('D')
}

type ForgetRefusal = 'notAdmin' | 'notMember' | 'untold' | 'failed'

/** Returns the result of `work` for the person. A failure comes with a reference to the log. */
async function outcomeOf(
  { team, channel, user }: ForgetWish,
  services: Services,
  work: () => Promise<ForgetRefusal | { content: Content; outcome?: string }>,
): Promise<Content> {
  const reference = newReference()
  const log = services.log.child({ team, channel, user, reference })
  const result = await work().catch((error: unknown) => {
    log.error({ error: messageOf(error) }, 'could not forget')
    return 'failed' as const
  })
  const isRefused = typeof result === 'string'
  log.info({ outcome: isRefused ? result : (result.outcome ?? 'confirming') }, 'asked to forget')
  return isRefused ? noteContent(withReference(FORGET[result], reference)) : result.content
}

/** Anybody may delete their own direct messages with the bot. For a channel, its settings decide. */
async function whyNot(
  wish: ForgetWish,
  { directory }: Installation,
  { settingsFor }: Services,
): Promise<ForgetRefusal | undefined> {
  if (isOfPerson(wish)) return undefined
  const { team, channel } = wish
  const { whoMayForget, access } = await settingsFor({ team, channel })
  const facts = await directory.factsOfAuthor(wish, { isFresh: true })
  if (typeof facts === 'string') return 'untold'
  if (whoMayForget === 'admins' && !facts.isAdmin) return 'notAdmin'
  return (facts.isExternal || facts.isGuest) && !access.external ? 'notMember' : undefined
}
